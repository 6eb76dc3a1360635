//! Every port in memory.
//!
//! All of them are handles: a clone looks at the same thing, so a test keeps one and sees what the code under
//! test did with the other. They keep the contracts of [`crate::contract`], like the real ones.

mod clock;
mod depths;
mod facts;
mod host;
mod kept;
mod ledger;
mod links;
mod messenger;
mod pulse;
mod queue;
mod random;
mod sweeps;
mod timers;
mod vault;

pub use clock::ManualClock;
pub use depths::MemoryDepths;
pub use facts::MemoryFacts;
pub use host::{MemoryHost, memory_host};
pub use ledger::MemoryLedger;
pub use messenger::{MemoryMessenger, Sent};
pub use queue::MemoryQueue;
pub use random::SeededRandom;
pub use sweeps::MemorySweepQueue;
pub use timers::MemoryTimers;
pub use vault::MemoryVault;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is behind a lock, also after a test that held it failed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
