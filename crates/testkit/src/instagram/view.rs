//! The world as the local runner's page reads it: posts with their comments, and conversations.

use super::world::{Author, World};
use openreply_domain::ids::{AccountId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::message::{Button, Does};
use openreply_domain::time::Timestamp;
use serde::Serialize;

/// What there is to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorldView {
    /// Oldest post first.
    pub posts: Vec<PostView>,
    /// By account, then by person.
    pub conversations: Vec<ConversationView>,
    /// Who follows whom, whatever Instagram tells of it yet.
    pub followers: Vec<FollowerView>,
}

/// Somebody who follows an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FollowerView {
    /// Which account.
    pub account: AccountId,
    /// Who.
    pub user: UserId,
    /// Since when.
    pub since: Timestamp,
}

/// A post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PostView {
    /// Whose.
    pub account: AccountId,
    /// Its media id.
    pub media: MediaId,
    /// Oldest first, replies included.
    pub comments: Vec<CommentView>,
}

/// A comment or a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentView {
    /// Its id.
    pub id: CommentId,
    /// Who wrote it.
    pub from: UserId,
    /// Their user name, where it is known.
    pub username: Option<String>,
    /// What it says.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// The comment it is a reply to.
    pub parent: Option<CommentId>,
    /// Whether the account itself wrote it.
    pub ours: bool,
}

/// What an account and a person wrote to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationView {
    /// Whose inbox.
    pub account: AccountId,
    /// The person.
    pub user: UserId,
    /// Their user name, where it is known.
    pub username: Option<String>,
    /// When the person last wrote or tapped.
    pub last_inbound_at: Option<Timestamp>,
    /// Oldest first.
    pub messages: Vec<MessageView>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// What it says.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Whether the account wrote it, or the person.
    pub from_account: bool,
    /// The buttons under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<ButtonView>,
    /// For a private reply: the comment it answers.
    pub comment: Option<CommentId>,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ButtonView {
    /// What it says.
    pub title: String,
    /// The address that it opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What a tap on it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
}

impl From<&Button> for ButtonView {
    fn from(button: &Button) -> Self {
        let (url, payload) = match &button.does {
            Does::Open(url) => (Some(url.clone()), None),
            Does::Tell(payload) => (None, Some(payload.clone())),
        };
        Self { title: button.title.clone(), url, payload }
    }
}

impl World {
    /// Everything that a page shows.
    #[must_use]
    pub fn view(&self) -> WorldView {
        WorldView {
            posts: self.view_posts(),
            conversations: self.view_conversations(),
            followers: self.view_followers(),
        }
    }

    fn view_followers(&self) -> Vec<FollowerView> {
        let follower = |account: &AccountId, user: &UserId, since: &Timestamp| FollowerView {
            account: account.clone(),
            user: user.clone(),
            since: *since,
        };
        let all = self.accounts().iter();
        all.flat_map(|(id, known)| known.followers.iter().map(|(user, since)| follower(id, user, since)))
            .collect()
    }

    fn view_posts(&self) -> Vec<PostView> {
        let post = |post: &super::Post| PostView {
            account: post.account.clone(),
            media: post.media.clone(),
            comments: self
                .post_comments(&post.account, &post.media)
                .map(|(id, comment)| CommentView {
                    id: id.clone(),
                    from: comment.from.clone(),
                    username: comment.username.clone(),
                    text: comment.text.clone(),
                    at: comment.at,
                    parent: comment.parent.clone(),
                    ours: comment.is_own(),
                })
                .collect(),
        };
        self.posts().iter().map(post).collect()
    }

    fn view_conversations(&self) -> Vec<ConversationView> {
        let all = self.accounts().iter().flat_map(|(account, known)| {
            known.conversations.iter().map(move |(user, found)| (account, user, found))
        });
        all.map(|(account, user, found)| ConversationView {
            account: account.clone(),
            user: user.clone(),
            username: found.username.clone(),
            last_inbound_at: found.last_inbound_at,
            messages: found
                .messages
                .iter()
                .map(|message| MessageView {
                    id: message.id.clone(),
                    text: message.text.clone(),
                    at: message.at,
                    from_account: message.author == Author::Account,
                    buttons: message.buttons.iter().map(ButtonView::from).collect(),
                    comment: message.comment.clone(),
                })
                .collect(),
        })
        .collect()
    }
}
