//! The contract of each port, held by every implementation of it: in memory, on AWS's clients over an embedded
//! DynamoDB, and on an emulator of AWS's API where `OPENREPLY_EMULATOR_URL` says that one is there.
#![cfg(test)]

mod aws;
mod depths;
mod events;
mod ledger;
mod links;
mod lost_answers;
mod pulse;
mod queue;
mod rows;
mod sample;
mod sweep_queue;
mod thrift;
mod timers;
mod vault;
