//! Comments that no webhook told of.

use super::stage::{ACCOUNT, ON_A_POST, ON_ANY, POST, Stage, account, lost_in_doubt, media};
use openreply_app::deliver::{Handled, Turn};
use openreply_app::job::Job;
use openreply_domain::send::State;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::faults::{Fault as Trouble, FaultPlan};
use openreply_testkit::instagram::{CallKind, Fault, webhook};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_comment_that_no_webhook_told_of_gets_its_message_once() {
    let stage = Stage::new(ON_ANY).await;
    let comment = stage.comment("900", "LINK please");
    stage.comment("901", "how nice");
    let summary = stage.sweep().await;
    assert_eq!(
        (summary.found, summary.matched, summary.enqueued, summary.errors),
        (2, 1, 1, 0),
        "{summary:?}"
    );
    for _ in 0..3 {
        stage.pass(SignedDuration::from_mins(5));
        let summary = stage.sweep().await;
        assert_eq!((summary.known, summary.enqueued), (1, 0), "{summary:?}");
    }
    assert_eq!((stage.inbox("900"), stage.status(&comment).await), (vec!["The guide".to_owned()], "SENT"));
    assert_eq!(stage.instagram.replies(&comment).len(), 1, "its public reply too");
    assert_eq!(stage.inbox("901"), [""; 0]);
}

#[tokio::test]
async fn what_a_person_of_the_account_answered_is_left_alone() {
    let stage = Stage::new(ON_ANY).await;
    let answered = stage.comment("900", "LINK");
    stage.answer_by_hand(&answered, "Here you are");
    let own = stage.comment(ACCOUNT, "LINK below");
    let summary = stage.sweep().await;
    assert_eq!((summary.matched, summary.answered, summary.enqueued), (1, 1, 0), "{summary:?}");
    assert_eq!((stage.status(&answered).await, stage.status(&own).await), ("unknown", "unknown"));
}

/// In one thread: whoever asks under a comment is answered too, unless somebody answered by hand. Our own public
/// reply under the comment is no such answer.
#[tokio::test]
async fn replies_to_a_comment_are_found_and_our_own_public_reply_is_no_answer_by_hand() {
    let stage = Stage::new(ON_ANY).await;
    let top = stage.comment("900", "LINK");
    stage.comment_on(POST, "901", "LINK for me too", Some(&top));
    stage.tell(&top).await;
    stage.pass(SignedDuration::from_secs(2));
    stage.work().await;
    assert_eq!(stage.instagram.replies(&top).len(), 2, "the child, and our public reply");
    let summary = stage.sweep().await;
    assert_eq!((summary.matched, summary.known, summary.enqueued), (2, 1, 1), "{summary:?}");
    assert_eq!(stage.inbox("901"), ["The guide"]);

    let late = stage.comment_on(POST, "902", "LINK", Some(&top));
    stage.pass(SignedDuration::from_secs(2));
    stage.answer_by_hand(&top, "You too");
    let summary = stage.sweep().await;
    assert_eq!((summary.answered, summary.enqueued), (1, 0), "{summary:?}");
    assert_eq!(stage.status(&late).await, "unknown");
}

/// Nobody knows whether our public reply is there: one reply may be it, if it says so and came then; any other is by
/// hand.
#[tokio::test]
async fn a_public_reply_in_doubt_excuses_no_answer_by_hand() {
    for (arrived, by_hand, answered) in
        [(true, None, 0), (true, Some("You too"), 1), (false, Some("You too"), 1), (true, Some("Sent!"), 1)]
    {
        let stage = Stage::new(ON_ANY).await;
        let top = stage.comment("900", "LINK");
        let fault = if arrived { lost_in_doubt().after_delivery() } else { lost_in_doubt() };
        stage.instagram.fail_next_of(CallKind::PublicReply, 1, &fault);
        stage.comment_on(POST, "901", "LINK for me too", Some(&top));
        stage.tell(&top).await;
        stage.work().await;
        stage.pass(SignedDuration::from_secs(2));
        if let Some(text) = by_hand {
            stage.answer_by_hand(&top, text);
        }
        // Before evidence settles it: the sweep reads no thread for it.
        let deaf = FaultPlan::always([("replies", Trouble::Refuse)]);
        let summary = stage.round(&deaf).await;
        let case = format!("{arrived} {by_hand:?}: {summary:?}");
        assert_eq!((summary.answered, summary.enqueued), (answered, 1 - answered), "{case}");
    }
}

