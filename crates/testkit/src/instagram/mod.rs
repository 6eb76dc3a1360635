//! A fake Instagram: a world of posts, comments and inboxes behind the Graph API, as our client speaks it.
//!
//! Guarantees:
//! - It keeps Instagram's rules, each written beside the fact it copies (`rules.rs`): one private reply per
//!   comment ever, 7 days, 24 hours, 1000 bytes, replies only under top-level comments, tokens.
//! - A message exists if and only if it is in an inbox, whatever a [`Fault`] told the caller. So a test counts
//!   what people got, not what we believe that we sent.
//! - Ids and times come from a counter and the [`Clock`](openreply_app::ports::Clock) port: the same story
//!   gives the same world.
//! - Nothing that happened is forgotten: a host hears of every [`Change`] before the caller hears of its
//!   success, and can put the [`World`] together again.
//!
//! It shows itself over HTTP only ([`FakeInstagram::router`]), so whoever tests against it tests a client too.
//! The webhooks that Instagram would post are made by [`webhook`]; somebody else has to post them.

mod call;
mod fake;
mod fault;
mod fields;
mod http;
mod ids;
mod people;
mod profiles;
mod reads;
mod refusal;
mod rules;
mod serving;
mod stage;
mod template;
#[cfg(test)]
mod tests;
mod view;
pub mod webhook;
mod world;

pub use call::{Answered, Call, CallKind};
pub use fake::{FakeInstagram, NewComment};
pub use fault::{Fault, FaultAnswer};
pub use people::Deed;
pub use refusal::ErrorAnswer;
pub use serving::Serving;
pub use view::{ButtonView, CommentView, ConversationView, FollowerView, MessageView, PostView, WorldView};
pub use world::{Account, Author, Change, Comment, Conversation, Message, Post, World};
