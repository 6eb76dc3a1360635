//! Webhook events: the raw body, compressed, filed by the minute, and where it stands.
//!
//! A body too large for one row goes into further rows, all written before the one that makes the event exist:
//! an event that can be read is whole. That row then holds none of the body, so that a mark, which is billed by
//! the size of its row, stays as cheap as any.

use super::{DynamoLedger, EXPIRES_AT, Item, failed, keys, unreadable};
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use openreply_app::ports::{EventKey, EventRecord, EventStatus, EventsOfMinute, LedgerError};
use openreply_domain::time::{SignedDuration, Timestamp, after, from_millis};
use std::collections::HashMap;
use std::io::{self, Read, Write};

const RECORD: &str = "record a webhook event";
const MARK: &str = "mark a webhook event";
const READ: &str = "read webhook events";

/// What one row takes of a body. DynamoDB's limit for a row is 400 KB.
const MAX_PART_BYTES: usize = 300_000;
/// Within these days the event can still be of use: afterwards Instagram lets nobody answer it.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

impl DynamoLedger {
    pub(super) async fn write_event(&self, key: &EventKey, body: &[u8]) -> Result<(), LedgerError> {
        let body = deflate(body).map_err(|_| LedgerError::Permanent {
            action: RECORD,
            cause: "the body could not be compressed: this is a fault of OpenReply".to_owned(),
        })?;
        if body.len() <= MAX_PART_BYTES {
            return self.write_part(key, key.id.clone(), &body, Some(0)).await;
        }
        let parts = body.chunks(MAX_PART_BYTES);
        let further = parts.len();
        for (nth, part) in (1..).zip(parts) {
            self.write_part(key, part_name(&key.id, nth), part, None).await?;
        }
        self.write_part(key, key.id.clone(), &[], Some(further)).await
    }

    /// One row. `further`: this is the head, and that many rows follow it.
    async fn write_part(
        &self,
        key: &EventKey,
        sk: String,
        part: &[u8],
        further: Option<usize>,
    ) -> Result<(), LedgerError> {
        let mut item = keys::key(keys::events(key.received_at), sk);
        item.insert("body".to_owned(), AttributeValue::B(Blob::new(part)));
        item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(key.received_at, KEPT_FOR)));
        if let Some(further) = further {
            item.insert("received_at".to_owned(), keys::millis(key.received_at));
            item.insert("status".to_owned(), AttributeValue::S(word(&EventStatus::Pending).to_owned()));
            item.insert("further".to_owned(), AttributeValue::N(further.to_string()));
        }
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.map(drop).map_err(failed(RECORD))
    }

    pub(super) async fn write_event_status(
        &self,
        key: &EventKey,
        status: &EventStatus,
    ) -> Result<(), LedgerError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(keys::key(keys::events(key.received_at), key.id.clone())))
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_names("#status", "status")
            .expression_attribute_names("#why", "why")
            .expression_attribute_values(":status", AttributeValue::S(word(status).to_owned()));
        let update = match status {
            EventStatus::Pending | EventStatus::Processed => {
                update.update_expression("SET #status = :status REMOVE #why")
            }
            EventStatus::Failed { why } => update
                .update_expression("SET #status = :status, #why = :why")
                .expression_attribute_values(":why", AttributeValue::S(why.clone())),
        };
        update.send().await.map(drop).map_err(|error| match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(_)) => {
                LedgerError::Permanent { action: MARK, cause: "it was never recorded".to_owned() }
            }
            Some(_) | None => failed(MARK)(error),
        })
    }

    pub(super) async fn read_events(&self, moment: Timestamp) -> Result<EventsOfMinute, LedgerError> {
        let rows = self.read_partition(READ, &keys::events(moment), None).await?;
        let mut parts: HashMap<String, Vec<u8>> = HashMap::new();
        let mut heads: Vec<Item> = Vec::new();
        for mut row in rows {
            if row.contains_key("further") {
                heads.push(row);
            } else if let (Some(AttributeValue::S(name)), Some(AttributeValue::B(part))) =
                (row.remove("sk"), row.remove("body"))
            {
                parts.insert(name, part.into_inner());
            }
        }
        let (mut events, mut unreadable_ones) = (Vec::new(), 0);
        for head in &heads {
            match read_event(head, &parts) {
                Some(event) => events.push(event),
                None => {
                    unreadable_ones += 1;
                    let error = unreadable(READ, &keys::shown(head));
                    tracing::error!(%error, "a webhook event was left out that cannot be read; the others go on");
                }
            }
        }
        events.sort_by(|a: &EventRecord, b: &EventRecord| {
            (a.key.received_at, &a.key.id).cmp(&(b.key.received_at, &b.key.id))
        });
        Ok(EventsOfMinute { events, unreadable: unreadable_ones })
    }
}

fn part_name(id: &str, nth: usize) -> String {
    format!("{id}#{nth:02}")
}

fn word(status: &EventStatus) -> &'static str {
    match status {
        EventStatus::Pending => "PENDING",
        EventStatus::Processed => "PROCESSED",
        EventStatus::Failed { .. } => "FAILED",
    }
}

fn read_event(head: &Item, parts: &HashMap<String, Vec<u8>>) -> Option<EventRecord> {
    let id = keys::text(head, "sk")?.to_owned();
    let received_at = from_millis(keys::number(head, "received_at")?);
    let status = match keys::text(head, "status")? {
        "PENDING" => EventStatus::Pending,
        "PROCESSED" => EventStatus::Processed,
        "FAILED" => EventStatus::Failed { why: keys::text(head, "why")?.to_owned() },
        _ => return None,
    };
    let mut body = head.get("body")?.as_b().ok()?.as_ref().to_vec();
    for nth in 1..=keys::number(head, "further")?.try_into().ok()? {
        body.extend_from_slice(parts.get(&part_name(&id, nth))?);
    }
    Some(EventRecord { key: EventKey { received_at, id }, status, body: inflate(&body).ok()? })
}

fn deflate(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body)?;
    encoder.finish()
}

fn inflate(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    DeflateDecoder::new(body).read_to_end(&mut whole)?;
    Ok(whole)
}
