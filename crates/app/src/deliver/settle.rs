//! Writing down what became of a call.

use super::rules::frees_once;
use super::{Back, Deliver};
use crate::contended::MAX_ROUNDS;
use crate::job::Job;
use crate::ports::{Also, Enqueue, Host, Ledger, LedgerError, Queue, Written};
use openreply_domain::campaign::CampaignContent;
use openreply_domain::gate::{Hold, Stop};
use openreply_domain::ids::{ClaimId, MessageId};
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::{Expect, LateSettle, Send, SendKey, State, follow_up, settle, settle_late};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::QueueIdentity;

impl<H: Host> Deliver<H> {
    /// Settles a claim with what became of its call. What cannot be written goes onto the queue as a job of
    /// its own; if that fails too, the claim stays, which is the safe side: it reads UNCONFIRMED, and nothing
    /// is sent again.
    ///
    /// # Errors
    /// Only when it waits now and its timer may not be set: the job then goes back, meets it waiting, and sets
    /// the timer.
    pub(super) async fn settle(
        &self,
        claimed: &Send,
        outcome: SendOutcome,
        content: Option<&CampaignContent>,
    ) -> Result<(), Back> {
        let Some(claim) = claimed.claim.as_ref().map(|claim| claim.id.clone()) else { return Ok(()) };
        log(claimed, &outcome);
        let mut written = self.write_settle(claimed, &claim, &outcome, content).await;
        if written.is_err() {
            written = self.write_settle(claimed, &claim, &outcome, content).await;
        }
        let error = match written {
            Ok(Some(stands)) => {
                self.tell(&stands).await;
                return self.set_timer(&stands).await;
            }
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
        let account = self.accounts.get(self.host.ledger(), &key.trigger.account, self.now()).await?;
        let content = match (&stored, &account) {
            (Some(stored), Some(account)) => self.content(stored, account).await?,
            (Some(_) | None, _) => None,
        };
        match stored {
            Some(stored) if matches!(stored.state, State::Claimed { .. }) && stored.carries(claim) => {
                match self.write_settle(&stored, claim, outcome, content.as_deref()).await? {
                    Some(stands) => {
                        self.tell(&stands).await;
                        self.set_timer(&stands).await
                    }
                    None => Ok(()),
                }
            }
            stored => match self.settle_released(key, stored, claim, outcome, content.as_deref()).await? {
                // Settled before, and perhaps waiting without a timer.
                Some(stored) if stored.carries(claim) => self.set_timer(&stored).await,
                Some(_) | None => Ok(()),
            },
        }
    }

    /// Returns the Send as this claim's settle left it, now or earlier.
    async fn write_settle(
        &self,
        claimed: &Send,
        claim: &ClaimId,
        outcome: &SendOutcome,
        content: Option<&CampaignContent>,
    ) -> Result<Option<Send>, LedgerError> {
        let next = settle(claimed, outcome, self.now(), self.policy);
        let expect = Expect::Claimed(claim.clone());
        let written = match outcome {
            SendOutcome::Delivered { .. } => self.write_with_follow_up(&next, &expect, content, None).await?,
            SendOutcome::Rejected(_) | SendOutcome::NotSent(_) | SendOutcome::Unconfirmed(_) => {
                let ended = matches!(next.state, State::Failed { .. } | State::Skipped { .. });
                let frees = if ended { frees_once(claimed, content) } else { None };
                self.write_with_lesson(claimed, &next, &expect, outcome, frees).await?
            }
        };
        match written {
            Written::Done => Ok(Some(next)),
            Written::Refused(stands) => {
                let stands = stands.map(|stands| *stands);
                let stands = self.settle_released(&claimed.key, stands, claim, outcome, content).await?;
                Ok(stands.filter(|stands| stands.carries(claim)))
            }
            Written::Moved => Err(LedgerError::Transient {
                action: "settle a message",
                cause: "others keep writing the account's gate first".to_owned(),
            }),
        }
    }

    /// A settle that finds the ledger other than its claim left it: a delivery counts even if a person released the
    /// claim meanwhile. Returns what stands there now.
    async fn settle_released(
        &self,
        key: &SendKey,
        mut stored: Option<Send>,
        claim: &ClaimId,
        outcome: &SendOutcome,
        content: Option<&CampaignContent>,
    ) -> Result<Option<Send>, LedgerError> {
        for _ in 0..MAX_ROUNDS {
            let late = settle_late(stored.as_ref(), claim, outcome, self.now());
            log_late(key, &late);
            let (next, expect) = match late {
                LateSettle::Already | LateSettle::Superseded => return Ok(stored),
                LateSettle::Arrived(next, expect) => (*next, expect),
            };
            match self.write_with_follow_up(&next, &expect, content, None).await? {
                Written::Done => return Ok(Some(next)),
                Written::Refused(stands) => stored = stands.map(|stands| *stands),
                Written::Moved => {}
            }
        }
        Ok(stored)
    }

    /// Writes that a message was delivered, together with the follow-up that it promises, if there was none yet:
    /// no crash loses it. Its timer is set first; one that fires for nothing does nothing. `proof`: the message that
    /// proves the delivery, which must have proved none before.
    pub(super) async fn write_with_follow_up(
        &self,
        sent: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        proof: Option<&MessageId>,
    ) -> Result<Written, LedgerError> {
        // A proof that was used before stays used.
        let rounds = if proof.is_some() { 2 } else { MAX_ROUNDS };
        for _ in 0..rounds {
            let mut also = Vec::new();
            also.extend(proof.map(|message_id| Also::Proof { message_id: message_id.clone() }));
            if let Some(later) = begins(self.host.ledger(), sent, content, self.now()).await? {
                let mut set = self.set_timer(&later).await;
                if set.is_err() {
                    set = self.set_timer(&later).await;
                }
                if let Err(back) = set {
                    tracing::error!(trigger = %later.key.trigger, %back, "the timer of a follow-up may not be set; the sweep will find it");
                }
                also.push(Also::Begin(Box::new(later)));
            }
            match self.put(sent, expect, &also).await? {
                // Somebody else began it meanwhile.
                Written::Moved => {}
                written @ (Written::Done | Written::Refused(_)) => return Ok(written),
            }
        }
        Ok(Written::Moved)
    }

    /// Writes a settle together with what the account's gate learns from it and gets back: a slot and a unit of
    /// the month that were certainly not used. What the app's refusal means for the whole stack is written first.
    async fn write_with_lesson(
        &self,
        claimed: &Send,
        next: &Send,
        expect: &Expect,
        outcome: &SendOutcome,
        frees: Option<Also>,
    ) -> Result<Written, LedgerError> {
        let mut app_hold = None;
        let written = self.write_lesson(claimed, next, expect, outcome, frees, &mut app_hold).await;
        // Told last, and whatever became of the settle: it had to be written first, and the hold stands.
        if let Some(hold) = app_hold {
            self.tell_app_held(&hold).await;
        }
        written
    }

    async fn write_lesson(
        &self,
        claimed: &Send,
        next: &Send,
        expect: &Expect,
        outcome: &SendOutcome,
        frees: Option<Also>,
        app_hold: &mut Option<Hold>,
    ) -> Result<Written, LedgerError> {
        let account = &claimed.key.trigger.account;
        let Some(claim) = &claimed.claim else { return self.host.ledger().put_send(next, expect).await };
        let delivery = format!("{} {}", claimed.key.trigger, claimed.key.leg);
        let is_certain = !matches!(outcome, SendOutcome::Unconfirmed(_));
        for _ in 0..MAX_ROUNDS {
            let (gate, stop) = self.host.ledger().gates(account).await?;
            if let Some(hold) = self.hold_app(stop, outcome).await? {
                *app_hold = Some(hold);
            }
            let mut learnt = gate.clone();
            let hold = learnt.learn(outcome, &delivery, claim.token_version, self.now());
            let mut also: Vec<Also> = frees.clone().into_iter().collect();
            if is_certain && let Some(slot) = &claim.slot {
                learnt.refund(slot, &claimed.user);
            }
            if learnt != gate {
                learnt.revision += 1;
                also.push(Also::Gate(learnt));
            }
            if is_certain && let Some(month) = &claim.month {
                also.push(Also::ReturnMonth(month.clone()));
            }
            match self.put(next, expect, &also).await? {
                Written::Moved => {}
                Written::Done => {
                    if let Some(hold) = hold {
                        self.tell_held(account, &hold).await;
                    }
                    return Ok(Written::Done);
                }
                Written::Refused(stands) => return Ok(Written::Refused(stands)),
            }
        }
        Ok(Written::Moved)
    }

    /// Holds the app if the answer refuses it, also when somebody else changes the stop at the same time. Returns
    /// the hold that this made.
    async fn hold_app(&self, mut stop: Stop, outcome: &SendOutcome) -> Result<Option<Hold>, LedgerError> {
        for _ in 0..MAX_ROUNDS {
            let mut next = Stop { revision: stop.revision + 1, ..stop };
            let Some(hold) = next.learn(outcome, self.now()) else { return Ok(None) };
            match self.host.ledger().put_stop(&next).await? {
                Some(stands) => stop = stands,
                None => return Ok(Some(hold)),
            }
        }
        Err(LedgerError::Transient {
            action: "hold the app",
            cause: "others keep changing the stop first".to_owned(),
        })
    }
}

/// The follow-up that begins with a delivery, if it promises one and there is none yet.
pub(crate) async fn begins(
    ledger: &impl Ledger,
    sent: &Send,
    content: Option<&CampaignContent>,
    now: Timestamp,
) -> Result<Option<Send>, LedgerError> {
    let Some(later) = content.and_then(|content| follow_up(sent, content, now)) else { return Ok(None) };
    let begun = ledger.sends(&later.key.trigger, std::slice::from_ref(&later.key.leg)).await?;
    Ok(begun.is_empty().then_some(later))
}

fn log_late(key: &SendKey, late: &LateSettle) {
    match late {
        LateSettle::Already => {}
        LateSettle::Arrived(_, _) => {
            tracing::warn!(trigger = %key.trigger, leg = %key.leg, "a released claim had delivered after all: the message counts as sent");
        }
        LateSettle::Superseded => {
            tracing::warn!(trigger = %key.trigger, leg = %key.leg, "an outcome came for a claim that no longer holds; ignored");
        }
    }
}

fn log(claimed: &Send, outcome: &SendOutcome) {
    let (trigger, leg, campaign) =
        (&claimed.key.trigger, &claimed.key.leg, claimed.campaign.as_ref().map(|c| c.id.as_str()));
    let attempt = claimed.attempts;
    match outcome {
        SendOutcome::Delivered { message_id } => {
            tracing::info!(%trigger, %leg, campaign, attempt, %message_id, "sent");
        }
        SendOutcome::Rejected(rejection) => {
            tracing::warn!(%trigger, %leg, campaign, attempt, %rejection, "rejected");
        }
        SendOutcome::NotSent(why) => tracing::warn!(%trigger, %leg, campaign, attempt, %why, "not sent"),
        SendOutcome::Unconfirmed(doubt) => {
            tracing::error!(%trigger, %leg, campaign, attempt, %doubt, "unconfirmed: nobody knows whether it was delivered; it is not repeated");
        }
    }
}
