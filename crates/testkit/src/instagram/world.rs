//! What exists on the fake Instagram, as plain data.
//!
//! A world changes only by [`World::apply`], one [`Change`] at a time: whoever kept every change, or a
//! snapshot (the world itself, as one JSON document) and the changes after it, has the same world again, down
//! to the ids that it will give out next. It holds no token.

use super::ids;
use openreply_domain::ids::{AccountId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::message::Button;
use openreply_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that exists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    seed: u64,
    revision: u64,
    accounts: BTreeMap<AccountId, Account>,
    posts: Vec<Post>,
    comments: BTreeMap<CommentId, Comment>,
    /// The comments whose one private reply was refused and is spent all the same.
    #[serde(default)]
    spent: BTreeSet<CommentId>,
}

/// A professional account and its inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Its user name, once it was named.
    pub username: Option<String>,
    /// Its conversations, by the person on the other side.
    pub conversations: BTreeMap<UserId, Conversation>,
    /// The people who follow it, and since when.
    #[serde(default)]
    pub followers: BTreeMap<UserId, Timestamp>,
}

/// What an account and a person wrote to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The person's user name, where it is known.
    pub username: Option<String>,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// When the person last wrote or tapped: the 24 hours in which they may be written to begin here.
    pub last_inbound_at: Option<Timestamp>,
}

/// One message in an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// When it was written.
    pub at: Timestamp,
    /// Who wrote it.
    pub author: Author,
    /// What it says.
    pub text: String,
    /// The buttons under it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// For a private reply: the comment it answers.
    pub comment: Option<CommentId>,
}

/// The two sides of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The professional account.
    Account,
    /// The person.
    Person,
}

/// A post, with the ids of its comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// Whose it is.
    pub account: AccountId,
    /// Its media id.
    pub media: MediaId,
    /// When it was published; with its first comment, if nobody published it before.
    #[serde(default)]
    pub published_at: Timestamp,
    /// Whether it is a reel.
    #[serde(default)]
    pub is_reel: bool,
    /// Whether it is one of the account's own posts. The media that comments on an ad stand under is none.
    #[serde(default = "yes")]
    pub is_listed: bool,
    /// Oldest first, replies included.
    pub comments: Vec<CommentId>,
}

fn yes() -> bool {
    true
}

/// A comment under a post, or a reply under a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Under whose post.
    pub account: AccountId,
    /// Which post.
    pub media: MediaId,
    /// Who wrote it: a person, or the account itself.
    pub from: UserId,
    /// Their user name, where it is known.
    pub username: Option<String>,
    /// What it says.
    pub text: String,
    /// When it was written.
    pub at: Timestamp,
    /// The comment it is a reply to.
    pub parent: Option<CommentId>,
    /// The one private reply it ever gets.
    pub private_reply: Option<MessageId>,
}

impl Comment {
    /// Whether the account itself wrote it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.from.as_str() == self.account.as_str()
    }
}

/// The smallest thing that can happen to a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// An account got its user name.
    Named {
        /// Which account.
        account: AccountId,
        /// Its name.
        username: String,
    },
    /// The account published a post, or an ad of one.
    Published {
        /// Which account.
        account: AccountId,
        /// What.
        media: MediaId,
        /// When.
        at: Timestamp,
        /// Whether it is a reel.
        is_reel: bool,
        /// Whether it is one of the account's own posts, and no ad.
        is_listed: bool,
    },
    /// Somebody, the account included, commented.
    Commented {
        /// The new comment's id.
        id: CommentId,
        /// What was written where.
        comment: Comment,
    },
    /// Somebody wrote into a conversation.
    Messaged {
        /// Whose inbox.
        account: AccountId,
        /// The person on the other side.
        user: UserId,
        /// The person's user name, where it is known.
        username: Option<String>,
        /// What was written.
        message: Message,
    },
    /// A person tapped a button.
    Tapped {
        /// In whose inbox.
        account: AccountId,
        /// Who.
        user: UserId,
        /// When.
        at: Timestamp,
    },
    /// A person began to follow an account, or ended it.
    Followed {
        /// Which account.
        account: AccountId,
        /// Who.
        user: UserId,
        /// Since when. `None`: they follow no longer.
        since: Option<Timestamp>,
    },
    /// The one private reply to a comment was refused and is spent all the same.
    ReplySpent {
        /// Which comment.
        comment: CommentId,
    },
}

impl World {
    /// A world with nothing in it. Its ids count up from `seed`: the same seed and the same changes give the
    /// same ids, and worlds whose seeds lie far apart share none.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// How many changes it has seen.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// All accounts, by id.
    #[must_use]
    pub fn accounts(&self) -> &BTreeMap<AccountId, Account> {
        &self.accounts
    }

    /// All posts, oldest first.
    #[must_use]
    pub fn posts(&self) -> &[Post] {
        &self.posts
    }

    /// One comment.
    #[must_use]
    pub fn comment(&self, id: &CommentId) -> Option<&Comment> {
        self.comments.get(id)
    }

