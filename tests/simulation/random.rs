//! Random arrivals, answers, faults and doubled timers. The seed plays a run again.

use super::driver::{ANSWERS, Answer, Sim, comment};
use openreply_app::ports::Random;
use openreply_domain::send::Policy;
use openreply_domain::time::SignedDuration;
use openreply_testkit::faults::{FAULTS, FaultPlan};
use openreply_testkit::memory::SeededRandom;
use std::collections::BTreeMap;
use std::sync::Arc;

const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "simulated-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "The guide", public_replies: ["Sent!"] }
  - { id: prices, account: "17841400000000001", match: any_word, dm: "The prices" }
"#;

const COMMENTS: u64 = 12;

/// A run that follows from its seed. Returns how many calls Instagram got.
async fn run(seed: u64) -> usize {
    let dice = SeededRandom::new(seed);
    let below = |dice: &SeededRandom, limit: u64| dice.number() % limit;
    let faults: Vec<_> = (0..below(&dice, 14))
        .map(|_| (below(&dice, 240) as usize, FAULTS[below(&dice, FAULTS.len() as u64) as usize]))
        .collect();
    let answers = SeededRandom::new(seed ^ 0xA5A5);
    let script = Arc::new(move |_: usize, _: &_| {
        // Mostly it works.
        let drawn = answers.number() % 16;
        *ANSWERS.get(drawn as usize).unwrap_or(&Answer::Delivered)
    });
    let policy = Policy { hourly_limit: 3, monthly_limit: 9, ..Policy::default() };
    let mut sim = Sim::scripted(CAMPAIGNS, script, FaultPlan::new(faults), policy, seed).await;
    sim.twice = below(&dice, 2) == 0;
    for n in 0..COMMENTS {
        let event = comment(&format!("{}", 100 + n), if n % 3 == 0 { "hello" } else { "LINK" });
        for _ in 0..=below(&dice, 2) {
            sim.post(&event).await;
        }
        sim.drain_until(SignedDuration::from_secs(below(&dice, 1_500) as i64)).await;
    }
    sim.drain().await;
    // Whatever held the account is over or lifted; nothing may stay parked on it.
    sim.resume().await;
    sim.drain().await;
    check(&sim, seed).await;
    sim.sends()
}

async fn check(sim: &Sim, seed: u64) {
    let inboxes = sim.inboxes.lock().unwrap().clone();
    for (place, texts) in &inboxes {
        assert_eq!(texts.len(), 1, "seed {seed}: more than one message: {place} {texts:?}");
    }
    let rows = sim.rows();
    let mut by_trigger: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &rows {
        by_trigger.entry(row.trigger.as_str()).or_default().push(row.status);
        assert!(row.attempts <= 3, "seed {seed}: {row:?}");
        assert_ne!(row.status, "PENDING", "seed {seed}: time has run out: {row:?}");
        if row.status == "SENT" {
            assert!(row.message_id.is_some(), "seed {seed}: {row:?}");
        } else {
            assert!(row.reason.is_some(), "seed {seed}: {row:?}");
        }
    }
    assert_eq!(by_trigger.len() as u64, COMMENTS, "seed {seed}: every comment is in sight");
    let sent_or_doubtful =
        rows.iter().filter(|row| row.leg == "dm" && matches!(row.status, "SENT" | "UNCONFIRMED")).count();
    let mut used = 0;
    for month in ["2026-11", "2026-12"] {
        use openreply_app::ports::Ledger;
        used += sim.memory().ledger.month_used(month).await.unwrap() as usize;
    }
    assert!(
        used >= sent_or_doubtful,
        "seed {seed}: the quota says {used}, and {sent_or_doubtful} are sent or in doubt"
    );
}

#[tokio::test]
async fn whatever_happens_nobody_gets_two_and_everybody_is_in_sight() {
    let mut calls = 0;
    for seed in 0..400 {
        calls += run(seed).await;
    }
    crate::tell(&format!("400 seeds, {calls} calls of Instagram"));
}
