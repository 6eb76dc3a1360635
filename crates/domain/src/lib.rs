//! The functional core of OpenReply.
//!
//! Everything here is a pure function of its arguments: no async, no I/O, no clock, no randomness
//! and nothing of AWS. What it guarantees, it guarantees for every host.
//!
//! - [`ids`]: identities, parsed once at the edge.
//! - [`trigger`]: what a person did on Instagram, and the identity that everything hangs on.
//! - [`campaign`]: what a creator configured.
//! - [`links`]: tracked links, and who clicked without knowing who.
//! - [`matching`] and [`matched`]: which campaigns a comment meets, and who wins its one direct message.
//! - [`contact`]: what is known of one person in one account's conversations.
//! - [`message`]: what goes out, ready to be sent.
//! - [`people`]: how many private replies each person got lately.
//! - [`rendering`]: the text that goes out.
//! - [`outcome`]: what an answer proves, and what follows from it.
//! - [`send`]: one outbound message and the states of its ledger entry.
//! - [`evidence`]: what proves that a send in doubt arrived.
//! - [`delivery`]: how a person sees a Send.
//! - [`pulse`]: heartbeats and alerts.

pub mod campaign;
pub mod contact;
pub mod delivery;
pub mod evidence;
pub mod gate;
pub mod ids;
pub mod links;
pub mod matched;
pub mod matching;
pub mod message;
pub mod outcome;
pub mod people;
pub mod pulse;
pub mod rendering;
pub mod send;
pub mod slots;
pub mod time;
pub mod token;
pub mod trigger;
