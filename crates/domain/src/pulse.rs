//! Whether the machine lives, and what a person must know: heartbeats and alerts.
//!
//! Guarantees: a heartbeat is dead [`DEAD_AFTER`] its own time, however long its item exists, and so is one whose echo
//! does not come; an alert says what
//! happened and what to do without naming anybody in its words; the same occasion makes the same alert.

use crate::contact::FUSE;
use crate::gate::{Hold, HoldReason};
use crate::ids::AccountId;
use crate::time::{SignedDuration, Timestamp, after, from_millis};
use crate::token::SealedToken;
use serde::{Deserialize, Serialize};

/// How old the last heartbeat may be. A beat comes each minute, up to a minute late, and its echo 30 seconds
/// after it: of a machine that works the last one is at most 90 seconds old.
pub const DEAD_AFTER: SignedDuration = SignedDuration::from_secs(120);

/// How late a beat may arrive before the queue counts as behind.
pub const BEHIND_AFTER: SignedDuration = SignedDuration::from_secs(120);

/// How long ago the last sweep may have been: six rounds.
const UNSWEPT_AFTER: SignedDuration = SignedDuration::from_mins(30);

/// The last sign of life of the way from the schedule over the queue to the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// When the consumer wrote it.
    #[serde(with = "crate::time::millis")]
    pub checked_at: Timestamp,
    /// Since when the echo of a beat is waited for: the earliest whose echo did not come. `None`: the last one came.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub echo_awaited_since: Option<Timestamp>,
    /// How many milliseconds after its time the last beat arrived. `None`: the schedule did not say when that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_ms: Option<i64>,
    /// The version of OpenReply that wrote it.
    pub version: String,
}

impl Heartbeat {
    /// What a beat writes: its echo is waited for from now on.
    #[must_use]
    pub fn beat(now: Timestamp, lag_ms: Option<i64>, version: &str) -> Self {
        Self { checked_at: now, echo_awaited_since: Some(now), lag_ms, version: version.to_owned() }
    }

    /// What an echo writes. How late it is says nothing of the queue: it has waited on another one.
    #[must_use]
    pub fn echo(now: Timestamp, version: &str) -> Self {
        Self { checked_at: now, echo_awaited_since: None, lag_ms: None, version: version.to_owned() }
    }

    /// This one in the place of the one before: a beat leaves alone since when an echo is waited for, and an echo how
    /// late the beat was.
    #[must_use]
    pub fn after(mut self, before: Option<&Self>) -> Self {
        match &mut self.echo_awaited_since {
            Some(since) => {
                let earlier = before.and_then(|before| before.echo_awaited_since);
                *since = earlier.unwrap_or(*since);
            }
            None => self.lag_ms = before.and_then(|before| before.lag_ms),
        }
        self
    }

    /// How old the sign of life is that the whole way gives: that of the last beat or echo, or of the beat whose echo
    /// did not come. Never negative: clocks that disagree make nothing younger than now.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> SignedDuration {
        let oldest = self.echo_awaited_since.map_or(self.checked_at, |since| since.min(self.checked_at));
        now.duration_since(oldest).max(SignedDuration::ZERO)
    }

    /// Whether the machine lives. A heartbeat that is further in the future than clocks disagree proves nothing.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        now.duration_since(self.checked_at) >= -DEAD_AFTER && self.age(now) <= DEAD_AFTER
    }

    /// Whether the machine lives and its queue is not behind: what adds work for it should ask.
    #[must_use]
    pub fn keeps_up(&self, now: Timestamp) -> bool {
        self.is_alive(now) && self.lag_ms.is_none_or(|lag| i128::from(lag) <= BEHIND_AFTER.as_millis())
    }
}

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    /// An account may not send until its hold is over or lifted.
    AccountHeld,
    /// No account may send until the app's hold is lifted.
    AppHeld,
    /// A campaign waits for the next reel, and none came for two weeks.
    NoReel,
    /// Somebody was to get more automated messages within an hour than anybody gets.
    Fuse,
    /// An account's token ends soon, or has ended.
    TokenEnding,
    /// No sweep of an account, or of the stack, came to its end for a while.
    NotSwept,
}

impl AlertKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AccountHeld => "account_held",
            Self::AppHeld => "app_held",
            Self::NoReel => "no_reel",
            Self::Fuse => "fuse",
            Self::TokenEnding => "token_ending",
            Self::NotSwept => "not_swept",
        }
    }
}

/// Something that a person must know of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// When it began. With the kind and the subject it names the occasion, for which there is one alert.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
    /// What it concerns: an id, or nothing where it concerns everything. For people with access to the ledger; the
    /// public health page leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What happened and what to do. No id, name, text or token.
    pub message: String,
}

impl Alert {
    /// That an account's hold was made.
    #[must_use]
    pub fn account_held(account: &AccountId, hold: &Hold) -> Self {
        Self { subject: Some(account.to_string()), ..Self::held(AlertKind::AccountHeld, hold) }
    }

    /// That the app's hold was made.
    #[must_use]
    pub fn app_held(hold: &Hold) -> Self {
        Self::held(AlertKind::AppHeld, hold)
    }

    /// That an account was to write more to somebody within an hour than anybody gets: one alert an hour.
    #[must_use]
    pub fn fuse(account: &AccountId, now: Timestamp) -> Self {
        let hour = SignedDuration::from_secs(now.as_second().rem_euclid(3600));
        Self {
            kind: AlertKind::Fuse,
            at: from_millis(after(now, -hour).as_second() * 1000),
            subject: Some(account.to_string()),
            message: format!(
                "somebody was to get more than {FUSE} automated messages within an hour and did not; find what sets them off among the deliveries that read SKIPPED_FUSE"
            ),
        }
    }

