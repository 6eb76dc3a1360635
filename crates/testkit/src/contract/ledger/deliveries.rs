//! What a person sees of an account.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, claim, claimed, reply, trigger};
use futures_util::future::join_all;
use openreply_app::ports::{Ledger, Written};
use openreply_domain::ids::MessageId;
use openreply_domain::send::{Expect, Leg, Send, State};

async fn written(ledger: &impl Ledger, send: &Send) {
    assert_eq!(ledger.put_send(send, &Expect::Absent).await.unwrap(), Written::Done);
}

/// More than DynamoDB gives by key at once; those of one moment in the order of their keys.
pub async fn deliveries_come_oldest_first(ledger: &impl Ledger) {
    assert_eq!(ledger.deliveries(&account(1), at(0)).await.unwrap(), []);
    let seen = |n: u32| Send {
        first_seen_at: at(i64::from((n * 7) % 50)),
        ..claimed(trigger(n), if n.is_multiple_of(3) { reply(1) } else { Leg::Dm }, n)
    };
    let mut sends: Vec<Send> = (0..230).map(seen).collect();
    for some in sends.chunks(25) {
        join_all(some.iter().map(|send| written(ledger, send))).await;
    }
    sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
    assert!(ledger.deliveries(&account(1), at(0)).await.unwrap() == sends);
}

/// That moment included, and of no other account.
pub async fn deliveries_come_from_a_moment_on(ledger: &impl Ledger) {
    let seen = |n: u32, seconds| Send { first_seen_at: at(seconds), ..claimed(trigger(n), Leg::Dm, n) };
    let (early, late) = (seen(1, 10), seen(2, 20));
    let mut theirs = seen(3, 20);
    theirs.key.trigger.account = account(11);
    for send in [&late, &early, &theirs] {
        written(ledger, send).await;
    }
    let list = async |n, since| ledger.deliveries(&account(n), at(since)).await.unwrap();
    assert_eq!(list(1, 0).await, [early.clone(), late.clone()]);
    assert_eq!(list(1, 10).await, [early, late.clone()]);
    assert_eq!(list(1, 11).await, [late]);
    assert_eq!(list(1, 21).await, []);
    assert_eq!(list(11, 0).await, [theirs]);
}

/// Settled or not, it stands where its trigger was first seen.
pub async fn deliveries_keep_their_place_whatever_becomes_of_them(ledger: &impl Ledger) {
    let seen = |n: u32| Send { first_seen_at: at(n.into()), ..claimed(trigger(n), Leg::Dm, n) };
    for n in [1, 2] {
        written(ledger, &seen(n)).await;
    }
    let message_id = MessageId::parse("mid.1").unwrap();
    let sent = Send { state: State::Sent { message_id: Some(message_id) }, updated_at: at(500), ..seen(1) };
    assert_eq!(ledger.put_send(&sent, &Expect::Claimed(claim(1).id)).await.unwrap(), Written::Done);
    assert_eq!(ledger.deliveries(&account(1), at(0)).await.unwrap(), [sent, seen(2)]);
}
