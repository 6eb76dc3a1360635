//! One core, several hosts: what a host brings.

use super::{Clock, DelayQueue, Facts, Ledger, Messenger, Pulse, Queue, Random, Timers, Vault};

/// The set of ports that delivering needs: AWS and Instagram in Lambda, embedded ones in the local runner,
/// memory in tests.
pub trait Host: Send + Sync {
    /// See [`Ledger`] and [`Pulse`].
    type Ledger: Ledger + Pulse;
    /// See [`Messenger`].
    type Messenger: Messenger;
    /// See [`Queue`].
    type Queue: Queue;
    /// See [`Timers`] and [`DelayQueue`].
    type Timers: Timers + DelayQueue;
    /// See [`Vault`].
    type Vault: Vault;
    /// See [`Clock`].
    type Clock: Clock;
    /// See [`Random`].
    type Random: Random;
    /// See [`Facts`].
    type Facts: Facts;

    /// The ledger.
    fn ledger(&self) -> &Self::Ledger;
    /// The way to Instagram.
    fn messenger(&self) -> &Self::Messenger;
    /// The queue.
    fn queue(&self) -> &Self::Queue;
    /// The memory for time.
    fn timers(&self) -> &Self::Timers;
    /// The vault.
    fn vault(&self) -> &Self::Vault;
    /// The clock.
    fn clock(&self) -> &Self::Clock;
    /// Chance.
    fn random(&self) -> &Self::Random;
    /// Who tells the world.
    fn facts(&self) -> &Self::Facts;
}