#[tokio::test]
async fn nothing_older_than_the_campaign_or_three_days_is_answered_unless_it_says_so() {
    let backfill = ON_A_POST.replace("dm:", "backfill: true, dm:");
    let hours = |hours: i64| SignedDuration::from_hours(hours);
    // Written so long before the campaign; swept so long after it was applied.
    for (before, swept_after, campaigns, answered) in [
        (hours(0), hours(0), ON_A_POST, true),
        (hours(0), hours(71), ON_A_POST, true),
        (hours(0), hours(73), ON_A_POST, false),
        (hours(1), hours(0), ON_A_POST, false),
        (hours(1), hours(0), backfill.as_str(), true),
        (hours(1), hours(72), backfill.as_str(), false),
    ] {
        let resting = campaigns.replace("dm:", "active: false, dm:");
        let stage = Stage::new(if before.is_zero() { campaigns } else { &resting }).await;
        let comment = stage.comment("900", "LINK");
        stage.pass(before);
        stage.apply(campaigns).await;
        stage.pass(swept_after);
        stage.sweep().await;
        let case = format!("{before:?} before, swept {swept_after:?} after, {campaigns}");
        assert_eq!(stage.inbox("900").len(), usize::from(answered), "{case}");
        if answered {
            let written = stage.instagram.snapshot().comment(&comment).unwrap().at;
            assert_eq!(
                stage.dm(&comment).await.unwrap().first_seen_at,
                written,
                "its window counts from here"
            );
        }
    }
}

/// The campaign that stands first was made later: it had promised nothing when the comment was written.
#[tokio::test]
async fn a_campaign_that_came_later_does_not_win_an_older_comment() {
    let stage = Stage::new(ON_A_POST).await;
    stage.comment("900", "LINK");
    stage.pass(SignedDuration::from_mins(3));
    let first = "campaigns:\n  - { id: newer, account: \"17841400000000001\", match: any_word, dm: \"Something newer\" }";
    stage.apply(&ON_A_POST.replace("campaigns:", first)).await;
    stage.sweep().await;
    assert_eq!(stage.inbox("900"), ["The guide"]);
}

/// A thread is older than what is looked at, and somebody writes in it today.
#[tokio::test]
async fn a_new_reply_under_an_old_comment_is_found() {
    let stage = Stage::new(ON_A_POST).await;
    let old = stage.comment("900", "what is it?");
    stage.pass(SignedDuration::from_hours(80));
    let reply = stage.comment_on(POST, "901", "LINK", Some(&old));
    let summary = stage.sweep().await;
    assert_eq!((summary.found, summary.enqueued), (1, 1), "{summary:?}");
    assert_eq!((stage.status(&reply).await, stage.inbox("901").len()), ("SENT", 1));
}

/// A page of comments carries the first replies of each thread only.
#[tokio::test]
async fn a_long_thread_is_read_to_its_end() {
    let stage = Stage::new(ON_A_POST).await;
    let answered = stage.comment("900", "LINK");
    let long = stage.comment("901", "what is it?");
    for n in 0..90 {
        stage.comment_on(POST, &format!("{}", 1000 + n), "me too", Some(&answered));
        stage.comment_on(POST, &format!("{}", 2000 + n), "and how?", Some(&long));
    }
    stage.answer_by_hand(&answered, "you have it");
    let late = stage.comment_on(POST, "902", "LINK", Some(&long));
    let summary = stage.sweep().await;
    assert_eq!((summary.answered, summary.enqueued, summary.reads), (1, 1, 5), "{summary:?}");
    assert_eq!((stage.status(&answered).await, stage.status(&late).await), ("unknown", "SENT"));
}

/// An answer by hand may be the last of very many replies.
#[tokio::test]
async fn whoever_was_answered_at_the_end_of_a_very_long_thread_is_left_alone() {
    let stage = Stage::new(ON_A_POST).await;
    let answered = stage.comment("900", "LINK");
    for n in 0..400 {
        stage.comment_on(POST, &format!("{}", 1000 + n), "me too", Some(&answered));
    }
    stage.answer_by_hand(&answered, "you have it");
    // As little may be read as the page that shows the comment: then nobody knows.
    stage.instagram.use_up(76);
    let summary = stage.sweep().await;
    assert_eq!((summary.reads, summary.postponed, summary.enqueued), (1, 1, 0), "{summary:?}");
    stage.instagram.use_up(1);
    let summary = stage.sweep().await;
    assert_eq!((summary.answered, summary.enqueued), (1, 0), "{summary:?}");
    assert_eq!(stage.status(&answered).await, "unknown");

    let open = stage.comment("901", "LINK");
    for n in 0..400 {
        stage.comment_on(POST, &format!("{}", 2000 + n), "me too", Some(&open));
    }
    let summary = stage.sweep().await;
    assert_eq!((summary.answered, summary.enqueued), (1, 1), "{summary:?}");
    assert_eq!(stage.status(&open).await, "SENT");
}

