use super::{LateSettle, Policy, WINDOW, ask_again, await_answer, defer, park, settle, settle_late, void};
use crate::ids::MessageId;
use crate::outcome::{Doubt, NotSent, Rejection, RejectionKind, SendOutcome};
use crate::send::samples::{claim_id, minutes, open, send, sent, states};
use crate::send::{Conversation, Leg, Send, Skip, State, WaitingFor};
use crate::time::{SignedDuration, after};

/// A Send as its claim for this attempt left it.
fn claimed(attempts: u32, not_sent: u32) -> Send {
    Send { attempts, not_sent, ..send(State::Claimed { doubt: None }) }
}

fn rejected(kind: RejectionKind) -> SendOutcome {
    SendOutcome::Rejected(Rejection { kind, code: 4, subcode: None, retry_after_seconds: None })
}

fn throttled_for(seconds: u32) -> SendOutcome {
    let kind = RejectionKind::Throttled;
    SendOutcome::Rejected(Rejection { kind, code: 4, subcode: None, retry_after_seconds: Some(seconds) })
}

/// What a settle at minute 0 made of it: the state's word, attempts, calls not sent, minutes to wait.
fn settled(claimed: &Send, outcome: &SendOutcome) -> (&'static str, u32, u32, Option<i64>) {
    let next = settle(claimed, outcome, minutes(0), Policy::default());
    let word = match &next.state {
        State::Open { waiting_for: WaitingFor::Retry, .. } => "retry",
        State::Open { waiting_for: WaitingFor::Hold, .. } => "hold",
        State::Open { waiting_for, .. } => waiting_for.as_str(),
        State::Claimed { doubt: Some(_) } => "doubt",
        State::Claimed { doubt: None } => "claimed",
        State::Sent { .. } => "sent",
        State::Failed { .. } => "failed",
        State::Skipped { .. } => "skipped",
    };
    let wait = next.due_at().map(|due| due.duration_since(minutes(0)).as_mins());
    (word, next.attempts, next.not_sent, wait)
}

#[test]
fn what_an_outcome_makes_of_a_claim() {
    let not_sent = SendOutcome::NotSent(NotSent::Connect);
    let delivered = SendOutcome::Delivered { message_id: MessageId::parse("mid.1").unwrap() };
    let doubt = SendOutcome::Unconfirmed(Doubt::Timeout);
    let throttled = rejected(RejectionKind::Throttled);
    // (attempts with this one, calls not sent before) and the outcome.
    let table = [
        ((1, 0), &delivered, ("sent", 1, 0, None)),
        ((3, 2), &delivered, ("sent", 3, 2, None)),
        ((1, 0), &doubt, ("doubt", 1, 0, None)),
        ((3, 0), &doubt, ("doubt", 3, 0, None)),
        // Refused for now: three attempts in all.
        ((1, 0), &throttled, ("retry", 1, 0, Some(5))),
        ((2, 0), &throttled, ("retry", 2, 0, Some(15))),
        ((3, 0), &throttled, ("failed", 3, 0, None)),
        ((4, 0), &throttled, ("failed", 4, 0, None)),
        // Meta may ask for longer, and not for less.
        ((1, 0), &throttled_for(60), ("retry", 1, 0, Some(5))),
        ((1, 0), &throttled_for(3600), ("retry", 1, 0, Some(60))),
        ((2, 0), &throttled_for(600), ("retry", 2, 0, Some(15))),
        // What never left costs no attempt.
        ((1, 0), &not_sent, ("retry", 0, 1, Some(5))),
        ((1, 1), &not_sent, ("retry", 0, 2, Some(15))),
        ((1, 2), &not_sent, ("retry", 0, 3, Some(45))),
        ((1, 3), &not_sent, ("retry", 0, 4, Some(45))),
        ((3, 100), &not_sent, ("retry", 2, 101, Some(45))),
    ];
    for ((attempts, not_sent), outcome, expected) in table {
        let claimed = claimed(attempts, not_sent);
        assert_eq!(settled(&claimed, outcome), expected, "{attempts} {not_sent} {outcome:?}");
    }
}

