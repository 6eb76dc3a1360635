//! Random arrivals, answers, faults, lost and doubled timers, skewed clocks and revoked tokens. The seed plays a
//! run again.

use super::driver::{ACCOUNT, ANSWERS, Answer, Sim, comment};
use super::luck::Luck;
use openreply_app::ports::{Clock, Destination, Ledger, Outbound, Random};
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_testkit::faults::{FAULTS, FaultPlan};
use openreply_testkit::memory::{ManualClock, SeededRandom, Sent};
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

fn campaigns(token: &str) -> String {
    format!(
        r#"
accounts: [{{ id: "{ACCOUNT}", username: bakery, token: "{token}" }}]
campaigns:
  - {{ id: guide, account: "{ACCOUNT}", keywords: [LINK], dm: "The guide", public_replies: ["Sent!"] }}
  - {{ id: prices, account: "{ACCOUNT}", match: any_word, dm: "The prices" }}
"#
    )
}

const COMMENTS: u64 = 12;
const HOURLY: usize = 3;

/// What a run came to.
#[derive(Debug, Default)]
struct Sums {
    calls: usize,
    revoked: usize,
    exact: usize,
}

/// A run that follows from its seed.
async fn run(seed: u64, sums: &mut Sums) {
    let dice = SeededRandom::new(seed);
    let below = |dice: &SeededRandom, limit: u64| dice.number() % limit;
    let faults: Vec<_> = (0..below(&dice, 14))
        .map(|_| (below(&dice, 240) as usize, FAULTS[below(&dice, FAULTS.len() as u64) as usize]))
        .collect();
    let is_faultless = faults.is_empty();
    let answers = SeededRandom::new(seed ^ 0xA5A5);
    let revoked = Arc::new(AtomicBool::new(false));
    let (clock, starts) = (Arc::new(OnceLock::<ManualClock>::new()), Arc::new(Mutex::new(Vec::new())));
    let script = {
        let (revoked, clock, starts) = (Arc::clone(&revoked), Arc::clone(&clock), Arc::clone(&starts));
        Arc::new(move |_: usize, message: &Outbound| {
            starts.lock().unwrap().push(clock.get().unwrap().now());
            if revoked.load(Ordering::SeqCst) && message.token.expose_secret() == "first-token" {
                return Answer::TokenDead;
            }
            // Mostly it works.
            let drawn = answers.number() % 16;
            *ANSWERS.get(drawn as usize).unwrap_or(&Answer::Delivered)
        })
    };
    let policy = Policy { hourly_limit: HOURLY as u32, monthly_limit: 9, ..Policy::default() };
    let mut sim =
        Sim::scripted(&campaigns("first-token"), script, FaultPlan::new(faults), policy, seed).await;
    clock.set(sim.memory().clock.clone()).unwrap();
    sim.twice = below(&dice, 2) == 0;
    sim.luck = Luck {
        lost_of_sixteen: below(&dice, 5),
        skew_seconds: below(&dice, 21),
        dice: SeededRandom::new(!seed),
    };
    let revoked_at = below(&dice, 2 * COMMENTS);
    for n in 0..COMMENTS {
        if n == revoked_at {
            revoked.store(true, Ordering::SeqCst);
            sums.revoked += 1;
        }
        let event = comment(&format!("{}", 100 + n), if n % 3 == 0 { "hello" } else { "LINK" });
        for _ in 0..=below(&dice, 2) {
            sim.post(&event).await;
        }
        sim.drain_until(SignedDuration::from_secs(below(&dice, 1_500) as i64)).await;
    }
    // The token is replaced, and whatever held the account is over or lifted; nothing may stay parked on it.
    sim.apply(&campaigns("second-token")).await;
    sim.drain().await;
    sim.resume().await;
    sim.drain().await;
    sim.sweep_until_done().await;
    check(&sim, seed, is_faultless, sums).await;
    // What was certainly not delivered gave its slot back.
    let calls = sim.memory().messenger.calls();
    let counts = |sent: &Sent| {
        let may_exist = matches!(sent.outcome, SendOutcome::Delivered { .. } | SendOutcome::Unconfirmed(_));
        matches!(sent.to, Destination::PrivateReply(_)) && may_exist
    };
    let starts = starts.lock().unwrap();
    let starts: Vec<Timestamp> =
        starts.iter().zip(&calls).filter(|(_, sent)| counts(sent)).map(|(at, _)| *at).collect();
    let most = busiest_hour(&starts);
    assert!(most <= HOURLY, "seed {seed}: {most} in an hour");
    sums.calls += sim.sends();
}

/// The most that started in any 60 minutes, by the true clock.
fn busiest_hour(starts: &[Timestamp]) -> usize {
    let mut times: Vec<i64> = starts.iter().map(|at| at.as_millisecond()).collect();
    times.sort_unstable();
    let within = |from: usize| times[from..].iter().take_while(|at| **at - times[from] < 3_600_000).count();
    (0..times.len()).map(within).max().unwrap_or(0)
}

async fn check(sim: &Sim, seed: u64, is_faultless: bool, sums: &mut Sums) {
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
        used += sim.memory().ledger.month_used(month).await.unwrap() as usize;
    }
    assert!(
        used >= sent_or_doubtful,
        "seed {seed}: the quota says {used}, and {sent_or_doubtful} are sent or in doubt"
    );
    if is_faultless {
        assert_eq!(used, sent_or_doubtful, "seed {seed}: nothing failed between reserve and settle");
        sums.exact += 1;
    }
}

#[tokio::test]
async fn whatever_happens_nobody_gets_two_and_everybody_is_in_sight() {
    let mut sums = Sums::default();
    for seed in 0..400 {
        run(seed, &mut sums).await;
    }
    let Sums { calls, revoked, exact } = sums;
    crate::tell(&format!(
        "400 seeds, {calls} calls of Instagram; {revoked} times the token was revoked, {exact} times the quota was exact"
    ));
}