/// Sent, in doubt, failed, out of attempts, skipped, waiting: whatever the ledger knows is its own business.
#[tokio::test]
async fn what_the_ledger_knows_is_left_to_it() {
    let mut stage = Stage::new(ON_A_POST).await;
    let gone = Fault::error(400, 100, Some(33), "deleted");
    let throttled = Fault::error(400, 4, None, "slower");
    let doubt = lost_in_doubt();
    // Instagram refuses it for as long as anybody tries.
    let exhausted = stage.comment("904", "LINK");
    stage.fail_next(3, &throttled);
    stage.tell(&exhausted).await;
    for _ in 0..3 {
        stage.work().await;
        stage.pass(SignedDuration::from_mins(20));
    }
    let mut comments = vec![(exhausted, "FAILED")];
    for (user, fault, status) in [
        ("900", None, "SENT"),
        ("901", Some(&doubt), "UNCONFIRMED"),
        ("902", Some(&gone), "FAILED"),
        ("903", Some(&throttled), "PENDING"),
    ] {
        let comment = stage.comment(user, "LINK");
        if let Some(fault) = fault {
            stage.fail_next(1, fault);
        }
        stage.tell(&comment).await;
        stage.work().await;
        assert_eq!(stage.status(&comment).await, status);
        comments.push((comment, status));
    }
    // The month has room for one more.
    stage.policy.monthly_limit = 1;
    for (user, status) in [("905", "SENT"), ("906", "SKIPPED_QUOTA")] {
        let comment = stage.comment(user, "LINK");
        stage.tell(&comment).await;
        stage.work().await;
        comments.push((comment, status));
    }
    let calls = stage.sends();
    let summary = stage.sweep().await;
    assert_eq!((summary.known, summary.enqueued), (7, 0), "{summary:?}");
    for (comment, status) in comments {
        assert_eq!(stage.status(&comment).await, status);
    }
    assert_eq!(stage.sends(), calls);
}

#[tokio::test]
async fn comments_on_ads_are_found_once_a_webhook_told_of_the_ad() {
    const AD: &str = "18000000000000099";
    let stage = Stage::new(ON_A_POST).await;
    stage.instagram.publish(&account(), &media(POST), false);
    stage.instagram.advertise(&account(), &media(AD));
    let told = stage.comment_on(AD, "900", "no word of it", None);
    let comment = stage.told(&told);
    let event = webhook::comment_event(&webhook::CommentUpdate {
        account: ACCOUNT,
        at: stage.now(),
        id: told.as_str(),
        text: &comment.text,
        from: "900",
        username: None,
        media: webhook::Media::Ad { media: AD, ad: "120200000000000001", original: Some(POST) },
        parent: None,
    });
    stage.record(&event, "ad").await;
    let missed = stage.comment_on(AD, "901", "LINK", None);
    let summary = stage.sweep().await;
    assert_eq!((summary.enqueued, summary.errors), (1, 0), "{summary:?}");
    assert_eq!((stage.inbox("901"), stage.status(&missed).await), (vec!["The guide".to_owned()], "SENT"));
}

