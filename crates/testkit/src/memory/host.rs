//! All ports together, as one host.

use super::{
    ManualClock, MemoryFacts, MemoryLedger, MemoryMessenger, MemoryQueue, MemoryTimers, MemoryVault,
    SeededRandom,
};
use openreply_app::ports::Ports;

/// A host that is all memory. Clones share everything.
pub type MemoryHost = Ports<
    MemoryLedger,
    MemoryMessenger,
    MemoryQueue,
    MemoryTimers,
    MemoryVault,
    ManualClock,
    SeededRandom,
    MemoryFacts,
>;

/// An empty host with chance from a seed, and an Instagram that answers by script. Its queue shares its clock.
#[must_use]
pub fn memory_host(seed: u64, messenger: MemoryMessenger) -> MemoryHost {
    let clock = ManualClock::default();
    Ports {
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
