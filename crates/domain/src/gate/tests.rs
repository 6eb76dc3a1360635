use super::*;
use crate::ids::UserId;
use crate::outcome::{Doubt, NotSent};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn rejected(kind: RejectionKind, retry_after_seconds: Option<u32>) -> SendOutcome {
    SendOutcome::Rejected(Rejection { kind, code: 0, subcode: None, retry_after_seconds })
}

#[test]
fn a_dead_token_holds_only_while_it_is_the_current_one() {
    let dead = rejected(RejectionKind::TokenDead, None);
    let mut gate = AccountGate { token_version: 2, ..AccountGate::default() };
    assert_eq!(gate.learn(&dead, "a", 1, at(0)), None);
    let mut behind = AccountGate { token_version: 2, ..AccountGate::default() };
    assert!(behind.learn(&dead, "a", 3, at(0)).is_some(), "nobody had told the gate of the new token");
    behind.token_stored(3);
    behind.token_stored(2);
    assert!(behind.standing(at(1)).is_some(), "and it is that one which is dead");
    assert_eq!(behind.token_version, 3, "whoever read the account earlier takes nothing back");
    let hold = gate.learn(&dead, "a", 2, at(0)).unwrap();
    assert_eq!((hold.reason, hold.until), (HoldReason::TokenDead, None));
    assert_eq!(gate.learn(&dead, "b", 2, at(1)), None, "one alert, not one per comment");
    gate.token_stored(2);
    assert!(gate.standing(at(2)).is_some());
    gate.token_stored(3);
    assert!(gate.standing(at(2)).is_none());
}

#[test]
fn after_a_lift_it_takes_as_much_doubt_as_before() {
    let doubt = SendOutcome::Unconfirmed(Doubt::Timeout);
    let mut gate = AccountGate::default();
    for delivery in ["a", "b"] {
        assert_eq!(gate.learn(&doubt, delivery, 1, at(0)), None);
    }
    gate.lift();
    for delivery in ["c", "d"] {
        assert_eq!(gate.learn(&doubt, delivery, 1, at(1)), None);
    }
    assert!(gate.learn(&doubt, "e", 1, at(2)).is_some());
    gate.lift();
    assert!(gate.standing(at(3)).is_none());
}

/// An answer may come late, or from whoever has not heard of the new token yet.
#[test]
fn what_an_older_token_lacked_holds_nothing() {
    let lacks = rejected(RejectionKind::Permission, None);
    let mut gate = AccountGate { token_version: 2, ..AccountGate::default() };
    assert_eq!(gate.learn(&lacks, "a", 1, at(0)), None);
    assert!(gate.learn(&lacks, "a", 2, at(0)).is_some());
    gate.token_stored(3);
    assert!(gate.standing(at(1)).is_none());
}

#[test]
fn a_block_rests_for_a_day_and_a_new_token_does_not_lift_it() {
    let mut gate = AccountGate { token_version: 1, ..AccountGate::default() };
    gate.learn(&rejected(RejectionKind::Blocked, None), "a", 1, at(0)).unwrap();
    gate.token_stored(2);
    assert!(gate.standing(at(24 * 3600 - 1)).is_some());
    assert!(gate.standing(at(24 * 3600)).is_none());
}

#[test]
fn five_different_deliveries_throttled_within_a_minute_hold_for_as_long_as_meta_says() {
    let throttled = rejected(RejectionKind::Throttled, Some(3600));
    let mut gate = AccountGate::default();
    for _ in 0..9 {
        assert_eq!(gate.learn(&throttled, "the same", 0, at(0)), None);
    }
    for (nth, delivery) in ["b", "c", "d"].iter().enumerate() {
        assert_eq!(gate.learn(&throttled, delivery, 0, at(nth as i64)), None);
    }
    let hold = gate.learn(&SendOutcome::NotSent(NotSent::Connect), "e", 0, at(59)).unwrap();
    assert_eq!(hold.until, Some(at(59 + 15 * 60)));
    let mut slow = AccountGate::default();
    for (nth, delivery) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        assert_eq!(slow.learn(&throttled, delivery, 0, at(nth as i64 * 20)), None, "not within a minute");
    }
    let mut asked = AccountGate::default();
    let made: Vec<_> =
        ["a", "b", "c", "d", "e"].iter().filter_map(|d| asked.learn(&throttled, d, 0, at(0))).collect();
    assert_eq!(made[0].until, Some(at(3600)));
}

#[test]
fn three_in_doubt_within_ten_minutes_hold_for_ten() {
    let doubt = SendOutcome::Unconfirmed(Doubt::Timeout);
    let mut gate = AccountGate::default();
    assert_eq!(gate.learn(&doubt, "a", 0, at(0)), None);
    assert_eq!(gate.learn(&doubt, "b", 0, at(300)), None);
    let hold = gate.learn(&doubt, "c", 0, at(599)).unwrap();
    assert_eq!((hold.reason, hold.until), (HoldReason::Doubt, Some(at(599 + 600))));
    let user = UserId::parse("900").unwrap();
    assert_eq!(gate.pass(750, at(600), None, &user), Passage::Held(hold));
    assert!(matches!(gate.pass(750, at(1200), None, &user), Passage::Hour(_)));
}

#[test]
fn a_slot_that_is_given_back_forgets_whom_it_was_for() {
    let user = UserId::parse("900").unwrap();
    let mut gate = AccountGate::default();
    let (Passage::Hour(Gate::Taken(first)), Passage::Hour(Gate::Taken(_))) =
        (gate.pass(2, at(0), None, &user), gate.pass(2, at(0), None, &user))
    else {
        panic!("the hour was free");
    };
    assert!(matches!(gate.pass(2, at(0), None, &user), Passage::Hour(Gate::Reserved { .. })));
    assert_eq!(gate.people.count(&user, at(0)), 2, "who waits was not written to");
    gate.refund(&first, &user);
    assert_eq!((gate.people.count(&user, at(0)), gate.slots.used(at(0))), (1, 1));
}

#[test]
fn a_standing_hold_is_not_shortened() {
    let mut gate = AccountGate::default();
    gate.learn(&rejected(RejectionKind::Permission, None), "a", 0, at(0)).unwrap();
    assert_eq!(gate.learn(&rejected(RejectionKind::Blocked, None), "b", 0, at(1)), None);
    assert_eq!(gate.standing(at(2)).unwrap().reason, HoldReason::Permission);
}

#[test]
fn an_app_that_is_refused_is_held_until_somebody_lifts_it() {
    let mut stop = Stop::default();
    assert_eq!(stop.standing(at(0)), None);
    assert!(stop.learn(&rejected(RejectionKind::AppUnusable, None), at(0)).is_some());
    assert_eq!(stop.learn(&rejected(RejectionKind::AppUnusable, None), at(1)), None);
    assert!(stop.standing(at(1_000_000)).is_some());
}
