//! The contract of [`openreply_app::ports::Ledger`].

mod accounts;
mod deliveries;
mod events;
mod gates;
mod months;
mod people;
pub(super) mod samples;
mod sends;
mod sweeps;
mod together;
mod waiting;

pub use accounts::*;
pub use deliveries::*;
pub use events::*;
pub use gates::*;
pub use months::*;
pub use people::*;
pub use sends::*;
pub use sweeps::*;
pub use together::*;
pub use waiting::*;
