//! Sweeps against the fake Instagram, over the real Graph client: what was missed, what is in doubt, what waits.

#![cfg(test)]

mod comments;
mod doubt;
mod faults;
mod limits;
mod random;
mod reels;
mod stage;
mod token;
mod waiting;
