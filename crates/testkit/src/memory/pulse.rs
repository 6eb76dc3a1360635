//! The heartbeat and the alerts of the ledger in memory.

use super::{MemoryLedger, lock};
use openreply_app::ports::{LedgerError, Pulse};
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::time::Timestamp;
use std::collections::BTreeMap;

/// What is kept of it.
#[derive(Debug, Default)]
pub(super) struct KeptPulse {
    heartbeat: Option<Heartbeat>,
    alerts: BTreeMap<String, Alert>,
}

impl Pulse for MemoryLedger {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), LedgerError> {
        let mut kept = lock(&self.pulse);
        kept.heartbeat = Some(heartbeat.clone().after(kept.heartbeat.as_ref()));
        Ok(())
    }

    async fn heartbeat(&self) -> Result<Option<Heartbeat>, LedgerError> {
        Ok(lock(&self.pulse).heartbeat.clone())
    }

    async fn raise(&self, alert: &Alert) -> Result<bool, LedgerError> {
        let mut kept = lock(&self.pulse);
        let is_new = !kept.alerts.contains_key(&alert.name());
        kept.alerts.entry(alert.name()).or_insert_with(|| alert.clone());
        Ok(is_new)
    }

    async fn alerts(&self, newest: usize) -> Result<Vec<Alert>, LedgerError> {
        Ok(lock(&self.pulse).alerts.values().rev().take(newest).cloned().collect())
    }

    async fn held_accounts(&self, now: Timestamp) -> Result<usize, LedgerError> {
        Ok(self.all_gates().iter().filter(|gate| gate.standing(now).is_some()).count())
    }
}
