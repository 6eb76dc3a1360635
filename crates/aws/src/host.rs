//! AWS as a host, with whatever way to Instagram the wiring brings.

use crate::{AesVault, AwsFacts, DynamoLedger, OsRandom, SchedulerTimers, SqsQueue, SystemClock};
use openreply_app::ports::{Host, Messenger};

/// The ports of a function on Lambda.
#[derive(Debug, Clone)]
pub struct AwsHost<M> {
    /// The ledger's table.
    pub ledger: DynamoLedger,
    /// The way to Instagram.
    pub messenger: M,
    /// The deliveries queue.
    pub queue: SqsQueue,
    /// The memory for time.
    pub timers: SchedulerTimers,
    /// What opens tokens.
    pub vault: AesVault,
    /// Who tells the world.
    pub facts: AwsFacts,
    /// The machine's clock.
    pub clock: SystemClock,
    /// The machine's chance.
    pub random: OsRandom,
}

impl<M: Messenger> AwsHost<M> {
    /// A host of these parts and the machine's own time and chance.
    pub fn new(
        ledger: DynamoLedger,
        queue: SqsQueue,
        timers: SchedulerTimers,
        vault: AesVault,
        messenger: M,
        facts: AwsFacts,
    ) -> Self {
        Self { ledger, messenger, queue, timers, vault, facts, clock: SystemClock, random: OsRandom }
    }
}

impl<M: Messenger> Host for AwsHost<M> {
    type Ledger = DynamoLedger;
    type Messenger = M;
    type Queue = SqsQueue;
    type Timers = SchedulerTimers;
    type Vault = AesVault;
    type Clock = SystemClock;
    type Random = OsRandom;
    type Facts = AwsFacts;

    fn ledger(&self) -> &DynamoLedger {
        &self.ledger
    }

    fn messenger(&self) -> &M {
        &self.messenger
    }

    fn queue(&self) -> &SqsQueue {
        &self.queue
    }

    fn timers(&self) -> &SchedulerTimers {
        &self.timers
    }

    fn vault(&self) -> &AesVault {
        &self.vault
    }

    fn clock(&self) -> &SystemClock {
        &self.clock
    }

    fn random(&self) -> &OsRandom {
        &self.random
    }

    fn facts(&self) -> &AwsFacts {
        &self.facts
    }
}
