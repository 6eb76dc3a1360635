//! Events as Lambda hands them to the functions.

use crate::fifo::Received;
use aws_lambda_events::sqs::{SqsEvent, SqsMessage};

/// A batch as the event source mapping hands it over. The receipt serves as the message's id too, so that a
/// reported failure names what must not be deleted.
#[must_use]
pub fn sqs_event(batch: Vec<Received>) -> SqsEvent {
    let mut event = SqsEvent::default();
    event.records = batch.into_iter().map(sqs_message).collect();
    event
}

fn sqs_message(received: Received) -> SqsMessage {
    let mut message = SqsMessage::default();
    message.message_id = Some(received.receipt.clone());
    message.receipt_handle = Some(received.receipt);
    message.attributes.insert("MessageGroupId".to_owned(), received.message.group);
    message.attributes.insert("ApproximateReceiveCount".to_owned(), received.message.receives.to_string());
    let sent_at = received.message.sent_at.as_millisecond().to_string();
    message.attributes.insert("SentTimestamp".to_owned(), sent_at);
    message.body = Some(received.message.body);
    message
}
