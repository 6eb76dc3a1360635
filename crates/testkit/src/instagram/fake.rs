//! The handle that a host or a test holds.

use super::call::{Call, CallKind};
use super::fault::Fault;
use super::stage::Stage;
use super::webhook;
use super::world::{Change, Comment, Message, World};
use openreply_app::ports::Clock;
use openreply_domain::ids::{AccountId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger;
use secrecy::SecretString;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// A fake Instagram: the world, its clock, its tokens, the faults to come and the calls so far, behind one lock.
pub struct FakeInstagram<C> {
    clock: Arc<C>,
    stage: Mutex<Stage>,
    revision: watch::Sender<u64>,
}

/// A comment that somebody is about to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// Under whose post.
    pub account: AccountId,
    /// Which post. It comes to be with its first comment.
    pub media: MediaId,
    /// Who writes.
    pub from: UserId,
    /// Their user name, if Instagram tells.
    pub username: Option<String>,
    /// What they write.
    pub text: String,
    /// The comment they reply to.
    pub parent: Option<CommentId>,
}

impl<C: Clock + 'static> FakeInstagram<C> {
    /// An empty world.
    #[must_use]
    pub fn new(clock: Arc<C>) -> Arc<Self> {
        Self::restore(clock, World::default())
    }

    /// Goes on from a world that was kept, or from a [`World::new`] with a seed of its own.
    #[must_use]
    pub fn restore(clock: Arc<C>, world: World) -> Arc<Self> {
        let revision = watch::Sender::new(world.revision());
        Arc::new(Self { clock, stage: Mutex::new(Stage { world, ..Stage::default() }), revision })
    }

    /// Hands every change to `keep` before anybody is told of it. Runs under the lock: be quick, and do not
    /// call back.
    pub fn journal(&self, keep: impl Fn(&Change) + Send + 'static) {
        self.on_stage(|stage, _| stage.journal = Some(Box::new(keep)));
    }

    /// The world as it is now. Serialised, it is one JSON document, without a token.
    #[must_use]
    pub fn snapshot(&self) -> World {
        self.on_stage(|stage, _| stage.world.clone())
    }

    /// How many changes the world has seen.
    #[must_use]
    pub fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    /// Tells of every change that is still to come.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Gives an account its user name.
    pub fn name_account(&self, account: &AccountId, username: &str) {
        self.on_stage(|stage, _| {
            if stage.world.username(account) != Some(username) {
                let (account, username) = (account.clone(), username.to_owned());
                stage.change(&Change::Named { account, username });
            }
        });
    }

    /// From now on this is the account's only valid token; without one, any is taken. Tokens are kept in
    /// memory only and are no part of the world.
    pub fn set_token(&self, account: &AccountId, token: SecretString) {
        self.on_stage(|stage, _| stage.tokens.insert(account.clone(), token));
    }

    /// The account publishes a post, or a reel.
    pub fn publish(&self, account: &AccountId, media: &MediaId, is_reel: bool) {
        self.publish_as(account, media, is_reel, true);
    }

    /// An ad of one of the account's posts runs: comments on it stand under this media.
    pub fn advertise(&self, account: &AccountId, ad: &MediaId) {
        self.publish_as(account, ad, false, false);
    }

    fn publish_as(&self, account: &AccountId, media: &MediaId, is_reel: bool, is_listed: bool) {
        let (account, media) = (account.clone(), media.clone());
        self.on_stage(|stage, at| {
            stage.change(&Change::Published { account, media, at, is_reel, is_listed });
        });
    }

    /// From now on reads are answered so late.
    pub fn slow_reads(&self, latency: Duration) {
        self.on_stage(|stage, _| stage.read_latency = latency);
    }

    /// From now on writes are answered so late; their effect comes at once.
    pub fn slow_writes(&self, latency: Duration) {
        self.on_stage(|stage, _| stage.write_latency = latency);
    }

    /// From now on so much of the calls counts as used, in percent.
    pub fn use_up(&self, percent: u32) {
        self.on_stage(|stage, _| stage.usage = percent);
    }

    /// Somebody comments.
    pub fn comment(&self, comment: NewComment) -> CommentId {
        let NewComment { account, media, from, username, text, parent } = comment;
        self.on_stage(|stage, at| {
            let id = stage.world.next_comment_id();
            let comment = Comment { account, media, from, username, text, at, parent, private_reply: None };
            stage.change(&Change::Commented { id: id.clone(), comment });
            id
        })
    }

    /// Learns of a comment that a webhook told of and this world does not have; a known one stays as it is.
    /// One without media stands under a post named `0`.
    pub fn adopt(&self, comment: &trigger::Comment) {
        let Some(media) = comment.media.clone().or_else(|| MediaId::parse("0").ok()) else { return };
        self.on_stage(|stage, at| {
            if stage.world.comment(&comment.id).is_some() {
                return;
            }
            let id = comment.id.clone();
            let comment = Comment {
                account: comment.account.clone(),
                media,
                from: comment.from.clone(),
                username: comment.username.clone(),
                text: comment.text.clone(),
                at,
                parent: comment.parent.clone(),
                private_reply: None,
            };
            stage.change(&Change::Commented { id, comment });
        });
    }

    /// A person writes to the account, which opens the 24 hours.
    pub fn message(
        &self,
        account: &AccountId,
        from: &UserId,
        username: Option<&str>,
        text: &str,
    ) -> MessageId {
        self.write(account, from, username, text).mid
    }

    /// A person taps a button, which opens the 24 hours too. Returns the id that Instagram gives the tap.
    pub fn tap(&self, account: &AccountId, from: &UserId) -> MessageId {
        self.tap_button(account, from, "").mid
    }

    /// The webhook's body that tells of a comment of this world.
    #[must_use]
    pub fn comment_event(&self, id: &CommentId) -> Option<Value> {
        self.on_stage(|stage, _| {
            let comment = stage.world.comment(id)?;
            Some(webhook::comment_event(&webhook::CommentUpdate::of(id, comment)))
        })
    }

    /// What a person finds in their conversation with an account, oldest first.
    #[must_use]
    pub fn inbox(&self, account: &AccountId, user: &UserId) -> Vec<Message> {
        self.on_stage(|stage, _| {
            stage.world.conversation(account, user).map(|found| found.messages.clone()).unwrap_or_default()
        })
    }

    /// The replies under a comment, oldest first.
    #[must_use]
    pub fn replies(&self, comment: &CommentId) -> Vec<Comment> {
        self.on_stage(|stage, _| stage.world.replies(comment).map(|(_, reply)| reply.clone()).collect())
    }

    /// The next `times` writes meet this fault.
    pub fn fail_next(&self, times: usize, fault: &Fault) {
        self.on_stage(|stage, _| stage.faults.add(None, times, fault));
    }

    /// The next `times` calls of one kind meet this fault.
    pub fn fail_next_of(&self, kind: CallKind, times: usize, fault: &Fault) {
        self.on_stage(|stage, _| stage.faults.add(Some(kind), times, fault));
    }

    /// Every call so far, in the order of arrival.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.on_stage(|stage, _| stage.calls.clone())
    }

    /// How many calls of one kind there were.
    #[must_use]
    pub fn count(&self, kind: CallKind) -> usize {
        self.on_stage(|stage, _| stage.calls.iter().filter(|call| call.kind == Some(kind)).count())
    }

    /// Does something at the present moment, with nothing else in between, and tells of it if it changed the
    /// world.
    pub(super) fn on_stage<T>(&self, act: impl FnOnce(&mut Stage, Timestamp) -> T) -> T {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let done = act(&mut stage, self.clock.now());
        let now = stage.world.revision();
        self.revision.send_if_modified(|seen| std::mem::replace(seen, now) != now);
        done
    }
}
