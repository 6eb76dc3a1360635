//! All ports together, as one host.

use super::{
    ManualClock, MemoryFacts, MemoryLedger, MemoryMessenger, MemoryQueue, MemoryTimers, MemoryVault,
    SeededRandom,
};
use openreply_app::ports::Host;

/// A host that is all memory. Clones share everything.
#[derive(Debug, Clone)]
pub struct MemoryHost {
    /// The ledger.
    pub ledger: MemoryLedger,
    /// The way to an Instagram by script.
    pub messenger: MemoryMessenger,
    /// The queue.
    pub queue: MemoryQueue,
    /// The timers, which somebody has to fire.
    pub timers: MemoryTimers,
    /// The vault.
    pub vault: MemoryVault,
    /// The clock, which the queue shares.
    pub clock: ManualClock,
    /// Chance.
    pub random: SeededRandom,
    /// What was reported.
    pub facts: MemoryFacts,
}

impl MemoryHost {
    /// An empty host with chance from a seed, and an Instagram that answers by script.
    #[must_use]
    pub fn new(seed: u64, messenger: MemoryMessenger) -> Self {
        let clock = ManualClock::default();
        Self {
            ledger: MemoryLedger::default(),
            messenger,
            queue: MemoryQueue::new(clock.clone()),
            timers: MemoryTimers::default(),
            vault: MemoryVault::default(),
            clock,
            random: SeededRandom::new(seed),
            facts: MemoryFacts::default(),
        }
    }
}

impl Host for MemoryHost {
    type Ledger = MemoryLedger;
    type Messenger = MemoryMessenger;
    type Queue = MemoryQueue;
    type Timers = MemoryTimers;
    type Vault = MemoryVault;
    type Clock = ManualClock;
    type Random = SeededRandom;
    type Facts = MemoryFacts;

    fn ledger(&self) -> &MemoryLedger {
        &self.ledger
    }

    fn messenger(&self) -> &MemoryMessenger {
        &self.messenger
    }

    fn queue(&self) -> &MemoryQueue {
        &self.queue
    }

    fn timers(&self) -> &MemoryTimers {
        &self.timers
    }

    fn vault(&self) -> &MemoryVault {
        &self.vault
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }

    fn random(&self) -> &SeededRandom {
        &self.random
    }

    fn facts(&self) -> &MemoryFacts {
        &self.facts
    }
}
