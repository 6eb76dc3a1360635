//! Metrics in CloudWatch's embedded format: a line of the log that CloudWatch makes numbers of.
//!
//! Guarantees: at most ten metrics, each with the stack's name as its one dimension, so that what they cost does
//! not grow with accounts or campaigns; everything else is a field of the line. A line about a message carries its
//! trigger. Lines pass any log level: Lambda takes one without a level for INFO, and the template lets it through.

use openreply_app::ports::{Ending, Fact, Facts};
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::TriggerKind;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Where CloudWatch keeps them.
pub const NAMESPACE: &str = "OpenReply";
/// The one dimension: which stack.
pub const DIMENSION: &str = "Service";

/// A metric that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "their names say it, and METRICS what they count")]
pub enum Metric {
    Sent,
    Failed,
    Unconfirmed,
    Skipped,
    DuplicatesRefused,
    CommentToDmLatency,
    QueueLag,
    GraphLatency,
    HeartbeatAge,
    HeldAccounts,
}

/// All of them. CloudWatch's free tier has ten.
pub const METRICS: [Metric; 10] = [
    Metric::Sent,
    Metric::Failed,
    Metric::Unconfirmed,
    Metric::Skipped,
    Metric::DuplicatesRefused,
    Metric::CommentToDmLatency,
    Metric::QueueLag,
    Metric::GraphLatency,
    Metric::HeartbeatAge,
    Metric::HeldAccounts,
];

impl Metric {
    /// Its name in CloudWatch.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "Sent",
            Self::Failed => "Failed",
            Self::Unconfirmed => "Unconfirmed",
            Self::Skipped => "Skipped",
            Self::DuplicatesRefused => "DuplicatesRefused",
            Self::CommentToDmLatency => "CommentToDmLatency",
            Self::QueueLag => "QueueLag",
            Self::GraphLatency => "GraphLatency",
            Self::HeartbeatAge => "HeartbeatAge",
            Self::HeldAccounts => "HeldAccounts",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Sent
            | Self::Failed
            | Self::Unconfirmed
            | Self::Skipped
            | Self::DuplicatesRefused
            | Self::HeldAccounts => "Count",
            Self::CommentToDmLatency | Self::QueueLag | Self::GraphLatency | Self::HeartbeatAge => {
                "Milliseconds"
            }
        }
    }
}

/// Writes metrics.
#[derive(Debug)]
pub struct Metrics<W = io::Stdout> {
    service: String,
    to: Arc<Mutex<W>>,
}

impl<W> Clone for Metrics<W> {
    fn clone(&self) -> Self {
        Self { service: self.service.clone(), to: Arc::clone(&self.to) }
    }
}

impl Metrics {
    /// To standard output, where Lambda reads log lines. `service` is the stack's name.
    #[must_use]
    pub fn new(service: impl Into<String>) -> Self {
        Self::to(service, io::stdout())
    }
}

impl<W: Write + Send> Metrics<W> {
    /// To somewhere else.
    pub fn to(service: impl Into<String>, to: W) -> Self {
        Self { service: service.into(), to: Arc::new(Mutex::new(to)) }
    }
}

impl<W: Write + Send> Facts for Metrics<W> {
    async fn report(&self, at: Timestamp, fact: &Fact) {
        let Some(line) = line(&self.service, at, fact) else { return };
        // One write for one line: others write to the same place.
        let written =
            self.to.lock().unwrap_or_else(PoisonError::into_inner).write_all(format!("{line}\n").as_bytes());
        if let Err(error) = written {
            tracing::warn!(%error, "a metric could not be written");
        }
    }
}

/// The line that a fact makes. `None`: nothing is counted of it.
fn line(service: &str, at: Timestamp, fact: &Fact) -> Option<Value> {
    let (what, values, fields) = counted(at, fact)?;
    let metrics: Vec<Value> =
        values.iter().map(|(metric, _)| json!({ "Name": metric.name(), "Unit": metric.unit() })).collect();
    let mut line = Map::new();
    line.insert("timestamp".to_owned(), json!(at));
    line.insert("level".to_owned(), json!("INFO"));
    line.insert("message".to_owned(), json!(what));
    line.insert(
        "_aws".to_owned(),
        json!({
            "Timestamp": at.as_millisecond(),
            "CloudWatchMetrics": [{ "Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": metrics }],
        }),
    );
    line.insert(DIMENSION.to_owned(), json!(service));
    for (metric, value) in values {
        line.insert(metric.name().to_owned(), value);
    }
    for (name, value) in fields {
        line.insert(name.to_owned(), value);
    }
    Some(Value::Object(line))
}

type Values = Vec<(Metric, Value)>;
type Fields = Vec<(&'static str, Value)>;

/// What a fact is called in the log, what is counted, and what else the line says.
fn counted(at: Timestamp, fact: &Fact) -> Option<(&'static str, Values, Fields)> {
    Some(match fact {
        Fact::Delivery { key, campaign, attempts, ending, took } => {
            let mut fields = of_send(key);
            if let Some(campaign) = campaign {
                fields.push(("campaign", json!(campaign.id)));
            }
            fields.push(("attempts", json!(attempts)));
            let (what, metric) = match ending {
                Ending::Sent { message_id } => {
                    fields.push(("message_id", json!(message_id)));
                    ("metric: sent", Metric::Sent)
                }
                Ending::Failed { reason } => {
                    fields.push(("reason", json!(reason)));
                    ("metric: failed", Metric::Failed)
                }
                Ending::Unconfirmed { reason } => {
                    fields.push(("reason", json!(reason)));
                    ("metric: unconfirmed", Metric::Unconfirmed)
                }
                Ending::Skipped { reason } => {
                    fields.push(("reason", json!(reason)));
                    ("metric: skipped", Metric::Skipped)
                }
            };
            let mut values = vec![(metric, json!(1))];
            if let (Ending::Sent { .. }, Some(took)) = (ending, took)
                && key.leg == Leg::Dm
                && key.trigger.kind == TriggerKind::Comment
            {
                values.push((Metric::CommentToDmLatency, millis(*took)));
            }
            (what, values, fields)
        }
        Fact::DuplicateRefused { key } => {
            ("metric: duplicate refused", vec![(Metric::DuplicatesRefused, json!(1))], of_send(key))
        }
        Fact::Called { key, took } => {
            ("metric: call", vec![(Metric::GraphLatency, millis(*took))], of_send(key))
        }
        Fact::Received { waited } => {
            if waited.is_empty() {
                return None;
            }
            let waited: Vec<Value> = waited.iter().map(|waited| millis(*waited)).collect();
            ("metric: received", vec![(Metric::QueueLag, json!(waited))], Vec::new())
        }
        Fact::Measured { heartbeat, held_accounts } => {
            let mut values = Vec::new();
            // Without a heartbeat there is no age: the missing number is what the alarm rings for.
            if let Some(heartbeat) = heartbeat {
                values.push((Metric::HeartbeatAge, millis(heartbeat.age(at))));
            }
            if let Some(held) = held_accounts {
                values.push((Metric::HeldAccounts, json!(held)));
            }
            if values.is_empty() {
                return None;
            }
            ("metric: pulse", values, Vec::new())
        }
        Fact::AccountHeld { .. } | Fact::AccountReleased { .. } | Fact::AlertRaised(_) => return None,
    })
}

fn of_send(key: &SendKey) -> Fields {
    vec![("trigger", json!(key.trigger)), ("leg", json!(key.leg))]
}

fn millis(span: SignedDuration) -> Value {
    json!(i64::try_from(span.as_millis()).unwrap_or(i64::MAX).max(0))
}
