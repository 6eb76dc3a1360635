//! The contract of [`openreply_app::ports::Pulse`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::ledger::samples::{account, at, gate, hold};
use futures_util::future::join_all;
use openreply_app::ports::{Ledger, Pulse};
use openreply_domain::gate::{AccountGate, Hold, HoldReason};
use openreply_domain::pulse::{Alert, AlertKind, Heartbeat};

fn beat(seconds: i64, lag_ms: Option<i64>) -> Heartbeat {
    Heartbeat::beat(at(seconds), lag_ms, "1.2.3")
}

fn echo(seconds: i64) -> Heartbeat {
    Heartbeat::echo(at(seconds), "1.2.3")
}

fn alert(seconds: i64, subject: Option<&str>) -> Alert {
    let subject = subject.map(str::to_owned);
    Alert { kind: AlertKind::NoReel, at: at(seconds), subject, message: "look \"here\"".to_owned() }
}

/// Nothing was ever written.
pub async fn a_stack_that_never_lived_says_so(ledger: &(impl Ledger + Pulse)) {
    assert_eq!(ledger.heartbeat().await.unwrap(), None);
    assert_eq!(ledger.alerts(24).await.unwrap(), []);
    assert_eq!(ledger.held_accounts(at(0)).await.unwrap(), 0);
}

/// The last one, at once: with how late the last beat was, and the earliest of which no echo came.
pub async fn the_last_heartbeat_stands(ledger: &(impl Ledger + Pulse)) {
    for (written, awaited, lag) in [
        (beat(0, Some(1500)), Some(0), Some(1500)),
        (beat(60, None), Some(0), None),
        (beat(60, Some(7)), Some(0), Some(7)),
        (echo(30), None, Some(7)),
        (echo(31), None, Some(7)),
        (beat(120, Some(0)), Some(120), Some(0)),
        (beat(180, None), Some(120), None),
        (echo(181), None, None),
    ] {
        ledger.beat(&written).await.unwrap();
        let expected = Heartbeat { echo_awaited_since: awaited.map(at), lag_ms: lag, ..written };
        assert_eq!(ledger.heartbeat().await.unwrap(), Some(expected));
    }
}

/// However many raise it at the same time.
pub async fn an_occasion_is_one_alert(ledger: &(impl Ledger + Pulse)) {
    let same = alert(0, Some("1"));
    let raised = join_all((0..20).map(|_| ledger.raise(&same))).await;
    assert_eq!(raised.into_iter().filter(|raised| *raised.as_ref().unwrap()).count(), 1);
    for other in [alert(0, Some("2")), alert(1, Some("1")), alert(0, None)] {
        assert!(ledger.raise(&other).await.unwrap(), "{other:?}");
    }
    assert_eq!(ledger.alerts(24).await.unwrap().len(), 4);
}

/// As they were written.
pub async fn the_newest_alerts_come_first(ledger: &(impl Ledger + Pulse)) {
    let all: Vec<Alert> = (0..30).map(|n| alert(n, Some("1"))).collect();
    for nth in [7, 29, 0, 3] {
        ledger.raise(&all[nth]).await.unwrap();
    }
    for alert in &all {
        ledger.raise(alert).await.unwrap();
    }
    let newest: Vec<Alert> = all.iter().rev().take(24).cloned().collect();
    assert_eq!(ledger.alerts(24).await.unwrap(), newest);
    assert_eq!(ledger.alerts(1).await.unwrap(), newest[..1]);
    assert_eq!(ledger.alerts(0).await.unwrap(), []);
}

/// Those whose hold stands at that moment, with an end and without.
pub async fn accounts_are_held_as_long_as_their_gates_say(ledger: &(impl Ledger + Pulse)) {
    let held = |n, hold| (account(n), AccountGate { hold, ..gate(1) });
    let endless = Hold { until: None, ..hold(HoldReason::TokenDead, 0) };
    let gates = [
        held(1, None),
        held(2, Some(hold(HoldReason::Throttled, 0))),
        held(3, Some(hold(HoldReason::Doubt, 100))),
        held(4, Some(endless)),
    ];
    for (account, gate) in &gates {
        assert_eq!(ledger.put_gate(account, gate).await.unwrap(), None);
    }
    for (seconds, expected) in [(0, 3), (899, 3), (900, 2), (999, 2), (1000, 1), (100_000_000, 1)] {
        assert_eq!(ledger.held_accounts(at(seconds)).await.unwrap(), expected, "after {seconds} s");
    }
    let lifted = AccountGate { hold: None, ..gate(2) };
    assert_eq!(ledger.put_gate(&account(4), &lifted).await.unwrap(), None);
    assert_eq!(ledger.held_accounts(at(0)).await.unwrap(), 2);
}
