//! The contract of the reader, held by the Graph client over real HTTP.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::contract::reader::ReaderBench;
use openreply_testkit::instagram::{FakeInstagram, Serving};
use openreply_testkit::memory::ManualClock;
use openreply_testkit::reader_contract;
use std::sync::Arc;
use std::time::Duration;

struct OverHttp {
    graph: Graph,
    instagram: Arc<FakeInstagram<ManualClock>>,
    clock: ManualClock,
    _serving: Serving,
}

impl ReaderBench for OverHttp {
    type Reader = Graph;

    fn reader(&self) -> &Graph {
        &self.graph
    }

    fn instagram(&self) -> &FakeInstagram<ManualClock> {
        &self.instagram
    }

    fn clock(&self) -> &ManualClock {
        &self.clock
    }
}

async fn make() -> Option<OverHttp> {
    let clock = ManualClock::default();
    let instagram = FakeInstagram::new(Arc::new(clock.clone()));
    let serving = instagram.serve().await.unwrap();
    // Silence is a case of its own: it need not last as long as in the field.
    let config = GraphConfig {
        base: serving.base(),
        connect_timeout: Duration::from_secs(1),
        total_timeout: Duration::from_secs(2),
        ..GraphConfig::default()
    };
    Some(OverHttp { graph: Graph::new(config).unwrap(), instagram, clock, _serving: serving })
}

reader_contract! { make }
