//! What a test makes the fake Instagram do instead of what it should.
//!
//! A fault says two things on its own: whether the write happens, and what the caller gets to hear. The pairs
//! in which they disagree are the ones that cost a duplicate or a loss.

use super::call::CallKind;
use super::refusal::ErrorAnswer;
use std::collections::VecDeque;

/// What happens to one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Whether the message is delivered (if the rules allow it) all the same.
    pub delivers: bool,
    /// What the caller hears.
    pub answer: FaultAnswer,
}

/// What the caller hears of a write that meets a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultAnswer {
    /// An error in Meta's JSON.
    Error(ErrorAnswer),
    /// A page of HTML, as a proxy in front of Meta answers.
    Html {
        /// The HTTP status.
        status: u16,
    },
    /// Nothing, for as long as the caller waits.
    Silence,
}

impl Fault {
    /// Answers an error. Nothing is delivered.
    #[must_use]
    pub fn error(status: u16, code: i64, subcode: Option<i64>, message: &str) -> Self {
        let error = ErrorAnswer { status, code, subcode, message: message.to_owned() };
        Self { delivers: false, answer: FaultAnswer::Error(error) }
    }

    /// Answers a page of HTML. Nothing is delivered.
    #[must_use]
    pub fn html(status: u16) -> Self {
        Self { delivers: false, answer: FaultAnswer::Html { status } }
    }

    /// Never answers. Nothing is delivered.
    #[must_use]
    pub fn hang() -> Self {
        Self { delivers: false, answer: FaultAnswer::Silence }
    }

    /// The same answer, after the message was delivered.
    #[must_use]
    pub fn after_delivery(mut self) -> Self {
        self.delivers = true;
        self
    }
}

/// The faults to come. Each meets the next write that it is meant for.
#[derive(Debug, Default)]
pub(super) struct FaultPlan {
    coming: VecDeque<(Option<CallKind>, Fault)>,
}

impl FaultPlan {
    pub(super) fn add(&mut self, kind: Option<CallKind>, times: usize, fault: &Fault) {
        self.coming.extend(std::iter::repeat_n((kind, fault.clone()), times));
    }

    /// The next fault that was meant for reads, and for nothing else.
    pub(super) fn take_of_read(&mut self) -> Option<FaultAnswer> {
        let index = self.coming.iter().position(|(wanted, _)| *wanted == Some(CallKind::Read))?;
        self.coming.remove(index).map(|(_, fault)| fault.answer)
    }

    pub(super) fn take(&mut self, kind: Option<CallKind>) -> Option<Fault> {
        let meant = |(wanted, _): &(Option<CallKind>, Fault)| wanted.is_none() || *wanted == kind;
        let index = self.coming.iter().position(meant)?;
        self.coming.remove(index).map(|(_, fault)| fault)
    }
}
