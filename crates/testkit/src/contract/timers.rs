//! The contract of [`openreply_app::ports::Timers`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use futures_util::future::join_all;
use openreply_app::job::Job;
use openreply_app::ports::{Timer, Timers};
use openreply_domain::ids::{CampaignId, UserId};
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use std::future::Future;

/// Timers, and what is set.
pub trait TimersBench: Send + Sync {
    /// What is tested.
    type Timers: Timers;

    /// The timers.
    fn timers(&self) -> &Self::Timers;

    /// What time it is for them, in whole seconds.
    fn now(&self) -> Timestamp;

    /// What is set, in any order: when it is due, and what it puts on the queue.
    fn standing(&self) -> impl Future<Output = Vec<(Timestamp, Job)>> + Send;
}

/// Soon, and yet so far ahead that nothing fires before a case ends.
const SOON: SignedDuration = SignedDuration::from_secs(65);

fn timer(bench: &impl TimersBench, leg: Leg, wake: u32) -> Timer {
    Timer {
        key: SendKey { trigger: "comment:17841400000000001:17900000000000001".parse().unwrap(), leg },
        user: UserId::parse("900").unwrap(),
        wake,
        due_at: after(bench.now(), SOON),
    }
}

async fn assert_set(bench: &impl TimersBench, timers: &[Timer]) {
    let sorted = |mut set: Vec<(Timestamp, Job)>| {
        set.sort_by_key(|(due_at, job)| (*due_at, format!("{job:?}")));
        set
    };
    let expected = timers.iter().map(|timer| (timer.due_at, timer.job())).collect();
    assert_eq!(sorted(bench.standing().await), sorted(expected));
}

/// With its moment and its job, whatever the length of the names in it.
pub async fn a_timer_that_was_set_stands(bench: &impl TimersBench) {
    let long = Leg::PublicReply(CampaignId::parse("c".repeat(64)).unwrap());
    let later = SignedDuration::from_hours(7 * 24);
    let timers = [
        timer(bench, Leg::Dm, 1),
        Timer { due_at: after(bench.now(), later), ..timer(bench, long, u32::MAX) },
    ];
    for timer in &timers {
        bench.timers().set(timer).await.unwrap();
    }
    assert_set(bench, &timers).await;
}

/// One after the other and at once; a later moment does not move it.
pub async fn a_timer_that_is_set_again_is_one_timer(bench: &impl TimersBench) {
    let first = timer(bench, Leg::Dm, 1);
    bench.timers().set(&first).await.unwrap();
    bench.timers().set(&first).await.unwrap();
    let later = Timer { due_at: after(first.due_at, SignedDuration::from_mins(5)), ..first.clone() };
    bench.timers().set(&later).await.unwrap();
    assert_set(bench, std::slice::from_ref(&first)).await;

    let second = timer(bench, Leg::Dm, 2);
    let answers = join_all((0..10).map(|_| bench.timers().set(&second))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_set(bench, &[first, second]).await;
}

/// Another wake, another leg and another trigger are another timer, whatever else they share.
pub async fn every_wake_of_every_send_has_its_own_timer(bench: &impl TimersBench) {
    let reply = |id: &str| Leg::PublicReply(CampaignId::parse(id).unwrap());
    let mut timers: Vec<Timer> = [Leg::Dm, reply("dm"), reply("guide")]
        .into_iter()
        .flat_map(|leg| [1, 2, 12].map(|wake| timer(bench, leg.clone(), wake)))
        .collect();
    let mut other = timer(bench, Leg::Dm, 1);
    other.key.trigger = "comment:17841400000000001:17900000000000002".parse().unwrap();
    timers.push(other);
    for timer in &timers {
        bench.timers().set(timer).await.unwrap();
    }
    assert_set(bench, &timers).await;
}
