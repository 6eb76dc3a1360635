//! What a creator configured: accounts and campaigns.

use crate::ids::{AccountId, CampaignId, MediaId};
use crate::matching::MatchMode;
use crate::time::Timestamp;
use crate::token::SealedToken;
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

/// How a person answers a message that asks them to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// By writing back. These are the words that the text suggests; whatever they write counts.
    Reply(Vec<String>),
    /// By tapping a button with this title, at most 20 characters. Instagram refuses it in a first message to
    /// people who do not follow the account, and spends the one private reply all the same.
    Button(String),
}

/// A first message that asks whether the person wants what the campaign gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What it says.
    pub text: String,
    /// How it is answered.
    pub asks: Asks,
}

/// A campaign that gives only to followers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowGate {
    /// What somebody is told who does not follow yet.
    pub text: String,
    /// How they say that they do now.
    pub asks: Asks,
    /// What they are told, once, while Instagram is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledgement: Option<String>,
}

/// A message some time after what was promised has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// What it says.
    pub text: String,
    /// How many minutes after.
    pub after_minutes: u32,
}

/// How often one person may get a campaign's direct message for comments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// Once for every comment that matches.
    #[default]
    EveryComment,
    /// Once, ever.
    OncePerPerson,
}

impl Repeat {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
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
    /// What is said first, before what `dm` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// Only followers get what `dm` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_gate: Option<FollowGate>,
    /// What is said later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUp>,
    /// Whether its keywords are looked for in direct messages too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dm_trigger: bool,
    /// Whether links go out as buttons, where a conversation is open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub buttons: bool,
    /// How often one person gets it.
    #[serde(default, skip_serializing_if = "Repeat::is_default")]
    pub repeat: Repeat,
}

impl Default for CampaignContent {
    /// A campaign on every post that listens for nothing and says nothing.
    fn default() -> Self {
        Self {
            name: String::new(),
            post: Post::Any,
            match_mode: MatchMode::WholeWord,
            keywords: Vec::new(),
            dm: String::new(),
            links: Vec::new(),
            public_replies: Vec::new(),
            opening: None,
            follow_gate: None,
            follow_up: None,
            dm_trigger: false,
            buttons: false,
            repeat: Repeat::EveryComment,
        }
    }
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
    /// Since when it takes comments as it does now: its last activation, or the last change of its posts or
    /// keywords. A sweep asks for nothing older. `None`: inactive.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub active_since: Option<Timestamp>,
    /// Whether a sweep may answer comments that are older than `active_since`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub backfill: bool,
    /// For [`Post::NextReel`]: since when it waits for one. With the campaign's id it names the binding.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub reel_since: Option<Timestamp>,
    /// For [`Post::NextReel`]: the reel it is bound to, once there is one. Kept in a row of its own that nothing
    /// but the binding writes, so that no change of the campaign can undo it.
    #[serde(skip)]
    pub bound: Option<MediaId>,
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
    /// Whether a comment stands under one of its posts, the reel it is bound to included.
    #[must_use]
    pub fn covers(&self, comment: &Comment) -> bool {
        match (&self.content.post, &self.bound) {
            (Post::NextReel, Some(reel)) => Post::Media(reel.clone()).covers(comment),
            (post, _) => post.covers(comment),
        }
    }

    /// Whether a comment that a sweep found may still be its: one that was written while it took comments.
    #[must_use]
    pub fn takes_missed(&self, written_at: Timestamp) -> bool {
        // Instagram tells times in whole seconds.
        let is_new = |since: Timestamp| since.as_second() <= written_at.as_second();
        self.active && (self.backfill || self.active_since.is_none_or(is_new))
    }

    /// This campaign at its present version.
    #[must_use]
    pub fn reference(&self) -> CampaignRef {
        CampaignRef { id: self.id.clone(), version: self.version }
    }
}

/// How people opt out of everything automated, and in again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptOut {
    /// A message that is one of these, and nothing else, opts out.
    pub stop_words: Vec<String>,
    /// A message that is one of these, and nothing else, opts in again.
    pub start_words: Vec<String>,
    /// What somebody is told, once, who opts out.
    pub confirmation: String,
}

impl Default for OptOut {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            stop_words: words(&["STOP", "STOPALL", "UNSUBSCRIBE", "OPT OUT", "OPTOUT"]),
            start_words: words(&["START", "UNSTOP", "SUBSCRIBE", "OPT IN", "OPTIN"]),
            confirmation: "You will get no more automated messages from us. Write START to get them again."
                .to_owned(),
        }
    }
}

/// An account and everything it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub id: AccountId,
    /// Its user name.
    pub username: String,
    /// How people opt out.
    pub opt_out: OptOut,
    /// Its token, sealed.
    pub token: SealedToken,
    /// Its campaigns in file order, inactive ones included.
    pub campaigns: Vec<Campaign>,
}

fn is_false(value: &bool) -> bool {
    !value
}
