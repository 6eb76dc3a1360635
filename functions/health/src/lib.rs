//! The health function: whether the machine lives, for monitors (`/api/health`) and for people (`/status`), and
//! each minute for the alarms.
//!
//! Guarantees: an answer within two seconds, also when DynamoDB or SQS gives none; each check stands on its own.
//! No id, name, text or token is in it. However often it is asked, it asks AWS once in [`CACHED_FOR`].

mod invocation;
mod page;
mod report;

pub use invocation::{Answer, Invocation, Unknown};
pub use report::{
    Alarmed, Checks, Database, DeadLetters, PATIENCE, QueueCheck, Report, Sending, Status, Worker,
};

use openreply_app::ports::{Clock, Fact, Facts, Ledger, Pulse, QueueDepths};
use openreply_domain::time::{SignedDuration, Timestamp};
use std::sync::{Mutex, PoisonError};

/// How long a report is given again.
pub const CACHED_FOR: SignedDuration = SignedDuration::from_secs(5);

/// Looks after the machine.
pub struct Health<L, Q, C, F> {
    ledger: L,
    depths: Q,
    clock: C,
    facts: F,
    last: Mutex<Option<Report>>,
}

impl<L: Ledger + Pulse, Q: QueueDepths, C: Clock, F: Facts> Health<L, Q, C, F> {
    /// Looks with these ports.
    pub fn new(ledger: L, depths: Q, clock: C, facts: F) -> Self {
        Self { ledger, depths, clock, facts, last: Mutex::new(None) }
    }

    /// Answers a request.
    pub async fn answer(&self, method: &str, path: &str) -> Answer {
        let is_page = match path {
            "/api/health" => false,
            "/status" => true,
            _ => return Answer::plain(404, r#"{"error":"there is /api/health and /status"}"#),
        };
        let has_body = match method {
            "GET" => true,
            "HEAD" => false,
            _ => return Answer::plain(405, r#"{"error":"GET or HEAD"}"#),
        };
        let report = self.report().await;
        let answer = if is_page { Answer::page(&report) } else { Answer::json(&report) };
        if has_body { answer } else { Answer { body: String::new(), ..answer } }
    }

    /// How it stands, at most [`CACHED_FOR`] ago.
    pub async fn report(&self) -> Report {
        let now = self.clock.now();
        if let Some(last) = self.fresh(now) {
            return last;
        }
        let report = Report::make(&self.ledger, &self.depths, now).await;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.clone());
        report
    }

    /// Tells the metrics how old the heartbeat is and how many accounts are held. What could not be read is not
    /// told: the alarm rings for a missing number too.
    pub async fn measure(&self) {
        let now = self.clock.now();
        let (heartbeat, held_accounts) = report::pulse(&self.ledger, now).await;
        self.facts.report(now, &Fact::Measured { heartbeat, held_accounts }).await;
    }

    fn fresh(&self, now: Timestamp) -> Option<Report> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let age = |report: &Report| now.duration_since(report.at);
        last.as_ref().filter(|last| age(last) < CACHED_FOR && !age(last).is_negative()).cloned()
    }
}
