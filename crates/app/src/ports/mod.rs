//! The ports: everything the use cases need from outside, as traits with one contract each.
//!
//! Every port has an in-memory implementation and at least one real one, and one contract suite that runs
//! against all of them. A lost race is a value, never an error; an error means that the outside did not do
//! (or may not have done) what it was asked.

mod clock;
mod delay;
mod depths;
mod events;
mod facts;
mod host;
mod ledger;
mod links;
mod messenger;
mod pulse;
mod queue;
mod reader;
mod sweep;
mod timers;
mod vault;

pub use clock::{Clock, Random};
pub use delay::DelayQueue;
pub use depths::{Depths, QueueDepths};
pub use events::{Authenticity, EventBodies, EventReader, ParsedEvent, Unreadable};
pub use facts::{Ending, Fact, Facts};
pub use host::{Host, Ports};
pub use ledger::*;
pub use links::Links;
pub use messenger::{Destination, Messenger, Outbound};
pub use pulse::Pulse;
pub use queue::{Enqueue, Queue, QueueError, Refused};
pub use reader::{
    CommentsPage, MediaPage, Own, ReadError, ReadTrouble, Reader, RepliesPage, SeenComment, SeenMedia,
    SeenReply, Usage,
};
pub use sweep::{AdMedia, Progress, SweepLedger, SweepQueue, SweepRecord};
pub use timers::{Timer, TimerError, Timers};
pub use vault::{SealError, Vault};
