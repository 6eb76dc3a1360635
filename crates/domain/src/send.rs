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
//! - attempts count the calls that reached Meta, and never go beyond [`Policy::max_attempts`].
//!
//! The functions here say *what* to write; the ledger makes each write conditional ([`Expect`]).

mod admission;
mod doubt;
#[cfg(test)]
pub(crate) mod samples;
mod settlement;
#[cfg(test)]
mod tests;

pub use admission::{Admission, admit};
pub use doubt::{
    Decision, Looked, Released, Resolved, Unresolvable, YOUNG_FOR, doubt, looked, release, resolve_sent,
};
pub use settlement::{
    LateSettle, Policy, WINDOW, ask_again, await_answer, defer, park, settle, settle_late, skip, void,
};

use crate::campaign::CampaignRef;
use crate::ids::{CampaignId, ClaimId, MessageId, UserId};
use crate::matched::Matched;
use crate::slots::Slot;
use crate::time::{Timestamp, after};
use crate::trigger::TriggerKey;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The kinds of message that one trigger may send. Each has its own Send, claim and outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Leg {
    /// The direct message. For a comment: its one private reply, so no campaign is in the key.
    Dm,
    /// A reply under the comment that everybody sees, one per campaign.
    PublicReply(CampaignId),
    /// What the campaign gives, in an open conversation. The first reveal of an opening is kept under the
    /// opening's own trigger, so that an answer, a tap and a re-check share it.
    Reveal,
    /// The request to follow first, said again in an open conversation.
    FollowPrompt,
    /// A word meanwhile: while the follow is asked for again, or that somebody is opted out now.
    Acknowledgement,
    /// A message some time after what was promised has arrived.
    FollowUp,
}

impl Leg {
    /// How people and the outside name this kind of leg: `dm`, `public_reply`, `reveal`, `follow_prompt`,
    /// `acknowledgement` or `follow_up`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dm => "dm",
            Self::PublicReply(_) => "public_reply",
            Self::Reveal => "reveal",
            Self::FollowPrompt => "follow_prompt",
            Self::Acknowledgement => "acknowledgement",
            Self::FollowUp => "follow_up",
        }
    }

    /// Whether it is a message into an open conversation, which takes no slot of the hour and goes out only
    /// within 24 hours of the person's last message or tap.
    #[must_use]
    pub fn needs_open_window(&self) -> bool {
        match self {
            Self::Reveal | Self::FollowPrompt | Self::Acknowledgement | Self::FollowUp => true,
            Self::Dm | Self::PublicReply(_) => false,
        }
    }
}

impl fmt::Display for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicReply(campaign) => write!(f, "public_reply#{campaign}"),
            Self::Dm | Self::Reveal | Self::FollowPrompt | Self::Acknowledgement | Self::FollowUp => {
                f.write_str(self.name())
            }
        }
    }
}

/// A text that names no leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a leg reads dm, public_reply#<campaign>, reveal, follow_prompt, acknowledgement or follow_up")]
pub struct LegError;

impl FromStr for Leg {
    type Err = LegError;
    fn from_str(text: &str) -> Result<Self, LegError> {
        match text.split_once('#') {
            None => [Self::Dm, Self::Reveal, Self::FollowPrompt, Self::Acknowledgement, Self::FollowUp]
                .into_iter()
                .find(|leg| leg.name() == text)
                .ok_or(LegError),
            Some(("public_reply", campaign)) => {
                CampaignId::parse(campaign).map(Self::PublicReply).map_err(|_| LegError)
            }
            Some(_) => Err(LegError),
        }
    }
}

impl TryFrom<String> for Leg {
    type Error = LegError;
    fn try_from(text: String) -> Result<Self, LegError> {
        text.parse()
    }
}

impl From<Leg> for String {
    fn from(leg: Leg) -> String {
        leg.to_string()
    }
}

/// The identity of a Send: one kind of message for one trigger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SendKey {
    /// What started it.
    pub trigger: TriggerKey,
    /// Which of its messages.
    pub leg: Leg,
}

