//! Doubt: how a claim that nobody settled falls into it, how often evidence is looked for, and what a person
//! decides.
//!
//! Guarantees: nothing here makes a Send go out by itself. Only a person's release lets it be tried again, and
//! never while whoever took the claim may still come back; the released claim is remembered, so that its late
//! delivery is still believed.

use super::{Send, State, WaitingFor};
use crate::ids::ClaimId;
use crate::time::{SignedDuration, Timestamp, after};
use serde::{Deserialize, Serialize};

/// How long after the end of the invocation that took a claim it may still be settled by somebody.
pub const YOUNG_FOR: SignedDuration = SignedDuration::from_secs(60);
/// How long evidence is looked for, from the claim on. Then the Send waits for a person.
const LOOKS_FOR: SignedDuration = SignedDuration::from_hours(24);
/// The pause after the first look; it doubles with every further one.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_mins(5);

/// How often evidence was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// So many times.
    pub times: u32,
    /// When last.
    #[serde(with = "crate::time::millis")]
    pub last_at: Timestamp,
}

/// A claim that a person released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Which.
    pub claim: ClaimId,
    /// When it was taken: what it sent, if it did, was sent around then.
    #[serde(with = "crate::time::millis")]
    pub claimed_at: Timestamp,
}

/// What a person said of a Send in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It arrived.
    Sent,
    /// It did not: it may be tried once more.
    Release,
}

/// A person's decision, for those who ask later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// Who, as they named themselves.
    pub by: String,
    /// When.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
    /// What.
    pub decision: Decision,
}

/// Why a person cannot decide on a Send now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolvable {
    /// It is not in doubt.
    #[error("it is not unconfirmed, so there is nothing to decide")]
    NotInDoubt,
    /// Whoever took it may still come back.
    #[error("whoever was sending it may still come back and settle it; decide after {until}")]
    Young {
        /// When nobody will any more.
        until: Timestamp,
    },
}

/// The Send as doubt takes it: its claim is past the time in which anybody could come back to settle it.
#[must_use]
pub fn doubt(send: &Send, now: Timestamp) -> Option<Send> {
    let is_open = matches!(send.state, State::Claimed { doubt: None });
    (is_open && settled_by(send)? <= now).then(|| {
        let reason = "whoever was sending it ended before the outcome was recorded".to_owned();
        Send { state: State::Claimed { doubt: Some(reason) }, updated_at: now, ..send.clone() }
    })
}

/// The Send after evidence was looked for in vain.
#[must_use]
pub fn looked(send: &Send, now: Timestamp) -> Send {
    let times = send.looked.map_or(0, |looked| looked.times) + 1;
    Send { looked: Some(Looked { times, last_at: now }), ..send.clone() }
}

/// The Send as a person releases it: due once more, under a new wake.
///
/// # Errors
/// When it is not in doubt, or its claim is young.
pub fn release(send: &Send, by: &str, now: Timestamp) -> Result<Send, Unresolvable> {
    let (State::Claimed { .. }, Some(claim)) = (&send.state, &send.claim) else {
        return Err(Unresolvable::NotInDoubt);
    };
    old_enough(send, now)?;
    let released = Released { claim: claim.id.clone(), claimed_at: claim.at };
    let mut next = Send {
        resolved: Some(Resolved { by: by.to_owned(), at: now, decision: Decision::Release }),
        looked: None,
        updated_at: now,
        ..send.clone()
    };
    next.released.push(released);
    let reason = format!("{by} released it: it did not arrive, and is tried once more");
    // Whether there is still time for it is seen when it is tried: the person may have written again since.
    next.wake += 1;
    next.state = State::Open { waiting_for: WaitingFor::Retry, due_at: now, reason };
    Ok(next)
}

/// The Send as a person settles it: it arrived, under an id that nobody knows.
///
/// # Errors
/// When it is not in doubt, or is in the air.
pub fn resolve_sent(send: &Send, by: &str, now: Timestamp) -> Result<Send, Unresolvable> {
    match &send.state {
        State::Claimed { doubt: Some(_) } => {}
        State::Claimed { doubt: None } => old_enough(send, now)?,
        State::Open { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
            return Err(Unresolvable::NotInDoubt);
        }
    }
    Ok(Send {
        state: State::Sent { message_id: None },
        resolved: Some(Resolved { by: by.to_owned(), at: now, decision: Decision::Sent }),
        updated_at: now,
        ..send.clone()
    })
}

fn old_enough(send: &Send, now: Timestamp) -> Result<(), Unresolvable> {
    match settled_by(send) {
        Some(until) if now < until => Err(Unresolvable::Young { until }),
        Some(_) | None => Ok(()),
    }
}

/// When nobody will come back any more to settle the claim.
fn settled_by(send: &Send) -> Option<Timestamp> {
    send.claim.as_ref().map(|claim| after(claim.expires_at, YOUNG_FOR))
}

impl Send {
    /// When somebody should look at it who was not asked to: a waiting one when it is due, a taken one when nobody
    /// will come back for it, one in doubt when evidence is to be looked for again. `None`: it is final, or waits
    /// for a person.
    #[must_use]
    pub fn look_at(&self) -> Option<Timestamp> {
        match &self.state {
            State::Open { due_at, .. } => Some(*due_at),
            State::Claimed { doubt: None } => settled_by(self),
            State::Claimed { doubt: Some(_) } => {
                let next = match self.looked {
                    None => self.updated_at,
                    Some(Looked { times, last_at }) => {
                        let pause = FIRST_PAUSE.saturating_mul(1 << times.saturating_sub(1).min(16));
                        after(last_at, pause)
                    }
                };
                let claimed_at = self.claim.as_ref().map(|claim| claim.at)?;
                (next <= after(claimed_at, LOOKS_FOR)).then_some(next)
            }
            State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
