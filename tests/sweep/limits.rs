//! What a sweep may not take: calls that sends need, a dead token's, a queue that is behind.

use super::stage::{ON_A_POST, ON_ANY, POST, Stage, account, lost_in_doubt, media};
use openreply_app::ports::{Ledger, Pulse, SweepLedger, SweepRecord};
use openreply_app::sweep::SweepOrder;
use openreply_domain::gate::{Hold, HoldReason};
use openreply_domain::pulse::Heartbeat;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::faults::{Fault as Trouble, FaultPlan};
use openreply_testkit::instagram::{CallKind, Fault};
use secrecy::SecretString;
use std::time::Duration;

const OTHER_POST: &str = "18000000000000056";
const OTHER_CAMPAIGN: &str = r#"campaigns:
  - { id: other, account: "17841400000000001", post: "18000000000000056", keywords: [LINK], dm: "The other guide" }"#;

#[tokio::test]
async fn a_dead_token_is_tried_once_and_holds_the_account_until_there_is_a_new_one() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    stage.instagram.set_token(&account(), SecretString::from("another"));
    for _ in 0..3 {
        let summary = stage.sweep().await;
        assert_eq!(summary.enqueued, 0);
        stage.pass(SignedDuration::from_mins(5));
    }
    assert_eq!(stage.reads(), 1);
    let (gate, _) = stage.memory.ledger.gates(&account()).await.unwrap();
    assert_eq!(gate.standing(stage.now()).unwrap().reason, HoldReason::TokenDead);
    let noted = stage.memory.ledger.last_sweep(Some(&account())).await.unwrap().unwrap().summary.notes;
    assert!(noted.iter().any(|note| note.contains("held")), "{noted:?}");

    stage.apply(&ON_A_POST.replace("sweep-token", "another")).await;
    stage.sweep().await;
    assert_eq!(stage.status(&comment).await, "SENT");
}

#[tokio::test]
async fn limited_reads_rest_as_long_as_instagram_asks() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    stage.instagram.fail_next_of(CallKind::Read, 1, &Fault::error(400, 4, None, "slower"));
    let summary = stage.sweep().await;
    assert_eq!((summary.reads, summary.errors, summary.enqueued), (1, 1, 0), "{summary:?}");
    for minutes in [5, 5] {
        stage.pass(SignedDuration::from_mins(minutes));
        let summary = stage.sweep().await;
        assert_eq!(summary.reads, 0, "{summary:?}");
        assert!(summary.notes[0].contains("limited its calls"), "{summary:?}");
    }
    stage.pass(SignedDuration::from_mins(5));
    assert_eq!(stage.sweep().await.enqueued, 1);
    assert_eq!(stage.status(&comment).await, "SENT");
}

/// A sweep that may not read for another reason keeps the time for which Instagram asked.
#[tokio::test]
async fn what_instagram_asked_for_outlives_a_hold() {
    let stage = Stage::new(ON_A_POST).await;
    let ledger = &stage.memory.ledger;
    let comment = stage.comment("900", "LINK");
    stage.instagram.fail_next_of(CallKind::Read, 1, &Fault::error(400, 4, None, "slower"));
    stage.sweep().await;
    let (mut gate, _) = ledger.gates(&account()).await.unwrap();
    for hold in [Some(Hold { reason: HoldReason::Permission, since: stage.now(), until: None }), None] {
        gate.revision += 1;
        gate.hold = hold;
        assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
        stage.pass(SignedDuration::from_mins(5));
        assert_eq!(stage.sweep().await.reads, 0);
    }
    stage.pass(SignedDuration::from_mins(5));
    stage.sweep().await;
    assert_eq!(stage.status(&comment).await, "SENT");
}