/// What an OPEN Send waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingFor {
    /// The hour's limit leaves room again.
    Slot,
    /// Another try after something that was certainly not delivered.
    Retry,
    /// The account, the app or the stack is held.
    Hold,
    /// Its campaign is paused.
    Pause,
    /// Instagram is asked again whether the person follows.
    Follow,
    /// The person has to answer or tap again: they did not follow yet.
    Answer,
    /// Its own time has not come: a follow-up.
    Delay,
}

impl WaitingFor {
    /// As the ledger and people write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Retry => "retry",
            Self::Hold => "hold",
            Self::Pause => "pause",
            Self::Follow => "follow",
            Self::Answer => "answer",
            Self::Delay => "delay",
        }
    }
}

/// The right to make one attempt. Taken before every send, with a fresh random id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name. A failed condition whose old item carries it means *we won*.
    pub id: ClaimId,
    /// When it was taken.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
    /// Which invocation took it, for a person who looks into the logs.
    pub holder: String,
    /// When that invocation is over at the latest: later, nobody will come back to settle it.
    #[serde(with = "crate::time::millis")]
    pub expires_at: Timestamp,
    /// The hour's slot that was taken for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The month (`2026-11`) whose unit was taken for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<String>,
    /// The version of the token that its call carries.
    #[serde(default)]
    pub token_version: u32,
}

/// Why a trigger that matched sends nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Skip {
    /// Another campaign won the comment's one private reply.
    Dedup,
    /// The month's quota is used up.
    Quota,
    /// The time in which Instagram lets us answer is over.
    Window,
    /// The person asked for nothing automated.
    OptOut,
    /// The person had this campaign's message before.
    Repeat,
    /// The person got as many automated messages within an hour as anybody gets.
    Fuse,
    /// Its campaign was paused when its time came.
    Paused,
}

impl Skip {
    /// As the ledger and people write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dedup => "SKIPPED_DEDUP",
            Self::Quota => "SKIPPED_QUOTA",
            Self::Window => "SKIPPED_WINDOW",
            Self::OptOut => "SKIPPED_OPT_OUT",
            Self::Repeat => "SKIPPED_REPEAT",
            Self::Fuse => "SKIPPED_FUSE",
            Self::Paused => "SKIPPED_PAUSED",
        }
    }
}

/// Where a Send stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Waits.
    Open {
        /// For what.
        waiting_for: WaitingFor,
        /// Until when, at least.
        #[serde(with = "crate::time::millis")]
        due_at: Timestamp,
        /// Why, in words a person understands.
        reason: String,
    },
    /// Taken for an attempt. Nobody else may send it.
    Claimed {
        /// Set once it is known that the outcome is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        doubt: Option<String>,
    },
    /// Delivered. Never changes again.
    Sent {
        /// The id Meta gave it. `None`: a person said that it arrived, and no id is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_id: Option<MessageId>,
    },
    /// Refused for good, or out of attempts.
    Failed {
        /// Why, in words a person understands.
        reason: String,
    },
    /// Matched, and not sent.
    Skipped {
        /// Which rule said so.
        skip: Skip,
        /// Why, in words a person understands.
        reason: String,
    },
}

/// What a comment's private reply says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// What the campaign gives.
    #[default]
    Link,
    /// Its opening message.
    Opening,
    /// The request to follow first.
    FollowPrompt,
}

impl Says {
    /// As the ledger and people write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Opening => "opening",
            Self::FollowPrompt => "follow_prompt",
        }
    }

    fn is_link(&self) -> bool {
        *self == Self::Link
    }
}

/// The conversation that a message goes into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The trigger whose first message began the flow: what a tap on one of its buttons names, and where its
    /// first reveal is kept.
    pub root: TriggerKey,
    /// The tap or message that asked for it last.
    pub asked_by: TriggerKey,
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
    /// When the trigger was first received. Never changes.
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
