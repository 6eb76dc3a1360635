//! Identities, parsed once at the edge.
//!
//! Ids are strings, whatever JSON made of them: Instagram sends some as numbers. An id that was parsed is
//! never empty, is at most [`MAX_ID_BYTES`] long and has no character that could forge a ledger key, a
//! queue attribute or a path of the Graph API.

use serde::{Deserialize, Serialize};

/// The longest id that is accepted, in bytes. Instagram's are under 40; message ids (`mid`) reach 180.
pub const MAX_ID_BYTES: usize = 256;

/// Why a text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// There was nothing.
    #[error("is empty")]
    Empty,
    /// Longer than [`MAX_ID_BYTES`], or than the rule of that id allows.
    #[error("is too long")]
    TooLong,
    /// A character that an id of that kind never has.
    #[error("has a character that does not belong in an id")]
    Character,
}

/// Letters, digits and the punctuation seen in Instagram's ids (base64url message ids, `aWdf…:1`).
fn platform_id(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong);
    }
    let fits =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'=' | b'+' | b'$');
    // A path segment of dots alone would name another path of the Graph API.
    let only_dots = text.bytes().all(|b| b == b'.');
    if !only_dots && text.bytes().all(fits) { Ok(()) } else { Err(IdError::Character) }
}

/// A platform's id, or two ids with a colon between them.
fn trigger_id(text: &str) -> Result<(), IdError> {
    match text.split_at_checked(MAX_ID_BYTES) {
        Some((_, rest)) if rest.len() > 65 => Err(IdError::TooLong),
        Some((first, rest)) if !rest.is_empty() => {
            platform_id(first)?;
            platform_id(rest)
        }
        Some(_) => platform_id(text),
        None if text.len() > MAX_ID_BYTES => Err(IdError::Character),
        None => platform_id(text),
    }
}

/// `[a-z0-9-]{1,64}`: what a person may call a campaign.
fn campaign_id(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > 64 {
        return Err(IdError::TooLong);
    }
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if text.bytes().all(fits) { Ok(()) } else { Err(IdError::Character) }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an id.
            ///
            /// # Errors
            /// When it is empty, too long or has a foreign character.
            pub fn parse(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                $check(&text)?;
                Ok(Self(text))
            }

            /// The id as it was written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }
    };
}

id!(
    /// An Instagram professional account: the webhook's `entry.id`, which equals `user_id` of `/me`.
    AccountId,
    platform_id
);
id!(
    /// A comment on Instagram.
    CommentId,
    platform_id
);
id!(
    /// A post, reel or ad on Instagram.
    MediaId,
    platform_id
);
id!(
    /// A person as one account sees them (an Instagram-scoped id).
    UserId,
    platform_id
);
id!(
    /// A message on Instagram (`mid`), or the id of a public reply.
    MessageId,
    platform_id
);
id!(
    /// The id of whatever started a flow: a [`CommentId`], a [`MessageId`], or a person and a campaign.
    TriggerId,
    trigger_id
);
id!(
    /// What a creator calls a campaign: `[a-z0-9-]{1,64}`, unique within a campaign file.
    CampaignId,
    campaign_id
);
id!(
    /// A fresh random name for one attempt to take a Send. Never derived from a message: a redelivery
    /// would take its predecessor's claim for its own, and send again.
    ClaimId,
    platform_id
);

impl From<&CommentId> for TriggerId {
    fn from(id: &CommentId) -> Self {
        Self(id.0.clone())
    }
}

impl From<&MessageId> for TriggerId {
    fn from(id: &MessageId) -> Self {
        Self(id.0.clone())
    }
}

impl TriggerId {
    /// The id of a person's follow-up on a campaign.
    #[must_use]
    pub fn of_follow_up(user: &UserId, campaign: &CampaignId) -> Self {
        Self(format!("{user}:{campaign}"))
    }

    /// This id as that of a comment. Only meaningful where the trigger is one.
    #[must_use]
    pub fn as_comment(&self) -> CommentId {
        CommentId(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_refuse_what_could_forge_a_key_or_a_path() {
        for text in ["", ".", "..", "a b", "a/b", "a#b", "a?b", "a\nb", "ä", "a%2fb"] {
            assert!(CommentId::parse(text).is_err(), "{text:?}");
        }
        assert!(CommentId::parse("x".repeat(MAX_ID_BYTES)).is_ok());
        assert_eq!(CommentId::parse("x".repeat(MAX_ID_BYTES + 1)), Err(IdError::TooLong));
    }

    #[test]
    fn ids_take_what_instagram_sends() {
        for text in ["17841400000000001", "aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3", "m_abc-DEF_1==", "0"] {
            assert_eq!(MessageId::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn campaign_ids_are_lower_case_words() {
        assert!(CampaignId::parse("free-guide-2").is_ok());
        for text in ["", "Free", "free_guide", "free guide", &"x".repeat(65)] {
            assert!(CampaignId::parse(text).is_err(), "{text:?}");
        }
    }
}