/// One page, and no more: the rest of the calls is for sends.
#[tokio::test]
async fn reads_end_when_most_of_the_calls_are_used() {
    for (used, reads) in [(75, 3), (76, 1)] {
        let stage = Stage::new(ON_A_POST).await;
        for n in 0..120 {
            stage.comment(&format!("{}", 900 + n), "LINK");
        }
        stage.instagram.use_up(used);
        let summary = stage.look().await;
        assert_eq!((summary.reads, summary.enqueued), (reads, 30), "{used} %: {summary:?}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_ends_nothing_but_its_post() {
    let stage = Stage::new(ON_ANY).await;
    let posts = ["18000000000000061", "18000000000000062", "18000000000000063"];
    for (n, post) in posts.iter().enumerate() {
        stage.comment_on(post, &format!("90{n}"), "LINK", None);
    }
    // The list of posts comes; one of them is gone, one answers a page of HTML.
    stage.instagram.fail_next_of(CallKind::Read, 1, &Fault::html(502));
    let summary = stage.sweep().await;
    assert_eq!((summary.enqueued, summary.errors, summary.reads), (0, 1, 1), "{summary:?}");
    let summary = stage.sweep().await;
    assert_eq!((summary.enqueued, summary.errors), (3, 0), "{summary:?}");
}

/// However many conversations there are in doubt that never answer, what is missed is found in the same round.
#[tokio::test]
async fn places_that_give_no_answer_keep_no_round_from_the_missed_comments() {
    let stage = Stage::new(ON_A_POST).await;
    for user in 900..910 {
        let doubtful = stage.comment(&user.to_string(), "LINK");
        stage.fail_next(1, &lost_in_doubt());
        stage.tell(&doubtful).await;
        stage.work().await;
        assert_eq!(stage.status(&doubtful).await, "UNCONFIRMED");
        // Doubt that adds up holds an account, and that is not what this is about.
        stage.pass(SignedDuration::from_mins(11));
    }
    let deaf = FaultPlan::always([("conversation", Trouble::Refuse)]);
    for user in 910..915 {
        let missed = stage.comment(&user.to_string(), "LINK");
        let summary = stage.round(&deaf).await;
        assert_eq!(summary.enqueued, 1, "{summary:?}");
        stage.work().await;
        assert_eq!(stage.status(&missed).await, "SENT");
        stage.pass(SignedDuration::from_mins(5));
    }
}

/// Another kind of read is tried before it is believed.
#[tokio::test]
async fn an_instagram_that_answers_nothing_is_left_alone_for_a_quarter_of_an_hour() {
    let stage = Stage::new(ON_A_POST).await;
    for user in ["900", "901", "902"] {
        let doubtful = stage.comment(user, "LINK");
        stage.fail_next(1, &lost_in_doubt());
        stage.tell(&doubtful).await;
        stage.work().await;
        stage.pass(SignedDuration::from_mins(11));
    }
    let missed = stage.comment("903", "LINK");
    let silent = ["conversation", "replies", "comments", "own_media"].map(|read| (read, Trouble::Refuse));
    let silent = FaultPlan::always(silent);
    for reads in [3, 0, 0] {
        let summary = stage.round(&silent).await;
        assert_eq!((summary.reads, summary.enqueued), (reads, 0), "{summary:?}");
        stage.pass(SignedDuration::from_mins(5));
    }
    stage.sweep().await;
    assert_eq!(stage.status(&missed).await, "SENT");
}

/// A sweep that took long ends after a later one, which was told to be quiet.
#[tokio::test]
async fn what_instagram_asked_for_outlives_an_earlier_sweep() {
    let stage = Stage::new(ON_A_POST).await;
    stage.comment("900", "LINK");
    stage.instagram.slow_reads(Duration::from_millis(300));
    let ledger = &stage.memory.ledger;
    let later = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let account = Some(account());
        let quiet_until = Some(after(stage.now(), SignedDuration::from_mins(20)));
        let (progress, summary) = Default::default();
        let record = SweepRecord { account, at: stage.now(), quiet_until, progress, summary };
        ledger.put_sweep(&record).await.unwrap();
        quiet_until
    };
    let (summary, quiet_until) = tokio::join!(stage.look(), later);
    assert_eq!(summary.enqueued, 1, "{summary:?}");
    let kept = ledger.last_sweep(Some(&account())).await.unwrap().unwrap();
    assert_eq!((kept.quiet_until, kept.summary), (quiet_until, summary));
}

/// Where the next rounds go on, by post.
async fn unfinished(stage: &Stage) -> Vec<(String, String)> {
    let kept = stage.memory.ledger.last_sweep(Some(&account())).await.unwrap().unwrap();
    kept.progress.unfinished.into_iter().map(|(media, cursor)| (media.to_string(), cursor)).collect()
}

/// Each round may read one page: every other one goes on where the last of them ended.
#[tokio::test]
async fn what_stands_deep_under_a_post_is_found_however_little_a_round_may_read() {
    let stage = Stage::new(ON_A_POST).await;
    let deep = stage.comment("900", "LINK");
    for n in 0..230 {
        stage.comment(&format!("{}", 1000 + n), "how nice");
    }
    stage.instagram.use_up(76);
    for n in 0..9 {
        let new = stage.comment(&format!("91{n}"), "LINK");
        stage.pass(SignedDuration::from_mins(5));
        assert_eq!(stage.sweep().await.reads, 1);
        stage.pass(SignedDuration::from_mins(5));
        assert_eq!(stage.sweep().await.reads, 1);
        assert_eq!(stage.status(&new).await, "SENT", "and nothing new waits for it");
    }
    assert_eq!(stage.status(&deep).await, "SENT");
    assert_eq!(unfinished(&stage).await.len(), 1);
    stage.instagram.use_up(1);
    for _ in 0..2 {
        stage.sweep().await;
    }
    assert_eq!(unfinished(&stage).await, [], "all of it was read");
}

/// Two posts, each of them more than a round may read: both are read to their ends, whichever round it is.
#[tokio::test]
async fn several_posts_that_no_round_reads_to_their_ends_take_turns() {
    let stage = Stage::new(&ON_A_POST.replace("campaigns:", OTHER_CAMPAIGN)).await;
    let mut deep = Vec::new();
    for (post, user) in [(POST, 900), (OTHER_POST, 901)] {
        deep.push(stage.comment_on(post, &user.to_string(), "LINK", None));
        for n in 0..110 {
            stage.comment_on(post, &format!("{user}{n:03}"), "how nice", None);
        }
    }
    stage.instagram.use_up(76);
    // A throttle rests for fifteen minutes: rounds that read are as far apart as that.
    for _ in 0..14 {
        stage.pass(SignedDuration::from_mins(20));
        assert_eq!(stage.sweep().await.reads, 1);
    }
    for comment in deep {
        assert_eq!(stage.status(&comment).await, "SENT");
    }
}

/// Rounds that may not read, or cannot read which posts there are, forget no place.
#[tokio::test]
async fn a_place_outlives_rounds_that_read_nothing() {
    let stage = Stage::new(ON_ANY).await;
    stage.instagram.publish(&account(), &media(POST), false);
    for n in 0..120 {
        stage.comment(&format!("{}", 1000 + n), "how nice");
    }
    let calls = FaultPlan::default();
    stage.round(&calls).await;
    assert_eq!(unfinished(&stage).await, []);
    let mut pages = calls.calls().into_iter().enumerate().filter(|(_, call)| *call == "comments");
    let (second, _) = pages.nth(1).unwrap();
    stage.round(&FaultPlan::new([(second, Trouble::Refuse)])).await;
    let place = unfinished(&stage).await;
    assert_eq!(place.len(), 1);
    let limited = Fault::error(400, 4, None, "slower");
    stage.instagram.fail_next_of(CallKind::Read, 1, &limited);
    for deaf in [FaultPlan::default(), FaultPlan::always([("own_media", Trouble::Refuse)])] {
        stage.round(&deaf).await;
        assert_eq!(unfinished(&stage).await, place);
        stage.pass(SignedDuration::from_mins(20));
    }
}

/// What a cursor leads to may be gone, or never answer: then the post is read from its newest comment again.
#[tokio::test]
async fn a_place_that_leads_nowhere_is_forgotten() {
    for trouble in [Fault::error(400, 100, None, "no such cursor"), Fault::html(502)] {
        let stage = Stage::new(ON_A_POST).await;
        let deep = stage.comment("900", "LINK");
        for n in 0..120 {
            stage.comment(&format!("{}", 1000 + n), "how nice");
        }
        stage.instagram.use_up(76);
        stage.sweep().await;
        assert_eq!(unfinished(&stage).await.len(), 1);
        stage.instagram.use_up(1);
        stage.instagram.fail_next_of(CallKind::Read, 1, &trouble);
        stage.sweep().await;
        assert_eq!(unfinished(&stage).await, [], "{trouble:?}");
        stage.sweep().await;
        assert_eq!(stage.status(&deep).await, "SENT", "{trouble:?}");
    }
}

/// A backlog would only grow.
#[tokio::test]
async fn nothing_is_added_while_the_queue_is_behind() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    let ledger = &stage.memory.ledger;
    for (age, lag, enqueued) in [(121, 0, 0), (30, 121_000, 0), (30, 1_000, 1)] {
        let checked_at = after(stage.now(), -SignedDuration::from_secs(age));
        ledger.beat(&Heartbeat::beat(checked_at, Some(lag), "1")).await.unwrap();
        ledger.beat(&Heartbeat::echo(checked_at, "1")).await.unwrap();
        let summary = stage.look().await;
        assert_eq!(summary.enqueued, enqueued, "{age} s old, {lag} ms late: {summary:?}");
        assert_eq!(summary.notes.is_empty(), enqueued == 1, "{summary:?}");
    }
    stage.work().await;
    assert_eq!(stage.status(&comment).await, "SENT");
}

