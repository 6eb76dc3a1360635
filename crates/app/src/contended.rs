//! Changing what many write: an account's gate, and the stack's stop.
//!
//! Guarantees: a change is made to what stands when it is written, never to what was read before somebody else
//! wrote. Whoever keeps losing is told so, with nothing changed.

use crate::ports::{Ledger, LedgerError};
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::AccountId;

/// How often a write that others keep getting ahead of is tried in one turn.
pub(crate) const MAX_ROUNDS: usize = 40;

/// Why a change was not made, or may not have been.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unchanged {
    /// The ledger failed.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// Others kept writing first.
    #[error("others keep writing the same thing first")]
    Crowded,
}

/// Changes an account's gate. Returns it as written.
pub(crate) async fn change_gate(
    ledger: &impl Ledger,
    account: &AccountId,
    mut change: impl FnMut(&mut AccountGate),
) -> Result<AccountGate, Unchanged> {
    let (mut gate, _) = ledger.gates(account).await?;
    for _ in 0..MAX_ROUNDS {
        gate.revision += 1;
        change(&mut gate);
        match ledger.put_gate(account, &gate).await? {
            None => return Ok(gate),
            Some(stands) => gate = stands,
        }
    }
    Err(Unchanged::Crowded)
}

/// Changes the stack's stop.
pub(crate) async fn change_stop(ledger: &impl Ledger, change: impl Fn(&mut Stop)) -> Result<(), Unchanged> {
    let mut stop = ledger.stop().await?;
    for _ in 0..MAX_ROUNDS {
        stop.revision += 1;
        change(&mut stop);
        match ledger.put_stop(&stop).await? {
            None => return Ok(()),
            Some(stands) => stop = stands,
        }
    }
    Err(Unchanged::Crowded)
}
