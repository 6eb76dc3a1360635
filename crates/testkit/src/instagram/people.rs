//! What people do on the fake Instagram, with the webhook that Instagram would post about it.

use super::fake::FakeInstagram;
use super::stage::Stage;
use super::webhook::{self, Conversation};
use super::world::{Author, Change, Message};
use openreply_app::ports::Clock;
use openreply_domain::ids::{AccountId, MessageId, UserId};
use openreply_domain::message::{Button, Does};
use openreply_domain::trigger;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// Something that a person did in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The id that Instagram gave it.
    pub mid: MessageId,
    /// The body that Instagram posts about it.
    pub event: Value,
}

impl<C: Clock + 'static> FakeInstagram<C> {
    /// A person writes to the account, which opens the 24 hours.
    pub fn write(&self, account: &AccountId, from: &UserId, username: Option<&str>, text: &str) -> Deed {
        self.on_stage(|stage, at| {
            let mid = stage.world.next_message_id();
            let message = Message {
                id: mid.clone(),
                at,
                author: Author::Person,
                text: text.to_owned(),
                buttons: Vec::new(),
                comment: None,
            };
            stage.change(&Change::Messaged {
                account: account.clone(),
                user: from.clone(),
                username: username.map(str::to_owned),
                message,
            });
            let between = Conversation { account: account.as_str(), user: from.as_str(), at };
            let event = webhook::message_event(&between, mid.as_str(), text);
            Deed { mid, event }
        })
    }

    /// A person taps a button, which opens the 24 hours too. The payload need not be that of a button they have:
    /// an old one, or somebody else's, arrives the same way.
    pub fn tap_button(&self, account: &AccountId, from: &UserId, payload: &str) -> Deed {
        self.on_stage(|stage, at| {
            let mid = stage.world.next_message_id();
            let title = title_of(stage, account, from, payload).unwrap_or_default();
            stage.change(&Change::Tapped { account: account.clone(), user: from.clone(), at });
            let between = Conversation { account: account.as_str(), user: from.as_str(), at };
            let event = webhook::tap_event(&between, mid.as_str(), &title, payload);
            Deed { mid, event }
        })
    }

    /// Learns of a message that a webhook told of and this world does not have. It opens the 24 hours.
    pub fn adopt_message(&self, told: &trigger::Message) {
        self.on_stage(|stage, now| {
            let known = stage.world.conversation(&told.account, &told.from);
            if known.is_some_and(|known| known.messages.iter().any(|message| message.id == told.id)) {
                return;
            }
            let message = Message {
                id: told.id.clone(),
                at: told.at.unwrap_or(now).min(now),
                author: Author::Person,
                text: told.text.clone().unwrap_or_default(),
                buttons: Vec::new(),
                comment: None,
            };
            let (account, user) = (told.account.clone(), told.from.clone());
            stage.change(&Change::Messaged { account, user, username: None, message });
        });
    }

    /// Learns of a tap that a webhook told of. It opens the 24 hours, unless they were opened later still.
    pub fn adopt_tap(&self, told: &trigger::Tap) {
        self.on_stage(|stage, now| {
            let at = told.at.unwrap_or(now).min(now);
            let known = stage.world.conversation(&told.account, &told.from);
            if known.and_then(|known| known.last_inbound_at).is_some_and(|last| last >= at) {
                return;
            }
            let (account, user) = (told.account.clone(), told.from.clone());
            stage.change(&Change::Tapped { account, user, at });
        });
    }

    /// A person begins to follow the account, or ends it. No webhook tells.
    pub fn set_follows(&self, account: &AccountId, user: &UserId, follows: bool) {
        let (account, user) = (account.clone(), user.clone());
        self.on_stage(|stage, at| {
            stage.change(&Change::Followed { account, user, since: follows.then_some(at) });
        });
    }

    /// Whose this token is, for reads that name no account. It makes no other token wrong.
    pub fn know_token(&self, account: &AccountId, token: SecretString) {
        self.on_stage(|stage, _| stage.owners.push((token, account.clone())));
    }
}

impl Stage {
    /// The account whose token this is, where that is known.
    pub(super) fn owner_of(&self, token: Option<&str>) -> Option<AccountId> {
        let token = token?;
        let known = self.owners.iter().map(|(known, id)| (id, known)).chain(&self.tokens);
        known.into_iter().find(|(_, known)| known.expose_secret() == token).map(|(id, _)| id.clone())
    }
}

/// What the newest button with this payload says that the person got.
fn title_of(stage: &Stage, account: &AccountId, user: &UserId, payload: &str) -> Option<String> {
    let messages = &stage.world.conversation(account, user)?.messages;
    let buttons = messages.iter().rev().flat_map(|message| &message.buttons);
    let told = |button: &&Button| matches!(&button.does, Does::Tell(own) if own == payload);
    buttons.into_iter().find(told).map(|button| button.title.clone())
}