/// Whatever there is of it, nothing outlasts the round; the next one goes on.
#[tokio::test]
async fn a_round_ends_with_its_time_and_the_next_one_goes_on() {
    let stage = Stage::new(ON_A_POST).await;
    let waits = stage.comment("900", "LINK");
    stage.fail_next(1, &Fault::error(400, 4, None, "slower"));
    stage.tell(&waits).await;
    stage.work().await;
    let doubt = stage.comment("901", "LINK");
    stage.fail_next(1, &lost_in_doubt());
    stage.tell(&doubt).await;
    stage.work().await;
    stage.pass(SignedDuration::from_mins(8));
    drop(stage.memory.timers.fire(stage.now()));
    stage.live().await;
    let sweep = stage.reconciler(SignedDuration::ZERO, &FaultPlan::default());
    let order = SweepOrder { account: Some(account()), round: stage.now() };
    let summary = sweep.carry_out(&order, stage.now()).await.unwrap();
    assert_eq!((summary.redriven, summary.reads, summary.errors), (0, 0, 0), "{summary:?}");
    assert!(summary.notes.iter().any(|note| note.contains("time of this round")), "{summary:?}");
    assert_eq!(stage.sweep().await.redriven, 1);
    assert_eq!((stage.status(&waits).await, stage.status(&doubt).await), ("SENT", "UNCONFIRMED"));
}

/// A consumer that never ran takes nothing from the queue.
#[tokio::test]
async fn nothing_is_added_before_there_was_any_heartbeat() {
    let stage = Stage::new(ON_A_POST).await;
    stage.comment("900", "LINK");
    let sweep = stage.reconciler(SignedDuration::ZERO, &FaultPlan::default());
    let order = SweepOrder { account: Some(account()), round: stage.now() };
    let summary = sweep.carry_out(&order, after(stage.now(), SignedDuration::from_mins(4))).await.unwrap();
    assert_eq!((summary.reads, summary.enqueued), (0, 0), "{summary:?}");
    assert_eq!(stage.look().await.enqueued, 1);
}

#[tokio::test]
async fn a_stopped_stack_is_swept_when_it_goes_on() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    let memory = &stage.memory;
    openreply_app::resume::stop(&memory.ledger, stage.now()).await.unwrap();
    let summary = stage.sweep().await;
    assert_eq!((summary.enqueued, summary.reads), (0, 0), "{summary:?}");
    openreply_app::resume::start(&memory.ledger, &memory.queue, &memory.facts, stage.now()).await.unwrap();
    stage.sweep().await;
    assert_eq!(stage.status(&comment).await, "SENT");
}
