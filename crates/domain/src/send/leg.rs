//! The kinds of message that one trigger may send, and what names one.

use crate::ids::CampaignId;
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

    pub(super) fn is_link(&self) -> bool {
        *self == Self::Link
    }
}
