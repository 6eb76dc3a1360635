//! What is looked at, and what it means.
//!
//! `degraded` is what somebody on call wants to be woken by: the database or the queues do not answer, the worker
//! gives no sign of life, something lies among the dead letters, or Meta refuses the app, so that nothing can be
//! sent at all. What a person did (a stop) or is told of by an alert of its own while everybody else is served (a
//! held account) shows, and degrades nothing.

use futures_util::future::{join, join3, join5};
use openreply_app::ports::{Ledger, Pulse, QueueDepths};
use openreply_domain::gate::Stop;
use openreply_domain::pulse::{Alert, AlertKind, Heartbeat};
use openreply_domain::time::Timestamp;
use serde::Serialize;
use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

/// How long each check may take. All run side by side, and an answer is due after two seconds.
pub const PATIENCE: Duration = Duration::from_millis(1500);

/// How many alerts are shown.
const ALERTS: usize = 24;

/// How it stands in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It works.
    Ok,
    /// Somebody should look.
    Degraded,
}

/// How it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In one word.
    pub status: Status,
    /// When somebody looked.
    pub at: Timestamp,
    /// What was looked at.
    pub checks: Checks,
    /// The newest alerts, newest first.
    pub alerts: Vec<Alarmed>,
}

/// What is looked at. A number that nobody could tell is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checks {
    /// DynamoDB.
    pub database: Database,
    /// SQS.
    pub queue: QueueCheck,
    /// What nobody could deal with.
    pub dead_letters: DeadLetters,
    /// The consumer.
    pub worker: Worker,
    /// Whether anything may be sent at all.
    pub sending: Sending,
    /// How many holds stand: one for each held account, one for the app, one for a stop.
    pub holds: Option<u64>,
}

/// Whether the ledger answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Database {
    /// Everything that was asked of it was answered.
    pub healthy: bool,
}

/// What is on the queues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueCheck {
    /// They answered.
    pub healthy: bool,
    /// To be received.
    pub visible: Option<u64>,
    /// Received and not yet done.
    pub in_flight: Option<u64>,
    /// For less than a minute.
    pub delayed: Option<u64>,
}

/// What is among the dead letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetters {
    /// There are none.
    pub healthy: bool,
    /// How many.
    pub count: Option<u64>,
}

/// The last sign of life of the consumer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Worker {
    /// It is at most two minutes old.
    pub healthy: bool,
    /// How old it is.
    pub age_ms: Option<i64>,
    /// How late the beat came.
    pub lag_ms: Option<i64>,
    /// Which version wrote it.
    pub version: Option<String>,
}

/// Whether anything may be sent at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sending {
    /// Meta does not refuse the app.
    pub healthy: bool,
    /// A person has stopped everything.
    pub stopped: Option<bool>,
    /// The app is held.
    pub app_held: Option<bool>,
}

/// An alert without what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alarmed {
    /// Its kind.
    pub kind: AlertKind,
    /// Since when.
    pub at: Timestamp,
    /// What happened and what to do.
    pub message: String,
}

impl Report {
    /// Looks at everything, side by side.
    pub(crate) async fn make(
        ledger: &(impl Ledger + Pulse),
        depths: &impl QueueDepths,
        now: Timestamp,
    ) -> Self {
        let (heartbeat, stop, held, alerts, (depths, dead)) = join5(
            asked("the heartbeat", ledger.heartbeat()),
            asked("the stop", ledger.stop()),
            asked("the holds", ledger.held_accounts(now)),
            asked("the alerts", ledger.alerts(ALERTS)),
            join(asked("the queues", depths.depths()), asked("the dead letters", depths.dead_letters())),
        )
        .await;
        let database =
            Database { healthy: heartbeat.is_some() && stop.is_some() && held.is_some() && alerts.is_some() };
        let checks = Checks {
            queue: QueueCheck {
                healthy: depths.is_some(),
                visible: depths.map(|depths| depths.visible),
                in_flight: depths.map(|depths| depths.in_flight),
                delayed: depths.map(|depths| depths.delayed),
            },
            dead_letters: DeadLetters { healthy: dead == Some(0), count: dead },
            worker: worker(heartbeat.flatten(), now),
            sending: sending(stop.as_ref(), now),
            holds: holds(stop.as_ref(), held, now),
            database,
        };
        let is_well = checks.database.healthy
            && checks.queue.healthy
            && checks.dead_letters.healthy
            && checks.worker.healthy
            && checks.sending.healthy;
        Self {
            status: if is_well { Status::Ok } else { Status::Degraded },
            at: now,
            checks,
            alerts: alerts.unwrap_or_default().into_iter().map(Alarmed::of).collect(),
        }
    }
}

/// What the metrics are made of: the heartbeat, and how many accounts are held; one more while the app is.
pub(crate) async fn pulse(
    ledger: &(impl Ledger + Pulse),
    now: Timestamp,
) -> (Option<Heartbeat>, Option<usize>) {
    let (heartbeat, held, stop) = join3(
        asked("the heartbeat", ledger.heartbeat()),
        asked("the holds", ledger.held_accounts(now)),
        asked("the stop", ledger.stop()),
    )
    .await;
    let app = stop.map(|stop| usize::from(app_is_held(&stop, now)));
    (heartbeat.flatten(), held.and_then(|held| Some(held + app?)))
}

/// An answer within [`PATIENCE`]. Why there is none goes to the log, and to nobody outside: it can name AWS's own.
async fn asked<T, E: Display>(what: &'static str, question: impl Future<Output = Result<T, E>>) -> Option<T> {
    // Boxed: six clients of AWS side by side are more than a stack should hold.
    match tokio::time::timeout(PATIENCE, Box::pin(question)).await {
        Ok(Ok(answer)) => Some(answer),
        Ok(Err(error)) => {
            tracing::error!(%error, "health: {what} could not be read");
            None
        }
        Err(_) => {
            tracing::error!("health: no answer about {what} within 1.5 seconds");
            None
        }
    }
}

fn worker(heartbeat: Option<Heartbeat>, now: Timestamp) -> Worker {
    match heartbeat {
        Some(heartbeat) => Worker {
            healthy: heartbeat.is_alive(now),
            age_ms: Some(i64::try_from(heartbeat.age(now).as_millis()).unwrap_or(i64::MAX)),
            lag_ms: heartbeat.lag_ms,
            version: Some(heartbeat.version),
        },
        None => Worker { healthy: false, age_ms: None, lag_ms: None, version: None },
    }
}

fn sending(stop: Option<&Stop>, now: Timestamp) -> Sending {
    let app_held = stop.map(|stop| app_is_held(stop, now));
    Sending {
        healthy: app_held == Some(false),
        stopped: stop.map(|stop| stop.stopped_since.is_some()),
        app_held,
    }
}

fn app_is_held(stop: &Stop, now: Timestamp) -> bool {
    stop.app_hold.as_ref().is_some_and(|hold| hold.stands(now))
}

fn holds(stop: Option<&Stop>, held: Option<usize>, now: Timestamp) -> Option<u64> {
    let (stop, held) = (stop?, u64::try_from(held?).ok()?);
    Some(held + u64::from(app_is_held(stop, now)) + u64::from(stop.stopped_since.is_some()))
}

impl Alarmed {
    fn of(alert: Alert) -> Self {
        Self { kind: alert.kind, at: alert.at, message: alert.message }
    }
}
