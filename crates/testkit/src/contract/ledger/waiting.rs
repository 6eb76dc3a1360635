//! What waits on an account.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, claim, claimed, reply, trigger};
use futures_util::future::join_all;
use openreply_app::ports::{Ledger, Written};
use openreply_domain::ids::MessageId;
use openreply_domain::send::{Expect, Leg, Send, Skip, State, WaitingFor};

fn open(n: u32, leg: Leg, due: i64) -> Send {
    let all = [
        WaitingFor::Slot,
        WaitingFor::Retry,
        WaitingFor::Hold,
        WaitingFor::Pause,
        WaitingFor::Follow,
        WaitingFor::Answer,
        WaitingFor::Delay,
    ];
    let waiting_for = all[n as usize % all.len()];
    let state = State::Open { waiting_for, due_at: at(due), reason: "because".to_owned() };
    Send { state, claim: None, wake: 1, ..claimed(trigger(n), leg, n) }
}

async fn written(ledger: &impl Ledger, send: &Send, expect: &Expect) {
    assert_eq!(ledger.put_send(send, expect).await.unwrap(), Written::Done);
}

/// Whatever it waits for, the first due first; those of one moment in the order of their keys. More than one
/// read by key gives.
pub async fn what_waits_comes_by_its_due_time(ledger: &impl Ledger) {
    assert_eq!(ledger.waiting(&account(1)).await.unwrap(), []);
    let due = |n: u32| i64::from((n * 7) % 50);
    let leg = |n: u32| if n.is_multiple_of(3) { reply(1) } else { Leg::Dm };
    let mut sends: Vec<Send> = (0..130).map(|n| open(n, leg(n), due(n))).collect();
    for some in sends.chunks(25) {
        join_all(some.iter().map(|send| written(ledger, send, &Expect::Absent))).await;
    }
    sends.sort_by(|a, b| (a.due_at(), &a.key).cmp(&(b.due_at(), &b.key)));
    assert!(ledger.waiting(&account(1)).await.unwrap() == sends);
}

/// Nothing that is taken, in doubt or final, and nothing of another account.
pub async fn only_what_is_open_waits(ledger: &impl Ledger) {
    let reason = || "because".to_owned();
    let states = [
        State::Claimed { doubt: None },
        State::Claimed { doubt: Some(reason()) },
        State::Sent { message_id: MessageId::parse("mid.1").ok() },
        State::Failed { reason: reason() },
        State::Skipped { skip: Skip::Quota, reason: reason() },
    ];
    for (n, state) in (1..).zip(states) {
        written(ledger, &Send { state, ..claimed(trigger(n), Leg::Dm, n) }, &Expect::Absent).await;
    }
    let mut theirs = open(7, Leg::Dm, 1);
    theirs.key.trigger.account = account(11);
    let mine = open(8, Leg::Dm, 2);
    for send in [&theirs, &mine] {
        written(ledger, send, &Expect::Absent).await;
    }
    assert_eq!(ledger.waiting(&account(1)).await.unwrap(), [mine]);
    assert_eq!(ledger.waiting(&account(11)).await.unwrap(), [theirs]);
    assert_eq!(ledger.waiting(&account(12)).await.unwrap(), []);
}

/// Once somebody takes it, it is gone; when it waits again, it comes at its new time.
pub async fn what_no_longer_waits_is_gone(ledger: &impl Ledger) {
    let (first, second) = (open(1, Leg::Dm, 10), open(2, Leg::Dm, 20));
    for send in [&first, &second] {
        written(ledger, send, &Expect::Absent).await;
    }
    let taken = Send { wake: 1, ..claimed(trigger(1), Leg::Dm, 1) };
    written(ledger, &taken, &Expect::Open { wake: 1 }).await;
    assert_eq!(ledger.waiting(&account(1)).await.unwrap(), std::slice::from_ref(&second));

    let again = Send { wake: 2, ..open(1, Leg::Dm, 30) };
    written(ledger, &again, &Expect::Claimed(claim(1).id)).await;
    assert_eq!(ledger.waiting(&account(1)).await.unwrap(), [second.clone(), again.clone()]);

    let skipped = Send { state: State::Skipped { skip: Skip::Window, reason: "late".to_owned() }, ..again };
    written(ledger, &skipped, &Expect::Open { wake: 2 }).await;
    assert_eq!(ledger.waiting(&account(1)).await.unwrap(), [second]);
}
