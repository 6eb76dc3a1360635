//! Gates and the stop: one revision after the other, and read with the Sends.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, claimed, gate, hold, reply, stop, trigger, user};
use futures_util::future::join_all;
use openreply_app::ports::{Ledger, Standing, TriggerRead, Written};
use openreply_domain::gate::{AccountGate, HoldReason, Stop, Trouble};
use openreply_domain::send::{Expect, Leg};

/// Of any number of writers of one revision, one wins, and all others see what the winner wrote.
pub async fn exactly_one_of_fifty_gates_wins(ledger: &impl Ledger) {
    let whose = account(1);
    for revision in [1, 2] {
        let gates: Vec<AccountGate> =
            (0..50).map(|n| AccountGate { token_version: n, ..gate(revision) }).collect();
        let answers = join_all(gates.iter().map(|next| ledger.put_gate(&whose, next))).await;
        let (mut winners, mut shown) = (Vec::new(), Vec::new());
        for (next, answer) in gates.iter().zip(answers) {
            match answer.unwrap() {
                None => winners.push(next.clone()),
                Some(stands) => shown.push(stands),
            }
        }
        assert_eq!((winners.len(), shown.len()), (1, 49), "revision {revision}");
        assert!(shown.iter().all(|stands| *stands == winners[0]), "revision {revision}");
        assert_eq!(ledger.gates(&whose).await.unwrap().0, winners[0], "revision {revision}");
    }
}

/// Revision 1 needs that there is none, and each other the one before it. What is refused changes nothing.
pub async fn a_gate_is_written_one_revision_after_the_other(ledger: &impl Ledger) {
    for stands in 0..=3 {
        for next in 1..=5 {
            let whose = account(10 * u32::try_from(stands).unwrap() + u32::try_from(next).unwrap());
            for before in 1..=stands {
                assert_eq!(ledger.put_gate(&whose, &gate(before)).await.unwrap(), None);
            }
            let before = if stands == 0 { AccountGate::default() } else { gate(stands) };
            let new = AccountGate { token_version: 99, ..gate(next) };
            let (answer, after) =
                if next == stands + 1 { (None, new.clone()) } else { (Some(before.clone()), before) };
            assert_eq!(ledger.put_gate(&whose, &new).await.unwrap(), answer, "{next} where {stands} stands");
            let read = ledger.gates(&whose).await.unwrap().0;
            assert_eq!(read, after, "{next} where {stands} stands");
        }
    }
}

/// The stop keeps the same order as a gate.
pub async fn a_stop_is_written_one_revision_after_the_other(ledger: &impl Ledger) {
    assert_eq!(ledger.stop().await.unwrap(), Stop::default());
    let steps = [(2, false), (1, true), (1, false), (3, false), (2, true), (4, false), (3, true)];
    let mut stands = Stop::default();
    for (revision, is_next) in steps {
        let next = stop(revision);
        let answer = ledger.put_stop(&next).await.unwrap();
        if is_next {
            assert_eq!(answer, None, "{revision}");
            stands = next;
        } else {
            assert_eq!(answer, Some(stands.clone()), "{revision}");
        }
        assert_eq!(ledger.stop().await.unwrap(), stands, "{revision}");
    }
}

/// Of any number of people who stop or start the stack at once, one is heard, and all others see it.
pub async fn exactly_one_of_fifty_stops_wins(ledger: &impl Ledger) {
    let stops: Vec<Stop> = (0..50).map(|n| Stop { stopped_since: Some(at(n)), ..stop(1) }).collect();
    let answers = join_all(stops.iter().map(|next| ledger.put_stop(next))).await;
    let shown: Vec<Stop> = answers.into_iter().filter_map(Result::unwrap).collect();
    let stands = ledger.stop().await.unwrap();
    assert_eq!(shown, vec![stands.clone(); 49]);
    assert!(stops.contains(&stands));
}

