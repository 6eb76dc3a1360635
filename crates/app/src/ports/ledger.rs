//! The ledger: what was promised, taken, sent and doubted.
//!
//! Every write of a Send is a compare-and-set ([`Expect`]): of any number of writers that rely on the same
//! thing exactly one succeeds, and the others are told what stands there. Reads of Sends are consistent.

use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef, OptOut};
use openreply_domain::contact::Contact;
use openreply_domain::gate::{AccountGate, Hold, Stop};
use openreply_domain::ids::{AccountId, CampaignId, MessageId, UserId};
use openreply_domain::send::{Expect, Leg, Send};
use openreply_domain::time::Timestamp;
use openreply_domain::token::SealedToken;
use openreply_domain::trigger::TriggerKey;
use std::future::Future;

/// The ledger did not do, or may not have done, what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// It may work later: throttled, in conflict, out of reach, or the answer was lost. A write may have
    /// happened all the same.
    #[error("the ledger could not {action} just now: {cause}")]
    Transient {
        /// What was attempted.
        action: &'static str,
        /// The outside's word for why. Never holds an item.
        cause: String,
    },
    /// It will not work until a person changes something: a missing table or permission, an unreadable item.
    #[error("the ledger cannot {action}: {cause}")]
    Permanent {
        /// What was attempted.
        action: &'static str,
        /// What to look at. Never holds an item.
        cause: String,
    },
}

/// What became of a conditional write.
#[must_use = "a lost race is an answer"]
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// What it relied on held, and it is written.
    Done,
    /// It did not hold; nothing was written. This stands there instead.
    Refused(Option<Box<Send>>),
    /// The Send may be as expected, but what was to be written or to hold beside it is not ([`Also`]): read
    /// again and decide again. Nothing was written.
    Moved,
}

/// What is written, or must hold, in the same transaction as a Send. All of it concerns the Send's own account.
#[derive(Debug, Clone, PartialEq)]
pub enum Also {
    /// Writes the account's gate, which must stand one revision lower.
    Gate(AccountGate),
    /// This very hold of the account must stand.
    Held(Hold),
    /// The stack's stop must stand at this revision.
    Stopped {
        /// The revision that was read.
        revision: u64,
    },
    /// The campaign must be inactive.
    Paused {
        /// Its place in the file.
        order: u32,
        /// The campaign.
        campaign: CampaignId,
    },
    /// Gives a unit of this month (`2026-11`) back.
    ReturnMonth(String),
    /// This message proves the Send, and must have proved none before.
    Proof {
        /// The id that Instagram shows.
        message_id: MessageId,
    },
    /// Writes what is known of the Send's person, which must stand one revision lower.
    Contact(Box<Contact>),
    /// Makes the Send's trigger the one for which its person gets this campaign's message, ever. Nobody else's
    /// may stand.
    TakeOnce(CampaignId),
    /// Frees that again, if it is the Send's trigger that stands.
    FreeOnce(CampaignId),
    /// Writes another Send that does not exist yet.
    Begin(Box<Send>),
}

/// Everything that a job about one trigger decides on, read consistently in one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriggerRead {
    /// Those of the Sends that exist.
    pub sends: Vec<Send>,
    /// What stands in their way, or not.
    pub standing: Standing,
}

/// What stands in the way of a message, or not, read consistently in one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    /// The account's gate.
    pub gate: AccountGate,
    /// The stack's stop.
    pub stop: Stop,
    /// What is known of the person.
    pub contact: Contact,
}

/// A webhook's body on its way onto the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventKey {
    /// When it was received: events are filed by the minute, so that stuck ones are found without an index.
    pub received_at: Timestamp,
    /// A random name.
    pub id: String,
}

/// Where a webhook event stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventStatus {
    /// Recorded, not yet wholly on the queue.
    Pending,
    /// The queue has all of it.
    Processed,
    /// The queue refused part of it, and Meta was told to come back.
    Failed {
        /// Why, in the queue's words.
        why: String,
    },
}

/// A recorded webhook event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// Which.
    pub key: EventKey,
    /// Where it stands.
    pub status: EventStatus,
    /// The raw bytes that Meta signed.
    pub body: Vec<u8>,
}

/// The webhook events of one minute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventsOfMinute {
    /// In the order they were received.
    pub events: Vec<EventRecord>,
    /// How many more there are that cannot be read.
    pub unreadable: usize,
}

/// An account as the ledger shall hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUpdate {
    /// The account.
    pub id: AccountId,
    /// Its user name.
    pub username: String,
    /// How people opt out.
    pub opt_out: OptOut,
    /// Its token.
    pub token: SealedToken,
}

