//! The consumer function: a batch of the queue becomes use cases, and their results the batch's failures.
//!
//! Guarantees: the groups of a batch run side by side, within a group in order; after a message that goes back
//! the rest of its group goes back too, unhandled, and the other groups go on. What goes back is visible again
//! within [`MAX_RETURN_DELAY`]. All state is that of one invocation.

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use futures_util::future::join_all;
use openreply_app::deliver::{Back, Deliver, Handled, Turn};
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{Enqueue, Host, LedgerError, Queue};
use openreply_domain::time::{SignedDuration, Timestamp, from_millis};
use openreply_domain::trigger::QueueIdentity;

/// The attribute that only messages of the FIFO queue have.
const GROUP: &str = "MessageGroupId";
/// What goes back to the queue is visible again after this at the latest.
pub const MAX_RETURN_DELAY: SignedDuration = SignedDuration::from_secs(30);

/// Handles one batch within one invocation. A batch of the delay queue, whose messages have no group, is only put
/// on the FIFO queue: its time has come, and the order of its group counts there.
pub async fn handle<H: Host>(
    deliver: &Deliver<H>,
    queue: &impl Queue,
    event: SqsEvent,
    turn: &Turn,
) -> SqsBatchResponse {
    let (delayed, records): (Vec<_>, Vec<_>) =
        event.records.into_iter().partition(|record| !record.attributes.contains_key(GROUP));
    deliver.tell_received(&first_sent(&records)).await;
    let groups = by_group(records);
    let stuck = join_all(delayed.iter().map(|message| forward(queue, message))).await;
    let failures = join_all(groups.iter().map(|group| run_group(deliver, queue, group, turn))).await;
    let mut response = SqsBatchResponse::default();
    response.batch_item_failures = failures.into_iter().chain(stuck).flatten().collect();
    response
}

/// Puts a message of the delay queue on the FIFO queue.
async fn forward(queue: &impl Queue, message: &SqsMessage) -> Vec<BatchItemFailure> {
    let forwarded = match serde_json::from_str(message.body.as_deref().unwrap_or("")) {
        Ok(Delayed { group, dedup, job }) => {
            let entry = Enqueue { identity: QueueIdentity { group, dedup }, job };
            queue.enqueue(&[entry]).await.map(|refused| refused.is_empty()).unwrap_or(false)
        }
        Err(_) => false,
    };
    if forwarded {
        return Vec::new();
    }
    let id = message.message_id.as_deref().unwrap_or("unknown");
    tracing::error!(
        sqs_message = id,
        "a message of the delay queue could not be put on the FIFO queue; it comes again"
    );
    vec![failure(message)]
}

/// When those were put on the queue that come for the first time. A message that went back waited for other reasons.
fn first_sent(records: &[SqsMessage]) -> Vec<Timestamp> {
    let attribute =
        |record: &SqsMessage, name| record.attributes.get(name).and_then(|value| value.parse().ok());
    let first = records.iter().filter(|record| attribute(record, "ApproximateReceiveCount") == Some(1));
    first.filter_map(|record| attribute(record, "SentTimestamp").map(from_millis)).collect()
}

/// The messages of each group, in order of arrival.
fn by_group(records: Vec<SqsMessage>) -> Vec<Vec<SqsMessage>> {
    let mut groups: Vec<(Option<String>, Vec<SqsMessage>)> = Vec::new();
    for record in records {
        let name = record.attributes.get(GROUP).cloned();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(record),
            None => groups.push((name, vec![record])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Handles a group in order. Returns the messages that must come again.
async fn run_group<H: Host>(
    deliver: &Deliver<H>,
    queue: &impl Queue,
    group: &[SqsMessage],
    turn: &Turn,
) -> Vec<BatchItemFailure> {
    for (nth, message) in group.iter().enumerate() {
        let Err(delay) = run(deliver, message, turn).await else { continue };
        let back = &group[nth..];
        let receipts: Vec<String> =
            back.iter().filter_map(|message| message.receipt_handle.clone()).collect();
        if let Err(error) = queue.return_soon(&receipts, delay).await {
            tracing::warn!(%error, "messages go back, but only after the queue's visibility time-out");
        }
        return back.iter().map(failure).collect();
    }
    Vec::new()
}

/// Handles a message. `Err`: it must come again, after this long.
async fn run<H: Host>(deliver: &Deliver<H>, message: &SqsMessage, turn: &Turn) -> Result<(), SignedDuration> {
    let id = message.message_id.as_deref().unwrap_or("unknown");
    let job: Job = match serde_json::from_str(message.body.as_deref().unwrap_or("")) {
        Ok(job) => job,
        Err(error) => {
            // Where, never what: a body holds what a person wrote.
            let (line, column) = (error.line(), error.column());
            tracing::error!(
                sqs_message = id,
                line,
                column,
                "a message on the queue is no job of this version; it goes to the dead letters after its receives"
            );
            return Err(MAX_RETURN_DELAY);
        }
    };
    match deliver.handle(&job, turn).await {
        Handled::Done => Ok(()),
        Handled::Back(back) => {
            tracing::warn!(sqs_message = id, trigger = job.trigger().map(tracing::field::display), why = %back, "goes back to the queue");
            Err(delay(&back))
        }
    }
}

/// How soon it is worth while to try again.
fn delay(back: &Back) -> SignedDuration {
    match back {
        Back::NoTime | Back::Moved | Back::Crowded => SignedDuration::from_secs(1),
        Back::Early | Back::Timer(_) | Back::Ledger(LedgerError::Transient { .. }) => {
            SignedDuration::from_secs(10)
        }
        Back::Ledger(LedgerError::Permanent { .. }) | Back::Missing { .. } => MAX_RETURN_DELAY,
    }
}

fn failure(message: &SqsMessage) -> BatchItemFailure {
    let mut failure = BatchItemFailure::default();
    failure.item_identifier = message.message_id.clone().unwrap_or_default();
    failure
}
