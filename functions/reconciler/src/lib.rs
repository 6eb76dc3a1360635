//! The reconciler function: the schedule makes it plan a round of sweeps, and each sweep comes back to it as a message
//! of the sweep queue.
//!
//! Guarantees: a round is one message an account and one for the stack, so a thousand accounts are swept side by side
//! and one that is slow or broken delays no other. An order that waited until a later round was planned is dropped:
//! the later one does the same.

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
    plan(host.ledger(), queue, host.clock().now()).await.map(drop)
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
            tracing::error!(message = id, %error, "a message on the sweep queue is no order of this version; it goes to the dead letters after its receives");
            return Some(failure(id));
        }
    };
    if sweep.deliver.host().clock().now().duration_since(order.round) > STALE_AFTER {
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

fn failure(id: String) -> BatchItemFailure {
    let mut failure = BatchItemFailure::default();
    failure.item_identifier = id;
    failure
}
