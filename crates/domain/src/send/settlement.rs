//! What an outcome makes of a claimed Send.

use super::{Conversation, Expect, Send, Skip, State, WaitingFor};
use crate::ids::ClaimId;
use crate::outcome::{Disposition, SendOutcome};
use crate::time::{SignedDuration, Timestamp, after};
use crate::trigger::TriggerKey;

/// The rules that a person may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Calls that may reach Meta for one Send, over webhook, retries, sweeps and anything else.
    pub max_attempts: u32,
    /// Private replies of one account in any rolling hour.
    pub hourly_limit: u32,
    /// Messages of the whole stack in a calendar month (UTC). 0: no limit, and nothing is counted.
    pub monthly_limit: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self { max_attempts: 3, hourly_limit: 750, monthly_limit: 0 }
    }
}

/// The waits after something that was certainly not delivered: 5, 15, then 45 minutes.
const RETRY_MINUTES: [i64; 3] = [5, 15, 45];

/// The wait before the try that follows `tries` unlucky ones.
fn pause(tries: u32) -> SignedDuration {
    let step = (tries.max(1) as usize - 1).min(RETRY_MINUTES.len() - 1);
    SignedDuration::from_mins(RETRY_MINUTES[step])
}

/// What to write for `outcome`, given the Send as its claim left it. Never touches the claim itself.
#[must_use]
pub fn settle(claimed: &Send, outcome: &SendOutcome, now: Timestamp, policy: Policy) -> Send {
    let mut next = Send { updated_at: now, ..claimed.clone() };
    match outcome {
        SendOutcome::Delivered { message_id } => {
            next.state = State::Sent { message_id: Some(message_id.clone()) };
        }
        SendOutcome::Unconfirmed(doubt) => {
            next.state = State::Claimed { doubt: Some(doubt.to_string()) };
        }
        SendOutcome::NotSent(why) => {
            next.attempts = claimed.attempts.saturating_sub(1);
            next.not_sent += 1;
            wait(&mut next, WaitingFor::Retry, after(now, pause(claimed.not_sent + 1)), why.to_string());
        }
        SendOutcome::Rejected(rejection) => match rejection.disposition() {
            Disposition::GiveUp => next.state = State::Failed { reason: rejection.to_string() },
            Disposition::Retry | Disposition::TextFallback if claimed.attempts >= policy.max_attempts => {
                next.state = State::Failed {
                    reason: format!("{rejection}; given up after {} attempts", claimed.attempts),
                };
            }
            // The text itself was refused.
            Disposition::TextFallback if claimed.text_only => {
                next.state = State::Failed { reason: rejection.to_string() };
            }
            // The rejection proves that nothing was delivered and nothing spent: the text may go at once.
            Disposition::TextFallback => {
                next.text_only = true;
                wait(&mut next, WaitingFor::Retry, now, rejection.to_string());
            }
            Disposition::Retry => {
                let asked = SignedDuration::from_secs(rejection.retry_after_seconds.unwrap_or(0).into());
                let due_at = after(now, pause(claimed.attempts).max(asked));
                wait(&mut next, WaitingFor::Retry, due_at, rejection.to_string());
            }
            // Due at once: it meets the hold that its answer made and waits for that, or, where the refusal was
            // that of an older token, goes out with the new one.
            Disposition::HoldAccount | Disposition::HoldApp => {
                next.attempts = claimed.attempts.saturating_sub(1);
                wait(&mut next, WaitingFor::Hold, now, rejection.to_string());
            }
        },
    }
    next
}

/// The Send as it waits for something that has nothing to do with Instagram (a key that is missing, say).
/// Costs no attempt, and waits 5, 15, then 45 minutes.
#[must_use]
pub fn defer(send: &Send, now: Timestamp, reason: &str) -> Send {
    let not_sent = send.not_sent + 1;
    let mut next = Send { updated_at: now, not_sent, ..send.clone() };
    wait(&mut next, WaitingFor::Retry, after(now, pause(not_sent)), reason.to_owned());
    next
}

/// How often what waits for a hold or a pause without an end looks whether it still stands. Lifting it wakes them;
/// this is for the one that lifting missed.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_hours(6);

/// The Send as it waits until `due_at`, or as long as nobody knows (`None`). Costs no attempt.
#[must_use]
pub fn park(
    send: &Send,
    waiting_for: WaitingFor,
    due_at: Option<Timestamp>,
    reason: &str,
    now: Timestamp,
) -> Send {
    let mut next = Send { updated_at: now, ..send.clone() };
    let closes = send.closes_at();
    if now < closes {
        // At the latest when the window closes: what it waits for may be over sooner, or a person writes again and
        // it closes later. If not, it ends there, in sight.
        next.wake += 1;
        let due_at = due_at.unwrap_or_else(|| after(now, LOOK_AGAIN)).min(closes);
        next.state = State::Open { waiting_for, due_at, reason: reason.to_owned() };
    } else {
        wait(&mut next, waiting_for, closes, reason.to_owned());
    }
    next
}

/// The Send as a rule ends it unsent.
#[must_use]
pub fn skip(send: &Send, skip: Skip, reason: String, now: Timestamp) -> Send {
    Send { state: State::Skipped { skip, reason }, updated_at: now, ..send.clone() }
}