    /// That an account's token ends, if a notice of it has fallen due: one alert for each notice.
    #[must_use]
    pub fn token_ending(account: &AccountId, token: &SealedToken, now: Timestamp) -> Option<Self> {
        let (at, before) = token.notice(now)?;
        let when = match before.as_hours() / 24 {
            0 => "has ended by now unless it was refreshed".to_owned(),
            1 => "ends within a day".to_owned(),
            days => format!("ends within {days} days"),
        };
        Some(Self {
            kind: AlertKind::TokenEnding,
            at,
            subject: Some(account.to_string()),
            message: format!(
                "an account's access token {when}, and nothing can be sent or found without one: refresh it or make a new one, and apply the campaign file with it"
            ),
        })
    }

    /// That the last sweep of an account (`None`: of what concerns the whole stack) came to its end long ago, if that
    /// is so: one alert until another one does.
    #[must_use]
    pub fn not_swept(account: Option<&AccountId>, last: Timestamp, now: Timestamp) -> Option<Self> {
        (now.duration_since(last) > UNSWEPT_AFTER).then(|| Self {
            kind: AlertKind::NotSwept,
            at: last,
            subject: account.map(AccountId::to_string),
            message: "no sweep came to its end for half an hour: comments that no webhook tells of are not found meanwhile; the reconciler's log says why".to_owned(),
        })
    }

    fn held(kind: AlertKind, hold: &Hold) -> Self {
        let reason: HoldReason = hold.reason;
        Self { kind, at: hold.since, subject: None, message: reason.to_string() }
    }

    /// The name of its occasion: the same for every copy.
    #[must_use]
    pub fn name(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or("-");
        format!("{:016}#{}#{subject}", self.at.as_millisecond().max(0), self.kind.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    #[test]
    fn a_heartbeat_dies_by_its_own_time() {
        let beat = |lag_ms| Heartbeat::echo(at(0), "1").after(Some(&Heartbeat::beat(at(0), lag_ms, "1")));
        let cases = [
            // seconds later, lag, alive, keeps up
            (0, Some(0), true, true),
            (120, Some(500), true, true),
            (121, Some(500), false, false),
            (1_000_000, None, false, false),
            (0, None, true, true),
            (60, Some(120_000), true, true),
            (60, Some(120_001), true, false),
            // Clocks that disagree.
            (-30, Some(0), true, true),
            (-121, Some(0), false, false),
        ];
        for (later, lag, alive, keeps_up) in cases {
            let found = (beat(lag).is_alive(at(later)), beat(lag).keeps_up(at(later)));
            assert_eq!(found, (alive, keeps_up), "{later} s later, lag {lag:?}");
        }
        assert_eq!(beat(None).age(at(-5)), SignedDuration::ZERO);
        assert_eq!(beat(None).age(at(5)), SignedDuration::from_secs(5));
    }

    /// Beats alone prove no delay queue.
    #[test]
    fn a_heartbeat_whose_echo_does_not_come_dies_too() {
        let beat = |seconds, before: &Heartbeat| Heartbeat::beat(at(seconds), None, "1").after(Some(before));
        let echo = |seconds, before: &Heartbeat| Heartbeat::echo(at(seconds), "1").after(Some(before));
        let first = Heartbeat::beat(at(0), None, "1").after(None);
        let well = echo(90, &beat(60, &echo(30, &first)));
        assert_eq!(well.age(at(100)), SignedDuration::from_secs(10));
        let cut = beat(240, &beat(180, &beat(120, &well)));
        assert!(cut.is_alive(at(240)) && !cut.is_alive(at(241)), "{cut:?}");
        assert!(echo(242, &cut).is_alive(at(242)), "one that is late proves it as well");
    }

    #[test]
    fn alerts_of_one_occasion_have_one_name_and_later_ones_sort_later() {
        let hold = |seconds| Hold { reason: HoldReason::TokenDead, since: at(seconds), until: None };
        let account = |id| AccountId::parse(id).unwrap();
        let first = Alert::account_held(&account("1"), &hold(0));
        assert_eq!(first.name(), Alert::account_held(&account("1"), &hold(0)).name());
        let others = [
            Alert::account_held(&account("2"), &hold(0)),
            Alert::account_held(&account("1"), &hold(1)),
            Alert::app_held(&hold(0)),
        ];
        assert!(others.iter().all(|other| other.name() != first.name()));
        assert!(others[1].name() > first.name());
        assert!(!first.message.contains('1'), "{}", first.message);
    }

    #[test]
    fn each_notice_of_a_tokens_end_is_an_alert_of_its_own() {
        let account = AccountId::parse("17841400000000001").unwrap();
        let day = 24 * 3600;
        let alert = |days: i64| {
            let token = SealedToken { sealed: String::new(), version: 1, ends_by: Some(at(60 * day)) };
            Alert::token_ending(&account, &token, at(days * day))
        };
        assert_eq!(alert(52), None);
        let told: Vec<Alert> = [53, 58, 59, 60, 99].into_iter().filter_map(alert).collect();
        let names: Vec<String> = told.iter().map(Alert::name).collect();
        assert!(names[0] == names[1] && names[3] == names[4], "{names:?}");
        assert!(names[1] < names[2] && names[2] < names[3], "{names:?}");
        for (alert, says) in told.iter().zip(["within 7 days", "within 7 days", "within a day", "by now"]) {
            assert!(alert.message.contains(says) && !alert.message.contains("178414"), "{}", alert.message);
        }
    }
}
