//! The gates before a claim: stop, hold, pause, window, hour, month. In this order, and each for its reason
//! written on the Send that waits or ends.

use super::leg::LegEnd;
use super::{Back, Deliver};
use crate::accounts::PreparedAccount;
use crate::contended::{MAX_ROUNDS, change_gate};
use crate::ports::{Also, Host, Ledger, Written};
use openreply_domain::gate::{AccountGate, Hold, Passage, Stop};
use openreply_domain::ids::AccountId;
use openreply_domain::send::{Expect, Leg, Send, Skip, WaitingFor, park, skip, void};
use openreply_domain::slots::{Gate, Slot, start_of};
use openreply_domain::time::Timestamp;

/// What was taken for an attempt.
#[derive(Debug, Default, Clone)]
pub(super) struct Taken {
    pub(super) slot: Option<Slot>,
    pub(super) month: Option<String>,
}

/// What the gates came to.
pub(super) enum Passed {
    /// It may be claimed now.
    Through(Taken),
    /// It waits, or ended; its Send is written.
    Settled(LegEnd),
}

/// The calendar month in UTC that a moment lies in, as `2026-11`.
#[must_use]
pub fn month_of(moment: Timestamp) -> String {
    moment.strftime("%Y-%m").to_string()
}

impl<H: Host> Deliver<H> {
    /// Takes a Send through every gate.
    pub(super) async fn pass(
        &self,
        send: &Send,
        expect: &Expect,
        account: &PreparedAccount,
        gates: (AccountGate, Stop),
    ) -> Result<Passed, Back> {
        let (gate, stop) = gates;
        let now = self.now();
        if let Some(reason) = void(send, now) {
            return self.write(skip(send, Skip::Window, reason, now), expect, Vec::new()).await;
        }
        if let Some(reason) = stop.standing(now) {
            let parked = park(send, WaitingFor::Hold, None, &reason, now);
            return self.write(parked, expect, vec![Also::Stopped { revision: stop.revision }]).await;
        }
        let paused = account
            .campaigns
            .iter()
            .map(|c| &c.campaign)
            .find(|c| !c.active && send.campaign.as_ref().is_some_and(|own| own.id == c.id));
        if let Some(campaign) = paused {
            let parked = park(send, WaitingFor::Pause, None, "its campaign is paused", now);
            let also = Also::Paused { order: campaign.order, campaign: campaign.id.clone() };
            return self.write(parked, expect, vec![also]).await;
        }
        let slot = match send.key.leg {
            // Only private replies count against the hour; the hold counts for all.
            Leg::PublicReply(_) | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => {
                match gate.standing(now) {
                    Some(hold) => return self.held(send, expect, hold).await,
                    None => None,
                }
            }
            Leg::Dm => match self.take_slot(send, expect, gate).await? {
                Ok(slot) => Some(slot),
                Err(settled) => return Ok(settled),
            },
        };
        self.take_month(send, expect, slot).await
    }

    /// The hour gate: one conditional write, which a hold refuses.
    async fn take_slot(
        &self,
        send: &Send,
        expect: &Expect,
        mut gate: AccountGate,
    ) -> Result<Result<Slot, Passed>, Back> {
        for _ in 0..MAX_ROUNDS {
            let now = self.now();
            let mut next = gate.clone();
            next.revision += 1;
            let gate_says = match next.pass(self.policy.hourly_limit, now, send.reservation) {
                Passage::Held(hold) => return Ok(Err(self.held(send, expect, &hold).await?)),
                Passage::Hour(gate_says) => gate_says,
            };
            match self.host.ledger().put_gate(&send.key.trigger.account, &next).await? {
                Some(stands) => gate = stands,
                None => {
                    return Ok(match gate_says {
                        Gate::Taken(slot) => Ok(slot),
                        Gate::Reserved { minute } => Err(self.reserved(send, expect, minute).await?),
                    });
                }
            }
        }
        Err(Back::Crowded)
    }

    async fn reserved(&self, send: &Send, expect: &Expect, minute: i64) -> Result<Passed, Back> {
        let limit = self.policy.hourly_limit;
        let reason =
            format!("the account's {limit} private replies of this hour are used; a place is reserved");
        let send = Send { reservation: Some(minute), ..send.clone() };
        self.write(
            park(&send, WaitingFor::Slot, Some(start_of(minute)), &reason, self.now()),
            expect,
            Vec::new(),
        )
        .await
    }

    async fn take_month(&self, send: &Send, expect: &Expect, slot: Option<Slot>) -> Result<Passed, Back> {
        let limit = self.policy.monthly_limit;
        if limit == 0 || matches!(send.key.leg, Leg::PublicReply(_)) {
            return Ok(Passed::Through(Taken { slot, month: None }));
        }
        let month = month_of(self.now());
        if self.host.ledger().take_month(&month, limit).await? {
            return Ok(Passed::Through(Taken { slot, month: Some(month) }));
        }
        self.give_back(&send.key.trigger.account, &Taken { slot, month: None }).await;
        let reason = format!("the {limit} messages of {month} are used up (MonthlyDmLimit)");
        self.write(skip(send, Skip::Quota, reason, self.now()), expect, Vec::new()).await
    }

    /// Gives back what was taken for an attempt that was never made. What cannot be given back stays spent, which
    /// is the safe side.
    pub(super) async fn give_back(&self, account: &AccountId, taken: &Taken) {
        if let Some(slot) = &taken.slot
            && let Err(error) = change_gate(self.host.ledger(), account, |gate| gate.slots.refund(slot)).await
        {
            tracing::warn!(%account, %error, "a slot of the hour could not be given back; it stays used");
        }
        if let Some(month) = &taken.month
            && let Err(error) = self.host.ledger().return_month(month).await
        {
            tracing::warn!(%error, "a unit of the month could not be given back; it stays used");
        }
    }

    async fn held(&self, send: &Send, expect: &Expect, hold: &Hold) -> Result<Passed, Back> {
        let parked = park(send, WaitingFor::Hold, hold.until, &hold.reason.to_string(), self.now());
        self.write(parked, expect, vec![Also::Held(hold.clone())]).await
    }

    /// Writes a Send that waits or has ended; one that waits gets its timer.
    async fn write(&self, next: Send, expect: &Expect, also: Vec<Also>) -> Result<Passed, Back> {
        match self.put(&next, expect, &also).await? {
            Written::Done => {
                tracing::info!(trigger = %next.key.trigger, leg = %next.key.leg, state = ?next.state, "not now");
                self.tell(&next).await;
                self.set_timer(&next).await?;
                Ok(Passed::Settled(LegEnd::Ours))
            }
            Written::Refused(stands) => Ok(Passed::Settled(self.theirs(stands).await?)),
            // What it was to wait for is over this very moment: look again.
            Written::Moved => Err(Back::Moved),
        }
    }
}