/// Every reason to hold, with an end and without; an hour with slots taken and reserved; troubles.
pub async fn a_gate_reads_back_as_it_was_written(ledger: &impl Ledger) {
    let reasons = [
        HoldReason::TokenDead,
        HoldReason::Permission,
        HoldReason::Blocked,
        HoldReason::AppUnusable,
        HoldReason::Throttled,
        HoldReason::Doubt,
    ];
    let mut next = AccountGate::default();
    for (n, reason) in (0..).zip(reasons) {
        // The first two take what the hour has, the others reserve what comes after it.
        let _ = next.slots.take(2, at(60 * n), None);
        next.revision += 1;
        next.token_version = u32::MAX;
        next.hold = Some(openreply_domain::gate::Hold {
            reason,
            since: at(n),
            until: (n % 2 == 0).then(|| at(n + 900)),
        });
        next.troubles.push(Trouble { doubt: n % 2 == 0, delivery: format!("{}:dm", trigger(1)), at: at(n) });
        assert_eq!(ledger.put_gate(&account(1), &next).await.unwrap(), None);
        assert_eq!(ledger.gates(&account(1)).await.unwrap().0, next);
    }
    let bare = AccountGate { revision: next.revision + 1, ..AccountGate::default() };
    assert_eq!(ledger.put_gate(&account(1), &bare).await.unwrap(), None);
    assert_eq!(ledger.gates(&account(1)).await.unwrap(), (bare, Stop::default()), "nothing is left over");
}

/// Started, stopped, the app held, both.
pub async fn a_stop_reads_back_as_it_was_written(ledger: &impl Ledger) {
    for (revision, (stopped, held)) in (1..).zip([(false, false), (true, false), (false, true), (true, true)])
    {
        let next = Stop {
            revision,
            stopped_since: stopped.then(|| at(7)),
            app_hold: held.then(|| hold(HoldReason::AppUnusable, 8)),
        };
        assert_eq!(ledger.put_stop(&next).await.unwrap(), None);
        assert_eq!(ledger.stop().await.unwrap(), next);
        assert_eq!(ledger.gates(&account(1)).await.unwrap(), (AccountGate::default(), next));
    }
}

/// The Sends of one trigger, the gate of its account and the stop; what does not exist is as new.
pub async fn a_trigger_is_read_with_its_gate_and_the_stop(ledger: &impl Ledger) {
    let legs = [Leg::Dm, Leg::Dm, reply(1), reply(2)];
    let read = async || ledger.read(&trigger(1), &legs, &user()).await.unwrap();
    assert_eq!(read().await, TriggerRead::default());

    let mut theirs = gate(1);
    theirs.token_version = 77;
    assert_eq!(ledger.put_gate(&account(11), &theirs).await.unwrap(), None);
    assert_eq!(read().await, TriggerRead::default(), "another account's gate is another gate");

    let sends = [claimed(trigger(1), Leg::Dm, 1), claimed(trigger(1), reply(2), 2)];
    for send in sends.iter().chain([&claimed(trigger(1), reply(3), 3), &claimed(trigger(2), Leg::Dm, 4)]) {
        assert_eq!(ledger.put_send(send, &Expect::Absent).await.unwrap(), Written::Done);
    }
    let expected = TriggerRead { sends: sends.to_vec(), ..TriggerRead::default() };
    assert_eq!(read().await, expected);

    assert_eq!(ledger.put_gate(&account(1), &gate(1)).await.unwrap(), None);
    assert_eq!(ledger.put_stop(&stop(1)).await.unwrap(), None);
    let expected = TriggerRead {
        standing: Standing { gate: gate(1), stop: stop(1), ..Standing::default() },
        ..expected
    };
    assert_eq!(read().await, expected);
    assert_eq!(ledger.gates(&account(1)).await.unwrap(), (gate(1), stop(1)));

    let gates_only = TriggerRead { sends: Vec::new(), ..expected };
    assert_eq!(ledger.read(&trigger(1), &[], &user()).await.unwrap(), gates_only);
}
