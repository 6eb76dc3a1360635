//! Deliver: a job from the queue becomes at most one message per leg.
//!
//! Guarantees:
//! - A leg is read first, claimed last, then sent, then settled. What is CLAIMED or final is left alone.
//! - Legs stand on their own: a direct message that is refused or in doubt neither blocks nor repeats a public
//!   reply, and the other way round.
//! - Trouble before a leg's claim hands the job back to the queue; after it, only the other leg may.
//! - No send begins that the time left cannot finish and settle.
//! - The first Send of a trigger carries the whole match. A redelivery continues it, whatever was edited since.

mod comment;
mod conversation;
mod doubt;
mod follow;
mod gates;
mod leg;
mod news;
mod rules;
mod settle;
pub mod words;

pub(crate) use doubt::{content_of, text_of};
pub use gates::month_of;
pub(crate) use settle::begins;

use crate::accounts::AccountCache;
use crate::job::Job;
use crate::ports::{Also, Clock, Host, Ledger, LedgerError, TimerError, Written};
use crate::pulse::{Beat, beat};
use openreply_domain::links::LinksBase;
use openreply_domain::send::{Expect, Policy, Send};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::Trigger;

/// How long things may take at most. A send is begun only if all of it fits before the deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// One call of the ledger, retries of the SDK included.
    pub ledger_call: SignedDuration,
    /// One call of Instagram: the total time-out of the Graph client.
    pub send: SignedDuration,
}

impl Budget {
    /// A claim, a send and its settle. Claim and settle may each take a second try, and a settle reads the gate
    /// before it writes.
    #[must_use]
    pub fn whole_send(&self) -> SignedDuration {
        self.ledger_call * 2 + self.rest_after_claim()
    }

    /// A send and its settle.
    #[must_use]
    pub fn rest_after_claim(&self) -> SignedDuration {
        self.send + self.ledger_call * 4
    }
}

/// The invocation that a job is handled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its name: the request id on Lambda.
    pub holder: String,
    /// When it is cut off.
    pub deadline: Timestamp,
}

/// What became of a job.
#[must_use = "a job that goes back must be reported to the queue"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handled {
    /// Whatever it asked for is in the ledger. It may leave the queue.
    Done,
    /// It must come again.
    Back(Back),
}

/// Why a job goes back to the queue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Back {
    /// The ledger failed before anything was claimed.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// A Send waits, and nothing may be there to wake it: its next touch must set the timer.
    #[error("{0}")]
    Timer(#[from] TimerError),
    /// Others keep writing the account's gate first.
    #[error("too many others pass the account's gate at the same time")]
    Crowded,
    /// What a Send was to wait for is over: it may be tried at once.
    #[error("what it was to wait for has just ended")]
    Moved,
    /// Too little time is left in this invocation.
    #[error("too little time is left in this invocation")]
    NoTime,
    /// Its timer fired before its time.
    #[error("it came before it was due")]
    Early,
    /// Something that the ledger must have is not there.
    #[error("the ledger has no {what}; was the table restored or edited?")]
    Missing {
        /// What.
        what: &'static str,
    },
}

/// The use case of the consumer function.
pub struct Deliver<H> {
    host: H,
    policy: Policy,
    budget: Budget,
    accounts: AccountCache,
    /// Where tracked links are served.
    tracked: Option<LinksBase>,
}

impl<H: Host> Deliver<H> {
    /// Delivers with a host's ports.
    pub fn new(host: H, policy: Policy, budget: Budget) -> Self {
        Self { host, policy, budget, accounts: AccountCache::default(), tracked: None }
    }

    /// Puts tracked links into messages, which are served there. Without a base links are as campaigns have them.
    #[must_use]
    pub fn with_tracked_links(self, base: Option<LinksBase>) -> Self {
        Self { tracked: base, ..self }
    }

    /// Handles one job. Safe to call with the same job at any time and any number of times.
    pub async fn handle(&self, job: &Job, turn: &Turn) -> Handled {
        let handled = match job {
            Job::Ingested { trigger: Trigger::Comment(comment), received_at } => {
                self.comment(comment, *received_at, None, turn).await
            }
            Job::Missed { comment, written_at } => {
                self.comment(comment, *written_at, Some(*written_at), turn).await
            }
            Job::Ingested { trigger: Trigger::Message(message), received_at } => {
                self.message(message, *received_at, turn).await
            }
            Job::Ingested { trigger: Trigger::Tap(tap), received_at } => {
                self.tap(tap, *received_at, turn).await
            }
            Job::Wake { key, wake } => self.wake(key, *wake, turn).await,
            Job::Settle { key, claim, outcome } => self.settle_later(key, claim, outcome).await,
            Job::Beat { id, due_at, echo } => {
                beat(&self.host, Beat { id, due_at: *due_at, echo: *echo }).await;
                Ok(())
            }
        };
        match handled {
            Ok(()) => Handled::Done,
            Err(back) => Handled::Back(back),
        }
    }

    fn now(&self) -> Timestamp {
        self.host.clock().now()
    }

    /// A Send's conditional write; a transaction, which costs twice, only where something goes with it.
    async fn put(&self, send: &Send, expect: &Expect, also: &[Also]) -> Result<Written, LedgerError> {
        if also.is_empty() {
            self.host.ledger().put_send(send, expect).await
        } else {
            self.host.ledger().put_send_with(send, expect, also).await
        }
    }

    fn has_time(&self, turn: &Turn, need: SignedDuration) -> bool {
        turn.deadline.duration_since(self.now()) >= need
    }
}
