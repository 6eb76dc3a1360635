//! The contract of [`openreply_app::ports::SweepQueue`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use crate::memory::ManualClock;
use openreply_app::ports::{Clock, SweepQueue};
use openreply_app::sweep::SweepOrder;
use openreply_domain::ids::AccountId;
use std::collections::BTreeSet;
use std::future::Future;

/// A sweep queue of which a test can see what arrived.
pub trait SweepQueueBench: Sync {
    /// The queue.
    type Queue: SweepQueue;

    /// The queue.
    fn queue(&self) -> &Self::Queue;

    /// Everything that has arrived, and is gone from the queue then.
    fn arrived(&self) -> impl Future<Output = Vec<SweepOrder>> + Send;
}

/// More than one call takes; that of the stack among them.
pub async fn every_order_arrives(bench: &impl SweepQueueBench) {
    let round = ManualClock::default().now();
    let account = |n: usize| AccountId::parse(format!("1784140000000{n}")).unwrap();
    let orders: Vec<SweepOrder> = std::iter::once(None)
        .chain((0..24).map(|n| Some(account(n))))
        .map(|account| SweepOrder { account, round })
        .collect();
    assert_eq!(bench.queue().order(&orders).await.unwrap(), 0);
    let key = |order: &SweepOrder| (order.account.clone(), order.round);
    let wanted: BTreeSet<_> = orders.iter().map(key).collect();
    let mut found = BTreeSet::new();
    for _ in 0..20 {
        found.extend(bench.arrived().await.iter().map(key));
        if found.len() == wanted.len() {
            break;
        }
    }
    assert_eq!(found, wanted);
}

/// Nothing to order is no call that fails.
pub async fn nothing_is_ordered_for_nothing(bench: &impl SweepQueueBench) {
    assert_eq!(bench.queue().order(&[]).await.unwrap(), 0);
    assert_eq!(bench.arrived().await, []);
}