/// The Send as it waits for the person to answer or tap again, at the latest until the window closes.
#[must_use]
pub fn await_answer(send: &Send, now: Timestamp, reason: &str) -> Send {
    let due_at = send.closes_at();
    let state = State::Open { waiting_for: WaitingFor::Answer, due_at, reason: reason.to_owned() };
    Send { wake: send.wake + 1, state, updated_at: now, ..send.clone() }
}

/// The Send as a person's tap or answer makes it due now.
#[must_use]
pub fn ask_again(send: &Send, asked_by: &TriggerKey, closes_at: Timestamp, now: Timestamp) -> Send {
    let reason = "the person asked again".to_owned();
    let root = send.conversation.as_ref().map_or(&send.key.trigger, |conversation| &conversation.root);
    Send {
        wake: send.wake + 1,
        state: State::Open { waiting_for: WaitingFor::Follow, due_at: now, reason },
        conversation: Some(Conversation {
            root: root.clone(),
            asked_by: asked_by.clone(),
            is_first_contact: false,
            checks: 0,
            closes_at,
        }),
        updated_at: now,
        ..send.clone()
    }
}

/// Why nobody may be answered any more. `None`: the window is open. `open_until` is when the conversation with
/// the person closes, if they ever wrote or tapped.
#[must_use]
pub fn void(send: &Send, open_until: Option<Timestamp>, now: Timestamp) -> Option<String> {
    if let State::Open { waiting_for: WaitingFor::Answer, due_at, .. } = &send.state
        && *due_at <= now
    {
        return Some("the person did not answer within 24 hours".to_owned());
    }
    let why = match (send.key.leg.needs_open_window(), open_until) {
        (false, _) if send.closes_at() <= now => {
            "the 7 days in which Instagram lets a comment be answered are over"
        }
        (true, None) => {
            "Instagram lets us write only to people who wrote or tapped, and this person never did"
        }
        (true, Some(closes)) if closes <= now => {
            "24 hours have passed since the person's last message or tap, and Instagram lets us write no more"
        }
        (true | false, _) => return None,
    };
    Some(why.to_owned())
}

/// How long after a comment Instagram lets us answer it: 7 days for the private reply. A public reply has no such
/// rule, but nobody wants one that late. Counted from when the comment was first received.
pub const WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(super) fn wait(next: &mut Send, waiting_for: WaitingFor, due_at: Timestamp, reason: String) {
    next.wake += 1;
    next.state = if due_at < next.closes_at() {
        State::Open { waiting_for, due_at, reason }
    } else {
        let then = if next.key.leg.needs_open_window() {
            "after 24 hours Instagram lets nobody write into a conversation"
        } else {
            "after 7 days Instagram lets nobody answer a comment"
        };
        State::Skipped { skip: Skip::Window, reason: format!("{reason}; and {then}") }
    };
}

/// What a settle does that finds the ledger other than its claim left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LateSettle {
    /// It is settled by this very claim already (an answer was lost, or a copy came first).
    Already,
    /// The Send belongs to another claim, or to a person: this settle changes nothing.
    Superseded,
    /// A person released the claim, and it had delivered after all: this is to be written if that holds.
    Arrived(Box<Send>, Expect),
}

/// What a settle of `claim` that was refused means for what stands there.
///
/// A delivery counts whatever was decided meanwhile. If a newer claim is in the air, that one finds the Send SENT
/// when it settles, and changes nothing.
#[must_use]
pub fn settle_late(
    stored: Option<&Send>,
    claim: &ClaimId,
    outcome: &SendOutcome,
    now: Timestamp,
) -> LateSettle {
    let Some(stored) = stored else { return LateSettle::Superseded };
    if stored.released.iter().any(|released| released.claim == *claim) {
        return late_delivery(stored, outcome, now);
    }
    if stored.carries(claim) { LateSettle::Already } else { LateSettle::Superseded }
}

fn late_delivery(stored: &Send, outcome: &SendOutcome, now: Timestamp) -> LateSettle {
    let message_id = match outcome {
        SendOutcome::Delivered { message_id } => message_id.clone(),
        SendOutcome::Rejected(_) | SendOutcome::NotSent(_) | SendOutcome::Unconfirmed(_) => {
            return LateSettle::Superseded;
        }
    };
    let last = stored.claim.as_ref().map(|claim| claim.id.clone());
    let expect = match (&stored.state, last) {
        (State::Open { .. }, _) => Expect::Open { wake: stored.wake },
        (State::Claimed { .. }, Some(claim)) => Expect::Claimed(claim),
        (State::Failed { .. } | State::Skipped { .. }, Some(claim)) => Expect::Ended(claim),
        (State::Sent { .. } | State::Claimed { .. } | State::Failed { .. } | State::Skipped { .. }, _) => {
            return LateSettle::Already;
        }
    };
    let state = State::Sent { message_id: Some(message_id) };
    LateSettle::Arrived(Box::new(Send { state, updated_at: now, ..stored.clone() }), expect)
}

#[cfg(test)]
mod tests;
