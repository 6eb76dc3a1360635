//! What of Instagram may still be read in a round.

use super::Summary;
use crate::ports::{CommentsPage, MediaPage, ReadError, ReadTrouble, RepliesPage, Usage};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use secrecy::SecretString;

/// Reads end when more of the account's calls is used than this, in percent: the rest is for sends.
const USED_AT_MOST: Usage = Usage(75);
/// How long reads rest when Instagram cannot be reached, or limits them and does not say for how long.
const REST: SignedDuration = SignedDuration::from_mins(15);
/// A step reads no more when so many in a row gave no answer.
const FAILURES: u32 = 2;
/// No read begins so shortly before the end of the invocation.
const LAST: SignedDuration = SignedDuration::from_secs(20);

/// An answer that says how much of the account's calls is used.
pub(super) trait Metered {
    fn usage(&self) -> Usage;
}

impl Metered for CommentsPage {
    fn usage(&self) -> Usage {
        self.usage
    }
}

impl Metered for RepliesPage {
    fn usage(&self) -> Usage {
        self.usage
    }
}

impl Metered for MediaPage {
    fn usage(&self) -> Usage {
        self.usage
    }
}

impl<T> Metered for (T, Usage) {
    fn usage(&self) -> Usage {
        self.1
    }
}

/// The reads of one round.
pub(super) struct Reading {
    token: Option<SecretString>,
    deadline: Timestamp,
    quiet_until: Option<Timestamp>,
    /// Why no more is read in this round.
    stopped: Option<String>,
    /// Whether no more is read in this step: what it reads gives no answer, and what others read may.
    step_is_over: bool,
    /// How many in a row gave no answer, in this step.
    failures: u32,
    /// How many gave no answer, in this round.
    unanswered: u32,
    /// Whether there was any answer in this round.
    is_heard: bool,
    refused: u32,
    reads: u32,
    errors: u32,
    /// What gave no answer, or is not shown.
    left_out: Vec<String>,
    /// Whether an answer said that the token is dead.
    pub(super) token_is_dead: bool,
}

impl Reading {
    /// Reads with `token` until `deadline`, once the time is over for which Instagram asked for quiet.
    pub(super) fn new(token: SecretString, deadline: Timestamp, quiet_until: Option<Timestamp>) -> Self {
        Self {
            token: Some(token),
            deadline,
            quiet_until,
            stopped: None,
            step_is_over: false,
            failures: 0,
            unanswered: 0,
            is_heard: false,
            refused: 0,
            reads: 0,
            errors: 0,
            left_out: Vec::new(),
            token_is_dead: false,
        }
    }

    /// Reads nothing, for this reason. What Instagram asked for stands.
    pub(super) fn none(why: String, quiet_until: Option<Timestamp>) -> Self {
        let never = Self::new(SecretString::default(), Timestamp::MIN, quiet_until);
        Self { token: None, stopped: Some(why), ..never }
    }

    /// Another step begins, which reads something else.
    pub(super) fn begin_step(&mut self) {
        self.step_is_over = false;
        self.failures = 0;
    }

    /// How many reads Instagram refused: what was asked for is not there.
    pub(super) fn refused(&self) -> u32 {
        self.refused
    }

    /// Whether nothing more is read in this step.
    pub(super) fn is_over(&self) -> bool {
        self.step_is_over || self.stopped.is_some()
    }

    /// How many reads were made.
    pub(super) fn reads(&self) -> u32 {
        self.reads
    }

    /// The token for one more read at `now`, if one may be made.
    pub(super) fn begin(&mut self, now: Timestamp) -> Option<SecretString> {
        if self.stopped.is_none() {
            if let Some(until) = self.quiet_until.filter(|until| now < *until) {
                self.stopped = Some(format!(
                    "Instagram limited its calls or gave no answer: it is not read until {until}"
                ));
            } else if self.deadline.duration_since(now) < LAST {
                self.stopped = Some("the time of this round was over before everything was read".to_owned());
            }
        }
        if self.is_over() {
            return None;
        }
        self.reads += 1;
        self.token.clone()
    }

    /// What a read gave. Whoever gets nothing goes on without.
    pub(super) fn end<T: Metered>(&mut self, answer: Result<T, ReadError>, now: Timestamp) -> Option<T> {
        let error = match answer {
            Ok(seen) => {
                let usage = seen.usage();
                self.failures = 0;
                self.is_heard = true;
                if usage > USED_AT_MOST {
                    let Usage(percent) = usage;
                    self.stopped =
                        Some(format!("{percent} % of the account's calls are used: the rest is for sends"));
                }
                return Some(seen);
            }
            Err(error) => error,
        };
        self.errors += u32::from(!matches!(error.trouble, ReadTrouble::Refused { .. }));
        match &error.trouble {
            ReadTrouble::TokenDead => {
                self.token_is_dead = true;
                self.stopped = Some(error.to_string());
            }
            ReadTrouble::Throttled { retry_after_seconds } => {
                let asked = SignedDuration::from_secs(retry_after_seconds.unwrap_or(0).into());
                self.quiet_until = Some(after(now, asked.max(REST)));
                self.stopped = Some(error.to_string());
            }
            ReadTrouble::Unreachable => {
                self.note_once(error.to_string());
                self.failures += 1;
                self.unanswered += 1;
                self.step_is_over = self.failures >= FAILURES;
                // Another step meets the same silence.
                if !self.is_heard && self.unanswered > FAILURES {
                    self.stopped = Some(error.to_string());
                }
            }
            // This one is gone, or nothing stands under it yet; the next may be there.
            ReadTrouble::Refused { .. } => {
                self.failures = 0;
                self.is_heard = true;
                self.refused += 1;
                self.note_once(error.to_string());
            }
        }
        tracing::warn!(%error, "a sweep could not read");
        None
    }

    fn note_once(&mut self, why: String) {
        if !self.left_out.contains(&why) {
            self.left_out.push(why);
        }
    }

    /// Writes down what the reads came to by `now`. Returns until when nothing is read: Instagram asked for it, or gave
    /// no answer at all.
    pub(super) fn finish(self, now: Timestamp, summary: &mut Summary) -> Option<Timestamp> {
        summary.reads += self.reads;
        summary.errors += self.errors;
        for why in self.left_out.into_iter().chain(self.stopped) {
            summary.note(why);
        }
        if self.unanswered >= FAILURES && !self.is_heard {
            return self.quiet_until.max(Some(after(now, REST)));
        }
        self.quiet_until
    }
}
