//! The contract of [`openreply_app::ports::Ledger`].

mod accounts;
mod deliveries;
mod events;
mod samples;
mod sends;

pub use accounts::*;
pub use deliveries::*;
pub use events::*;
pub use sends::*;
