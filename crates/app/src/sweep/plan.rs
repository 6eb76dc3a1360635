//! The plan of a round: one order for each account, and one for the stack.

use super::SweepOrder;
use crate::ports::{Ledger, LedgerError, SweepQueue};
use openreply_domain::time::Timestamp;

/// Puts a round's orders on the sweep queue, that of the stack first. Returns how many there are, and how many of
/// them the queue did not take: those accounts are swept in the next round.
///
/// # Errors
/// When the accounts could not be listed.
pub async fn plan(
    ledger: &impl Ledger,
    queue: &impl SweepQueue,
    round: Timestamp,
) -> Result<(usize, usize), LedgerError> {
    let accounts = ledger.account_ids().await?;
    let of = std::iter::once(None).chain(accounts.into_iter().map(Some));
    let orders: Vec<SweepOrder> = of.map(|account| SweepOrder { account, round }).collect();
    let refused = match queue.order(&orders).await {
        Ok(refused) => refused,
        Err(error) => {
            tracing::error!(%error, "no sweep could be ordered; the next round tries again");
            orders.len()
        }
    };
    tracing::info!(orders = orders.len(), refused, "sweeps ordered");
    Ok((orders.len(), refused))
}
