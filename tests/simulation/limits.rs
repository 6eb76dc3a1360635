//! The gates under load, by the simulated clock: the hour, the month, a dead token, a pause, a stop.

use super::driver::{ACCOUNT, Answer, Sim};
use openreply_app::ports::{Clock, Destination, Ledger, Outbound};
use openreply_app::resume;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_testkit::faults::FaultPlan;
use openreply_testkit::memory::ManualClock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

fn campaigns(token: &str, active: bool) -> String {
    format!(
        r#"
accounts: [{{ id: "{ACCOUNT}", username: bakery, token: "{token}" }}]
campaigns:
  - {{ id: guide, account: "{ACCOUNT}", keywords: [LINK], dm: "The guide", active: {active} }}
"#
    )
}

/// When each private reply started, by comment.
type Starts = Arc<Mutex<Vec<(Timestamp, String)>>>;

/// An Instagram that notes when each call started, by a clock that is set once the host exists.
struct Watched {
    clock: Arc<OnceLock<ManualClock>>,
    starts: Starts,
}

impl Watched {
    async fn sim(
        policy: Policy,
        answer: impl Fn(usize, &Outbound) -> Answer + Send + Sync + 'static,
    ) -> (Sim, Starts) {
        let watched = Self { clock: Arc::default(), starts: Starts::default() };
        let (clock, starts) = (Arc::clone(&watched.clock), Arc::clone(&watched.starts));
        let script = Arc::new(move |nth: usize, message: &Outbound| {
            if let (Some(clock), Destination::PrivateReply(comment)) = (clock.get(), &message.to) {
                let mut starts = starts.lock().unwrap_or_else(PoisonError::into_inner);
                starts.push((clock.now(), comment.to_string()));
            }
            answer(nth, message)
        });
        let sim =
            Sim::scripted(&campaigns("first-token", true), script, FaultPlan::default(), policy, 7).await;
        assert!(watched.clock.set(sim.memory().clock.clone()).is_ok());
        (sim, watched.starts)
    }
}

/// Comments `from..to`, each by a person of its own, in one event.
fn comments(from: usize, to: usize) -> Value {
    let changes: Vec<Value> = (from..to)
        .map(|n| {
            json!({"field": "comments", "value": {
                "id": format!("{}", 1_000_000 + n), "text": "LINK",
                "from": {"id": format!("{}", 5_000_000 + n), "username": format!("person{n}")}, "media": {"id": "55"},
            }})
        })
        .collect();
    json!({"object": "instagram", "entry": [{"id": ACCOUNT, "time": 1_796_054_400, "changes": changes}]})
}

/// The most that started in any 60 minutes.
fn busiest_hour(starts: &[(Timestamp, String)]) -> usize {
    let times: Vec<i64> = starts.iter().map(|(at, _)| at.as_millisecond()).collect();
    let within = |from: usize| times[from..].iter().take_while(|at| **at - times[from] < 3_600_000).count();
    (0..times.len()).map(within).max().unwrap_or(0)
}

#[tokio::test]
async fn five_thousand_comments_in_a_minute_all_go_out_in_order_within_the_limit() {
    let (mut sim, starts) = Watched::sim(Policy::default(), |_, _| Answer::Delivered).await;
    for n in 0..50 {
        sim.post(&comments(n * 100, (n + 1) * 100)).await;
        sim.memory().clock.advance(SignedDuration::from_millis(1_200));
    }
    sim.drain().await;
    let starts = starts.lock().unwrap().clone();
    assert_eq!(starts.len(), 5_000, "each once");
    let most = busiest_hour(&starts);
    assert!(most <= 750, "{most} in an hour");
    let hours = (starts[4_999].0.as_second() - starts[0].0.as_second()) as f64 / 3600.0;
    let requeues = sim.fired.values().copied().max().unwrap_or(0);
    // Overtaken: somebody who came later was answered before. By how much later did they come at most?
    let mut latest = 0;
    let mut overtaken = 0;
    for (_, comment) in &starts {
        let arrival = comment.parse::<usize>().unwrap();
        overtaken = overtaken.max(latest.max(arrival) - arrival);
        latest = latest.max(arrival);
    }
    let seconds = overtaken as f64 / 100.0 * 1.2;
    let first = starts[0].0.as_second();
    let mut by_hour: BTreeMap<i64, usize> = BTreeMap::new();
    for (at, _) in &starts {
        *by_hour.entry((at.as_second() - first) / 3600).or_default() += 1;
    }
    crate::tell(&format!(
        "5000 comments in a minute: sends by the hour {:?}, at most {most} in any rolling hour, all within {hours:.1} h, at most {requeues} requeues a comment, worst overtaking {seconds:.1} s",
        by_hour.values().collect::<Vec<_>>(),
    ));
    assert!(requeues <= 2, "a comment came back {requeues} times");
    assert!(seconds < 120.0);
}

#[tokio::test]
async fn a_dead_token_makes_at_most_ten_calls_and_everybody_gets_one_message_with_the_next() {
    let (mut sim, starts) = Watched::sim(Policy::default(), |_, message| {
        use secrecy::ExposeSecret;
        if message.token.expose_secret() == "first-token" { Answer::TokenDead } else { Answer::Delivered }
    })
    .await;
    sim.post(&comments(0, 200)).await;
    // Two hours: whatever waits must not try again.
    sim.drain_until(SignedDuration::from_hours(2)).await;
    let before = starts.lock().unwrap().len();
    assert!((1..=10).contains(&before), "{before} calls");
    let rows = sim.rows();
    assert!(rows.iter().all(|row| row.waiting_for == Some("hold") && row.attempts == 0), "{:?}", rows[0]);

    let woken = sim.apply(&campaigns("second-token", true)).await;
    assert_eq!(woken, 200);
    sim.drain().await;
    assert_eq!(starts.lock().unwrap().len(), before + 200);
    assert!(sim.rows().iter().all(|row| row.status == "SENT" && row.attempts == 1));
    assert_eq!(sim.inboxes.lock().unwrap().len(), 200);
}

