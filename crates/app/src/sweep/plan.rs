//! The plan of a round: one order for each account, and one for the stack.

use super::SweepOrder;
use crate::ports::{Facts, LedgerError, Pulse, SweepLedger, SweepQueue, SweepRecord};
use crate::pulse::raise;
use openreply_domain::ids::AccountId;
use openreply_domain::pulse::Alert;
use openreply_domain::time::{SignedDuration, Timestamp, after};

/// Puts a round's orders on the sweep queue, that of the stack first. Returns how many there are, and how many of
/// them the queue did not take: those accounts are swept in the next round.
///
/// # Errors
/// When the accounts could not be listed.
pub async fn plan(
    ledger: &(impl SweepLedger + Pulse),
    queue: &impl SweepQueue,
    facts: &impl Facts,
    round: Timestamp,
) -> Result<(usize, usize), LedgerError> {
    let accounts = ledger.account_ids().await?;
    tell_of_the_unswept(ledger, facts, &accounts, round).await;
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

/// Of each account, and of the stack, whose last sweep came to its end long ago: once, until another one does. For what
/// was never swept it counts from its first round.
async fn tell_of_the_unswept(
    ledger: &(impl SweepLedger + Pulse),
    facts: &impl Facts,
    accounts: &[AccountId],
    now: Timestamp,
) {
    let records = match ledger.sweeps().await {
        Ok(records) => records,
        Err(error) => {
            tracing::error!(%error, "nobody can tell which accounts were swept");
            return;
        }
    };
    let all = std::iter::once(None).chain(accounts.iter().cloned().map(Some));
    for account in all.filter(|account| records.iter().all(|record| record.account != *account)) {
        // Before the round itself, whose orders are owed until one of them is carried out.
        let at = after(now, -SignedDuration::from_millis(1));
        let mut first = SweepRecord::begun(account, at);
        first.summary.note("no sweep came to its end yet");
        if let Err(error) = ledger.put_sweep(&first).await {
            tracing::error!(%error, "nobody would hear of an account that is never swept");
        }
    }
    for record in records {
        if let Some(alert) = Alert::not_swept(record.account.as_ref(), record.at, now) {
            raise(ledger, facts, alert, now).await;
        }
    }
}