/// The ledger.
pub trait Ledger: std::marker::Send + Sync {
    /// Records a webhook event as PENDING, its raw body included.
    ///
    /// # Errors
    /// When it may not have been recorded.
    fn record_event(
        &self,
        key: &EventKey,
        body: &[u8],
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// Says where a recorded event stands now.
    ///
    /// # Errors
    /// When it may not have been written.
    fn mark_event(
        &self,
        key: &EventKey,
        status: &EventStatus,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// The events received in the same minute as `moment`. One that cannot be read keeps no other back.
    ///
    /// # Errors
    /// When they could not be read.
    fn events(
        &self,
        moment: Timestamp,
    ) -> impl Future<Output = Result<EventsOfMinute, LedgerError>> + std::marker::Send;

    /// The ids of all accounts.
    ///
    /// # Errors
    /// When they could not be read.
    fn account_ids(&self) -> impl Future<Output = Result<Vec<AccountId>, LedgerError>> + std::marker::Send;

    /// An account with its campaigns in file order. `None`: nobody runs anything on it here.
    ///
    /// # Errors
    /// When it could not be read.
    fn account(
        &self,
        id: &AccountId,
    ) -> impl Future<Output = Result<Option<Account>, LedgerError>> + std::marker::Send;

    /// A campaign's content at one version. Versions never change and are never removed.
    ///
    /// # Errors
    /// When it could not be read.
    fn campaign_version(
        &self,
        account: &AccountId,
        campaign: &CampaignRef,
    ) -> impl Future<Output = Result<Option<CampaignContent>, LedgerError>> + std::marker::Send;

    /// Writes an account, whatever stood there.
    ///
    /// # Errors
    /// When it may not have been written.
    fn put_account(
        &self,
        account: &AccountUpdate,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// Writes a campaign and the immutable copy of its version, and removes it from `old_order`, the place in
    /// the file where it stood before, if that was another.
    ///
    /// # Errors
    /// When it may not have been written.
    fn put_campaign(
        &self,
        account: &AccountId,
        campaign: &Campaign,
        old_order: Option<u32>,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// Reads these Sends of a trigger, consistently, in one call.
    ///
    /// # Errors
    /// When they could not all be read.
    fn sends(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
    ) -> impl Future<Output = Result<Vec<Send>, LedgerError>> + std::marker::Send;

    /// Reads these Sends of a trigger, and what stands in the way of messages to `user`, consistently, in one
    /// call.
    ///
    /// # Errors
    /// When they could not all be read.
    fn read(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
        user: &UserId,
    ) -> impl Future<Output = Result<TriggerRead, LedgerError>> + std::marker::Send;

    /// Reads an account's gate and the stack's stop, consistently, in one call.
    ///
    /// # Errors
    /// When they could not both be read.
    fn gates(
        &self,
        account: &AccountId,
    ) -> impl Future<Output = Result<(AccountGate, Stop), LedgerError>> + std::marker::Send;

    /// Writes what is known of a person, if it stands one revision lower. Returns what stands there if not.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn put_contact(
        &self,
        account: &AccountId,
        user: &UserId,
        next: &Contact,
    ) -> impl Future<Output = Result<Option<Contact>, LedgerError>> + std::marker::Send;

    /// The trigger for which a person got, or is to get, a campaign's message that goes out once per person.
    ///
    /// # Errors
    /// When it could not be read.
    fn once(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        user: &UserId,
    ) -> impl Future<Output = Result<Option<TriggerKey>, LedgerError>> + std::marker::Send;

    /// Writes an account's gate, if it stands one revision lower. Returns what stands there if not.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn put_gate(
        &self,
        account: &AccountId,
        next: &AccountGate,
    ) -> impl Future<Output = Result<Option<AccountGate>, LedgerError>> + std::marker::Send;

    /// Reads the stack's stop, consistently.
    ///
    /// # Errors
    /// When it could not be read.
    fn stop(&self) -> impl Future<Output = Result<Stop, LedgerError>> + std::marker::Send;

    /// Writes the stack's stop, if it stands one revision lower. Returns what stands there if not.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn put_stop(
        &self,
        next: &Stop,
    ) -> impl Future<Output = Result<Option<Stop>, LedgerError>> + std::marker::Send;

    /// Takes a unit of a month (`2026-11`), if fewer than `limit` are used. `false`: they are all used.
    ///
    /// # Errors
    /// When it may or may not have been taken.
    fn take_month(
        &self,
        month: &str,
        limit: u32,
    ) -> impl Future<Output = Result<bool, LedgerError>> + std::marker::Send;

    /// Gives a unit of a month back, if any is used.
    ///
    /// # Errors
    /// When it may or may not have been given back.
    fn return_month(&self, month: &str) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// How many units of a month are used.
    ///
    /// # Errors
    /// When it could not be read.
    fn month_used(&self, month: &str) -> impl Future<Output = Result<u32, LedgerError>> + std::marker::Send;

    /// The OPEN Sends of an account, those first that are due first. May miss what was written moments ago.
    ///
    /// # Errors
    /// When they could not be read.
    fn waiting(
        &self,
        account: &AccountId,
    ) -> impl Future<Output = Result<Vec<Send>, LedgerError>> + std::marker::Send;

    /// As [`Ledger::put_send`], with everything of `also` in the same transaction: all of it or nothing. A Send
    /// that is not as expected is told first ([`Written::Refused`]), whatever else does not hold.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn put_send_with(
        &self,
        send: &Send,
        expect: &Expect,
        also: &[Also],
    ) -> impl Future<Output = Result<Written, LedgerError>> + std::marker::Send;

    /// Writes a Send if what it relies on holds. An answer that is lost may leave it written; the next
    /// attempt then finds its own claim in what stands there.
    ///
    /// # Errors
    /// When it may or may not have been written.
    fn put_send(
        &self,
        send: &Send,
        expect: &Expect,
    ) -> impl Future<Output = Result<Written, LedgerError>> + std::marker::Send;

    /// The Sends of an account whose triggers were first seen at or after `since`, oldest first. May lag
    /// behind the writes by moments on AWS.
    ///
    /// # Errors
    /// When they could not be read.
    fn deliveries(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> impl Future<Output = Result<Vec<Send>, LedgerError>> + std::marker::Send;
}
