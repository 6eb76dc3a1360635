//! Sends that are written together with something else: all of it or nothing.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, campaign, campaign_id, claim, claimed, gate, hold, stop, trigger, user};
use futures_util::future::join_all;
use openreply_app::ports::{Also, Ledger, LedgerError, Written};
use openreply_domain::campaign::Campaign;
use openreply_domain::gate::{AccountGate, Hold, HoldReason, Stop};
use openreply_domain::send::{Expect, Leg, Send, State, WaitingFor};

const MONTH: &str = "2026-11";

/// Everything that a transaction of this trigger may touch.
type Standing = (Vec<Send>, AccountGate, Stop, u32);

async fn standing(ledger: &impl Ledger) -> Standing {
    let read = ledger.read(&trigger(1), &[Leg::Dm], &user()).await.unwrap();
    (read.sends, read.standing.gate, read.standing.stop, ledger.month_used(MONTH).await.unwrap())
}

/// The hold that the case's gate stands with.
fn standing_hold() -> Hold {
    hold(HoldReason::Throttled, 5)
}

/// A gate at revision 2 with a hold, a stop at revision 2, a claimed Send, a paused campaign 1, an active
/// campaign 2, and three units of the month.
async fn prepared(ledger: &impl Ledger) -> Send {
    for revision in [1, 2] {
        let gate = AccountGate { hold: Some(standing_hold()), ..gate(revision) };
        assert_eq!(ledger.put_gate(&account(1), &gate).await.unwrap(), None);
        assert_eq!(ledger.put_stop(&stop(revision)).await.unwrap(), None);
    }
    for (n, active) in [(1, false), (2, true)] {
        ledger.put_campaign(&account(1), &Campaign { active, ..campaign(n, n) }, None).await.unwrap();
    }
    for _ in 0..3 {
        assert!(ledger.take_month(MONTH, 10).await.unwrap());
    }
    let send = claimed(trigger(1), Leg::Dm, 1);
    assert_eq!(ledger.put_send(&send, &Expect::Absent).await.unwrap(), Written::Done);
    send
}

fn parked(send: &Send, wake: u32) -> Send {
    let reason = "the account is held".to_owned();
    Send {
        state: State::Open { waiting_for: WaitingFor::Hold, due_at: at(900), reason },
        claim: None,
        wake,
        ..send.clone()
    }
}

fn paused(order: u32, n: u32) -> Also {
    Also::Paused { order, campaign: campaign_id(n) }
}

/// What must hold beside the Send, each way that it can fail to.
fn unmet() -> Vec<Also> {
    vec![
        Also::Gate(gate(1)),
        Also::Gate(gate(2)),
        Also::Gate(gate(4)),
        Also::Held(hold(HoldReason::Throttled, 6)),
        Also::Held(hold(HoldReason::TokenDead, 4)),
        Also::Stopped { revision: 1 },
        Also::Stopped { revision: 3 },
        paused(2, 2),
        paused(3, 1),
        paused(1, 3),
    ]
}

/// One thing that does not hold, and nothing is written: not the Send, and nothing of what stands beside it.
pub async fn nothing_is_written_when_something_beside_the_send_moved(ledger: &impl Ledger) {
    let send = prepared(ledger).await;
    let before = standing(ledger).await;
    let (next, settle) = (parked(&send, 1), Expect::Claimed(claim(1).id));
    for also in unmet() {
        for list in [vec![also.clone()], vec![Also::ReturnMonth(MONTH.to_owned()), also.clone()]] {
            let answer = ledger.put_send_with(&next, &settle, &list).await.unwrap();
            assert_eq!(answer, Written::Moved, "{list:?}");
            assert_eq!(standing(ledger).await, before, "{list:?}");
        }
    }
    let list = [Also::Gate(gate(3)), Also::Stopped { revision: 1 }, Also::ReturnMonth(MONTH.to_owned())];
    assert_eq!(ledger.put_send_with(&next, &settle, &list).await.unwrap(), Written::Moved);
    assert_eq!(standing(ledger).await, before, "a gate that could be written is not");
}