    /// The replies under a comment, oldest first.
    pub fn replies(&self, parent: &CommentId) -> impl Iterator<Item = (&CommentId, &Comment)> {
        self.comments.get_key_value(parent).into_iter().flat_map(|(parent, comment)| {
            self.post_comments(&comment.account, &comment.media)
                .filter(move |(_, reply)| reply.parent.as_ref() == Some(parent))
        })
    }

    /// The comments under a post, replies included, oldest first.
    pub fn post_comments(
        &self,
        account: &AccountId,
        media: &MediaId,
    ) -> impl DoubleEndedIterator<Item = (&CommentId, &Comment)> {
        let post = self.posts.iter().find(|post| post.account == *account && post.media == *media);
        let ids = post.map(|post| post.comments.as_slice()).unwrap_or_default();
        ids.iter().filter_map(|id| self.comments.get_key_value(id))
    }

    /// What an account and a person wrote to each other.
    #[must_use]
    pub fn conversation(&self, account: &AccountId, user: &UserId) -> Option<&Conversation> {
        self.accounts.get(account)?.conversations.get(user)
    }

    /// Since when a person follows an account.
    #[must_use]
    pub fn follows_since(&self, account: &AccountId, user: &UserId) -> Option<Timestamp> {
        self.accounts.get(account)?.followers.get(user).copied()
    }

    /// Whether a comment has had its one private reply, even one that was refused.
    #[must_use]
    pub fn is_replied(&self, id: &CommentId) -> bool {
        self.spent.contains(id) || self.comment(id).is_some_and(|comment| comment.private_reply.is_some())
    }

    /// An account's user name.
    #[must_use]
    pub fn username(&self, account: &AccountId) -> Option<&str> {
        self.accounts.get(account)?.username.as_deref()
    }

    /// Makes one change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Named { account, username } => {
                self.accounts.entry(account.clone()).or_default().username = Some(username.clone());
            }
            Change::Published { account, media, at, is_reel, is_listed } => {
                self.accounts.entry(account.clone()).or_default();
                let post = self.post_mut(account, media, *at);
                (post.published_at, post.is_reel, post.is_listed) = (*at, *is_reel, *is_listed);
            }
            Change::Commented { id, comment } => self.add_comment(id, comment),
            Change::Messaged { account, user, username, message } => {
                let conversation = self.conversation_mut(account, user);
                if username.is_some() {
                    conversation.username.clone_from(username);
                }
                conversation.messages.push(message.clone());
                match message.author {
                    Author::Person => {
                        conversation.last_inbound_at = conversation.last_inbound_at.max(Some(message.at));
                    }
                    Author::Account => self.spend_private_reply(message),
                }
            }
            Change::Tapped { account, user, at } => {
                let conversation = self.conversation_mut(account, user);
                conversation.last_inbound_at = conversation.last_inbound_at.max(Some(*at));
            }
            Change::Followed { account, user, since } => {
                let followers = &mut self.accounts.entry(account.clone()).or_default().followers;
                match since {
                    // Who follows already goes on doing so.
                    Some(since) => _ = followers.entry(user.clone()).or_insert(*since),
                    None => _ = followers.remove(user),
                }
            }
            Change::ReplySpent { comment } => _ = self.spent.insert(comment.clone()),
        }
        self.revision += 1;
    }

    /// The id of the next comment. Comments that came with an id of their own may hold it already.
    pub(super) fn next_comment_id(&self) -> CommentId {
        let mut number = self.next_number();
        loop {
            let id = ids::comment(number);
            if !self.comments.contains_key(&id) {
                return id;
            }
            number += 1;
        }
    }

    /// The id of the next message.
    pub(super) fn next_message_id(&self) -> MessageId {
        ids::message(self.next_number())
    }

    /// Every change takes a number, so no two of them make the same id.
    fn next_number(&self) -> u64 {
        self.seed + self.revision + 1
    }

    fn conversation_mut(&mut self, account: &AccountId, user: &UserId) -> &mut Conversation {
        self.accounts.entry(account.clone()).or_default().conversations.entry(user.clone()).or_default()
    }

    fn add_comment(&mut self, id: &CommentId, comment: &Comment) {
        self.accounts.entry(comment.account.clone()).or_default();
        if self.comments.insert(id.clone(), comment.clone()).is_some() {
            return;
        }
        self.post_mut(&comment.account, &comment.media, comment.at).comments.push(id.clone());
    }

    /// The post, which comes to be at `at` if there is none.
    fn post_mut(&mut self, account: &AccountId, media: &MediaId, at: Timestamp) -> &mut Post {
        let place = |post: &Post| post.account == *account && post.media == *media;
        let index = self.posts.iter().position(place).unwrap_or_else(|| {
            let (account, media) = (account.clone(), media.clone());
            let comments = Vec::new();
            self.posts.push(Post {
                account,
                media,
                published_at: at,
                is_reel: false,
                is_listed: true,
                comments,
            });
            self.posts.len() - 1
        });
        &mut self.posts[index]
    }

    fn spend_private_reply(&mut self, message: &Message) {
        if let Some(comment) = message.comment.as_ref().and_then(|id| self.comments.get_mut(id)) {
            comment.private_reply = Some(message.id.clone());
        }
    }
}
