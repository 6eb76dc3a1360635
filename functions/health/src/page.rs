//! `/status`: the report as a page that a person reads in five seconds.

use crate::report::{Report, Status};
use openreply_domain::time::Timestamp;
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--well:#15803d;--ill:#b91c1c}\
@media(prefers-color-scheme:dark){:root{--well:#4ade80;--ill:#f87171}}\
body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.75rem;margin:0 0 .25rem}\
h2{font-size:1rem;margin:2rem 0 .5rem}\
p{margin:0 0 1rem}\
table{width:100%;border-collapse:collapse}\
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-top:1px solid var(--line)}\
th{font-weight:600;white-space:nowrap}\
.well{color:var(--well)}.ill{color:var(--ill);font-weight:600}";

/// The page.
pub(crate) fn render(report: &Report) -> String {
    let (title, class) = match report.status {
        Status::Ok => ("OpenReply works", "well"),
        Status::Degraded => ("OpenReply needs somebody", "ill"),
    };
    let mut rows = String::new();
    for (name, healthy, says) in lines(report) {
        let (word, class) = if healthy { ("ok", "well") } else { ("look", "ill") };
        let says = escape(&says);
        let _ = write!(rows, "<tr><th>{name}</th><td class=\"{class}\">{word}</td><td>{says}</td></tr>");
    }
    let mut alerts = String::new();
    for alert in &report.alerts {
        let (at, kind, message) = (shown(alert.at), alert.kind.as_str(), escape(&alert.message));
        let _ = write!(alerts, "<tr><th>{at}</th><td>{kind}</td><td>{message}</td></tr>");
    }
    let alerts =
        if alerts.is_empty() { "<p>None.</p>".to_owned() } else { format!("<table>{alerts}</table>") };
    let at = shown(report.at);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><meta http-equiv=\"refresh\" content=\"15\">\
<title>{title}</title><style>{STYLE}</style></head><body>\
<h1 class=\"{class}\">{title}</h1><p>{at} UTC, looked at anew every 15 seconds</p>\
<table>{rows}</table><h2>The last alerts</h2>{alerts}</body></html>"
    )
}

/// Each check: its name, whether it is well, and what it says.
fn lines(report: &Report) -> Vec<(&'static str, bool, String)> {
    let checks = &report.checks;
    let worker = match checks.worker.age_ms {
        Some(age) => {
            let lag =
                checks.worker.lag_ms.map_or(String::new(), |lag| format!(", which came {} late", span(lag)));
            let version = checks.worker.version.as_deref().unwrap_or("?");
            format!("last sign of life {} ago{lag}; version {version}", span(age))
        }
        None => "no sign of life yet".to_owned(),
    };
    let queue = match (checks.queue.visible, checks.queue.in_flight, checks.queue.delayed) {
        (Some(visible), Some(in_flight), Some(delayed)) => {
            format!("{visible} wait, {in_flight} are being handled, {delayed} come in a moment")
        }
        _ => "does not answer".to_owned(),
    };
    let sending = match (checks.sending.stopped, checks.sending.app_held) {
        (_, Some(true)) => "Meta refuses the app: nothing is sent on any account",
        (Some(true), _) => "stopped by a person",
        (Some(false), Some(false)) => "on",
        _ => "unknown",
    };
    let holds = match checks.holds {
        Some(0) => "none".to_owned(),
        Some(1) => "1 hold stands".to_owned(),
        Some(holds) => format!("{holds} holds stand"),
        None => "unknown".to_owned(),
    };
    let dead = match checks.dead_letters.count {
        Some(0) => "none".to_owned(),
        Some(count) => format!("{count} wait for a person"),
        None => "does not answer".to_owned(),
    };
    let database = if checks.database.healthy { "answers" } else { "does not answer" };
    vec![
        ("Worker", checks.worker.healthy, worker),
        ("Queue", checks.queue.healthy, queue),
        ("Dead letters", checks.dead_letters.healthy, dead),
        ("Database", checks.database.healthy, database.to_owned()),
        ("Sending", checks.sending.healthy, sending.to_owned()),
        ("Holds", checks.holds.is_some(), holds),
    ]
}

/// A span for people.
fn span(millis: i64) -> String {
    match millis / 1000 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn shown(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