#[tokio::test]
async fn a_campaign_for_any_post_looks_at_the_ten_newest() {
    let stage = Stage::new(ON_ANY).await;
    let post = |n: usize| format!("180000000000001{n:02}");
    for n in 0..12 {
        stage.instagram.publish(&account(), &media(&post(n)), false);
        stage.pass(SignedDuration::from_secs(1));
    }
    for n in 0..12 {
        stage.comment_on(&post(n), &format!("9{n:02}"), "LINK", None);
    }
    let summary = stage.sweep().await;
    assert_eq!((summary.enqueued, summary.reads), (10, 11), "{summary:?}");
    let got: Vec<usize> = (0..12).map(|n| stage.inbox(&format!("9{n:02}")).len()).collect();
    assert_eq!(got, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
}

/// Thirty a round, the oldest first, whatever else stands under the post.
#[tokio::test]
async fn of_five_thousand_comments_every_missed_one_is_found() {
    let stage = Stage::new(ON_A_POST).await;
    let mut missed = Vec::new();
    for n in 0..5_000 {
        let text = if n % 100 == 7 { "LINK" } else { "how nice" };
        let comment = stage.comment(&format!("{}", 10_000 + n), text);
        if n % 100 == 7 {
            missed.push(comment);
        }
        if n % 20 == 0 {
            stage.pass(SignedDuration::from_secs(1));
        }
    }
    let summary = stage.sweep().await;
    assert_eq!((summary.found, summary.matched), (5_000, 50), "{summary:?}");
    assert_eq!((summary.enqueued, summary.postponed, summary.reads), (30, 20, 100), "{summary:?}");
    for (n, comment) in missed.iter().enumerate() {
        let wanted = if n < 30 { "SENT" } else { "unknown" };
        assert_eq!(stage.status(comment).await, wanted, "the {n}th");
    }
    stage.pass(SignedDuration::from_mins(5));
    let summary = stage.sweep().await;
    assert_eq!((summary.known, summary.enqueued, summary.postponed), (30, 20, 0), "{summary:?}");
    assert_eq!(stage.sends(), 50);
}

/// Two seconds for every answer: the webhook's send is in the air while the sweep asks the ledger.
#[tokio::test]
async fn a_sweep_that_overlaps_the_webhook_of_the_same_comment_sends_one() {
    for sweep_first in [false, true] {
        // Its first read is that of the comments.
        let stage = Stage::new(ON_A_POST).await;
        let comment = stage.comment("900", "LINK");
        stage.instagram.slow_writes(Duration::from_secs(2));
        if sweep_first {
            // It sees the comment before anybody told of it, and hears of it a second later.
            stage.instagram.slow_reads(Duration::from_secs(1));
        }
        let webhook = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            stage.tell(&comment).await;
            stage.work().await;
        };
        let sweep = async {
            tokio::time::sleep(Duration::from_millis(if sweep_first { 0 } else { 600 })).await;
            let summary = stage.look().await;
            (summary, stage.dm(&comment).await.unwrap().state)
        };
        let ((summary, state), ()) = tokio::join!(sweep, webhook);
        assert!(matches!(state, State::Claimed { doubt: None }), "nothing was in the air: {state:?}");
        assert_eq!((summary.known, summary.enqueued, summary.errors), (1, 0, 0), "{summary:?}");
        stage.work().await;
        assert_eq!(stage.inbox("900"), ["The guide"], "sweep first: {sweep_first}");
        assert_eq!(stage.sends(), 1);
    }
}

/// The sweep was sure that nobody knew of the comment; then the webhook came after all. Both jobs are carried out at
/// the same time, as if no group kept them apart.
#[tokio::test]
async fn the_jobs_of_a_sweep_and_of_the_webhook_at_the_same_time_send_one() {
    for lead in [0, 50, 1_000] {
        let stage = Stage::new(ON_ANY).await;
        let comment = stage.comment("900", "LINK");
        assert_eq!(stage.look().await.enqueued, 1);
        stage.tell(&comment).await;
        let jobs: Vec<Job> = stage.memory.queue.taken().into_iter().map(|entry| entry.job).collect();
        let [Job::Missed { .. }, Job::Ingested { .. }] = &jobs[..] else { panic!("{jobs:?}") };
        stage.instagram.slow_writes(Duration::from_secs(2));
        let deliver = stage.deliver();
        let turn = |holder: &str| Turn {
            holder: holder.to_owned(),
            deadline: after(stage.now(), SignedDuration::from_secs(120)),
        };
        let (first, second) = (turn("one"), turn("two"));
        let late = async {
            tokio::time::sleep(Duration::from_millis(lead)).await;
            deliver.handle(&jobs[1], &second).await
        };
        let ends = tokio::join!(deliver.handle(&jobs[0], &first), late);
        assert!(matches!(ends, (Handled::Done, Handled::Done)), "{ends:?}");
        stage.work().await;
        assert_eq!(stage.inbox("900"), ["The guide"], "{lead} ms apart");
        assert_eq!((stage.sends(), stage.instagram.replies(&comment).len()), (1, 1), "{lead} ms apart");
        assert_eq!(stage.status(&comment).await, "SENT");
    }
}

/// A post that is gone, or under which nobody commented yet, is told of and is no fault.
#[tokio::test]
async fn a_post_that_instagram_does_not_show_is_noted() {
    let stage = Stage::new(ON_A_POST).await;
    let summary = stage.sweep().await;
    assert_eq!((summary.errors, summary.notes.len()), (0, 1), "{summary:?}");
    assert!(summary.notes[0].contains("does not show it"), "{summary:?}");
}

#[tokio::test]
async fn what_a_sweep_came_to_can_be_read() {
    use openreply_app::ports::SweepLedger;
    let stage = Stage::new(ON_A_POST).await;
    stage.comment("900", "LINK");
    let summary = stage.look().await;
    let kept = stage.memory.ledger.last_sweep(Some(&account())).await.unwrap().unwrap();
    assert_eq!((&kept.summary, kept.at), (&summary, stage.now()));
    let as_json = serde_json::to_value(kept).unwrap();
    assert_eq!(as_json["summary"]["enqueued"], json!(1));
}
