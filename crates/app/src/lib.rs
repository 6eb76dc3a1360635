//! The use cases of OpenReply, over their ports.

pub mod campaign_file;
pub mod job;
pub mod ports;
