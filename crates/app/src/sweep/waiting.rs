//! What waits: a Send whose timer was lost, and one whose hold or pause is over, go on.

use super::Round;
use crate::ports::{Enqueue, Host, Ledger, LedgerError, Queue, Reader, SweepLedger, Timer};
use crate::resume::{is_over, wake};
use openreply_domain::send::Send;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::QueueIdentity;

/// How long after its time a timer may still fire by itself: schedules are up to a minute late.
const LATE: SignedDuration = SignedDuration::from_mins(2);

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// Decides on each as it stands in the ledger; the index that lists them may lag.
    pub(super) async fn redrive(&mut self) -> Result<(), LedgerError> {
        if !self.keeps_up {
            return Ok(());
        }
        let now = self.now();
        let mut lost = Vec::new();
        for send in self.ledger().waiting(self.id()).await? {
            if self.is_late() {
                self.summary
                    .note("the time of this round was over before everything that waits was looked at");
                break;
            }
            if is_over(&send, &self.account, &self.gate, &self.stop, now) {
                match wake(self.ledger(), self.host().queue(), &send, now).await {
                    Ok(true) => {
                        tracing::info!(trigger = %send.key.trigger, leg = %send.key.leg, "what it waited for is over: it goes on");
                        self.summary.redriven += 1;
                    }
                    // Somebody else woke or took it meanwhile.
                    Ok(false) => {}
                    Err(error) => {
                        self.summary.errors += 1;
                        tracing::error!(trigger = %send.key.trigger, leg = %send.key.leg, %error, "what waited could not be woken; the next round tries again");
                    }
                }
            } else if let Some(entry) = self.lost(&send, now) {
                lost.push(entry);
            }
        }
        self.summary.redriven += self.enqueue(&lost).await;
        Ok(())
    }

    /// A Send that is due and that nobody came for: its current wake once more, under an id of its own.
    fn lost(&self, send: &Send, now: Timestamp) -> Option<Enqueue> {
        let timer = Timer::of(send).filter(|timer| after(timer.due_at, LATE) <= now)?;
        tracing::info!(trigger = %send.key.trigger, leg = %send.key.leg, "due, and nobody came: its timer was lost");
        let name = format!("sweep_{}_{}", self.order.round.as_millisecond(), timer.name());
        let identity = QueueIdentity::new(&timer.key.trigger.account, &timer.user, &name);
        Some(Enqueue { identity, job: timer.job() })
    }

    /// Puts jobs on the queue. Returns how many it took.
    pub(super) async fn enqueue(&mut self, jobs: &[Enqueue]) -> u32 {
        if jobs.is_empty() {
            return 0;
        }
        let refused = match self.host().queue().enqueue(jobs).await {
            Ok(refused) => refused.len(),
            Err(error) => {
                tracing::error!(account = %self.id(), %error, "a sweep could not put anything on the queue");
                jobs.len()
            }
        };
        self.summary.errors += u32::try_from(refused).unwrap_or(u32::MAX);
        u32::try_from(jobs.len() - refused).unwrap_or(u32::MAX)
    }
}
