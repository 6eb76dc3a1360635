//! Writing down what became of a call.

use super::{Back, Deliver};
use crate::job::Job;
use crate::ports::{Enqueue, Host, Ledger, LedgerError, Queue, Written};
use openreply_domain::ids::ClaimId;
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::{Expect, LateSettle, Send, SendKey, State, settle, settle_late};
use openreply_domain::trigger::QueueIdentity;

impl<H: Host> Deliver<H> {
    /// Settles a claim with what became of its call. What cannot be written goes onto the queue as a job of
    /// its own; if that fails too, the claim stays, which is the safe side: it reads UNCONFIRMED, and nothing
    /// is sent again.
    ///
    /// # Errors
    /// Only when it waits now and its timer may not be set: the job then goes back, meets it waiting, and sets
    /// the timer.
    pub(super) async fn settle(&self, claimed: &Send, outcome: SendOutcome) -> Result<(), Back> {
        let Some(claim) = claimed.claim.as_ref().map(|claim| claim.id.clone()) else { return Ok(()) };
        log(claimed, &outcome);
        let mut written = self.write_settle(claimed, &claim, &outcome).await;
        if written.is_err() {
            written = self.write_settle(claimed, &claim, &outcome).await;
        }
        let error = match written {
            Ok(Some(stands)) => return self.set_timer(&stands).await,
            Ok(None) => return Ok(()),
            Err(error) => error,
        };
        let key = claimed.key.clone();
        tracing::error!(trigger = %key.trigger, leg = %key.leg, %error, "the outcome could not be recorded; putting it on the queue");
        let name = format!("settle_{}_{}_{claim}", key.trigger, key.leg);
        let identity = QueueIdentity::new(&key.trigger.account, &claimed.user, &name);
        let (trigger, leg) = (key.trigger.clone(), key.leg.clone());
        let job = Job::Settle { key, claim, outcome };
        let lost = match self.host.queue().enqueue(&[Enqueue { identity, job }]).await {
            Ok(refused) => refused.first().map(|refused| refused.code.clone()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = lost {
            tracing::error!(%trigger, %leg, why, "the outcome is lost; the message stays unconfirmed and is never repeated");
        }
        Ok(())
    }

    /// A settle that came by the queue.
    pub(super) async fn settle_later(
        &self,
        key: &SendKey,
        claim: &ClaimId,
        outcome: &SendOutcome,
    ) -> Result<(), Back> {
        let stored = self.host.ledger().sends(&key.trigger, std::slice::from_ref(&key.leg)).await?.pop();
        match stored {
            Some(stored) if matches!(stored.state, State::Claimed { .. }) && stored.carries(claim) => {
                match self.write_settle(&stored, claim, outcome).await? {
                    Some(stands) => self.set_timer(&stands).await,
                    None => Ok(()),
                }
            }
            // Settled before, and perhaps waiting without a timer.
            Some(stored) if stored.carries(claim) => self.set_timer(&stored).await,
            stored => {
                log_late(key, &settle_late(stored.as_ref(), claim));
                Ok(())
            }
        }
    }

    /// Returns the Send as this claim's settle left it, now or earlier.
    async fn write_settle(
        &self,
        claimed: &Send,
        claim: &ClaimId,
        outcome: &SendOutcome,
    ) -> Result<Option<Send>, LedgerError> {
        let next = settle(claimed, outcome, self.now(), self.policy);
        match self.host.ledger().put_send(&next, &Expect::Claimed(claim.clone())).await? {
            Written::Done => Ok(Some(next)),
            Written::Refused(stands) => {
                log_late(&claimed.key, &settle_late(stands.as_deref(), claim));
                Ok(stands.filter(|stands| stands.carries(claim)).map(|stands| *stands))
            }
        }
    }
}

fn log_late(key: &SendKey, late: &LateSettle) {
    match late {
        LateSettle::Already => {}
        LateSettle::Superseded => {
            tracing::warn!(trigger = %key.trigger, leg = %key.leg, "an outcome came for a claim that no longer holds; ignored");
        }
    }
}

fn log(claimed: &Send, outcome: &SendOutcome) {
    let (trigger, leg, campaign) = (&claimed.key.trigger, &claimed.key.leg, &claimed.campaign.id);
    let attempt = claimed.attempts;
    match outcome {
        SendOutcome::Delivered { message_id } => {
            tracing::info!(%trigger, %leg, %campaign, attempt, %message_id, "sent");
        }
        SendOutcome::Rejected(rejection) => {
            tracing::warn!(%trigger, %leg, %campaign, attempt, %rejection, "rejected");
        }
        SendOutcome::NotSent(why) => tracing::warn!(%trigger, %leg, %campaign, attempt, %why, "not sent"),
        SendOutcome::Unconfirmed(doubt) => {
            tracing::error!(%trigger, %leg, %campaign, attempt, %doubt, "unconfirmed: nobody knows whether it was delivered; it is not repeated");
        }
    }
}
