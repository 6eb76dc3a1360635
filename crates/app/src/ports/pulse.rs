//! The worker-health contract: the heartbeat, the alerts, and how many accounts are held.

use super::LedgerError;
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::time::Timestamp;
use std::future::Future;

/// What of the ledger says whether the machine lives and what a person must know.
pub trait Pulse: Send + Sync {
    /// Writes the heartbeat in the place of the one before, in one step with what that waits for ([`Heartbeat::after`]).
    /// It is never forgotten by time: it dies by its own.
    ///
    /// # Errors
    /// When it may not have been written.
    fn beat(&self, heartbeat: &Heartbeat) -> impl Future<Output = Result<(), LedgerError>> + Send;

    /// The last heartbeat. `None`: there never was one.
    ///
    /// # Errors
    /// When it could not be read.
    fn heartbeat(&self) -> impl Future<Output = Result<Option<Heartbeat>, LedgerError>> + Send;

    /// Writes an alert down, once for its occasion ([`Alert::name`]). `false`: it stood there already.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn raise(&self, alert: &Alert) -> impl Future<Output = Result<bool, LedgerError>> + Send;

    /// The newest alerts, at most so many, newest first.
    ///
    /// # Errors
    /// When they could not be read.
    fn alerts(&self, newest: usize) -> impl Future<Output = Result<Vec<Alert>, LedgerError>> + Send;

    /// How many accounts are held at `now`. May lag behind the writes by moments on AWS.
    ///
    /// # Errors
    /// When they could not be counted.
    fn held_accounts(&self, now: Timestamp) -> impl Future<Output = Result<usize, LedgerError>> + Send;
}
