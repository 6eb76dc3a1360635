//! Sends in doubt: what a sweep writes of them. Nothing here sends anything.

use super::Deliver;
use super::words::{confirmation, words};
use crate::contended::MAX_ROUNDS;
use crate::ports::{Host, Ledger, LedgerError, Written};
use openreply_domain::campaign::{Account, Campaign, CampaignContent};
use openreply_domain::ids::{AccountId, MessageId};
use openreply_domain::links::LinksBase;
use openreply_domain::outcome::{Rejection, RejectionKind, SendOutcome};
use openreply_domain::send::{Expect, Send, doubt, looked, settle};
use std::borrow::Cow;

impl<H: Host> Deliver<H> {
    /// The ports that it delivers with.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// Where the links in its messages are served, if they are tracked.
    pub(crate) fn tracked(&self) -> Option<&LinksBase> {
        self.tracked.as_ref()
    }

    /// Writes that nobody will settle a claim any more, if that is so. Returns the Send as it stands then; `None`:
    /// somebody may still settle it, or has.
    pub(crate) async fn fall_into_doubt(&self, claimed: &Send) -> Result<Option<Send>, LedgerError> {
        let Some(next) = doubt(claimed, self.now()) else { return Ok(None) };
        if !self.write_doubtful(&next).await? {
            return Ok(None);
        }
        let key = &next.key;
        tracing::error!(trigger = %key.trigger, leg = %key.leg, "unconfirmed: whoever was sending it ended without a word; it is not repeated");
        self.tell(&next).await;
        Ok(Some(next))
    }

    /// Writes that evidence was looked for in vain.
    pub(crate) async fn looked_in_vain(&self, doubtful: &Send) -> Result<(), LedgerError> {
        self.write_doubtful(&looked(doubtful, self.now())).await.map(drop)
    }

    /// Settles a Send in doubt as delivered, because this message proves it. `false`: somebody settled it meanwhile,
    /// or the message has proved another Send before; nothing was written then.
    pub(crate) async fn settle_by_evidence(
        &self,
        doubtful: &Send,
        message_id: &MessageId,
        content: Option<&CampaignContent>,
    ) -> Result<bool, LedgerError> {
        let Some(claim) = &doubtful.claim else { return Ok(false) };
        let now = self.now();
        let outcome = SendOutcome::Delivered { message_id: message_id.clone() };
        let next = settle(&looked(doubtful, now), &outcome, now, self.policy);
        let expect = Expect::Claimed(claim.id.clone());
        let written = self.write_with_follow_up(&next, &expect, content, Some(message_id)).await?;
        let settled = written == Written::Done;
        if settled {
            let key = &next.key;
            tracing::info!(trigger = %key.trigger, leg = %key.leg, %message_id, "found on Instagram: it was delivered");
            self.tell(&next).await;
        }
        Ok(settled)
    }

    /// Teaches the gate that the account's token is dead, as a send that was refused for it does.
    pub(crate) async fn learn_dead_token(&self, account: &Account) -> Result<(), LedgerError> {
        let kind = RejectionKind::TokenDead;
        let rejection = Rejection { kind, code: 190, subcode: None, retry_after_seconds: None };
        let outcome = SendOutcome::Rejected(rejection);
        for _ in 0..MAX_ROUNDS {
            let (gate, _) = self.host.ledger().gates(&account.id).await?;
            let mut learnt = gate.clone();
            let hold = learnt.learn(&outcome, "sweep", account.token.version, self.now());
            let Some(hold) = hold else { return Ok(()) };
            learnt.revision += 1;
            if self.host.ledger().put_gate(&account.id, &learnt).await?.is_none() {
                self.tell_held(&account.id, &hold).await;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes a Send that is CLAIMED, if it still is by the same claim.
    async fn write_doubtful(&self, next: &Send) -> Result<bool, LedgerError> {
        let Some(claim) = &next.claim else { return Ok(false) };
        match self.host.ledger().put_send(next, &Expect::Claimed(claim.id.clone())).await? {
            Written::Done => Ok(true),
            Written::Refused(_) | Written::Moved => Ok(false),
        }
    }
}

/// What a Send's campaign promised, at the version that was promised: of the `known` campaigns if one stands at it.
/// `None`: it belongs to none, or that version is not there.
///
/// # Errors
/// When the ledger could not be read.
pub(crate) async fn content_of<'a>(
    ledger: &impl Ledger,
    account: &AccountId,
    mut known: impl Iterator<Item = &'a Campaign>,
    send: &Send,
) -> Result<Option<Cow<'a, CampaignContent>>, LedgerError> {
    let Some(promised) = &send.campaign else { return Ok(None) };
    match known.find(|campaign| campaign.reference() == *promised) {
        Some(campaign) => Ok(Some(Cow::Borrowed(&campaign.content))),
        None => Ok(ledger.campaign_version(account, promised).await?.map(Cow::Owned)),
    }
}

/// The text that a Send says. `None`: its version is not there.
pub(crate) fn text_of(
    account: &Account,
    content: Option<&CampaignContent>,
    send: &Send,
    tracked: Option<&LinksBase>,
) -> Option<String> {
    match (&send.campaign, content) {
        (None, _) => Some(confirmation(send, &account.opt_out).text),
        (Some(_), content) => content.map(|content| words(send, content, tracked).text),
    }
}
