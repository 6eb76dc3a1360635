//! One outbound message and the states of its ledger entry.
//!
//! ```text
//! (absent) ──claim──▶ CLAIMED ──┬─ delivered ─────────────────────────────▶ SENT    final
//!    │                   ▲      ├─ rejected for good, or no attempts left ─▶ FAILED  final
//!    │ defer             │      ├─ not delivered, may be tried again ─────▶ OPEN
//!    ▼                   │      └─ unknown, or nobody came back ──────────▶ stays CLAIMED (UNCONFIRMED)
//!   OPEN ─────claim──────┘
//! ```
//!
//! Guarantees, whatever is redelivered, raced or lost:
//! - a claim is made from nothing or from OPEN, never from CLAIMED, SENT, FAILED or SKIPPED;
//! - from OPEN only by a message that carries the current wake, and only once it is due;
//! - SENT never changes; FAILED and SKIPPED change only to SENT, when a claim that a person released turns out
//!   to have delivered;
//! - attempts count the calls that reached Meta, and go beyond [`Policy::max_attempts`] only by a person's release.
//!
//! The functions here say *what* to write; the ledger makes each write conditional ([`Expect`]).

mod admission;
mod doubt;
mod follow_up;
mod leg;
#[cfg(test)]
pub(crate) mod samples;
mod settlement;
mod state;
#[cfg(test)]
mod tests;

pub use admission::{Admission, admit};
pub use doubt::{
    Decision, Looked, Released, Resolved, Unresolvable, YOUNG_FOR, doubt, looked, release, resolve_sent,
};
pub use follow_up::follow_up;
pub use leg::{Leg, LegError, Says, SendKey};
pub use settlement::{
    LateSettle, Policy, WINDOW, ask_again, await_answer, defer, park, settle, settle_late, skip, void,
};
pub use state::{Claim, Skip, State, WaitingFor};

use crate::campaign::CampaignRef;
use crate::ids::{ClaimId, UserId};
use crate::matched::Matched;
use crate::time::{Timestamp, after};
use crate::trigger::TriggerKey;
use serde::{Deserialize, Serialize};

/// The conversation that a message goes into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The trigger whose first message began the flow: what a tap on one of its buttons names, and where its
    /// first reveal is kept.
    pub root: TriggerKey,
    /// The tap or message that asked for it last.
    pub asked_by: TriggerKey,
    /// Whether nothing was said to them before in this flow: they wrote a keyword.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_first_contact: bool,
    /// How often Instagram has said, since it was asked for last, that the person does not follow.
    #[serde(default)]
    pub checks: u32,
    /// When 24 hours will have passed since the person's last message or tap, as far as was known when this
    /// was written.
    #[serde(with = "crate::time::millis")]
    pub closes_at: Timestamp,
}

/// One outbound message and everything the ledger knows of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Send {
    /// Which message of which trigger.
    pub key: SendKey,
    /// The campaign, at the version that was promised. None: the account speaks for itself (it confirms that
    /// somebody opted out).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<CampaignRef>,
    /// To whom.
    pub user: UserId,
    /// Their user name when they commented, to render the text again on a retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Which variation of the campaign's public replies, counted from 0.
    #[serde(default)]
    pub variation: u32,
    /// Which of the campaign's keywords was met, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<u32>,
    /// What a comment's private reply says, as it was claimed last.
    #[serde(default, skip_serializing_if = "Says::is_link")]
    pub says: Says,
    /// Plain text instead of buttons: Instagram refused them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_only: bool,
    /// The conversation that it goes into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
    /// The whole match, on the first Send that was written for the trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// Where it stands.
    #[serde(flatten)]
    pub state: State,
    /// The last claim, whatever became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// Calls that reached Meta, the one in the air included.
    pub attempts: u32,
    /// Calls of which no byte left. They cost no attempt; they make the next wait longer.
    #[serde(default)]
    pub not_sent: u32,
    /// Rises with every write that sets a waiting time, and names its timer: an older timer that fires late,
    /// or twice, neither claims early nor is swallowed as a copy.
    #[serde(default)]
    pub wake: u32,
    /// The minute in which a slot of the hour is reserved for it, while it waits for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<i64>,
    /// Earlier claims that a person released: each may still turn out to have been delivered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<Released>,
    /// What a person decided about it, last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// How often evidence was looked for since its last claim fell into doubt, and when last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<Looked>,
    /// Whether no webhook told of its trigger, and a sweep found it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
    /// When the trigger was first received, or written if it was missed. Never changes.
    #[serde(with = "crate::time::millis")]
    pub first_seen_at: Timestamp,
    /// When the state last changed.
    #[serde(with = "crate::time::millis")]
    pub updated_at: Timestamp,
}

