//! What the world may know of what happened: metrics, events and log lines are made of it.

use openreply_domain::campaign::CampaignRef;
use openreply_domain::gate::Hold;
use openreply_domain::ids::{AccountId, MessageId};
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::send::{Send as LedgerSend, SendKey, State};
use openreply_domain::time::{SignedDuration, Timestamp};
use std::future::Future;

/// What became of a Send, as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It was delivered.
    Sent {
        /// As what Instagram named it. `None`: a person said that it arrived.
        message_id: Option<MessageId>,
    },
    /// Refused for good, or out of attempts.
    Failed {
        /// Why, in words that quote nobody.
        reason: String,
    },
    /// Nobody knows whether it was delivered.
    Unconfirmed {
        /// Why not.
        reason: String,
    },
    /// It ended without a call.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// One thing that happened. Holds no text that anybody wrote, no user name and no token.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A Send ended, or came to be in doubt.
    Delivery {
        /// Which.
        key: SendKey,
        /// For which campaign. `None`: a message that belongs to none.
        campaign: Option<CampaignRef>,
        /// Calls that reached Instagram.
        attempts: u32,
        /// What became of it.
        ending: Ending,
        /// How long after its trigger was first seen, if it never had to wait for a slot, a retry or a hold.
        took: Option<SignedDuration>,
    },
    /// A job came for a Send that was taken or has ended: nothing was sent again.
    DuplicateRefused {
        /// Which.
        key: SendKey,
    },
    /// One call of Instagram that sends.
    Called {
        /// For which Send.
        key: SendKey,
        /// How long it took.
        took: SignedDuration,
    },
    /// A batch came off the queue.
    Received {
        /// How long each message waited there that came for the first time.
        waited: Vec<SignedDuration>,
    },
    /// An account may not send.
    AccountHeld {
        /// Which.
        account: AccountId,
        /// Why and how long.
        hold: Hold,
    },
    /// An account may send again: a person or a new token lifted its hold, or a sweep saw that it is over.
    AccountReleased {
        /// Which.
        account: AccountId,
        /// The hold that is over.
        hold: Hold,
    },
    /// A person must know of something. One fact for each occasion.
    AlertRaised(Alert),
    /// Somebody looked whether the machine lives.
    Measured {
        /// The last heartbeat; `None` if there never was one.
        heartbeat: Option<Heartbeat>,
        /// How many accounts are held; `None` if nobody could tell.
        held_accounts: Option<usize>,
    },
}

impl Fact {
    /// What a Send says that was just written. `None`: it waits or is in the air, which is no news.
    #[must_use]
    pub fn of(send: &LedgerSend) -> Option<Self> {
        let ending = match &send.state {
            State::Open { .. } | State::Claimed { doubt: None } => return None,
            State::Claimed { doubt: Some(doubt) } => Ending::Unconfirmed { reason: doubt.clone() },
            State::Sent { message_id } => Ending::Sent { message_id: message_id.clone() },
            State::Failed { reason } => Ending::Failed { reason: reason.clone() },
            State::Skipped { reason, .. } => Ending::Skipped { reason: reason.clone() },
        };
        // What waited, was missed, or was found to have arrived, says nothing of how fast the machine is.
        let is_direct = send.wake == 0 && !send.missed && send.looked.is_none() && send.resolved.is_none();
        Some(Self::Delivery {
            key: send.key.clone(),
            campaign: send.campaign.clone(),
            attempts: send.attempts,
            ending,
            took: is_direct.then(|| send.updated_at.duration_since(send.first_seen_at)),
        })
    }
}

/// Tells the world.
pub trait Facts: Send + Sync {
    /// Reports a fact of this moment. Never fails for the caller: what cannot be told is logged and lost, and the
    /// ledger still knows it. Takes a second at most, and is called only once the ledger has what it tells of.
    fn report(&self, at: Timestamp, fact: &Fact) -> impl Future<Output = ()> + Send;
}

/// Two that are told the same.
impl<A: Facts, B: Facts> Facts for (A, B) {
    async fn report(&self, at: Timestamp, fact: &Fact) {
        self.0.report(at, fact).await;
        self.1.report(at, fact).await;
    }
}
