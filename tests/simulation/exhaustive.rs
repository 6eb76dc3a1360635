//! Every fault at every call, alone and in pairs, for every answer.

use super::driver::{ANSWERS, Answer, Sim, comment};
use openreply_testkit::faults::{FAULTS, Fault, FaultPlan};

const ONE_CAMPAIGN: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "simulated-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", post: any, keywords: [LINK], match: whole_word, dm: "Hi {username}! Here: {link}", links: [{ url: "https://example.com/guide" }] }
"#;

const TWO_WITH_REPLIES: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "simulated-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", post: any, keywords: [LINK], match: whole_word, dm: "The guide", public_replies: ["Sent!", "In your inbox"] }
  - { id: prices, account: "17841400000000001", post: any, match: any_word, dm: "The prices", public_replies: ["See your messages"] }
"#;

type Plan = Vec<(usize, Fault)>;

/// The event comes three times: once by Meta, once more although it was answered, once long after.
async fn run(campaigns: &str, answer: Answer, faults: &Plan) -> Sim {
    let mut sim = Sim::new(campaigns, answer, FaultPlan::new(faults.iter().copied())).await;
    let event = comment("180", "LINK please");
    sim.post(&event).await;
    sim.post(&event).await;
    sim.drain().await;
    sim.post(&event).await;
    sim.drain().await;
    sim
}

/// What must hold, whatever went wrong.
fn check(sim: &Sim, answer: Answer, faults: &Plan, legs: usize) {
    let plan = || format!("answer {answer:?}, faults {faults:?}, calls {:?}", sim.calls());
    let inboxes = sim.inboxes.lock().unwrap();
    for (place, texts) in inboxes.iter() {
        let mut distinct = texts.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(texts.len(), distinct.len(), "twice the same to one place: {place} {texts:?}; {}", plan());
        if place.starts_with("private") {
            assert_eq!(texts.len(), 1, "two private replies to one comment: {texts:?}; {}", plan());
        }
    }
    let rows = sim.rows();
    let owed = rows.iter().filter(|row| row.status != "SKIPPED_DEDUP").count();
    assert_eq!(owed, legs, "every message that is owed has a row: {rows:?}; {}", plan());
    for row in &rows {
        assert!(row.attempts <= 3, "three attempts at most: {row:?}; {}", plan());
    }
    // Beyond the attempts that reached Instagram, only calls that never left.
    let most = match answer {
        Answer::NotSentTwice => legs * 5,
        Answer::NotSentEver => 300,
        Answer::TokenDead => legs,
        Answer::TextOnly
        | Answer::Delivered
        | Answer::DeliveredInDoubt
        | Answer::LostInDoubt
        | Answer::Throttled
        | Answer::GiveUp => legs * 3,
    };
    assert!(sim.sends() <= most, "{} calls; {}", sim.sends(), plan());
    for row in &rows {
        let waits = row.waiting_for.is_some() && row.due_at.is_some() && row.reason.is_some();
        match row.status {
            "SENT" => assert!(row.message_id.is_some(), "{row:?}; {}", plan()),
            "FAILED" | "UNCONFIRMED" | "SKIPPED_DEDUP" | "SKIPPED_WINDOW" => {
                assert!(row.reason.is_some(), "{row:?}; {}", plan());
            }
            "PENDING" => assert!(waits, "pending, and nobody knows for what: {row:?}; {}", plan()),
            other => panic!("no state that this flow has: {other}; {}", plan()),
        }
    }
    if faults.is_empty() {
        let expected = match answer {
            Answer::Delivered | Answer::NotSentTwice | Answer::TextOnly => "SENT",
            Answer::DeliveredInDoubt | Answer::LostInDoubt => "UNCONFIRMED",
            Answer::Throttled | Answer::GiveUp => "FAILED",
            Answer::NotSentEver => "SKIPPED_WINDOW",
            Answer::TokenDead => "PENDING",
        };
        assert!(rows.iter().all(|row| row.status == expected || row.status == "SKIPPED_DEDUP"), "{rows:?}");
    }
}

async fn exhaust(campaigns: &str, legs: usize, pairs: bool) {
    let mut runs = 0;
    for answer in ANSWERS {
        let clean = run(campaigns, answer, &Vec::new()).await;
        check(&clean, answer, &Vec::new(), legs);
        // Faults make more calls: go on until the plan's numbers are beyond what was called.
        for first in 0.. {
            let mut reached = false;
            for fault in FAULTS {
                let faults = vec![(first, fault)];
                let sim = run(campaigns, answer, &faults).await;
                check(&sim, answer, &faults, legs);
                runs += 1;
                let calls = sim.calls().len();
                reached |= first < calls;
                let later = if pairs { first + 1..calls } else { 0..0 };
                for (second, other) in later.flat_map(|second| FAULTS.map(|other| (second, other))) {
                    let faults = vec![(first, fault), (second, other)];
                    check(&run(campaigns, answer, &faults).await, answer, &faults, legs);
                    runs += 1;
                }
            }
            if !reached {
                break;
            }
        }
    }
    crate::tell(&format!("{runs} plans of faults, not one message twice and none lost from sight"));
}

#[tokio::test]
async fn one_comment_survives_every_pair_of_faults() {
    exhaust(ONE_CAMPAIGN, 1, true).await;
}

#[tokio::test]
async fn what_never_gets_out_ends_in_sight_after_seven_days() {
    let sim = run(ONE_CAMPAIGN, Answer::NotSentEver, &Vec::new()).await;
    check(&sim, Answer::NotSentEver, &Vec::new(), 1);
    let row = &sim.rows()[0];
    assert_eq!((row.status, row.attempts), ("SKIPPED_WINDOW", 0), "{row:?}");
    assert!(sim.sends() > 200, "it was tried all week: {}", sim.sends());
}

#[tokio::test]
async fn two_campaigns_with_public_replies_survive_every_fault() {
    exhaust(TWO_WITH_REPLIES, 3, false).await;
}