/// A gate, a stop and holds that were never written hold nothing up and nothing in place.
pub async fn what_was_never_written_does_not_hold(ledger: &impl Ledger) {
    let next = parked(&claimed(trigger(1), Leg::Dm, 1), 1);
    let lists =
        [Also::Gate(gate(2)), Also::Held(standing_hold()), Also::Stopped { revision: 1 }, paused(1, 1)];
    for also in lists {
        let answer = ledger.put_send_with(&next, &Expect::Absent, std::slice::from_ref(&also)).await.unwrap();
        assert_eq!(answer, Written::Moved, "{also:?}");
    }
    assert_eq!(standing(ledger).await, (Vec::new(), AccountGate::default(), Stop::default(), 0));
    // A gate without a hold is no hold either.
    assert_eq!(ledger.put_gate(&account(1), &gate(1)).await.unwrap(), None);
    let answer = ledger.put_send_with(&next, &Expect::Absent, &[Also::Held(standing_hold())]).await.unwrap();
    assert_eq!(answer, Written::Moved);
    // The first gate of an account is written together with its first Send.
    let answer = ledger.put_send_with(&next, &Expect::Absent, &[Also::Gate(gate(2))]).await.unwrap();
    assert_eq!(answer, Written::Done);
    assert_eq!(standing(ledger).await, (vec![next], gate(2), Stop::default(), 0));
}

/// Each thing that holds lets the Send be written, and only what it says is written with it.
pub async fn a_send_is_written_with_what_holds_beside_it(ledger: &impl Ledger) {
    let mut send = prepared(ledger).await;
    let (_, mut gate_stands, stop, mut used) = standing(ledger).await;
    let returned = Also::ReturnMonth(MONTH.to_owned());
    let lists = [
        vec![],
        vec![Also::Held(standing_hold())],
        vec![Also::Stopped { revision: 2 }],
        vec![paused(1, 1)],
        vec![returned.clone()],
        vec![Also::Gate(AccountGate { hold: Some(standing_hold()), ..gate(3) })],
        vec![Also::Held(standing_hold()), Also::Stopped { revision: 2 }, paused(1, 1), returned.clone()],
        vec![Also::Gate(gate(4)), returned],
    ];
    let mut expect = Expect::Claimed(claim(1).id);
    for (wake, list) in (1..).zip(lists) {
        send = parked(&send, wake);
        assert_eq!(ledger.put_send_with(&send, &expect, &list).await.unwrap(), Written::Done, "{list:?}");
        for also in &list {
            match also {
                Also::Gate(next) => gate_stands = next.clone(),
                Also::ReturnMonth(_) => used -= 1,
                Also::Proof { .. }
                | Also::Held(_)
                | Also::Stopped { .. }
                | Also::Paused { .. }
                | Also::Contact(_)
                | Also::TakeOnce(_)
                | Also::FreeOnce(_)
                | Also::Begin(_) => {}
            }
        }
        let expected = (vec![send.clone()], gate_stands.clone(), stop.clone(), used);
        assert_eq!(standing(ledger).await, expected, "{list:?}");
        expect = Expect::Open { wake };
    }
    assert_eq!(used, 0);
    let campaigns = ledger.account(&account(1)).await.unwrap();
    assert_eq!(campaigns, None, "what must hold is not written");
}

