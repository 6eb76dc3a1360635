//! Sweep: what was missed is found, what is doubtful is settled by evidence, what waits without a timer goes on, and
//! somebody is told before a token ends.
//!
//! Guarantees:
//! - A sweep sends nothing. It puts jobs on the queue, and the ledger decides on each as on any other.
//! - What an index lists is decided on as its item stands.
//! - One account's trouble ends nothing of another's; one step's trouble ends no other step.
//! - Reads never take the calls that sends need: they end when much of them is used, and rest when Instagram says so.
//! - While the queue is behind, nothing is added to it.

mod answered;
mod doubt;
mod events;
mod missed;
mod pages;
mod plan;
mod posts;
mod reading;
mod reel;
mod summary;
mod thread;
mod token;
mod waiting;

pub use plan::plan;
pub use summary::Summary;
pub(crate) use thread::WHOLE;

use crate::contended::Unchanged;
use crate::deliver::Deliver;
use crate::ports::{
    Clock, EventBodies, Host, Ledger, LedgerError, Progress, Pulse, Reader, SweepLedger, SweepRecord, Vault,
};
use crate::resume::end_hold;
use openreply_domain::campaign::Account;
use openreply_domain::gate::{AccountGate, HoldReason, Stop};
use openreply_domain::ids::AccountId;
use openreply_domain::time::{SignedDuration, Timestamp};
use posts::OwnMedia;
use reading::Reading;
use serde::{Deserialize, Serialize};

/// What travels on the sweep queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepOrder {
    /// The account to sweep. `None`: what concerns the whole stack.
    pub account: Option<AccountId>,
    /// The round it belongs to: its planned moment, which names what it enqueues.
    #[serde(with = "openreply_domain::time::millis")]
    pub round: Timestamp,
}

/// The use case of the reconciler function.
pub struct Sweep<H, R, E> {
    /// What settles, and the ports.
    pub deliver: Deliver<H>,
    /// What Instagram shows.
    pub reader: R,
    /// What understands the webhook's bodies.
    pub bodies: E,
    /// How long after a write an index may not show it yet. A message that is younger proves nothing.
    pub index_lag: SignedDuration,
}

/// One sweep of one account.
struct Round<'a, H: Host, R> {
    deliver: &'a Deliver<H>,
    account: Account,
    gate: AccountGate,
    stop: Stop,
    /// Whether the queue takes more work.
    keeps_up: bool,
    order: &'a SweepOrder,
    reader: &'a R,
    reading: Reading,
    own: OwnMedia,
    progress: Progress,
    /// Pages of comments that were read.
    pages_read: u32,
    /// When it has to be over.
    deadline: Timestamp,
    index_lag: SignedDuration,
    summary: Summary,
}

