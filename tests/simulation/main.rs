//! Simulation: the real use cases and the real function code over ports that fail by plan.
//!
//! `exhaustive` tries every fault at every call of a flow, alone and in pairs, for every outcome that Instagram
//! may give. A failure names the scenario, the outcome and the faults that play it again.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a broken invariant names the plan that plays it again"
)]

mod blind;
mod driver;
mod exhaustive;
mod limits;
mod luck;
mod random;
mod stories;

/// One line, written past the test harness, which shows the output of failures only.
fn tell(line: &str) {
    use std::io::Write;
    std::io::stderr().write_all(format!("simulation: {line}\n").as_bytes()).unwrap();
}