/// A Send that is not as expected is told before anything beside it, whether that holds or not.
pub async fn a_send_that_is_not_as_expected_is_told_first(ledger: &impl Ledger) {
    let send = prepared(ledger).await;
    let before = standing(ledger).await;
    let next = parked(&send, 1);
    let met = [
        Also::Gate(gate(3)),
        Also::Held(standing_hold()),
        Also::Stopped { revision: 2 },
        paused(1, 1),
        Also::ReturnMonth(MONTH.to_owned()),
    ];
    for expect in [Expect::Absent, Expect::Open { wake: 0 }, Expect::Claimed(claim(2).id)] {
        for also in met.iter().cloned().chain(unmet()) {
            let answer = ledger.put_send_with(&next, &expect, std::slice::from_ref(&also)).await.unwrap();
            assert_eq!(answer, Written::Refused(Some(Box::new(send.clone()))), "{expect:?}, {also:?}");
            assert_eq!(standing(ledger).await, before, "{expect:?}, {also:?}");
        }
    }
    // Where there is none, there is none to tell of.
    let mut other = next;
    other.key.trigger = trigger(2);
    for also in [Also::Gate(gate(3)), Also::Gate(gate(2))] {
        let answer = ledger.put_send_with(&other, &Expect::Open { wake: 0 }, &[also]).await.unwrap();
        assert_eq!(answer, Written::Refused(None));
    }
    assert_eq!(standing(ledger).await, before);
}

/// A hold that was read and is lifted before the Send is parked for it keeps nobody waiting.
pub async fn nobody_is_parked_for_a_hold_that_was_lifted(ledger: &impl Ledger) {
    let send = prepared(ledger).await;
    let read = ledger.read(&trigger(1), &[Leg::Dm], &user()).await.unwrap();
    let gate = read.standing.gate;
    let lifted = AccountGate { revision: gate.revision + 1, hold: None, ..gate.clone() };
    assert_eq!(ledger.put_gate(&account(1), &lifted).await.unwrap(), None);

    let (next, settle) = (parked(&send, 1), Expect::Claimed(claim(1).id));
    let held = [Also::Held(gate.hold.unwrap())];
    assert_eq!(ledger.put_send_with(&next, &settle, &held).await.unwrap(), Written::Moved);
    assert_eq!(standing(ledger).await.0, [send]);

    // Nor for one that took its place.
    let again =
        AccountGate { revision: lifted.revision + 1, hold: Some(hold(HoldReason::Throttled, 50)), ..lifted };
    assert_eq!(ledger.put_gate(&account(1), &again).await.unwrap(), None);
    assert_eq!(ledger.put_send_with(&next, &settle, &held).await.unwrap(), Written::Moved);
    let held = [Also::Held(again.hold.unwrap())];
    assert_eq!(ledger.put_send_with(&next, &settle, &held).await.unwrap(), Written::Done);
}

/// Of many Sends that are written with the same revision of their gate, one is; the others moved, or met the
/// one that was under way.
pub async fn one_of_many_sends_is_written_with_a_gate(ledger: &impl Ledger) {
    let sends: Vec<Send> = (0..20).map(|n| claimed(trigger(n), Leg::Dm, n)).collect();
    let also: Vec<[Also; 1]> =
        (0..20).map(|n| [Also::Gate(AccountGate { token_version: n, ..gate(1) })]).collect();
    let writes =
        sends.iter().zip(&also).map(|(send, also)| ledger.put_send_with(send, &Expect::Absent, also));
    let mut winners = Vec::new();
    for (n, answer) in (0..).zip(join_all(writes).await) {
        match answer {
            Ok(Written::Done) => winners.push(n),
            Ok(Written::Moved) | Err(LedgerError::Transient { .. }) => {}
            other @ (Ok(Written::Refused(_)) | Err(LedgerError::Permanent { .. })) => {
                unreachable!("{n}: {other:?}")
            }
        }
    }
    assert_eq!(winners.len(), 1);
    let (gate, _) = ledger.gates(&account(1)).await.unwrap();
    assert_eq!((gate.revision, gate.token_version), (1, winners[0]));
    let stored = ledger.deliveries(&account(1), at(0)).await.unwrap();
    assert_eq!(stored, [sends[usize::try_from(winners[0]).unwrap()].clone()]);
}
