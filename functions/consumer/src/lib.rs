//! The consumer function: a batch of jobs in, direct messages out.
