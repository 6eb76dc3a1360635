//! Ids that look like Meta's and are made from a number alone.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openreply_domain::ids::{AccountId, CommentId, MessageId, UserId};

/// Digits, seventeen of them for any number that a test reaches.
#[expect(clippy::expect_used, reason = "digits are an id")]
pub(super) fn comment(number: u64) -> CommentId {
    CommentId::parse((17_900_000_000_000_000 + u128::from(number)).to_string()).expect("digits are an id")
}

/// Long and opaque, in URL-safe base64, as the ids of Instagram's messages are.
#[expect(clippy::expect_used, reason = "base64 of that length is an id")]
pub(super) fn message(number: u64) -> MessageId {
    let text = format!("ig_dm_item:1:IGMessageID:{number:017}:{:030}", u128::from(number) * 7_919);
    MessageId::parse(URL_SAFE_NO_PAD.encode(text)).expect("base64 is an id")
}

/// The same for a conversation: one id for an account and a person.
pub(super) fn conversation(account: &AccountId, user: &UserId) -> String {
    URL_SAFE_NO_PAD.encode(format!("ig_t:1:IGMessageThread:{account}:{user}"))
}

/// What Meta wants to be told when one asks about an error.
pub(super) fn trace(number: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("fake{number:012}"))
}
