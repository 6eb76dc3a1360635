use super::{Decision, Looked, Unresolvable, doubt, looked, release, resolve_sent};
use crate::ids::MessageId;
use crate::outcome::SendOutcome;
use crate::send::samples::{claim, claim_id, minutes, open, send, sent, states};
use crate::send::{Expect, LateSettle, Send, State, WaitingFor, settle_late};
use crate::time::{SignedDuration, after};

/// The claim of every sample is over after two minutes, and old a minute later.
const OLD: i64 = 3;

fn unconfirmed() -> Send {
    send(State::Claimed { doubt: Some("no answer".to_owned()) })
}

#[test]
fn a_claim_falls_into_doubt_when_nobody_can_come_back() {
    let second = SignedDuration::from_secs(1);
    for state in states() {
        let before = send(state);
        assert_eq!(doubt(&before, after(minutes(OLD), -second)), None, "{before:?}");
        let after = doubt(&before, minutes(OLD));
        match (&before.state, after) {
            (State::Claimed { doubt: None }, Some(next)) => {
                assert!(matches!(&next.state, State::Claimed { doubt: Some(why) } if !why.is_empty()));
                assert_eq!(
                    Send { state: before.state.clone(), updated_at: before.updated_at, ..next },
                    before
                );
            }
            (_, None) => {}
            (state, Some(next)) => panic!("{state:?} became {next:?}"),
        }
    }
}

#[test]
fn evidence_is_looked_for_at_growing_pauses_for_a_day() {
    let mut current = Send { updated_at: minutes(1), ..unconfirmed() };
    let mut at = Vec::new();
    while let Some(next) = current.look_at() {
        at.push(next.duration_since(minutes(1)).as_mins());
        current = looked(&current, next);
        assert_eq!(current.looked, Some(Looked { times: u32::try_from(at.len()).unwrap(), last_at: next }));
    }
    assert_eq!(at, [0, 5, 15, 35, 75, 155, 315, 635, 1275]);
}

#[test]
fn each_state_is_looked_at_in_its_time() {
    let wanted = [Some(minutes(5)), Some(minutes(OLD)), Some(minutes(0)), None, None, None];
    for (state, wanted) in states().into_iter().zip(wanted) {
        assert_eq!(send(state.clone()).look_at(), wanted, "{state:?}");
    }
}

#[test]
fn a_release_makes_a_send_due_once_more_and_remembers_the_claim() {
    let next = release(&unconfirmed(), "mia", minutes(OLD)).unwrap();
    let State::Open { waiting_for, due_at, reason } = &next.state else { panic!("{next:?}") };
    assert_eq!((*waiting_for, *due_at, next.wake), (WaitingFor::Retry, minutes(OLD), 4));
    assert!(reason.starts_with("mia released it"), "{reason}");
    assert_eq!(next.released.iter().map(|released| &released.claim).collect::<Vec<_>>(), [&claim_id(1)]);
    let resolved = next.resolved.unwrap();
    assert_eq!(
        (resolved.by.as_str(), resolved.at, resolved.decision),
        ("mia", minutes(OLD), Decision::Release)
    );
}

#[test]
fn a_person_decides_only_what_is_in_doubt_and_releases_only_what_is_old() {
    let almost = after(minutes(OLD), -SignedDuration::from_secs(1));
    let young = Err(Unresolvable::Young { until: minutes(OLD) });
    for state in states() {
        let current = send(state.clone());
        let state_of = |resolved: Result<Send, Unresolvable>| resolved.map(|next| next.state);
        let is_sent = Ok(State::Sent { message_id: None });
        let (sent_early, sent_late, released_early) = match state {
            State::Claimed { doubt: None } => (young.clone(), is_sent, young.clone()),
            State::Claimed { doubt: Some(_) } => (is_sent.clone(), is_sent, young.clone()),
            State::Open { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
                let no = Err(Unresolvable::NotInDoubt);
                (no.clone(), no.clone(), no)
            }
        };
        assert_eq!(state_of(resolve_sent(&current, "mia", almost)), sent_early, "{current:?}");
        assert_eq!(state_of(resolve_sent(&current, "mia", minutes(OLD))), sent_late, "{current:?}");
        assert_eq!(state_of(release(&current, "mia", almost)), released_early, "{current:?}");
    }
}

#[test]
fn a_late_delivery_of_a_released_claim_counts_whatever_happened_since() {
    let delivered = SendOutcome::Delivered { message_id: MessageId::parse("mid.late").unwrap() };
    let released = release(&unconfirmed(), "mia", minutes(OLD)).unwrap();
    let again = |state| Send { state, claim: Some(claim(2)), ..released.clone() };
    let cases = [
        (released.clone(), Some(Expect::Open { wake: 4 })),
        (again(open(minutes(9))), Some(Expect::Open { wake: 4 })),
        (again(State::Claimed { doubt: None }), Some(Expect::Claimed(claim_id(2)))),
        (again(State::Claimed { doubt: Some("no answer".to_owned()) }), Some(Expect::Claimed(claim_id(2)))),
        (again(State::Failed { reason: "spent".to_owned() }), Some(Expect::Ended(claim_id(2)))),
        (again(sent()), None),
    ];
    for (stored, wanted) in cases {
        match (settle_late(Some(&stored), &claim_id(1), &delivered, minutes(10)), wanted) {
            (LateSettle::Arrived(next, expect), Some(wanted)) => {
                assert!(wanted.holds(Some(&stored)) && expect == wanted, "{stored:?}");
                assert!(
                    matches!(&next.state, State::Sent { message_id: Some(id) } if id.as_str() == "mid.late")
                );
            }
            (LateSettle::Already, None) => {}
            (late, wanted) => panic!("{stored:?}: {late:?}, wanted {wanted:?}"),
        }
        // Doubt about it, or a refusal of it, changes nothing.
        let rejected = SendOutcome::NotSent(crate::outcome::NotSent::Dns);
        let late = settle_late(Some(&stored), &claim_id(1), &rejected, minutes(10));
        assert_eq!(late, LateSettle::Superseded, "{stored:?}");
    }
}
