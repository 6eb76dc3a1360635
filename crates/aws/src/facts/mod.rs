//! What the world is told on AWS: metrics, as lines of the log, and events, on a bus.

pub mod events;
pub mod metrics;

pub use events::Events;
pub use metrics::Metrics;

/// What a function tells: metrics and events.
pub type AwsFacts = (Metrics, Events);