#[test]
fn every_refusal_ends_gives_way_or_waits() {
    let table = [
        (RejectionKind::Throttled, ("retry", 1), ("failed", 3)),
        (RejectionKind::TemplateRefused, ("retry", 1), ("failed", 3)),
        (RejectionKind::ReplySpent, ("failed", 1), ("failed", 3)),
        (RejectionKind::WindowClosed, ("failed", 1), ("failed", 3)),
        (RejectionKind::MaybeSpentEarlier, ("failed", 1), ("failed", 3)),
        (RejectionKind::RecipientUnavailable, ("failed", 1), ("failed", 3)),
        (RejectionKind::OtherAppOwnsThread, ("failed", 1), ("failed", 3)),
        (RejectionKind::BadRequest, ("failed", 1), ("failed", 3)),
        // The account or the app is at fault, not this message: the attempt does not count.
        (RejectionKind::Blocked, ("hold", 0), ("hold", 2)),
        (RejectionKind::Permission, ("hold", 0), ("hold", 2)),
        (RejectionKind::TokenDead, ("hold", 0), ("hold", 2)),
        (RejectionKind::AppUnusable, ("hold", 0), ("hold", 2)),
    ];
    for (kind, first, third) in table {
        for (attempts, (word, counted)) in [(1, first), (3, third)] {
            let (state, attempts, not_sent, _) = settled(&claimed(attempts, 0), &rejected(kind));
            assert_eq!((state, attempts, not_sent), (word, counted, 0), "{kind:?}");
        }
    }
}

#[test]
fn a_settle_changes_what_it_must_and_nothing_else() {
    let outcomes = [
        SendOutcome::Delivered { message_id: MessageId::parse("mid.1").unwrap() },
        SendOutcome::Unconfirmed(Doubt::Broken),
        SendOutcome::NotSent(NotSent::Dns),
        rejected(RejectionKind::Throttled),
        rejected(RejectionKind::BadRequest),
        rejected(RejectionKind::TokenDead),
    ];
    for outcome in outcomes {
        let claimed = claimed(1, 0);
        let next = settle(&claimed, &outcome, minutes(7), Policy::default());
        assert_eq!(next.updated_at, minutes(7), "{outcome:?}");
        let raised = u32::from(next.due_at().is_some());
        assert_eq!(next.wake, claimed.wake + raised, "only a new wait is a new wake: {outcome:?}");
        let Send { state, attempts, not_sent, wake, updated_at, .. } = next.clone();
        assert_eq!(next, Send { state, attempts, not_sent, wake, updated_at, ..claimed }, "{outcome:?}");
    }
}

#[test]
fn the_last_refusal_says_how_often_it_was_tried() {
    let policy = Policy { max_attempts: 2, ..Policy::default() };
    let last = settle(&claimed(2, 0), &rejected(RejectionKind::Throttled), minutes(0), policy);
    let State::Failed { reason } = last.state else { panic!("{last:?}") };
    assert!(reason.contains("limiting") && reason.ends_with("given up after 2 attempts"), "{reason}");
}

#[test]
fn waiting_for_something_else_costs_no_attempt_and_waits_longer_each_time() {
    let mut waits = Vec::new();
    let mut send = Send { attempts: 0, wake: 0, claim: None, ..send(State::Claimed { doubt: None }) };
    for nth in 1..=4 {
        send = defer(&send, minutes(60), "the key is missing");
        assert_eq!((send.attempts, send.not_sent, send.wake, send.updated_at), (0, nth, nth, minutes(60)));
        let State::Open { waiting_for, due_at, reason } = &send.state else { panic!("{send:?}") };
        assert_eq!((*waiting_for, reason.as_str()), (WaitingFor::Retry, "the key is missing"));
        waits.push(due_at.duration_since(minutes(60)).as_mins());
    }
    assert_eq!(waits, [5, 15, 45, 45]);
}

#[test]
fn nothing_waits_beyond_the_window() {
    let minute = SignedDuration::from_mins(1);
    let end = after(minutes(0), WINDOW);
    // Due five minutes later: the last moment of the window is not in it.
    for (now, waits) in
        [(after(end, minute * -6), true), (after(end, minute * -5), false), (after(end, minute), false)]
    {
        let deferred = defer(&claimed(1, 0), now, "the key is missing");
        let refused = settle(&claimed(1, 0), &rejected(RejectionKind::Throttled), now, Policy::default());
        let not_sent = settle(&claimed(1, 0), &SendOutcome::NotSent(NotSent::Tls), now, Policy::default());
        for next in [deferred, refused, not_sent] {
            match &next.state {
                State::Open { .. } => assert!(waits, "{next:?}"),
                State::Skipped { skip: Skip::Window, reason } => {
                    assert!(!waits && reason.contains("after 7 days"), "{next:?}");
                }
                State::Claimed { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
                    panic!("{next:?}")
                }
            }
        }
    }
}

