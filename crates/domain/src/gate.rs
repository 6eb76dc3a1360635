//! An account's gate: its hour, its hold, and the troubles that lead to one.
//!
//! Guarantees:
//! - All of it is one item, written under a condition on its revision. So the write that takes an hour's slot
//!   is refused once a hold was written, and no cache lets a send slip past.
//! - Doubt spreads, so it stops early: three sends in doubt within ten minutes hold the account.
//! - A dead token holds only if it is still the current one.
//! - A hold that stands is never replaced by a shorter one.

use crate::ids::UserId;
use crate::outcome::{Disposition, Rejection, RejectionKind, SendOutcome};
use crate::people::People;
use crate::slots::{Gate, Slot, Slots};
use crate::time::{SignedDuration, Timestamp, after};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why an account, or the app, may not send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// 190: the token is dead.
    TokenDead,
    /// 10, 200, 230: a permission is missing.
    Permission,
    /// 368: blocked for abuse.
    Blocked,
    /// Meta refuses the app itself.
    AppUnusable,
    /// Several deliveries were throttled or did not get out within a minute.
    Throttled,
    /// Several deliveries are in doubt.
    Doubt,
}

impl HoldReason {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TokenDead => "token_dead",
            Self::Permission => "permission",
            Self::Blocked => "blocked",
            Self::AppUnusable => "app_unusable",
            Self::Throttled => "throttled",
            Self::Doubt => "doubt",
        }
    }
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TokenDead => "the account's token is no longer valid: store a new one (openreply apply)",
            Self::Permission => {
                "the account's token lacks a permission: connect the account again with all of them, store the new token, and lift the hold"
            }
            Self::Blocked => "Instagram blocked the account for abuse: it rests for 24 hours; check its Account Status",
            Self::AppUnusable => "Instagram refuses the app: check its mode and permissions, then lift the hold",
            Self::Throttled => "Instagram limits this account's calls, or cannot be reached: it rests for a while",
            Self::Doubt => {
                "several messages within minutes may or may not have arrived: it rests for ten minutes; look at the unconfirmed ones"
            }
        })
    }
}

/// An order not to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Why.
    pub reason: HoldReason,
    /// Since when. Names the hold: what waits for it is parked only while this very hold stands.
    #[serde(with = "crate::time::millis")]
    pub since: Timestamp,
    /// When it is over by itself. `None`: when a person or a new token lifts it.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Hold {
    /// Whether it still stands.
    #[must_use]
    pub fn stands(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    fn outlasts(&self, other: &Self) -> bool {
        match (self.until, other.until) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(other)) => own >= other,
        }
    }
}

/// Something that went wrong, remembered for as long as it may add up with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Whether it was doubt; else it was throttled or did not get out.
    pub doubt: bool,
    /// Whose: one delivery counts once.
    pub delivery: String,
    /// When.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
}

/// An account's gate, as the ledger holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountGate {
    /// Rises with every write.
    #[serde(default)]
    pub revision: u64,
    /// The hour.
    #[serde(default)]
    pub slots: Slots,
    /// The version of the token that is stored now.
    #[serde(default)]
    pub token_version: u32,
    /// The hold, if there is one; it may be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Who was written to lately.
    #[serde(default, skip_serializing_if = "People::is_empty")]
    pub people: People,
    /// What went wrong lately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<Trouble>,
}

/// What passing the gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// The account is held.
    Held(Hold),
    /// What the hour says.
    Hour(Gate),
}

/// Different deliveries that must be throttled, or fail to get out, within [`THROTTLED_WITHIN`].
const THROTTLED_DELIVERIES: usize = 5;
const THROTTLED_WITHIN: SignedDuration = SignedDuration::from_mins(1);
const THROTTLED_REST: SignedDuration = SignedDuration::from_mins(15);
/// Different deliveries that must be in doubt within [`DOUBT_WITHIN`].
const DOUBTFUL_DELIVERIES: usize = 3;
const DOUBT_WITHIN: SignedDuration = SignedDuration::from_mins(10);
const DOUBT_REST: SignedDuration = SignedDuration::from_mins(10);
const BLOCKED_REST: SignedDuration = SignedDuration::from_hours(24);

