//! In-memory ports, a simulated clock, fault plans, contract suites and a fake Instagram.

pub mod fifo;
pub mod instagram;
pub mod sockets;
