//! The rules that end or delay a message before anything is taken for it: window, opt-out, stop, pause, repeat,
//! hold, fuse. In this order, and each for its reason written on the Send.

use super::leg::LegEnd;
use super::{Back, Deliver};
use crate::accounts::PreparedAccount;
use crate::ports::{Also, Host, Ledger, Standing, Written};
use openreply_domain::campaign::{CampaignContent, Repeat};
use openreply_domain::contact::FUSE;
use openreply_domain::gate::Hold;
use openreply_domain::ids::CampaignId;
use openreply_domain::send::{Expect, Leg, Send, Skip, State, WaitingFor, park, skip, void};
use openreply_domain::time::Timestamp;

impl<H: Host> Deliver<H> {
    /// Writes why a Send may not go now, if so. `content` is what its campaign promised; an account that speaks
    /// for itself has none.
    pub(super) async fn refused(
        &self,
        send: &Send,
        expect: &Expect,
        account: &PreparedAccount,
        content: Option<&CampaignContent>,
        standing: &Standing,
    ) -> Result<Option<LegEnd>, Back> {
        let now = self.now();
        let contact = &standing.contact;
        if let Some(reason) = void(send, contact.closes_at(), now) {
            return self.ends(send, expect, content, (Skip::Window, reason)).await.map(Some);
        }
        // Whoever opts out is told so, and that is the last.
        if contact.is_out() && send.campaign.is_some() {
            let reason = "the person asked for no automated messages (until they write START)".to_owned();
            return self.ends(send, expect, content, (Skip::OptOut, reason)).await.map(Some);
        }
        if let Some(reason) = standing.stop.standing(now) {
            let parked = park(send, WaitingFor::Hold, None, &reason, now);
            let also = vec![Also::Stopped { revision: standing.stop.revision }];
            return self.write(parked, expect, also, content).await.map(Some);
        }
        let own = |id: &CampaignId| send.campaign.as_ref().is_some_and(|own| own.id == *id);
        let paused = account.campaigns.iter().map(|c| &c.campaign).find(|c| !c.active && own(&c.id));
        if let Some(campaign) = paused {
            if send.key.leg == Leg::FollowUp {
                let reason = "its campaign was paused when its time came".to_owned();
                return self.ends(send, expect, content, (Skip::Paused, reason)).await.map(Some);
            }
            let parked = park(send, WaitingFor::Pause, None, "its campaign is paused", now);
            let also = Also::Paused { order: campaign.order, campaign: campaign.id.clone() };
            return self.write(parked, expect, vec![also], content).await.map(Some);
        }
        if let Some(reason) = self.repeats(send, content).await? {
            return self.ends(send, expect, content, (Skip::Repeat, reason)).await.map(Some);
        }
        if let Some(hold) = standing.gate.standing(now) {
            return self.held(send, expect, content, hold).await.map(Some);
        }
        if let Some(reason) = blows_fuse(send, standing, now) {
            self.tell_fuse(&send.key.trigger.account).await;
            return self.ends(send, expect, content, (Skip::Fuse, reason)).await.map(Some);
        }
        Ok(None)
    }

    pub(super) async fn held(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        hold: &Hold,
    ) -> Result<LegEnd, Back> {
        let parked = park(send, WaitingFor::Hold, hold.until, &hold.reason.to_string(), self.now());
        self.write(parked, expect, vec![Also::Held(hold.clone())], content).await
    }

    /// Ends a Send unsent.
    pub(super) async fn ends(
        &self,
        send: &Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        (why, reason): (Skip, String),
    ) -> Result<LegEnd, Back> {
        self.write(skip(send, why, reason, self.now()), expect, Vec::new(), content).await
    }

    /// Writes a Send that waits or has ended. One that waits gets its timer; one that ended frees what it had taken.
    pub(super) async fn write(
        &self,
        next: Send,
        expect: &Expect,
        mut also: Vec<Also>,
        content: Option<&CampaignContent>,
    ) -> Result<LegEnd, Back> {
        if matches!(next.state, State::Skipped { .. }) {
            also.extend(frees_once(&next, content));
        }
        match self.put(&next, expect, &also).await? {
            Written::Done => {
                tracing::info!(trigger = %next.key.trigger, leg = %next.key.leg, state = ?next.state, "not now");
                self.tell(&next).await;
                self.set_timer(&next).await?;
                Ok(LegEnd::Ours)
            }
            Written::Refused(stands) => self.theirs(stands).await,
            // What it was to wait for is over this very moment: look again.
            Written::Moved => Err(Back::Moved),
        }
    }

    /// Why a comment's message may not go out because the person had it before.
    async fn repeats(&self, send: &Send, content: Option<&CampaignContent>) -> Result<Option<String>, Back> {
        let (Some(campaign), true) = (&send.campaign, is_once(send, content)) else { return Ok(None) };
        let account = &send.key.trigger.account;
        let taken_by = self.host.ledger().once(account, &campaign.id, &send.user).await?;
        Ok(taken_by.filter(|trigger| *trigger != send.key.trigger).map(|trigger| {
            format!("this person gets campaign {} once, and got it for {trigger}", campaign.id)
        }))
    }
}

/// Whether a Send is one that goes out once per person: what a comment gets of such a campaign.
fn is_once(send: &Send, content: Option<&CampaignContent>) -> bool {
    let of_comment = matches!(send.key.leg, Leg::Dm | Leg::PublicReply(_));
    of_comment && content.is_some_and(|content| content.repeat == Repeat::OncePerPerson)
}

/// Takes the right to send a message that goes out once per person.
pub(super) fn takes_once(send: &Send, content: Option<&CampaignContent>) -> Option<Also> {
    let campaign = send.campaign.as_ref().filter(|_| send.key.leg == Leg::Dm && is_once(send, content))?;
    Some(Also::TakeOnce(campaign.id.clone()))
}

/// Gives that right back, where the Send took it: with its first claim.
pub(super) fn frees_once(send: &Send, content: Option<&CampaignContent>) -> Option<Also> {
    send.claim.as_ref()?;
    let campaign = send.campaign.as_ref().filter(|_| send.key.leg == Leg::Dm && is_once(send, content))?;
    Some(Also::FreeOnce(campaign.id.clone()))
}

/// Why a person gets no more for now.
fn blows_fuse(send: &Send, standing: &Standing, now: Timestamp) -> Option<String> {
    if matches!(send.key.leg, Leg::PublicReply(_)) {
        return None;
    }
    let lately = standing.gate.people.count(&send.user, now) + standing.contact.went_lately(&send.key, now);
    (lately >= FUSE).then(|| {
        format!("the person got {lately} automated messages within an hour, and nobody gets more than {FUSE}")
    })
}
