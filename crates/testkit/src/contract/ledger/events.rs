//! Webhook events.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::at;
use crate::memory::SeededRandom;
use openreply_app::ports::{EventKey, EventRecord, EventStatus, Ledger, LedgerError, Random};

fn key(seconds: i64, id: &str) -> EventKey {
    EventKey { received_at: at(seconds), id: id.to_owned() }
}

/// Bytes that no compression makes fewer.
fn noise(bytes: usize) -> Vec<u8> {
    let random = SeededRandom::new(1);
    (0..bytes / 8).flat_map(|_| random.number().to_le_bytes()).collect()
}

/// Nothing, a plain body, one that compresses well, bytes of every value, and a megabyte that does not compress.
pub async fn an_event_reads_back_byte_for_byte(ledger: &impl Ledger) {
    let bodies = [
        Vec::new(),
        br#"{"object":"instagram","entry":[]}"#.to_vec(),
        b"{}".repeat(500_000),
        (0..=255).collect(),
        noise(1_000_000),
        noise(900_000),
    ];
    let mut expected = Vec::new();
    for (n, body) in bodies.into_iter().enumerate() {
        let key = key(0, &format!("{n:016x}"));
        ledger.record_event(&key, &body).await.unwrap();
        expected.push(EventRecord { key, status: EventStatus::Pending, body });
    }
    let events = ledger.events(at(0)).await.unwrap().events;
    assert_eq!(events.len(), expected.len());
    for (event, expected) in events.iter().zip(&expected) {
        assert_eq!((&event.key, &event.status), (&expected.key, &expected.status));
        assert!(event.body == expected.body, "the body of event {} changed", event.key.id);
    }
}

/// PENDING, PROCESSED, FAILED with why, and back: the body stays.
pub async fn an_event_says_where_it_stands(ledger: &impl Ledger) {
    let (plain, large) = (key(5, "a"), key(6, "b"));
    ledger.record_event(&plain, b"body").await.unwrap();
    ledger.record_event(&large, &noise(400_000)).await.unwrap();
    let failed = EventStatus::Failed { why: "the queue refused 1 of 2 jobs: InternalError × 1".to_owned() };
    for status in [EventStatus::Processed, failed, EventStatus::Pending, EventStatus::Processed] {
        for key in [&plain, &large] {
            ledger.mark_event(key, &status).await.unwrap();
        }
        let events = ledger.events(at(5)).await.unwrap().events;
        assert_eq!(events.iter().map(|event| &event.status).collect::<Vec<_>>(), [&status, &status]);
        assert_eq!(events[0].body, b"body");
        assert!(events[1].body == noise(400_000));
    }
}

/// A mark makes no event.
pub async fn an_event_that_was_never_recorded_cannot_be_marked(ledger: &impl Ledger) {
    let answer = ledger.mark_event(&key(0, "nobody"), &EventStatus::Processed).await;
    assert!(matches!(answer, Err(LedgerError::Permanent { .. })), "{answer:?}");
    assert_eq!(ledger.events(at(0)).await.unwrap().events, []);
}

/// Those of a whole minute and of no other, in the order they were received.
pub async fn events_are_filed_by_the_minute(ledger: &impl Ledger) {
    for (seconds, id) in [(59, "d"), (-1, "a"), (0, "c"), (0, "b"), (60, "e")] {
        ledger.record_event(&key(seconds, id), b"{}").await.unwrap();
    }
    for (moment, expected) in [(-60, "a"), (-1, "a"), (0, "bcd"), (59, "bcd"), (60, "e"), (120, "")] {
        let events = ledger.events(at(moment)).await.unwrap().events;
        assert_eq!(
            events.iter().map(|event| event.key.id.as_str()).collect::<String>(),
            expected,
            "{moment}"
        );
    }
}
