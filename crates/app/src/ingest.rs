//! Ingest: a signed webhook body becomes jobs on the queue.
//!
//! Guarantees: nothing is looked at before the signature over the raw bytes holds; a body whose triggers are
//! not all on the queue is never acknowledged, so that Meta brings it again; what starts no flow is counted
//! and acknowledged. Nothing is sent and no campaign is looked up here.

use crate::job::Job;
use crate::ports::{
    Authenticity, Clock, Enqueue, EventKey, EventReader, EventStatus, Ledger, Queue, QueueError, Random,
    Refused, Unreadable,
};
use openreply_domain::trigger::{QueueIdentity, Trigger};
use std::collections::BTreeMap;

/// What became of one webhook body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ingested {
    /// The queue has every trigger of it, `triggers` in number (0: there was nothing to do).
    Accepted {
        /// How many triggers went onto the queue.
        triggers: usize,
    },
    /// The signature is missing or wrong.
    NotAuthentic(Authenticity),
    /// It is not JSON.
    Unreadable(Unreadable),
    /// Not everything is safely on the queue: Meta has to come back.
    ComeBack,
}

/// The use case of the webhook function.
pub struct Ingest<L, Q, C, R> {
    /// Where the raw event is recorded.
    pub ledger: L,
    /// Where the jobs go.
    pub queue: Q,
    /// When it is.
    pub clock: C,
    /// For the event's name.
    pub random: R,
}

impl<L: Ledger, Q: Queue, C: Clock, R: Random> Ingest<L, Q, C, R> {
    /// Takes one body with the value of its signature header.
    pub async fn ingest(&self, reader: &impl EventReader, signature: Option<&str>, body: &[u8]) -> Ingested {
        match reader.authenticate(signature, body) {
            Authenticity::Authentic => {}
            refused @ (Authenticity::Missing | Authenticity::Wrong) => {
                tracing::warn!(reason = ?refused, bytes = body.len(), "webhook refused: not signed by this app");
                return Ingested::NotAuthentic(refused);
            }
        }
        let event = match reader.parse(body) {
            Ok(event) => event,
            Err(unreadable) => {
                tracing::warn!(error = %unreadable, bytes = body.len(), "webhook refused: unreadable");
                return Ingested::Unreadable(unreadable);
            }
        };
        let triggers = event.triggers.len();
        let accepted = event.triggers.is_empty() || self.hand_over(event.triggers, body).await;
        log(triggers, &event.passed_over, accepted);
        if accepted { Ingested::Accepted { triggers } } else { Ingested::ComeBack }
    }

    /// Records, enqueues, marks. `true` only when the queue has everything.
    async fn hand_over(&self, triggers: Vec<Trigger>, body: &[u8]) -> bool {
        let received_at = self.clock.now();
        let key = EventKey { received_at, id: format!("{:016x}", self.random.number()) };
        if let Err(error) = self.ledger.record_event(&key, body).await {
            tracing::error!(%error, "webhook not taken: the event could not be recorded; Meta will bring it again");
            return false;
        }
        let jobs: Vec<Enqueue> = triggers
            .into_iter()
            .map(|trigger| Enqueue {
                identity: QueueIdentity::of(&trigger),
                job: Job::Ingested { trigger, received_at },
            })
            .collect();
        let answer = self.queue.enqueue(&jobs).await;
        tell_each(&jobs, &answer);
        let refused = match answer {
            Ok(refused) if refused.is_empty() => {
                if let Err(error) = self.ledger.mark_event(&key, &EventStatus::Processed).await {
                    // The queue has it all. A record that stays PENDING is enqueued once more by the sweep,
                    // and the ledger refuses the copies.
                    tracing::warn!(%error, "webhook taken, but its record still reads PENDING");
                }
                return true;
            }
            Ok(refused) => why(&refused, jobs.len()),
            Err(error) => error.to_string(),
        };
        tracing::error!(why = refused, "webhook not taken whole: Meta will bring it again");
        if let Err(error) = self.ledger.mark_event(&key, &EventStatus::Failed { why: refused }).await {
            tracing::warn!(%error, "the event's record still reads PENDING instead of FAILED");
        }
        false
    }
}

/// A line for each trigger, so that a search for one finds where its story begins.
fn tell_each(jobs: &[Enqueue], answer: &Result<Vec<Refused>, QueueError>) {
    for (place, trigger) in jobs.iter().filter_map(|entry| entry.job.trigger()).enumerate() {
        let refused = match answer {
            Ok(refused) => refused.iter().find(|entry| entry.index == place).map(|entry| entry.code.as_str()),
            Err(_) => Some("no answer"),
        };
        match refused {
            None => tracing::info!(%trigger, "received, and on the queue"),
            Some(code) => {
                tracing::error!(%trigger, code, "received, and not on the queue: Meta will bring it again");
            }
        }
    }
}

fn why(refused: &[Refused], of: usize) -> String {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in refused {
        *codes.entry(&entry.code).or_default() += 1;
    }
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("{code} × {count}")).collect();
    format!("the queue refused {} of {of} jobs: {}", refused.len(), codes.join(", "))
}

fn log(triggers: usize, passed_over: &BTreeMap<&'static str, u32>, accepted: bool) {
    let passed_over: Vec<String> = passed_over.iter().map(|(why, count)| format!("{why}={count}")).collect();
    tracing::info!(triggers, passed_over = passed_over.join(" "), accepted, "webhook");
}
