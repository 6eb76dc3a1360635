//! Where a Send stands, what it waits for, and who may make an attempt.

use crate::ids::{ClaimId, MessageId};
use crate::slots::Slot;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

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
    /// All there are.
    pub const ALL: [Self; 7] =
        [Self::Dedup, Self::Quota, Self::Window, Self::OptOut, Self::Repeat, Self::Fuse, Self::Paused];

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
