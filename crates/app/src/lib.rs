//! The use cases of OpenReply, over their ports.
//!
//! - [`ingest`]: a signed webhook body becomes jobs on the queue.
//! - [`deliver`]: a job becomes at most one message per leg.
//! - [`apply`]: a campaign file becomes accounts and campaigns in the ledger.
//! - [`links`]: what tracked links brought.
//! - [`resume`]: what waited for a hold or a pause that is over goes on.
//! - [`resolve`]: a person decides what is in doubt.
//! - [`pulse`]: signs of life and alerts.
//! - [`sweep`]: what was missed is found, what is doubtful is settled by evidence.
//! - [`campaign_file`]: reading and checking that file.
//!
//! Nothing here reads a clock, rolls a die or names AWS: see [`ports`].

pub mod accounts;
pub mod apply;
pub mod campaign_file;
mod contended;
pub mod deliver;
pub mod ingest;
pub mod job;
pub mod links;
pub mod ports;
pub mod pulse;
pub mod resolve;
pub mod resume;
pub mod sweep;
