use super::samples::{claim_id, minutes, open, send, states};
use super::{Admission, Expect, Leg, Send, State, admit};
use crate::time::Timestamp;

/// The wake that every sample has.
const CURRENT: u32 = 3;

#[test]
fn what_a_message_may_do_with_the_send_that_it_meets() {
    // (the wake it carries, when it comes) → what it may do, for an OPEN Send due at minute 5.
    let open_table: [(Option<u32>, Timestamp, Admission); 8] = [
        (None, minutes(0), Admission::Waiting),
        (None, minutes(5), Admission::Waiting),
        (None, minutes(500), Admission::Waiting),
        (Some(CURRENT), minutes(4), Admission::Early),
        (Some(CURRENT), minutes(5), Admission::Due),
        (Some(CURRENT), minutes(500), Admission::Due),
        (Some(CURRENT - 1), minutes(500), Admission::Waiting),
        (Some(CURRENT + 1), minutes(500), Admission::Waiting),
    ];
    for (wake, now, expected) in open_table {
        assert_eq!(admit(Some(&send(open(minutes(5)))), wake, now), expected, "{wake:?} at {now}");
        assert_eq!(admit(None, wake, now), Admission::New);
        for state in states().into_iter().filter(|state| !matches!(state, State::Open { .. })) {
            let admission = admit(Some(&send(state.clone())), wake, now);
            assert_eq!(admission, Admission::KnownDuplicate, "{state:?} {wake:?} at {now}");
        }
    }
    let just_before = Timestamp::from_millisecond(minutes(5).as_millisecond() - 1).unwrap();
    assert_eq!(admit(Some(&send(open(minutes(5)))), Some(CURRENT), just_before), Admission::Early);
}

#[test]
fn what_a_write_relies_on_holds_for_nothing_else() {
    let without_claim = Send { claim: None, ..send(State::Claimed { doubt: None }) };
    let stored: Vec<Option<Send>> =
        states().into_iter().map(|state| Some(send(state))).chain([None, Some(without_claim)]).collect();
    // Beside each: whether it holds for the states of `states()` in their order, for nothing, for no claim.
    let table = [
        (Expect::Absent, [false, false, false, false, false, false, true, false]),
        (Expect::Open { wake: CURRENT }, [true, false, false, false, false, false, false, false]),
        (Expect::Open { wake: CURRENT - 1 }, [false; 8]),
        (Expect::Open { wake: CURRENT + 1 }, [false; 8]),
        (Expect::Claimed(claim_id(1)), [false, true, true, false, false, false, false, false]),
        (Expect::Claimed(claim_id(2)), [false; 8]),
    ];
    for (expect, holds) in table {
        for (stored, expected) in stored.iter().zip(holds) {
            assert_eq!(expect.holds(stored.as_ref()), expected, "{expect:?} of {stored:?}");
        }
    }
}

#[test]
fn a_leg_reads_back_and_nothing_else_is_one() {
    for text in ["dm", "public_reply#guide", "public_reply#free-guide-2"] {
        let leg: Leg = text.parse().unwrap();
        assert_eq!(leg.to_string(), text);
        assert_eq!(serde_json::from_value::<Leg>(serde_json::to_value(&leg).unwrap()).unwrap(), leg);
    }
    for text in ["", "DM", "dm#guide", "public_reply", "public_reply#", "public_reply#A B", "reply#guide"] {
        assert!(text.parse::<Leg>().is_err(), "{text:?}");
    }
}

#[test]
fn every_state_reads_back_from_its_item() {
    for state in states() {
        let stored = send(state);
        let item = serde_json::to_value(&stored).unwrap();
        assert_eq!(serde_json::from_value::<Send>(item).unwrap(), stored);
    }
}