#[tokio::test]
async fn the_month_ends_what_is_over_it_and_begins_anew() {
    let policy = Policy { monthly_limit: 3, ..Policy::default() };
    let (mut sim, starts) = Watched::sim(policy, |_, _| Answer::Delivered).await;
    sim.post(&comments(0, 5)).await;
    sim.drain().await;
    assert_eq!(starts.lock().unwrap().len(), 3);
    let rows = sim.rows();
    let over: Vec<_> = rows.iter().filter(|row| row.status == "SKIPPED_QUOTA").collect();
    assert_eq!(over.len(), 2);
    assert!(over[0].reason.as_deref().is_some_and(|reason| reason.contains('3')), "{:?}", over[0]);
    let gate = sim.memory().ledger.gates(&ACCOUNT.parse().unwrap()).await.unwrap().0;
    assert_eq!(gate.slots.used(sim.now()), 3, "who is over the month gives the hour's slot back");
    // The simulation begins on 30 November, at four in the afternoon.
    sim.memory().clock.advance(SignedDuration::from_hours(9));
    sim.post(&comments(5, 7)).await;
    sim.drain().await;
    assert_eq!(starts.lock().unwrap().len(), 5);
    assert_eq!(sim.memory().ledger.month_used("2026-12").await.unwrap(), 2);
}

#[tokio::test]
async fn what_was_certainly_not_sent_gives_back_its_slot_and_its_month() {
    let policy = Policy { monthly_limit: 10, ..Policy::default() };
    let (mut sim, _) = Watched::sim(policy, |_, _| Answer::GiveUp).await;
    sim.post(&comments(0, 4)).await;
    sim.drain().await;
    let gate = sim.memory().ledger.gates(&ACCOUNT.parse().unwrap()).await.unwrap().0;
    assert_eq!(gate.slots.used(sim.now()), 0);
    assert_eq!(sim.memory().ledger.month_used("2026-11").await.unwrap(), 0);
}

#[tokio::test]
async fn a_pause_keeps_the_winner_and_goes_on_when_it_is_resumed() {
    let (mut sim, starts) =
        Watched::sim(
            Policy::default(),
            |nth, _| if nth == 0 { Answer::Throttled } else { Answer::Delivered },
        )
        .await;
    sim.post(&comments(0, 1)).await;
    sim.drain_until(SignedDuration::from_mins(1)).await;
    sim.apply(&campaigns("first-token", false)).await;
    sim.drain_until(SignedDuration::from_hours(1)).await;
    assert_eq!(sim.rows()[0].waiting_for, Some("pause"), "{:?}", sim.rows());
    assert_eq!(starts.lock().unwrap().len(), 1);
    assert_eq!(sim.apply(&campaigns("first-token", true)).await, 1);
    sim.drain().await;
    assert_eq!(sim.rows()[0].status, "SENT");
    assert_eq!(starts.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_stop_holds_the_whole_stack_until_it_is_started() {
    let (mut sim, starts) = Watched::sim(Policy::default(), |_, _| Answer::Delivered).await;
    let ledger = sim.memory().ledger.clone();
    resume::stop(&ledger, sim.now()).await.unwrap();
    sim.post(&comments(0, 3)).await;
    sim.drain_until(SignedDuration::from_hours(30)).await;
    assert_eq!(starts.lock().unwrap().len(), 0);
    assert!(sim.rows().iter().all(|row| row.waiting_for == Some("hold")));
    let (queue, facts) = (sim.memory().queue.clone(), sim.memory().facts.clone());
    assert_eq!(resume::start(&ledger, &queue, &facts, sim.now()).await.unwrap(), 3);
    sim.drain().await;
    assert!(sim.rows().iter().all(|row| row.status == "SENT"));
}

#[tokio::test]
async fn an_instagram_that_cannot_be_reached_for_two_hours_loses_nobody() {
    let reachable = Arc::new(OnceLock::new());
    let from = Arc::clone(&reachable);
    let (mut sim, starts) = Watched::sim(Policy::default(), move |_, _| {
        let clock: Option<&(ManualClock, Timestamp)> = from.get();
        if clock.is_some_and(|(clock, from)| clock.now() >= *from) {
            Answer::Delivered
        } else {
            Answer::NotSentEver
        }
    })
    .await;
    let at = openreply_domain::time::after(sim.now(), SignedDuration::from_hours(2));
    assert!(reachable.set((sim.memory().clock.clone(), at)).is_ok());
    sim.post(&comments(0, 60)).await;
    sim.drain().await;
    assert!(sim.rows().iter().all(|row| row.status == "SENT" && row.attempts == 1), "{:?}", sim.rows()[0]);
    let calls = starts.lock().unwrap().len();
    crate::tell(&format!("60 comments, two hours without a connection: {calls} calls in all"));
    let by_person: BTreeMap<String, Vec<String>> = sim.inboxes.lock().unwrap().clone();
    assert!(by_person.len() == 60 && by_person.values().all(|texts| texts.len() == 1));
}
