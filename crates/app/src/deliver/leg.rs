//! One leg: prepare, claim, send, settle.

use super::doubt::content_of;
use super::gates::Taken;
use super::rules::takes_once;
use super::words::{Words, confirmation, words};
use super::{Back, Deliver, Turn};
use crate::accounts::PreparedAccount;
use crate::ports::{
    Also, Clock, Destination, Host, Ledger, Outbound, Random, Standing, Timer, Timers, Vault, Written,
};
use openreply_domain::campaign::CampaignContent;
use openreply_domain::contact::Contact;
use openreply_domain::ids::ClaimId;
use openreply_domain::outcome::{NotSent, SendOutcome};
use openreply_domain::send::{
    Admission, Claim, Conversation, Expect, Leg, Send, SendKey, State, admit, defer,
};
use openreply_domain::trigger::TriggerKind;
use std::borrow::Cow;

/// What the race for a claim came to.
enum Race {
    Won(Box<Send>),
    /// What stands there instead.
    Lost(Option<Box<Send>>),
    /// What was to be written beside it has changed meanwhile: read again.
    Moved,
}

/// How a leg ended that may go on: either this invocation wrote its Send, or somebody else's stands there.
pub(super) enum LegEnd {
    Ours,
    Theirs(Option<Box<Send>>),
}

impl<H: Host> Deliver<H> {
    /// A Send whose timer fired.
    pub(super) async fn wake(&self, key: &SendKey, wake: u32, turn: &Turn) -> Result<(), Back> {
        let stored = self.host.ledger().sends(&key.trigger, std::slice::from_ref(&key.leg)).await?.pop();
        if stored.is_none() {
            tracing::warn!(trigger = %key.trigger, leg = %key.leg, "a timer fired for a message that was never promised");
            return Ok(());
        }
        self.leg(stored, Some(wake), None, turn).await
    }

    /// A leg that has a Send in the ledger.
    /// `standing` is what stands in its way, if that was read for this very leg.
    pub(super) async fn leg(
        &self,
        stored: Option<Send>,
        wake: Option<u32>,
        standing: Option<Standing>,
        turn: &Turn,
    ) -> Result<(), Back> {
        let admission = admit(stored.as_ref(), wake, self.now());
        match (admission, stored) {
            (Admission::Due, Some(send)) => {
                let expect = Expect::Open { wake: send.wake };
                Box::pin(self.attempt(send, &expect, standing, turn)).await.map(drop)
            }
            (Admission::Early, _) => Err(Back::Early),
            (Admission::KnownDuplicate, Some(send)) => {
                tracing::info!(trigger = %send.key.trigger, leg = %send.key.leg, "known duplicate");
                self.tell_duplicate(&send.key).await;
                Ok(())
            }
            // Whoever let it wait may have crashed before its timer was set.
            (Admission::Waiting, Some(send)) => self.set_timer(&send).await,
            (Admission::New | Admission::Due | Admission::Waiting | Admission::KnownDuplicate, _) => Ok(()),
        }
    }

    /// A leg that the ledger does not know yet.
    pub(super) async fn new_leg(
        &self,
        send: Send,
        standing: Option<Standing>,
        turn: &Turn,
    ) -> Result<LegEnd, Back> {
        Box::pin(self.attempt(send, &Expect::Absent, standing, turn)).await
    }

    /// A leg that begins with `send`, unless the ledger knows it already: it goes on with that then.
    pub(super) async fn begin_or_go_on(&self, send: Send, turn: &Turn) -> Result<(), Back> {
        let key = &send.key;
        let read = self.host.ledger().read(&key.trigger, std::slice::from_ref(&key.leg), &send.user).await?;
        match read.sends.into_iter().next() {
            Some(stored) => self.leg(Some(stored), None, Some(read.standing), turn).await,
            None => self.new_leg(send, Some(read.standing), turn).await.map(drop),
        }
    }

