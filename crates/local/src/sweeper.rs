//! Sweeps by the runner's clock, every five minutes, and whenever somebody asks.
//!
//! While the clock is advanced, hours in a moment, sweeps come after five minutes, then at growing gaps, where
//! something else is due, and at the end: what was missed is found all the same, and a week costs no week.

use crate::clock::LocalClock;
use crate::host::LocalHost;
use futures_util::future::join_all;
use openreply_app::ports::{Clock, Ledger, LedgerError};
use openreply_app::sweep::{Summary, Sweep, SweepOrder};
use openreply_aws::DynamoLedger;
use openreply_domain::ids::AccountId;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_graph::{Graph, WebhookBodies};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex as AsyncMutex;

/// How far apart rounds are.
pub(crate) const EVERY: SignedDuration = SignedDuration::from_mins(5);
/// As in `template.yaml`.
const TIMEOUT: SignedDuration = SignedDuration::from_secs(300);
/// How often it looks at the clock, which somebody may have moved.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Sweeps.
pub(crate) struct Sweeper {
    sweep: Sweep<LocalHost, Graph, WebhookBodies>,
    ledger: DynamoLedger,
    clock: LocalClock,
    due_at: Mutex<Timestamp>,
    running: AsyncMutex<()>,
}

/// What a round came to.
pub(crate) struct Swept {
    pub(crate) sum: Summary,
    pub(crate) accounts: Vec<(AccountId, Summary)>,
}

impl Sweeper {
    /// The first round is due in five minutes.
    pub(crate) fn new(
        sweep: Sweep<LocalHost, Graph, WebhookBodies>,
        ledger: DynamoLedger,
        clock: LocalClock,
    ) -> Arc<Self> {
        let due_at = Mutex::new(after(clock.now(), EVERY));
        Arc::new(Self { sweep, ledger, clock, due_at, running: AsyncMutex::default() })
    }

    /// When the next round is due.
    pub(crate) fn next_due(&self) -> Timestamp {
        *self.due_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sweeps as long as the runner runs.
    pub(crate) fn start(self: &Arc<Self>) {
        let sweeper = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                sweeper.fire().await;
            }
        });
    }

    /// Sweeps if a round is due.
    pub(crate) async fn fire(&self) {
        let _one_at_a_time = self.running.lock().await;
        let now = self.clock.now();
        if self.next_due() > now {
            return;
        }
        *self.due_at.lock().unwrap_or_else(PoisonError::into_inner) = after(now, EVERY);
        if let Err(error) = self.all().await {
            tracing::error!(%error, "a sweep could not begin; the next round tries again");
        }
    }

    /// Sweeps now, whatever is due.
    pub(crate) async fn now(&self) -> Result<Swept, LedgerError> {
        let _one_at_a_time = self.running.lock().await;
        self.all().await
    }

    /// The stack first, which learns of ads; then every account, side by side.
    async fn all(&self) -> Result<Swept, LedgerError> {
        let round = self.clock.now();
        let order = |account| SweepOrder { account, round };
        let deadline = after(round, TIMEOUT);
        let mut sum = self.sweep.carry_out(&order(None), deadline).await?;
        let accounts = self.ledger.account_ids().await?;
        let sweeps = accounts.into_iter().map(|id| async {
            let summary = self.sweep.carry_out(&order(Some(id.clone())), deadline).await;
            (id, summary)
        });
        let mut swept = Vec::new();
        for (id, summary) in join_all(sweeps).await {
            let summary = summary.unwrap_or_else(|error| {
                tracing::error!(account = %id, %error, "an account could not be swept");
                Summary { errors: 1, ..Summary::default() }
            });
            sum += &summary;
            swept.push((id, summary));
        }
        Ok(Swept { sum, accounts: swept })
    }
}
