//! What is wrong with a campaign file, and where.
//!
//! Guarantees: an error is never without a problem to show, and a check that fails has reported why. A
//! [`Reported`] can only be had by adding a problem. A warning refuses nothing.

use std::fmt;

/// One thing that is wrong with a campaign file, or that its author should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it stands on, from 1.
    pub line: usize,
    /// The character of that line, from 1.
    pub column: usize,
    /// What was found and what was expected. Never a token.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// Everything that is wrong with a campaign file, in the order of the file. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignFileErrors(Vec<Problem>);

impl CampaignFileErrors {
    /// The problems, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for CampaignFileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CampaignFileErrors {}

/// Where something stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// The first character of the file.
    pub(super) const START: Self = Self { line: 1, column: 1 };
}

/// That a problem has been added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reported(());

/// The problems found so far, and the warnings.
#[derive(Debug, Default)]
pub(super) struct Problems {
    wrong: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Problems {
    /// Adds one.
    pub(super) fn add(&mut self, place: Place, message: impl Into<String>) -> Reported {
        self.wrong.push(problem(place, message));
        Reported(())
    }

    /// Adds what is good to know, and no reason to refuse the file.
    pub(super) fn warn(&mut self, place: Place, message: impl Into<String>) {
        self.warnings.push(problem(place, message));
    }

    /// The result of a reading with its warnings in the order of the file, unless anything was wrong on the way.
    pub(super) fn settle<T>(
        mut self,
        read: Result<T, Reported>,
    ) -> Result<(T, Vec<Problem>), CampaignFileErrors> {
        for problems in [&mut self.wrong, &mut self.warnings] {
            problems.sort_by_key(|problem| (problem.line, problem.column));
        }
        match read {
            Ok(value) if self.wrong.is_empty() => Ok((value, self.warnings)),
            Ok(_) | Err(Reported(())) => Err(CampaignFileErrors(self.wrong)),
        }
    }
}

fn problem(place: Place, message: impl Into<String>) -> Problem {
    Problem { line: place.line, column: place.column, message: message.into() }
}
