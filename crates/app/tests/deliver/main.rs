//! A job becomes at most one message per leg, and every message owed is accounted for.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

#[path = "../log/mod.rs"]
mod log;
mod logs;
mod matches;
mod news;
mod retries;
mod settles;
mod stage;
mod time;
mod waits;