    /// Everything that can fail for another reason comes before the claim, the claim before the send. On the heap
    /// wherever it is awaited: with the clients of AWS in it, it is larger than a stack likes, and one may be within
    /// another.
    pub(super) async fn attempt(
        &self,
        send: Send,
        expect: &Expect,
        standing: Option<Standing>,
        turn: &Turn,
    ) -> Result<LegEnd, Back> {
        if !self.has_time(turn, self.budget.whole_send()) {
            return Err(Back::NoTime);
        }
        let Some(account) =
            self.accounts.get(self.host.ledger(), &send.key.trigger.account, self.now()).await?
        else {
            return Err(Back::Missing { what: "account of this trigger" });
        };
        let content = self.content(&send, &account).await?;
        let content = content.as_deref();
        let token = match self.host.vault().open(&account.account.id, &account.account.token.sealed) {
            Ok(token) => token,
            Err(error) => return self.put_off(&send, expect, content, &error.to_string()).await,
        };
        let standing = match standing {
            Some(standing) => standing,
            // An earlier leg's answer may have made a hold since the trigger was read.
            None => self.host.ledger().read(&send.key.trigger, &[], &send.user).await?.standing,
        };
        let send = within_window(send, &standing.contact);
        if let Some(end) = self.refused(&send, expect, &account, content, &standing).await? {
            return Ok(end);
        }
        let send = match self.pass_follow_gate(send, expect, content, &token, turn).await? {
            Ok(send) => send,
            Err(end) => return Ok(end),
        };
        let Words { text, buttons } = match content {
            Some(content) => words(&send, content, self.tracked.as_ref()),
            None => confirmation(&send, &account.account.opt_out),
        };
        let to = destination(&send);
        let message = Outbound { account: account.account.id.clone(), to, text, buttons, token };
        let taken = match self.take(&send, expect, content, standing.gate).await? {
            Ok(taken) => taken,
            Err(end) => return Ok(end),
        };
        let also = self.also_claimed(&send, content, standing.contact);
        let send = Send { reservation: None, ..send };
        let token_version = account.account.token.version;
        let race = self.claim(send.clone(), expect, &also, taken.clone(), token_version, turn).await;
        if race.is_err() {
            // Whether it is claimed nobody knows; that no call follows is certain, so the slot was not used. The unit
            // of the month stays spent: the claim may stand, and reads as doubt then.
            self.give_back(&send, &Taken { month: None, ..taken.clone() }).await;
        }
        match race? {
            Race::Lost(stands) => {
                self.give_back(&send, &taken).await;
                self.theirs(stands).await
            }
            Race::Moved => {
                self.give_back(&send, &taken).await;
                Err(Back::Moved)
            }
            Race::Won(claimed) => {
                let is_good = taken.slot.is_none_or(|slot| slot.is_good(self.now()));
                let outcome = if is_good && self.has_time(turn, self.budget.rest_after_claim()) {
                    self.call(&claimed.key, message).await
                } else {
                    SendOutcome::NotSent(NotSent::TooLate)
                };
                self.settle(&claimed, outcome, content).await?;
                Ok(LegEnd::Ours)
            }
        }
    }

    /// What is written with a claim: that a message into a conversation goes, that one asks for an answer, and the
    /// right to what goes out once.
    fn also_claimed(
        &self,
        send: &Send,
        content: Option<&CampaignContent>,
        mut contact: Contact,
    ) -> Vec<Also> {
        let mut also: Vec<Also> = takes_once(send, content).into_iter().collect();
        let now = self.now();
        if send.asks()
            && let Some(campaign) = &send.campaign
        {
            let root = send.conversation.as_ref().map_or(&send.key.trigger, |open| &open.root);
            contact.invite(root, campaign, now);
            contact.username = send.username.clone().or(contact.username);
        }
        if send.key.leg.needs_open_window() {
            contact.goes(&send.key, now);
        }
        if send.asks() || send.key.leg.needs_open_window() {
            contact.revision += 1;
            also.push(Also::Contact(Box::new(contact)));
        }
        also
    }

