//! In-memory ports, a simulated clock, fault plans, contract suites and a fake Instagram.

pub mod contract;
pub mod fifo;
pub mod instagram;
pub mod memory;
pub mod sockets;
pub mod faults;
pub mod lambda;
