//! One core, several hosts: what a host brings, and ports side by side, which are one.

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

/// Ports side by side: a host.
#[derive(Debug, Clone)]
pub struct Ports<L, M, Q, T, V, C, R, F> {
    /// The ledger.
    pub ledger: L,
    /// The way to Instagram.
    pub messenger: M,
    /// The queue.
    pub queue: Q,
    /// The memory for time.
    pub timers: T,
    /// The vault.
    pub vault: V,
    /// The clock.
    pub clock: C,
    /// Chance.
    pub random: R,
    /// Who tells the world.
    pub facts: F,
}

impl<L, M, Q, T, V, C, R, F> Host for Ports<L, M, Q, T, V, C, R, F>
where
    L: Ledger + Pulse,
    M: Messenger,
    Q: Queue,
    T: Timers + DelayQueue,
    V: Vault,
    C: Clock,
    R: Random,
    F: Facts,
{
    type Ledger = L;
    type Messenger = M;
    type Queue = Q;
    type Timers = T;
    type Vault = V;
    type Clock = C;
    type Random = R;
    type Facts = F;

    fn ledger(&self) -> &L {
        &self.ledger
    }

    fn messenger(&self) -> &M {
        &self.messenger
    }

    fn queue(&self) -> &Q {
        &self.queue
    }

    fn timers(&self) -> &T {
        &self.timers
    }

    fn vault(&self) -> &V {
        &self.vault
    }

    fn clock(&self) -> &C {
        &self.clock
    }

    fn random(&self) -> &R {
        &self.random
    }

    fn facts(&self) -> &F {
        &self.facts
    }
}
