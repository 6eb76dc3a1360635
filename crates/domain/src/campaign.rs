//! What a creator configured: accounts and campaigns.

use crate::ids::{AccountId, CampaignId, MediaId};
use crate::matching::MatchMode;
use crate::trigger::Comment;
use serde::{Deserialize, Serialize};

/// Which posts a campaign listens to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Post {
    /// Every post of the account.
    Any,
    /// The first reel that is published after the campaign was made. Until it is bound to one, the
    /// campaign meets no comment.
    NextReel,
    /// One post, or the ad that promotes it.
    Media(MediaId),
}

impl Post {
    /// Whether a comment stands under one of these posts. An ad's comment carries the ad's own media and,
    /// where Meta gives it, the post it promotes: either counts.
    #[must_use]
    pub fn covers(&self, comment: &Comment) -> bool {
        match self {
            Self::Any => true,
            Self::NextReel => false,
            Self::Media(media) => {
                comment.media.as_ref() == Some(media) || comment.original_media.as_ref() == Some(media)
            }
        }
    }
}

/// A link that a message carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads: an `https` URL.
    pub url: String,
    /// What a button for it says, at most 20 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// What a campaign says and listens to. Immutable under its version: what was promised to somebody can be
/// rendered again without storing anybody's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignContent {
    /// What people call it.
    pub name: String,
    /// Which posts it listens to.
    pub post: Post,
    /// How its keywords are looked for.
    pub match_mode: MatchMode,
    /// Its keywords, as written. Empty for `any_word`.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The text of the direct message, with `{username}` and `{link}`.
    pub dm: String,
    /// Up to three links.
    #[serde(default)]
    pub links: Vec<Link>,
    /// The variations of the public reply. Empty: none is published.
    #[serde(default)]
    pub public_replies: Vec<String>,
}

/// A campaign as it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Campaign {
    /// Its id in the campaign file.
    pub id: CampaignId,
    /// Its place in the file: of several that match, the one that stands first wins the direct message.
    pub order: u32,
    /// Counts up with every change of content, from 1.
    pub version: u32,
    /// Whether it takes comments at all.
    pub active: bool,
    /// What it says and listens to.
    pub content: CampaignContent,
}

/// A campaign at a version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CampaignRef {
    /// Which campaign.
    pub id: CampaignId,
    /// Which of its versions.
    pub version: u32,
}

impl Campaign {
    /// This campaign at its present version.
    #[must_use]
    pub fn reference(&self) -> CampaignRef {
        CampaignRef { id: self.id.clone(), version: self.version }
    }
}

/// A token as the ledger holds it: sealed, and named by a version that rises when it is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedToken {
    /// What [`crate::ids::AccountId`]-bound sealing made of it: key id, nonce and ciphertext as one text.
    pub sealed: String,
    /// Rises by one whenever a different token is stored.
    pub version: u32,
}

/// An account and everything it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: AccountId,
    /// Its user name.
    pub username: String,
    /// Its token, sealed.
    pub token: SealedToken,
    /// Its campaigns in file order, inactive ones included.
    pub campaigns: Vec<Campaign>,
}
