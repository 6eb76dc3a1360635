//! In-memory ports, a simulated clock, fault plans, contract suites and a fake Instagram.

pub mod contract;
pub mod faults;
pub mod fifo;
pub mod instagram;
pub mod lambda;
pub mod memory;
pub mod sockets;