impl<H, R, E> Sweep<H, R, E>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
    E: EventBodies,
{
    /// Carries out an order, until `deadline` at the latest, and keeps what it came to.
    ///
    /// # Errors
    /// When the ledger failed before anything was looked at. The order may be carried out again at any time.
    pub async fn carry_out(&self, order: &SweepOrder, deadline: Timestamp) -> Result<Summary, LedgerError> {
        let at = self.now();
        let record = SweepRecord::begun(order.account.clone(), at);
        let record = match &order.account {
            None => SweepRecord { summary: self.stack(order, deadline).await?, ..record },
            Some(account) => self.account(account, order, deadline, record).await?,
        };
        log(order, &record.summary);
        if let Err(error) = self.keep(&record).await {
            tracing::warn!(%error, "what a sweep came to could not be kept; this line is all there is of it");
        }
        Ok(record.summary)
    }

    /// A sweep that took long may end after a later one: what Instagram asked for meanwhile stands.
    async fn keep(&self, record: &SweepRecord) -> Result<(), LedgerError> {
        let mut record = record.clone();
        if record.account.is_some() {
            // Without it the summary is still better kept than not.
            let last = self.ledger().last_sweep(record.account.as_ref()).await.ok().flatten();
            record.quiet_until = record.quiet_until.max(last.and_then(|last| last.quiet_until));
        }
        self.ledger().put_sweep(&record).await
    }

    async fn account(
        &self,
        id: &AccountId,
        order: &SweepOrder,
        deadline: Timestamp,
        record: SweepRecord,
    ) -> Result<SweepRecord, LedgerError> {
        let now = self.now();
        let Some(account) = self.ledger().account(id).await? else { return Ok(record) };
        let (gate, stop) = self.ledger().gates(id).await?;
        let (quiet_until, progress) = match self.ledger().last_sweep(Some(id)).await? {
            Some(last) => (last.quiet_until, last.progress),
            None => (None, Progress::default()),
        };
        let reading = match (gate.standing(now), self.host().vault().open(id, &account.token.sealed)) {
            // Doubt is settled by reading.
            (Some(hold), _) if hold.reason != HoldReason::Doubt => {
                Reading::none(format!("the account is held: {}", hold.reason), quiet_until)
            }
            (_, Ok(token)) => Reading::new(token, deadline, quiet_until),
            (_, Err(error)) => Reading::none(error.to_string(), quiet_until),
        };
        let mut round = Round {
            deliver: &self.deliver,
            reader: &self.reader,
            account,
            gate,
            stop,
            keeps_up: self.keeps_up(now).await?,
            order,
            reading,
            own: OwnMedia::default(),
            progress,
            pages_read: 0,
            deadline,
            index_lag: self.index_lag,
            summary: Summary::default(),
        };
        if !round.keeps_up {
            round.summary.note("the queue is behind, or the consumer does not run: nothing was put on it");
        }
        round.tell_of_the_tokens_end().await;
        let outcome = round.end_hold().await;
        round.survive("a hold that is over", outcome);
        let outcome = round.redrive().await;
        round.survive("what waits", outcome);
        round.reading.begin_step();
        let outcome = round.settle_doubt().await;
        round.survive("what is in doubt", outcome);
        round.reading.begin_step();
        let outcome = round.bind_reels().await;
        round.survive("the next reel", outcome);
        round.reading.begin_step();
        let outcome = round.find_missed().await;
        round.survive("missed comments", outcome);
        round.hold_for_dead_token().await;
        let Round { reading, mut summary, progress, .. } = round;
        let quiet_until = reading.finish(self.now(), &mut summary);
        Ok(SweepRecord { quiet_until, progress, summary, ..record })
    }

    /// Whether the queue takes more work. Without any heartbeat nobody is known to take it from there.
    async fn keeps_up(&self, now: Timestamp) -> Result<bool, LedgerError> {
        Ok(self.ledger().heartbeat().await?.is_some_and(|heartbeat| heartbeat.keeps_up(now)))
    }

    fn host(&self) -> &H {
        self.deliver.host()
    }

    fn ledger(&self) -> &H::Ledger {
        self.host().ledger()
    }

    fn now(&self) -> Timestamp {
        self.host().clock().now()
    }
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    fn id(&self) -> &AccountId {
        &self.account.id
    }

    fn host(&self) -> &H {
        self.deliver.host()
    }

    fn ledger(&self) -> &H::Ledger {
        self.deliver.host().ledger()
    }

    fn now(&self) -> Timestamp {
        self.host().clock().now()
    }

    /// Nobody lifts a hold that is over by its time, and whoever stored a new token may have been cut off before its
    /// gate heard of it.
    async fn end_hold(&mut self) -> Result<(), LedgerError> {
        let now = self.now();
        let is_over = self.gate.hold.is_some() && self.gate.standing(now).is_none();
        if !is_over && self.gate.token_version >= self.account.token.version {
            return Ok(());
        }
        let lifted = end_hold(self.ledger(), self.host().facts(), &self.account, now).await;
        match lifted {
            Ok(gate) => self.gate = gate,
            Err(Unchanged::Ledger(error)) => return Err(error),
            // Whoever writes it so often sees that the hold is over as well.
            Err(Unchanged::Crowded) => {}
        }
        Ok(())
    }

    /// Whether no time is left for more than to write down what the round came to.
    fn is_late(&self) -> bool {
        self.now() >= self.deadline
    }

    /// A step that failed is told of, and ends no other.
    fn survive(&mut self, step: &'static str, outcome: Result<(), LedgerError>) {
        if let Err(error) = outcome {
            self.summary.errors += 1;
            tracing::error!(account = %self.id(), step, %error, "part of a sweep failed; the next round tries again");
        }
    }

    /// A read that was refused for its token teaches the gate what a send would have taught it.
    async fn hold_for_dead_token(&mut self) {
        if self.reading.token_is_dead
            && let Err(error) = self.deliver.learn_dead_token(&self.account).await
        {
            self.summary.errors += 1;
            tracing::error!(account = %self.id(), %error, "the account's token is dead, and its hold could not be written");
        }
    }
}

fn log(order: &SweepOrder, summary: &Summary) {
    let account = order.account.as_ref().map(AccountId::as_str);
    let Summary {
        found,
        matched,
        known,
        answered,
        enqueued,
        postponed,
        redriven,
        doubted,
        looked_up,
        settled,
        bound,
        recovered,
        reads,
        errors,
        notes,
    } = summary;
    let notes = notes.join("; ");
    tracing::info!(
        account, found, matched, known, answered, enqueued, postponed, redriven, doubted, looked_up, settled,
        bound, recovered, reads, errors, notes, "sweep"
    );
}
