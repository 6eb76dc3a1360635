//! Webhook events that never got onto the queue, and what all of them tell of ads.

use super::{Summary, Sweep, SweepOrder};
use crate::job::Job;
use crate::ports::{
    AdMedia, Enqueue, EventBodies, EventRecord, EventStatus, EventsOfMinute, Host, Ledger, LedgerError,
    Queue, Reader, SweepLedger,
};
use openreply_domain::ids::AccountId;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::{QueueIdentity, Trigger};
use std::collections::HashSet;

/// An event that is not on the queue after so long was lost on the way.
const STUCK_AFTER: SignedDuration = SignedDuration::from_mins(2);
/// How far the first sweep of a stack looks back.
const FIRST_LOOK: SignedDuration = SignedDuration::from_hours(6);
/// These latest minutes every round looks at, however far behind the rest is.
const LATEST: SignedDuration = SignedDuration::from_mins(10);
/// Minutes before them that one round looks at. What is left is looked at in the next.
const EARLIER: usize = 60;
/// What is older cannot be answered any more, and is forgotten by the ledger.
const OLDEST: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long an ad is remembered: comments on it are looked for as long, and whoever comments later names it again.
const ADS_LAST: SignedDuration = SignedDuration::from_hours(90 * 24);
const LATE: &str = "the time of this round was over before every webhook event was looked at";
const UNREADABLE: &str = "a webhook event cannot be read: what it told of is found only if it was a comment; the log says which it is";
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

impl<H, R, E> Sweep<H, R, E>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
    E: EventBodies,
{
    /// What concerns the whole stack.
    pub(super) async fn stack(
        &self,
        order: &SweepOrder,
        deadline: Timestamp,
    ) -> Result<Summary, LedgerError> {
        let (mut summary, now) = (Summary::default(), self.now());
        let accounts: HashSet<AccountId> = self.ledger().account_ids().await?.into_iter().collect();
        let keeps_up = self.keeps_up(now).await?;
        if !keeps_up {
            summary.note("the queue is behind, or the consumer does not run: nothing was put on it");
        }
        let ripe = after(now, -STUCK_AFTER);
        let checked = self.ledger().events_checked().await?;
        // Everything before this moment is on the queue, or too old.
        let mut well_until =
            start_of_minute(checked.unwrap_or_else(|| after(now, -FIRST_LOOK)).max(after(now, -OLDEST)));
        let mut ads: HashSet<(AccountId, AdMedia)> = HashSet::new();
        for minute in minutes(well_until, now) {
            if self.now() >= deadline {
                summary.note(LATE);
                break;
            }
            // A minute that is in trouble keeps no other from being looked at.
            let EventsOfMinute { events, unreadable } = match self.ledger().events(minute).await {
                Ok(found) => found,
                Err(error) => {
                    tracing::error!(%minute, %error, "a minute's webhook events could not be read; the next round tries again");
                    summary.errors += 1;
                    continue;
                }
            };
            if unreadable > 0 {
                summary.errors += u32::try_from(unreadable).unwrap_or(u32::MAX);
                summary.note(UNREADABLE);
            }
            let mut all_well = true;
            for event in events {
                if self.now() >= deadline {
                    summary.note(LATE);
                    all_well = false;
                    break;
                }
                let Ok(parsed) = self.bodies.parse(&event.body) else { continue };
                if let Err(error) = self.learn_ads(&parsed.triggers, &accounts, &mut ads).await {
                    tracing::error!(event = event.key.id, %error, "an ad could not be remembered; the next round tries again");
                    summary.errors += 1;
                    all_well = false;
                }
                if event.status != EventStatus::Processed && event.key.received_at <= ripe {
                    all_well &= keeps_up && self.recover(&event, parsed.triggers, order, &mut summary).await;
                }
            }
            let next = after(minute, MINUTE);
            if all_well && minute == well_until && next <= ripe {
                well_until = next;
            }
        }
        if checked != Some(well_until) {
            self.ledger().set_events_checked(well_until).await?;
        }
        Ok(summary)
    }

    /// Puts the triggers of an event on the queue once more. `false`: not all of them.
    async fn recover(
        &self,
        event: &EventRecord,
        triggers: Vec<Trigger>,
        order: &SweepOrder,
        summary: &mut Summary,
    ) -> bool {
        let (round, received_at) = (order.round.as_millisecond(), event.key.received_at);
        let jobs: Vec<Enqueue> = triggers
            .into_iter()
            .map(|trigger| {
                let name = format!("event_{round}_{}_{}", event.key.id, trigger.key());
                let identity = QueueIdentity::new(trigger.account(), trigger.from(), &name);
                Enqueue { identity, job: Job::Ingested { trigger, received_at } }
            })
            .collect();
        let taken = match self.host().queue().enqueue(&jobs).await {
            Ok(refused) => refused.is_empty(),
            Err(_) => false,
        };
        let marked = taken && self.ledger().mark_event(&event.key, &EventStatus::Processed).await.is_ok();
        if marked {
            for trigger in jobs.iter().filter_map(|entry| entry.job.trigger()) {
                tracing::info!(%trigger, "its webhook event was stuck: on the queue now");
            }
            tracing::warn!(
                event = event.key.id,
                triggers = jobs.len(),
                "a webhook event was stuck and is on the queue now"
            );
            summary.recovered += 1;
        } else {
            tracing::error!(
                event = event.key.id,
                "a stuck webhook event could not be put on the queue; the next round tries again"
            );
            summary.errors += 1;
        }
        marked
    }

    /// Comments on an ad stand under media of their own, which nothing but a webhook tells of.
    async fn learn_ads(
        &self,
        triggers: &[Trigger],
        accounts: &HashSet<AccountId>,
        known: &mut HashSet<(AccountId, AdMedia)>,
    ) -> Result<(), LedgerError> {
        for trigger in triggers {
            let Trigger::Comment(comment) = trigger else { continue };
            let (Some(ad), Some(post)) = (&comment.media, &comment.original_media) else { continue };
            let learnt = (comment.account.clone(), AdMedia { post: post.clone(), ad: ad.clone() });
            if ad != post && accounts.contains(&comment.account) && !known.contains(&learnt) {
                let until = after(self.now(), ADS_LAST);
                self.ledger().record_ad(&learnt.0, &learnt.1, until).await?;
                known.insert(learnt);
            }
        }
        Ok(())
    }
}

/// The minutes that a round looks at: some from `from` on, and the latest.
fn minutes(from: Timestamp, now: Timestamp) -> Vec<Timestamp> {
    let latest = start_of_minute(after(now, -LATEST)).max(from);
    let run = |from: Timestamp, until: Timestamp| {
        std::iter::successors(Some(from), |minute| Some(after(*minute, MINUTE)))
            .take_while(move |minute| *minute < until)
    };
    run(from, latest).take(EARLIER).chain(run(latest, after(now, SignedDuration::from_millis(1)))).collect()
}

fn start_of_minute(moment: Timestamp) -> Timestamp {
    after(moment, -SignedDuration::from_millis(moment.as_millisecond().rem_euclid(60_000)))
}
