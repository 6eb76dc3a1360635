//! An Instagram that says what the test wants and remembers what it was asked.

use super::lock;
use openreply_app::ports::{Destination, Messenger, Outbound};
use openreply_domain::ids::{AccountId, MessageId, UserId};
use openreply_domain::message::{Button, Follow};
use openreply_domain::outcome::SendOutcome;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// One call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// On whose behalf.
    pub account: AccountId,
    /// Where to.
    pub to: Destination,
    /// What it said.
    pub text: String,
    /// The buttons under it.
    pub buttons: Vec<Button>,
    /// The token it carried.
    pub token: String,
    /// What came of it.
    pub outcome: SendOutcome,
}

/// Answers by script: the number of the call, counted from 0, and the message decide.
#[derive(Clone)]
pub struct MemoryMessenger {
    script: Arc<Script>,
    calls: Arc<Mutex<Vec<Sent>>>,
    follows: Arc<Mutex<HashMap<UserId, Follow>>>,
}

type Script = dyn Fn(usize, &Outbound) -> SendOutcome + Send + Sync;

impl fmt::Debug for MemoryMessenger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryMessenger").field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl MemoryMessenger {
    /// Answers as `script` says.
    pub fn new(script: impl Fn(usize, &Outbound) -> SendOutcome + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), calls: Arc::default(), follows: Arc::default() }
    }

    /// Says from now on whether a person follows. Until then nobody knows.
    pub fn set_follows(&self, user: &UserId, follow: Follow) {
        lock(&self.follows).insert(user.clone(), follow);
    }

    /// Every call, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Sent> {
        lock(&self.calls).clone()
    }
}

impl Default for MemoryMessenger {
    /// Delivers everything, as `mid.0`, `mid.1` and so on.
    fn default() -> Self {
        Self::new(|nth, _| SendOutcome::Delivered { message_id: message_id(nth) })
    }
}

#[expect(clippy::expect_used, reason = "a word and a number are an id")]
fn message_id(nth: usize) -> MessageId {
    MessageId::parse(format!("mid.{nth}")).expect("a word and a number")
}

impl Messenger for MemoryMessenger {
    async fn send(&self, message: Outbound) -> SendOutcome {
        let mut calls = lock(&self.calls);
        let outcome = (self.script)(calls.len(), &message);
        let Outbound { account, to, text, buttons, token } = message;
        let token = token.expose_secret().to_owned();
        calls.push(Sent { account, to, text, buttons, token, outcome: outcome.clone() });
        outcome
    }

    async fn follows(&self, _account: &AccountId, user: &UserId, _token: &SecretString) -> Follow {
        lock(&self.follows).get(user).copied().unwrap_or(Follow::Unknown)
    }
}
