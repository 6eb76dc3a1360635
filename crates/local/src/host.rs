//! What the local runner gives the use cases.

use crate::clock::LocalClock;
use crate::facts::LocalFacts;
use crate::queue::LocalQueue;
use openreply_app::ports::Host;
use openreply_aws::{AesVault, DynamoLedger, OsRandom};
use openreply_graph::Graph;

/// The ledger code of AWS over the embedded DynamoDB, the real Graph client, and the runner's queue and clock.
#[derive(Clone)]
pub(crate) struct LocalHost {
    pub(crate) ledger: DynamoLedger,
    pub(crate) graph: Graph,
    pub(crate) queue: LocalQueue,
    pub(crate) vault: AesVault,
    pub(crate) clock: LocalClock,
    pub(crate) random: OsRandom,
    pub(crate) facts: LocalFacts,
}

impl Host for LocalHost {
    type Ledger = DynamoLedger;
    type Messenger = Graph;
    type Queue = LocalQueue;
    type Timers = LocalQueue;
    type Vault = AesVault;
    type Clock = LocalClock;
    type Random = OsRandom;
    type Facts = LocalFacts;

    fn ledger(&self) -> &DynamoLedger {
        &self.ledger
    }
    fn messenger(&self) -> &Graph {
        &self.graph
    }
    fn queue(&self) -> &LocalQueue {
        &self.queue
    }
    fn timers(&self) -> &LocalQueue {
        &self.queue
    }
    fn vault(&self) -> &AesVault {
        &self.vault
    }
    fn clock(&self) -> &LocalClock {
        &self.clock
    }
    fn random(&self) -> &OsRandom {
        &self.random
    }
    fn facts(&self) -> &LocalFacts {
        &self.facts
    }
}
