//! Signs of life and alerts.
//!
//! Guarantees: a beat is written only by the consumer, so a fresh heartbeat proves the whole way: schedule, queue,
//! consumer, table; and while no echo comes, which proves the delay queue, it gets no younger. A beat never goes back
//! to the queue: one that cannot be written is missing, which is what it is for. An alert is told of once for its
//! occasion, also when the ledger does not take it.

use crate::job::Job;
use crate::ports::{Clock, DelayQueue, Enqueue, Fact, Facts, Host, Pulse};
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::QueueIdentity;

/// How long after a beat its echo comes.
pub const ECHO_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// What a heartbeat says of who wrote it.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One beat, as it travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Beat<'a> {
    /// Its name: that of the schedule's run.
    pub(crate) id: &'a str,
    /// When it was to come. `None`: the schedule did not say.
    pub(crate) due_at: Option<Timestamp>,
    /// Whether it is the echo of one.
    pub(crate) echo: bool,
}

/// Writes the heartbeat, and sends the echo on its way.
pub(crate) async fn beat(host: &impl Host, beat: Beat<'_>) {
    let now = host.clock().now();
    let lag = beat.due_at.map(|due_at| now.duration_since(due_at).max(SignedDuration::ZERO));
    let lag_ms = lag.map(|lag| i64::try_from(lag.as_millis()).unwrap_or(i64::MAX));
    let heartbeat =
        if beat.echo { Heartbeat::echo(now, VERSION) } else { Heartbeat::beat(now, lag_ms, VERSION) };
    if let Err(error) = host.ledger().beat(&heartbeat).await {
        tracing::error!(%error, "the heartbeat could not be written; health is degraded two minutes after the last one");
        return;
    }
    if beat.echo {
        return;
    }
    let due_at = after(now, ECHO_AFTER);
    let job = Job::Beat { id: beat.id.to_owned(), due_at: Some(due_at), echo: true };
    // Named by its moment: what every beat waits for must not be swallowed as the echo of a copy.
    let name = format!("{}_echo_{}", beat.id, now.as_millisecond());
    let entry = Enqueue { identity: QueueIdentity::of_beat(&name), job };
    if let Err(error) = host.timers().delay(&entry, due_at).await {
        tracing::error!(%error, "the echo of a beat could not be put on the delay queue; short waits may fail too");
    }
}

/// Writes an alert down and tells of it, once for its occasion.
pub async fn raise(pulse: &impl Pulse, facts: &impl Facts, alert: Alert, now: Timestamp) {
    match pulse.raise(&alert).await {
        Ok(true) => {}
        Ok(false) => return,
        // Better told without being written down than not at all.
        Err(error) => tracing::warn!(%error, "an alert could not be written down"),
    }
    let subject = alert.subject.as_deref();
    tracing::error!(alert = alert.kind.as_str(), subject, "{}", alert.message);
    facts.report(now, &Fact::AlertRaised(alert)).await;
}
