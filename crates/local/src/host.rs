//! What the local runner gives the use cases.

use crate::clock::LocalClock;
use crate::facts::LocalFacts;
use crate::queue::LocalQueue;
use openreply_app::ports::Ports;
use openreply_aws::{AesVault, DynamoLedger, OsRandom};
use openreply_graph::Graph;

/// The ledger code of AWS over the embedded DynamoDB, the real Graph client, and the runner's queue, which keeps its
/// timers too, and clock.
pub(crate) type LocalHost =
    Ports<DynamoLedger, Graph, LocalQueue, LocalQueue, AesVault, LocalClock, OsRandom, LocalFacts>;
