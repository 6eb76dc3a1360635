//! A sweep that fails at any of its calls does no harm, and the next ones make up for it.

use super::stage::{Stage, account, delivered_in_doubt, lost_in_doubt, media};
use openreply_app::ports::{EventStatus, Fact, Ledger};
use openreply_app::sweep::SweepOrder;
use openreply_domain::gate::{Hold, HoldReason};
use openreply_domain::ids::CommentId;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::faults::{FAULTS, Fault, FaultPlan};
use openreply_testkit::instagram::{self, CallKind};
use std::io::Write;

const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "sweep-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "The guide" }
  - { id: film, account: "17841400000000001", post: next_reel, keywords: [FILM], dm: "The film" }
"#;
const OTHER_POST: &str = "18000000000000056";
const FIRST_REEL: &str = "18000000000000071";
const SECOND_REEL: &str = "18000000000000072";
const FIVE_MINUTES: SignedDuration = SignedDuration::from_mins(5);
/// How many messages everybody has in the end.
const INBOXES: [(&str, usize); 9] = [
    ("900", 1),
    ("901", 0),
    ("902", 1),
    ("903", 1),
    ("904", 1),
    ("905", 0),
    ("906", 1),
    ("907", 1),
    ("908", 0),
];

/// Everything at once that a round may find.
struct Scene {
    stage: Stage,
    /// Whoever is to get one message in the end.
    owed: Vec<CommentId>,
    lost: CommentId,
}

impl Scene {
    async fn set() -> Self {
        let stage = Stage::new(CAMPAIGNS).await;
        let ledger = &stage.memory.ledger;
        let told = async |user: &str, fault: instagram::Fault| {
            let comment = stage.comment(user, "LINK");
            stage.fail_next(1, &fault);
            stage.tell(&comment).await;
            stage.work().await;
            comment
        };
        // In doubt: one is there, and one is not.
        let delivered = told("900", delivered_in_doubt()).await;
        let lost = told("901", lost_in_doubt()).await;
        // Waits, and its timer fires into nothing.
        let waits = told("902", instagram::Fault::error(400, 4, None, "slower")).await;
        stage.pass(SignedDuration::from_mins(7));
        drop(stage.memory.timers.fire(stage.now()));
        // Missed, on two posts; and answered by hand.
        let missed = stage.comment("903", "LINK");
        let elsewhere = stage.comment_on(OTHER_POST, "904", "LINK", None);
        let by_hand = stage.comment("905", "LINK");
        stage.answer_by_hand(&by_hand, "written to you");
        // Recorded, and never on the queue.
        let stuck = stage.comment("906", "LINK");
        let event = stage.instagram.comment_event(&stuck).unwrap();
        stage.record(&event, "stuck").await;
        for reel in [FIRST_REEL, SECOND_REEL] {
            stage.instagram.publish(&account(), &media(reel), true);
            stage.pass(SignedDuration::from_mins(1));
        }
        let film = stage.comment_on(FIRST_REEL, "907", "FILM", None);
        stage.comment_on(SECOND_REEL, "908", "FILM", None);
        // A hold that is over since a minute.
        let (mut gate, _) = ledger.gates(&account()).await.unwrap();
        let until = after(stage.now(), SignedDuration::from_mins(2));
        gate.hold = Some(Hold { reason: HoldReason::Throttled, since: stage.now(), until: Some(until) });
        gate.revision += 1;
        assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
        stage.pass(SignedDuration::from_mins(3));
        stage.live().await;
        Self { stage, owed: vec![delivered, waits, missed, elsewhere, stuck, film], lost }
    }

    /// A round that fails by this plan. Whoever is cut off has done what it had done.
    async fn round(&self, plan: &FaultPlan) {
        let stage = &self.stage;
        for account in [None, Some(account())] {
            let sweep = stage.reconciler(SignedDuration::ZERO, plan);
            let order = SweepOrder { account, round: stage.now() };
            let deadline = after(stage.now(), SignedDuration::from_mins(4));
            drop(plan.run(sweep.carry_out(&order, deadline)).await);
        }
        stage.work().await;
    }

    /// Rounds without a fault, for longer than reads ever rest.
    async fn heal(&self) {
        for _ in 0..5 {
            self.stage.pass(FIVE_MINUTES);
            self.stage.sweep().await;
        }
    }

    async fn check(&self, what: &str) {
        let Self { stage, owed, lost } = self;
        for (user, messages) in INBOXES {
            assert_eq!(stage.inbox(user).len(), messages, "{what}: messages to {user}");
        }
        for comment in owed {
            assert_eq!(stage.status(comment).await, "SENT", "{what}: {comment}");
        }
        assert_eq!(stage.status(lost).await, "UNCONFIRMED", "{what}");
        // One call for each, and one more for the one that was refused for a while.
        assert_eq!(stage.instagram.count(CallKind::PrivateReply), 8, "{what}");
        let ledger = &stage.memory.ledger;
        let campaigns = ledger.account(&account()).await.unwrap().unwrap().campaigns;
        assert_eq!(campaigns[1].bound, Some(media(FIRST_REEL)), "{what}");
        assert_eq!(ledger.gates(&account()).await.unwrap().0.hold, None, "{what}");
        let told = stage.memory.facts.told();
        let released = told.iter().filter(|(_, fact)| matches!(fact, Fact::AccountReleased { .. })).count();
        assert!(released <= 1, "{what}: the hold's end was told of {released} times");
        for minute in 0..60 {
            let moment = after(stage.now(), -SignedDuration::from_mins(minute));
            for event in ledger.events(moment).await.unwrap().events {
                assert_eq!(event.status, EventStatus::Processed, "{what}");
            }
        }
    }
}

/// What only reads has no effect: before it and after it are the same.
fn faults_of(call: &str) -> &'static [Fault] {
    const WRITES: [&str; 10] = [
        "put_send",
        "put_send_with",
        "put_gate",
        "put_sweep",
        "enqueue",
        "mark_event",
        "set_events_checked",
        "bind_reel",
        "record_ad",
        "raise",
    ];
    if WRITES.contains(&call) { &FAULTS } else { &[Fault::CrashBefore, Fault::Refuse] }
}

#[tokio::test]
async fn a_sweep_that_fails_anywhere_does_no_harm_and_the_next_ones_make_up_for_it() {
    let scene = Scene::set().await;
    let clean = FaultPlan::default();
    scene.round(&clean).await;
    // What was bound in this round is looked through in it; what waits for a person stays.
    scene.check("a clean round").await;
    let calls = clean.calls();
    let mut runs = 0;
    for (call, name) in calls.iter().enumerate() {
        for fault in faults_of(name) {
            let scene = Scene::set().await;
            scene.round(&FaultPlan::new([(call, *fault)])).await;
            scene.heal().await;
            scene.check(&format!("{fault:?} at call {call}, {name}")).await;
            runs += 1;
        }
    }
    let calls = calls.len();
    // Written past the test harness, which shows the output of failures only.
    drop(writeln!(
        std::io::stdout(),
        "sweeps: {runs} rounds with a fault at one of {calls} calls, nobody twice and nobody left out"
    ));
}