#[test]
fn a_settle_that_was_refused_knows_its_own_claim() {
    let outcome = SendOutcome::NotSent(NotSent::Tls);
    let late = |stored: Option<&Send>, claim| settle_late(stored, &claim_id(claim), &outcome, minutes(1));
    assert_eq!(late(None, 1), LateSettle::Superseded);
    for state in states().into_iter().chain([open(minutes(1)), sent()]) {
        let stored = send(state);
        assert_eq!(late(Some(&stored), 1), LateSettle::Already, "{stored:?}");
        assert_eq!(late(Some(&stored), 2), LateSettle::Superseded, "{stored:?}");
        let unclaimed = Send { claim: None, ..stored };
        assert_eq!(late(Some(&unclaimed), 1), LateSettle::Superseded);
    }
}

/// A reveal whose conversation closes at minute 60.
fn reveal(state: State) -> Send {
    let mut reveal = send(state);
    reveal.key.leg = Leg::Reveal;
    let root = reveal.key.trigger.clone();
    let asked_by = "message:17841400000000001:m1".parse().unwrap();
    reveal.conversation =
        Some(Conversation { root, asked_by, is_first_contact: true, checks: 2, closes_at: minutes(60) });
    reveal
}

#[test]
fn a_conversation_closes_when_it_closes_and_a_comment_after_seven_days() {
    let week = minutes(7 * 24 * 60);
    let (comment, reveal) = (send(open(minutes(0))), reveal(open(minutes(0))));
    assert_eq!((comment.closes_at(), reveal.closes_at()), (week, minutes(60)));
    // (which, until when the conversation is open as far as is known, when) → whether it is void.
    let table = [
        (&comment, None, minutes(5), false),
        (&comment, None, after(week, -SignedDuration::from_millis(1)), false),
        (&comment, Some(minutes(1)), week, true),
        (&reveal, None, minutes(5), true),
        (&reveal, Some(minutes(60)), minutes(59), false),
        (&reveal, Some(minutes(60)), minutes(60), true),
        (&reveal, Some(minutes(900)), minutes(899), false),
    ];
    for (send, open_until, now, is_void) in table {
        assert_eq!(void(send, open_until, now).is_some(), is_void, "{:?} {now}", send.key.leg);
    }
    let waits = await_answer(&reveal, minutes(1), "asked");
    assert_eq!((waits.due_at(), waits.wake), (Some(minutes(60)), reveal.wake + 1));
    assert_eq!(void(&waits, Some(minutes(900)), minutes(59)), None);
    assert!(void(&waits, Some(minutes(900)), minutes(60)).is_some(), "nobody answered, however open it is");
}

#[test]
fn what_waits_for_nobody_knows_how_long_ends_with_its_window() {
    for (send, closes) in
        [(send(open(minutes(0))), minutes(7 * 24 * 60)), (reveal(open(minutes(0))), minutes(60))]
    {
        let due = |now| park(&send, WaitingFor::Hold, None, "held", now).due_at();
        assert_eq!(due(minutes(0)), Some(closes.min(minutes(360))));
        let last = after(closes, -SignedDuration::from_millis(1));
        assert_eq!(due(last), Some(closes), "it looks once more, and is void then");
        assert_eq!(due(closes), None);
    }
}

#[test]
fn who_asks_again_is_answered_now_and_checked_anew() {
    let waiting = await_answer(&reveal(open(minutes(0))), minutes(1), "asked");
    let asked_by = "tap:17841400000000001:t1".parse().unwrap();
    let next = ask_again(&waiting, &asked_by, minutes(90), minutes(7));
    let conversation = next.conversation.as_ref().unwrap();
    assert!(!conversation.is_first_contact);
    assert_eq!((next.due_at(), next.wake), (Some(minutes(7)), waiting.wake + 1));
    assert_eq!((conversation.checks, conversation.closes_at), (0, minutes(90)));
    assert_eq!((&conversation.root, &conversation.asked_by), (&next.key.trigger, &asked_by));
    assert_eq!(void(&next, Some(minutes(90)), minutes(80)), None);
}

#[test]
fn buttons_that_were_refused_go_out_as_text_at_once_within_the_budget() {
    let refused = rejected(RejectionKind::TemplateRefused);
    let claimed = |attempts| Send { attempts, ..send(State::Claimed { doubt: None }) };
    let next = settle(&claimed(1), &refused, minutes(3), Policy::default());
    assert_eq!((next.text_only, next.due_at(), next.attempts), (true, Some(minutes(3)), 1));
    let last = settle(&claimed(3), &refused, minutes(3), Policy::default());
    assert!(matches!(last.state, State::Failed { .. }), "{last:?}");
}