    /// A write that met somebody else's Send. If that waits, whoever let it wait may have crashed before its timer
    /// was set.
    pub(super) async fn theirs(&self, stands: Option<Box<Send>>) -> Result<LegEnd, Back> {
        if let Some(stands) = &stands {
            self.set_timer(stands).await?;
        }
        Ok(LegEnd::Theirs(stands))
    }

    /// Makes sure that a Send that waits will be woken.
    pub(super) async fn set_timer(&self, send: &Send) -> Result<(), Back> {
        match Timer::of(send) {
            Some(timer) => Ok(self.host.timers().set(&timer).await?),
            None => Ok(()),
        }
    }

    /// What the campaign promised, at the version that was promised. `None`: the account speaks for itself.
    pub(super) async fn content<'a>(
        &self,
        send: &Send,
        account: &'a PreparedAccount,
    ) -> Result<Option<Cow<'a, CampaignContent>>, Back> {
        let known = account.campaigns.iter().map(|known| &known.campaign);
        let content = content_of(self.host.ledger(), &account.account.id, known, send).await?;
        if content.is_none() && send.campaign.is_some() {
            return Err(Back::Missing { what: "version of the campaign that was promised" });
        }
        Ok(content)
    }

    /// Takes the Send for one attempt. A second try carries the same id, so that an answer that was lost does
    /// not lose the claim to itself.
    async fn claim(
        &self,
        send: Send,
        expect: &Expect,
        also: &[Also],
        taken: Taken,
        token_version: u32,
        turn: &Turn,
    ) -> Result<Race, Back> {
        let now = self.host.clock().now();
        let id = self.host.random().claim_id();
        let claimed = Send {
            state: State::Claimed { doubt: None },
            attempts: send.attempts + 1,
            claim: Some(Claim {
                id: id.clone(),
                at: now,
                holder: turn.holder.clone(),
                expires_at: turn.deadline,
                slot: taken.slot,
                month: taken.month,
                token_version,
            }),
            updated_at: now,
            ..send
        };
        let mut tried = self.put(&claimed, expect, also).await;
        if tried.is_err() {
            tried = self.put(&claimed, expect, also).await;
        }
        let key = &claimed.key;
        match tried? {
            Written::Done => Ok(Race::Won(Box::new(claimed))),
            Written::Refused(Some(stands)) if won_before(&stands, &id) => Ok(Race::Won(Box::new(claimed))),
            Written::Moved => Ok(Race::Moved),
            Written::Refused(stands) => {
                tracing::info!(trigger = %key.trigger, leg = %key.leg, "another invocation took this message");
                self.tell_duplicate(key).await;
                Ok(Race::Lost(stands))
            }
        }
    }

    /// Lets a Send wait for something that is neither Instagram's answer nor anybody's limit.
    async fn put_off(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        reason: &str,
    ) -> Result<LegEnd, Back> {
        tracing::error!(trigger = %send.key.trigger, leg = %send.key.leg, reason, "cannot send yet");
        self.write(defer(send, self.now(), reason), expect, Vec::new(), content).await
    }
}

/// A message into a conversation, with when that closes as far as is known now.
fn within_window(send: Send, contact: &Contact) -> Send {
    let conversation = match (send.conversation, contact.closes_at()) {
        (Some(conversation), Some(closes_at)) => Some(Conversation { closes_at, ..conversation }),
        (conversation, _) => conversation,
    };
    Send { conversation, ..send }
}

fn won_before(stands: &Send, id: &ClaimId) -> bool {
    matches!(stands.state, State::Claimed { .. }) && stands.carries(id)
}

fn destination(send: &Send) -> Destination {
    let comment = || send.key.trigger.id.as_comment();
    match (&send.key.leg, send.key.trigger.kind) {
        (Leg::PublicReply(_), _) => Destination::PublicReply(comment()),
        (Leg::Dm, TriggerKind::Comment) => Destination::PrivateReply(comment()),
        (Leg::Dm | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp, _) => {
            Destination::Person(send.user.clone())
        }
    }
}
