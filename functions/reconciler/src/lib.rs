//! The reconciler function: the schedule makes it plan a round of sweeps, and each sweep comes back to it as a message
//! of the sweep queue.
//!
//! Guarantees: a round is one message an account and one for the stack, so a thousand accounts are swept side by side
//! and one that is slow or broken delays no other. An order that waited until later rounds were planned is dropped: they
//! do the same. One that failed comes again, until it is a dead letter that somebody sees.

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use futures_util::future::join_all;
use openreply_app::ports::{Clock, EventBodies, Host, LedgerError, Reader, SweepLedger, SweepQueue};
use openreply_app::sweep::{Sweep, SweepOrder, plan};
use openreply_domain::time::{SignedDuration, Timestamp};
use serde_json::Value;

/// An order that is older is dropped: three rounds were planned since.
const STALE_AFTER: SignedDuration = SignedDuration::from_mins(15);

/// Why the function was invoked.
#[derive(Debug)]
pub enum Invocation {
    /// A round is due.
    Plan,
    /// Orders came off the sweep queue.
    Sweeps(SqsEvent),
}

/// An event of neither kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither messages of the sweep queue nor {{\"plan\": true}}; what invokes this function?")]
pub struct Unknown;

impl Invocation {
    /// Reads an event.
    ///
    /// # Errors
    /// When it is of neither kind.
    pub fn of(event: Value) -> Result<Self, Unknown> {
        if event["plan"] == true {
            return Ok(Self::Plan);
        }
        if !event["Records"].is_array() {
            return Err(Unknown);
        }
        serde_json::from_value(event).map(Self::Sweeps).map_err(|_| Unknown)
    }
}

/// Plans a round.
///
/// # Errors
/// When the accounts could not be listed. The schedule tries again.
pub async fn plan_round<H, R, E>(sweep: &Sweep<H, R, E>, queue: &impl SweepQueue) -> Result<(), LedgerError>
where
    H: Host<Ledger: SweepLedger>,
{
    let host = sweep.deliver.host();
    plan(host.ledger(), queue, host.facts(), host.clock().now()).await.map(drop)
}

/// Carries out the orders of a batch side by side, until `deadline`.
pub async fn carry_out<H, R, E>(
    sweep: &Sweep<H, R, E>,
    event: SqsEvent,
    deadline: Timestamp,
) -> SqsBatchResponse
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
    E: EventBodies,
{
    let orders = event.records.iter().map(|message| carry_out_one(sweep, message, deadline));
    let mut response = SqsBatchResponse::default();
    response.batch_item_failures = join_all(orders).await.into_iter().flatten().collect();
    response
}

async fn carry_out_one<H, R, E>(
    sweep: &Sweep<H, R, E>,
    message: &SqsMessage,
    deadline: Timestamp,
) -> Option<BatchItemFailure>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
    E: EventBodies,
{
    let id = message.message_id.clone().unwrap_or_default();
    let order: SweepOrder = match serde_json::from_str(message.body.as_deref().unwrap_or("")) {
        Ok(order) => order,
        Err(error) => {
            tracing::error!(sqs_message = id, %error, "a message on the sweep queue is no order of this version; it goes to the dead letters after its receives");
            return Some(failure(id));
        }
    };
    let waited = sweep.deliver.host().clock().now().duration_since(order.round);
    if waited > STALE_AFTER && !is_owed(sweep, message, &order).await {
        tracing::warn!(account = ?order.account, round = %order.round, "a sweep waited too long and is left to a later round");
        return None;
    }
    match sweep.carry_out(&order, deadline).await {
        Ok(_) => None,
        Err(error) => {
            tracing::error!(account = ?order.account, %error, "a sweep could not begin; it comes again");
            Some(failure(id))
        }
    }
}

/// Whether an old order failed, and no round after it came to an end either: then it is carried out again, until it
/// is a dead letter. What SQS or the ledger does not say leaves it to the next round.
async fn is_owed<H, R, E>(sweep: &Sweep<H, R, E>, message: &SqsMessage, order: &SweepOrder) -> bool
where
    H: Host<Ledger: SweepLedger>,
{
    let receives = message.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
    if receives.is_none_or(|receives: u32| receives < 2) {
        return false;
    }
    let last = sweep.deliver.host().ledger().last_sweep(order.account.as_ref()).await;
    last.is_ok_and(|last| last.is_none_or(|last| last.at < order.round))
}

fn failure(id: String) -> BatchItemFailure {
    let mut failure = BatchItemFailure::default();
    failure.item_identifier = id;
    failure
}
