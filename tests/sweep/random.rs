//! Webhooks that are lost at random, calls that fail at random, and a sweep every five minutes. The seed plays a run
//! again.

use super::stage::{ON_A_POST, Stage, account, delivered_in_doubt, lost_in_doubt};
use openreply_app::ports::Random;
use openreply_domain::ids::{CommentId, UserId};
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_testkit::instagram::{CallKind, Fault};
use openreply_testkit::memory::SeededRandom;

const COMMENTS: usize = 16;
const CAP: u32 = 4;

/// The comments of a run, each by a person of its own: whether it matches, and whether a webhook told of it.
struct Run {
    stage: Stage,
    matching: Vec<(String, CommentId)>,
    told: usize,
}

/// Half of the webhooks never come, and some come three times. `fault`: what a call may meet.
async fn run(seed: u64, fault: impl Fn(u64) -> Option<Fault>) -> Run {
    let dice = SeededRandom::new(seed);
    let mut stage = Stage::new(ON_A_POST).await;
    stage.policy = Policy { hourly_limit: CAP, ..Policy::default() };
    let (mut matching, mut told) = (Vec::new(), 0);
    for n in 0..COMMENTS {
        let user = format!("{}", 900 + n);
        let matches = !dice.number().is_multiple_of(4);
        let comment = stage.comment(&user, if matches { "LINK" } else { "how nice" });
        if let Some(fault) = fault(dice.number()) {
            stage.fail_next(1, &fault);
        }
        let times = [0, 0, 0, 1, 1, 3][(dice.number() % 6) as usize];
        for _ in 0..times {
            stage.tell(&comment).await;
        }
        if matches {
            told += usize::from(times > 0);
            matching.push((user, comment));
        }
        stage.work().await;
        stage.pass(SignedDuration::from_secs((dice.number() % 400) as i64));
    }
    for _ in 0..(8 * 12) {
        stage.pass(SignedDuration::from_mins(5));
        stage.sweep().await;
    }
    Run { stage, matching, told }
}

/// No hour has more private replies than the account may send. What was refused was none.
fn check_cap(stage: &Stage, seed: u64) {
    let calls = stage.instagram.calls();
    let sent: Vec<Timestamp> = calls
        .iter()
        .filter(|call| call.kind == Some(CallKind::PrivateReply) && call.made.is_some())
        .map(|call| call.at)
        .collect();
    for first in &sent {
        let end = after(*first, SignedDuration::from_hours(1));
        let within = sent.iter().filter(|at| first <= *at && **at < end).count();
        assert!(within <= CAP as usize, "{within} in the hour from {first}, seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_matching_comment_gets_its_one_message_whether_a_webhook_told_of_it_or_not() {
    let (mut matching, mut told) = (0, 0);
    for seed in 0..6 {
        let run = run(seed, |_| None).await;
        for (user, comment) in &run.matching {
            assert_eq!(run.stage.inbox(user), ["The guide"], "{comment}, seed {seed}");
            assert_eq!(run.stage.status(comment).await, "SENT", "{comment}, seed {seed}");
        }
        let conversations = run.stage.instagram.snapshot().accounts()[&account()].conversations.len();
        assert_eq!(conversations, run.matching.len(), "nobody else was written to, seed {seed}");
        check_cap(&run.stage, seed);
        matching += run.matching.len();
        told += run.told;
    }
    assert!(told * 3 < matching * 2, "most were found by sweeps: {told} of {matching} were told of");
}

/// With calls that are throttled, refused or in doubt: never two, and everything ends in sight. What arrived is found.
#[tokio::test(flavor = "multi_thread")]
async fn no_fault_makes_a_second_message_or_loses_one_out_of_sight() {
    let mut doubts = 0;
    for seed in 100..106 {
        let run = run(seed, |drawn| match drawn % 6 {
            0 => Some(Fault::error(400, 4, None, "slower")),
            1 => Some(delivered_in_doubt()),
            2 => Some(lost_in_doubt()),
            _ => None,
        })
        .await;
        for (user, comment) in &run.matching {
            let got = run.stage.instagram.inbox(&account(), &UserId::parse(user.as_str()).unwrap());
            let row = run.stage.row(comment).await.unwrap();
            assert!(got.len() <= 1, "{comment} got {}, seed {seed}", got.len());
            match row.status {
                "SENT" => assert_eq!(row.message_id, Some(got[0].id.to_string()), "{comment}, seed {seed}"),
                "UNCONFIRMED" => {
                    assert!(got.is_empty(), "{comment} arrived and was not found, seed {seed}");
                    doubts += 1;
                }
                other => panic!("{comment} is {other}: {:?}, seed {seed}", row.reason),
            }
        }
        check_cap(&run.stage, seed);
    }
    assert!(doubts > 0, "no run had a message in doubt");
}
