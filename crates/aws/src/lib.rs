//! The ports of OpenReply on AWS: DynamoDB, SQS, SSM, and what a process on Lambda needs around them.
//!
//! - [`ledger`]: the ledger in one DynamoDB table.
//! - [`queue`]: the FIFO queue.
//! - [`facts`]: metrics and events.
//! - [`timers`]: one-time schedules, and the delay queue for less than a minute.
//! - [`vault`]: tokens sealed at rest.
//! - [`secrets`]: the secrets of a stack, read once at the start.
//! - [`settings`]: clients that never wait longer than they say.
//! - [`clock`], [`logging`], [`host`]: time, chance, log lines, and all of it as one host.

pub mod clock;
pub mod facts;
pub mod host;
pub mod ledger;
pub mod logging;
pub mod queue;
pub mod secrets;
pub mod settings;
pub mod timers;
pub mod vault;

mod failure;

pub use clock::{OsRandom, SystemClock};
pub use facts::{AwsFacts, Events, Metrics};
pub use host::{AwsHost, aws_host};
pub use ledger::{DynamoLedger, create_table};
pub use queue::{QueueUrls, SqsDepths, SqsQueue, SqsSweepQueue};
pub use settings::LEDGER_CALL;
pub use timers::{SchedulerSettings, SchedulerTimers};
pub use vault::{AesVault, SealingKey};
