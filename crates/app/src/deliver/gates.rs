//! The gates right before a claim, each one atomic write: the hour, then the month.

use super::leg::LegEnd;
use super::{Back, Deliver};
use crate::contended::{MAX_ROUNDS, change_gate};
use crate::ports::{Host, Ledger};
use openreply_domain::campaign::CampaignContent;
use openreply_domain::gate::{AccountGate, Passage};
use openreply_domain::send::{Expect, Leg, Send, Skip, WaitingFor, park};
use openreply_domain::slots::{Gate, Slot, start_of};
use openreply_domain::time::Timestamp;

/// What was taken for an attempt.
#[derive(Debug, Default, Clone)]
pub(super) struct Taken {
    pub(super) slot: Option<Slot>,
    pub(super) month: Option<String>,
}

/// The calendar month in UTC that a moment lies in, as `2026-11`.
#[must_use]
pub fn month_of(moment: Timestamp) -> String {
    moment.strftime("%Y-%m").to_string()
}

impl<H: Host> Deliver<H> {
    /// Takes what an attempt costs. `Err`: it waits, or ended; its Send is written.
    pub(super) async fn take(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        gate: AccountGate,
    ) -> Result<Result<Taken, LegEnd>, Back> {
        // Instagram's hourly cap is on private replies; the hold counts for all and was looked at.
        let slot = match send.key.leg {
            Leg::Dm => match self.take_slot(send, expect, content, gate).await? {
                Ok(slot) => Some(slot),
                Err(end) => return Ok(Err(end)),
            },
            Leg::PublicReply(_) | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => {
                None
            }
        };
        self.take_month(send, expect, content, slot).await
    }

    /// The hour gate: one conditional write, which a hold refuses.
    async fn take_slot(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        mut gate: AccountGate,
    ) -> Result<Result<Slot, LegEnd>, Back> {
        for _ in 0..MAX_ROUNDS {
            let now = self.now();
            let mut next = gate.clone();
            next.revision += 1;
            let gate_says = match next.pass(self.policy.hourly_limit, now, send.reservation, &send.user) {
                Passage::Held(hold) => return Ok(Err(self.held(send, expect, content, &hold).await?)),
                Passage::Hour(gate_says) => gate_says,
            };
            match self.host.ledger().put_gate(&send.key.trigger.account, &next).await? {
                Some(stands) => gate = stands,
                None => {
                    return Ok(match gate_says {
                        Gate::Taken(slot) => Ok(slot),
                        Gate::Reserved { minute } => {
                            Err(self.reserved(send, expect, content, minute).await?)
                        }
                    });
                }
            }
        }
        Err(Back::Crowded)
    }

    async fn reserved(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        minute: i64,
    ) -> Result<LegEnd, Back> {
        let limit = self.policy.hourly_limit;
        let reason =
            format!("the account's {limit} private replies of this hour are used; a place is reserved");
        let send = Send { reservation: Some(minute), ..send.clone() };
        let parked = park(&send, WaitingFor::Slot, Some(start_of(minute)), &reason, self.now());
        self.write(parked, expect, Vec::new(), content).await
    }

    async fn take_month(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        slot: Option<Slot>,
    ) -> Result<Result<Taken, LegEnd>, Back> {
        let limit = self.policy.monthly_limit;
        if limit == 0 || matches!(send.key.leg, Leg::PublicReply(_)) {
            return Ok(Ok(Taken { slot, month: None }));
        }
        let month = month_of(self.now());
        let taken = self.host.ledger().take_month(&month, limit).await;
        if let Err(error) = taken {
            // Whether the unit was taken nobody knows; that the slot was not used is certain.
            self.give_back(send, &Taken { slot, month: None }).await;
            return Err(error.into());
        }
        if taken? {
            return Ok(Ok(Taken { slot, month: Some(month) }));
        }
        self.give_back(send, &Taken { slot, month: None }).await;
        let reason = format!("the {limit} messages of {month} are used up (MonthlyDmLimit)");
        Ok(Err(self.ends(send, expect, content, (Skip::Quota, reason)).await?))
    }

    /// Gives back what was taken for an attempt that was never made. What cannot be given back stays spent, which
    /// is the safe side.
    pub(super) async fn give_back(&self, send: &Send, taken: &Taken) {
        let account = &send.key.trigger.account;
        if let Some(slot) = &taken.slot
            && let Err(error) =
                change_gate(self.host.ledger(), account, |gate| gate.refund(slot, &send.user)).await
        {
            tracing::warn!(%account, %error, "a slot of the hour could not be given back; it stays used");
        }
        if let Some(month) = &taken.month
            && let Err(error) = self.host.ledger().return_month(month).await
        {
            tracing::warn!(%error, "a unit of the month could not be given back; it stays used");
        }
    }
}