/// What a conditional write of a Send relies on. If it does not hold, nothing is written and the ledger says
/// what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// There is no such Send yet.
    Absent,
    /// It is OPEN with this wake.
    Open {
        /// The wake that was read.
        wake: u32,
    },
    /// It is CLAIMED by this claim.
    Claimed(ClaimId),
    /// It is FAILED or SKIPPED, and this was its last claim.
    Ended(ClaimId),
}

impl Expect {
    /// Whether `stored` is what the write relies on.
    #[must_use]
    pub fn holds(&self, stored: Option<&Send>) -> bool {
        match (self, stored) {
            (Self::Absent, stored) => stored.is_none(),
            (Self::Open { wake }, Some(stored)) => {
                matches!(stored.state, State::Open { .. }) && stored.wake == *wake
            }
            (Self::Claimed(id), Some(stored)) => {
                matches!(stored.state, State::Claimed { .. })
                    && stored.claim.as_ref().is_some_and(|claim| claim.id == *id)
            }
            (Self::Ended(id), Some(stored)) => {
                matches!(stored.state, State::Failed { .. } | State::Skipped { .. }) && stored.carries(id)
            }
            (Self::Open { .. } | Self::Claimed(_) | Self::Ended(_), None) => false,
        }
    }
}

impl Send {
    /// When it made attempts of which nobody knows the message: a claim that is not settled, one that a person called
    /// sent, and those that a person released.
    #[must_use]
    pub fn unknown_attempts(&self) -> Vec<Timestamp> {
        let unknown = match &self.state {
            State::Claimed { .. } | State::Sent { message_id: None } => self.claim.as_ref(),
            State::Open { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => None,
        };
        let released = self.released.iter().map(|released| released.claimed_at);
        unknown.map(|claim| claim.at).into_iter().chain(released).collect()
    }

    /// A Send that is not in the ledger yet, before anything was taken for it.
    #[must_use]
    pub fn new(
        key: SendKey,
        campaign: Option<CampaignRef>,
        user: UserId,
        username: Option<String>,
        first_seen_at: Timestamp,
    ) -> Self {
        Self {
            key,
            campaign,
            user,
            username,
            variation: 0,
            keyword: None,
            says: Says::Link,
            text_only: false,
            conversation: None,
            matched: None,
            state: State::Claimed { doubt: None },
            claim: None,
            attempts: 0,
            not_sent: 0,
            wake: 0,
            reservation: None,
            released: Vec::new(),
            resolved: None,
            looked: None,
            missed: false,
            first_seen_at,
            updated_at: first_seen_at,
        }
    }

    /// When this Send is due, where it waits.
    #[must_use]
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.state {
            State::Open { due_at, .. } => Some(*due_at),
            State::Claimed { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => None,
        }
    }

    /// Whether it asks for an answer or a tap.
    #[must_use]
    pub fn asks(&self) -> bool {
        match &self.key.leg {
            Leg::Dm => self.says != Says::Link,
            Leg::FollowPrompt => true,
            Leg::PublicReply(_) | Leg::Reveal | Leg::Acknowledgement | Leg::FollowUp => false,
        }
    }

    /// When Instagram lets nobody answer any more, as far as was known when this was written: 7 days after a
    /// comment, 24 hours after the person's last message or tap in a conversation.
    #[must_use]
    pub fn closes_at(&self) -> Timestamp {
        match &self.conversation {
            Some(conversation) if self.key.leg.needs_open_window() => conversation.closes_at,
            Some(_) | None => after(self.first_seen_at, WINDOW),
        }
    }

    /// Whether `claim` is the claim that this Send carries.
    #[must_use]
    pub fn carries(&self, claim: &ClaimId) -> bool {
        self.claim.as_ref().is_some_and(|own| own.id == *claim)
    }
}