impl AccountGate {
    /// The hold that stands at `now`.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> Option<&Hold> {
        self.hold.as_ref().filter(|hold| hold.stands(now))
    }

    /// Asks for a slot for a private reply to `user`. What it says is true once `self` is written.
    pub fn pass(&mut self, limit: u32, now: Timestamp, reservation: Option<i64>, user: &UserId) -> Passage {
        if let Some(hold) = self.standing(now) {
            return Passage::Held(hold.clone());
        }
        let says = self.slots.take(limit, now, reservation);
        if let Gate::Taken(_) = says {
            self.people.add(user, now);
        }
        Passage::Hour(says)
    }

    /// Gives a slot back that was taken for a private reply to `user` and certainly not used.
    pub fn refund(&mut self, slot: &Slot, user: &UserId) {
        self.slots.refund(slot);
        self.people.remove(user, slot.minute);
    }

    /// Learns what became of a call. `token_version` is that of the token the call carried. Returns the hold
    /// that this made, if it made one: whoever writes it raises the one alert.
    pub fn learn(
        &mut self,
        outcome: &SendOutcome,
        delivery: &str,
        token_version: u32,
        now: Timestamp,
    ) -> Option<Hold> {
        let hold = |reason, rest: Option<SignedDuration>| Hold {
            reason,
            since: now,
            until: rest.map(|rest| after(now, rest)),
        };
        let made = match outcome {
            SendOutcome::Delivered { .. } => None,
            SendOutcome::Rejected(rejection) => match rejection.kind {
                RejectionKind::TokenDead if token_version < self.token_version => None,
                RejectionKind::TokenDead => {
                    // One that is newer than what was known here is the current one.
                    self.token_version = token_version;
                    Some(hold(HoldReason::TokenDead, None))
                }
                // The token that is stored now may have what that one lacked.
                RejectionKind::Permission if token_version < self.token_version => None,
                RejectionKind::Permission => {
                    self.token_version = token_version;
                    Some(hold(HoldReason::Permission, None))
                }
                RejectionKind::Blocked => Some(hold(HoldReason::Blocked, Some(BLOCKED_REST))),
                RejectionKind::Throttled => {
                    let rest = asked_rest(rejection).max(THROTTLED_REST);
                    self.adds_up(false, delivery, now).then(|| hold(HoldReason::Throttled, Some(rest)))
                }
                RejectionKind::ReplySpent
                | RejectionKind::WindowClosed
                | RejectionKind::MaybeSpentEarlier
                | RejectionKind::RecipientUnavailable
                | RejectionKind::OtherAppOwnsThread
                | RejectionKind::AppUnusable
                | RejectionKind::TemplateRefused
                | RejectionKind::BadRequest => None,
            },
            SendOutcome::NotSent(_) => {
                self.adds_up(false, delivery, now).then(|| hold(HoldReason::Throttled, Some(THROTTLED_REST)))
            }
            SendOutcome::Unconfirmed(_) => {
                self.adds_up(true, delivery, now).then(|| hold(HoldReason::Doubt, Some(DOUBT_REST)))
            }
        };
        let made = made?;
        let is_news = self.standing(now).is_none_or(|standing| !standing.outlasts(&made));
        is_news.then(|| self.hold.insert(made).clone())
    }

    /// A person lifts the hold, whatever it is for. What went wrong before is dealt with, and adds up to no other.
    pub fn lift(&mut self) {
        self.hold = None;
        self.troubles.clear();
    }

    /// Takes a token's version. A newer one lifts a hold that a token can lift; whoever read the account before it was
    /// stored changes nothing.
    pub fn token_stored(&mut self, version: u32) {
        if self.token_version < version {
            self.token_version = version;
            let lifts = |hold: &Hold| matches!(hold.reason, HoldReason::TokenDead | HoldReason::Permission);
            if self.hold.as_ref().is_some_and(lifts) {
                self.hold = None;
            }
        }
    }

    /// Remembers a trouble, and says whether there are enough of its kind now. They are forgotten then: the
    /// hold that follows must not renew itself from them.
    fn adds_up(&mut self, doubt: bool, delivery: &str, now: Timestamp) -> bool {
        self.troubles.retain(|trouble| {
            let within = if trouble.doubt { DOUBT_WITHIN } else { THROTTLED_WITHIN };
            now.duration_since(trouble.at) < within
                && !(trouble.doubt == doubt && trouble.delivery == delivery)
        });
        self.troubles.push(Trouble { doubt, delivery: delivery.to_owned(), at: now });
        let enough = if doubt { DOUBTFUL_DELIVERIES } else { THROTTLED_DELIVERIES };
        let adds_up = self.troubles.iter().filter(|trouble| trouble.doubt == doubt).count() >= enough;
        if adds_up {
            self.troubles.retain(|trouble| trouble.doubt != doubt);
        }
        adds_up
    }
}

/// How long Meta asks to be left alone.
fn asked_rest(rejection: &Rejection) -> SignedDuration {
    SignedDuration::from_secs(rejection.retry_after_seconds.unwrap_or(0).into())
}

/// What the whole stack is told: a switch for people, and the app's own hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Rises with every write.
    #[serde(default)]
    pub revision: u64,
    /// Since when a person has stopped everything.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub stopped_since: Option<Timestamp>,
    /// The app's hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_hold: Option<Hold>,
}

impl Stop {
    /// Why nothing may be sent now, if so.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> Option<String> {
        if self.stopped_since.is_some() {
            return Some(
                "sending is stopped for the whole stack; start it again with openreply start".to_owned(),
            );
        }
        self.app_hold.as_ref().filter(|hold| hold.stands(now)).map(|hold| hold.reason.to_string())
    }

    /// Learns what became of a call. Returns the hold of the app that this made, if it made one.
    pub fn learn(&mut self, outcome: &SendOutcome, now: Timestamp) -> Option<Hold> {
        let refuses_app =
            matches!(outcome, SendOutcome::Rejected(r) if r.disposition() == Disposition::HoldApp);
        if !refuses_app || self.app_hold.as_ref().is_some_and(|hold| hold.stands(now)) {
            return None;
        }
        Some(self.app_hold.insert(Hold { reason: HoldReason::AppUnusable, since: now, until: None }).clone())
    }
}

#[cfg(test)]
mod tests;
