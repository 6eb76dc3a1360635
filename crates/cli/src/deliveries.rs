//! `openreply deliveries` and `openreply sweeps`: what became of messages, and a person's decision about those in
//! doubt.
//!
//! Guarantees: evidence is shown before anything is decided; nobody's text is printed but on a terminal, to the
//! person who asked; nothing is decided without being confirmed.

use crate::say;
use crate::stack::{Stack, StackName};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use openreply_app::ports::{Clock, Ledger, SweepLedger};
use openreply_app::resolve::{Evidence, all_of, evidence, find, resolve as decide};
use openreply_app::resume::ResumeError;
use openreply_aws::{DynamoLedger, SystemClock};
use openreply_domain::delivery::{Delivery, rows};
use openreply_domain::ids::AccountId;
use openreply_domain::send::{Decision, Leg, Send, SendKey, Skip};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::TriggerKey;
use openreply_graph::{Graph, GraphConfig};
use std::io::{IsTerminal, Write};

/// What can be asked of deliveries.
#[derive(Debug, Subcommand)]
pub(crate) enum Deliveries {
    /// Lists deliveries, oldest trigger first.
    List {
        /// Only those of this account.
        #[arg(long)]
        account: Option<AccountId>,
        /// Only those in this state; SKIPPED is whatever was skipped.
        #[arg(long, ignore_case = true, value_parser = PossibleValuesParser::new(statuses()))]
        status: Option<String>,
        /// Of how many days. Left out: of seven, and all there are of those that are UNCONFIRMED or PENDING.
        #[arg(long)]
        days: Option<u16>,
        #[command(flatten)]
        stack: StackName,
    },
    /// Shows everything about one trigger, with the evidence for what is in doubt.
    Show {
        /// `comment:<account>:<comment id>`, as the list shows it.
        trigger: TriggerKey,
        #[command(flatten)]
        stack: StackName,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Decides what became of a message in doubt.
    Resolve {
        /// `comment:<account>:<comment id>`, as the list shows it.
        trigger: TriggerKey,
        /// `dm`, `public_reply#<campaign>`, …, as `show` shows it.
        leg: Leg,
        #[command(flatten)]
        verdict: Verdict,
        /// Whose decision it is. Left out: the name of this machine's user.
        #[arg(long, env = "USER", default_value = "somebody")]
        by: String,
        /// Asks nothing.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        stack: StackName,
        #[command(flatten)]
        graph: GraphArgs,
    },
}

/// Where the evidence is looked for.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// Where the Graph API is.
    #[arg(long, default_value = "https://graph.instagram.com")]
    graph_url: String,
    /// Its version.
    #[arg(long, default_value = "v25.0")]
    graph_version: String,
}

/// What a person says of it.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Verdict {
    /// It arrived: it counts as sent.
    #[arg(long)]
    sent: bool,
    /// It did not arrive: it is tried once more.
    #[arg(long)]
    release: bool,
}

/// Does what was asked.
pub(crate) async fn run(command: Deliveries) -> Result<(), String> {
    match command {
        Deliveries::List { account, status, days, stack } => {
            list(&stack.find().await?, account, status.as_deref(), days).await
        }
        Deliveries::Show { trigger, stack, graph } => show(&stack.find().await?, &trigger, &graph).await,
        Deliveries::Resolve { trigger, leg, verdict, by, yes, stack, graph } => {
            let decision = if verdict.sent { Decision::Sent } else { Decision::Release };
            resolve(&stack.find().await?, &SendKey { trigger, leg }, decision, &by, yes, &graph).await
        }
    }
}

/// What a list can be asked for.
fn statuses() -> Vec<&'static str> {
    ["SENT", "UNCONFIRMED", "FAILED", "PENDING", SKIPPED]
        .into_iter()
        .chain(Skip::ALL.map(Skip::as_str))
        .collect()
}

/// All that was skipped, whyever.
const SKIPPED: &str = "SKIPPED";

/// Whether a row is in the state that was asked for.
fn is_in(status: &str, asked: &str) -> bool {
    let asked = asked.to_ascii_uppercase();
    status == asked || (asked == SKIPPED && Skip::ALL.iter().any(|skip| skip.as_str() == status))
}

/// How many days back a list goes that nobody gave a number for.
const DAYS: u16 = 7;

/// How many days back a list goes. `None`: as far as there is anything. What needs somebody, or waits, may be old.
fn days_back(days: Option<u16>, status: Option<&str>) -> Option<u16> {
    let is_open =
        |status: &str| ["UNCONFIRMED", "PENDING"].iter().any(|open| open.eq_ignore_ascii_case(status));
    days.or_else(|| (!status.is_some_and(is_open)).then_some(DAYS))
}

async fn list(
    stack: &Stack,
    account: Option<AccountId>,
    status: Option<&str>,
    days: Option<u16>,
) -> Result<(), String> {
    let ledger = stack.ledger();
    let accounts = match account {
        Some(account) if ledger.account(&account).await.map_err(stack.trouble())?.is_some() => vec![account],
        Some(account) => return Err(stack.trouble()(ResumeError::NoAccount(account))),
        None => ledger.account_ids().await.map_err(stack.trouble())?,
    };
    let now = SystemClock.now();
    let days = days_back(days, status);
    let since = days
        .map_or(Timestamp::UNIX_EPOCH, |days| after(now, -SignedDuration::from_hours(24 * i64::from(days))));
    let mut shown = 0;
    for account in accounts {
        for send in ledger.deliveries(&account, since).await.map_err(stack.trouble())? {
            for row in as_rows(&send, now) {
                if status.is_none_or(|status| is_in(row.status, status)) {
                    shown += 1;
                    say(&line(&row, &send.key.leg));
                }
            }
        }
    }
    say(&match days {
        Some(days) => format!("{shown} deliveries of the last {days} days"),
        None => format!("{shown} deliveries"),
    });
    Ok(())
}

async fn show(stack: &Stack, trigger: &TriggerKey, graph: &GraphArgs) -> Result<(), String> {
    let ledger = stack.ledger();
    let sends = all_of(&ledger, trigger).await.map_err(stack.trouble())?;
    if sends.is_empty() {
        return Err(format!("the ledger knows nothing of {trigger}"));
    }
    let now = SystemClock.now();
    for send in &sends {
        for row in as_rows(send, now) {
            say(&line(&row, &send.key.leg));
        }
        for detail in details(send) {
            say(&format!("    {detail}"));
        }
        if as_rows(send, now).iter().any(|row| row.status == "UNCONFIRMED") {
            tell_evidence(stack, &ledger, send, graph).await;
        }
    }
    Ok(())
}

async fn resolve(
    stack: &Stack,
    key: &SendKey,
    decision: Decision,
    by: &str,
    yes: bool,
    graph: &GraphArgs,
) -> Result<(), String> {
    let (ledger, queue, events) = (stack.ledger(), stack.queue().await?, stack.events());
    let send = find(&ledger, key).await.map_err(stack.trouble())?;
    for row in as_rows(&send, SystemClock.now()) {
        say(&line(&row, &key.leg));
    }
    tell_evidence(stack, &ledger, &send, graph).await;
    let question = match decision {
        Decision::Sent => "It counts as sent, for good. Is that right?",
        Decision::Release => {
            "It is tried once more. If the first did arrive, the person may get it twice. Is that right?"
        }
    };
    if !yes && !confirm(question)? {
        return Err("nothing was changed".to_owned());
    }
    let now = SystemClock.now();
    let send = decide(&ledger, &queue, &events, key, decision, by, now).await.map_err(stack.trouble())?;
    for row in as_rows(&send, now) {
        say(&line(&row, &key.leg));
    }
    Ok(())
}

/// `openreply sweeps`: what the last round came to.
pub(crate) async fn sweeps(stack: &Stack) -> Result<(), String> {
    let sweeps = stack.ledger().sweeps().await.map_err(stack.trouble())?;
    if sweeps.is_empty() {
        say("there was no sweep yet");
    }
    for record in sweeps {
        let whose = record.account.as_ref().map_or("the stack", AccountId::as_str);
        let counts = serde_json::to_value(&record.summary).map_err(|error| error.to_string())?;
        let counts: Vec<String> = counts
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, count)| count.as_u64().is_some_and(|count| count > 0))
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let counts = if counts.is_empty() { "nothing to do".to_owned() } else { counts.join(", ") };
        say(&format!("{}  {whose}: {counts}", record.at));
        for note in &record.summary.notes {
            say(&format!("    {note}"));
        }
    }
    Ok(())
}

/// What Instagram shows. That it cannot be seen keeps nobody from deciding.
async fn tell_evidence(stack: &Stack, ledger: &DynamoLedger, send: &Send, graph: &GraphArgs) {
    match look(stack, ledger, send, graph).await {
        Ok(found) => {
            for line in evidence_lines(&found, std::io::stdout().is_terminal()) {
                say(&format!("    {line}"));
            }
        }
        Err(error) => say(&format!(
            "    the evidence could not be looked at ({error}): look into the account's inbox, Requests included"
        )),
    }
}

async fn look(
    stack: &Stack,
    ledger: &DynamoLedger,
    send: &Send,
    graph: &GraphArgs,
) -> Result<Evidence, String> {
    let config = GraphConfig {
        base: graph.graph_url.clone(),
        version: graph.graph_version.clone(),
        ..GraphConfig::default()
    };
    let graph = Graph::new(config).map_err(|error| error.to_string())?;
    evidence(ledger, &stack.vault().await?, &graph, send).await.map_err(|error| error.to_string())
}

/// What speaks for and against a delivery. Texts only for eyes.
fn evidence_lines(found: &Evidence, shows_texts: bool) -> Vec<String> {
    let mut lines = vec![match found.fitting.len() {
        0 => "Instagram shows no message that fits; that proves nothing, it may be among the Requests"
            .to_owned(),
        1 => "Instagram shows one message that fits this one, by its text and its time".to_owned(),
        many => format!("Instagram shows {many} messages that fit this one"),
    }];
    for message in &found.shown {
        let mark = if found.fitting.contains(message) { "=>" } else { "  " };
        let who = if message.ours { "account" } else { "person" };
        let text = if shows_texts { format!("  {}", message.text.replace('\n', " ")) } else { String::new() };
        lines.push(format!("{mark} {}  {who}{text}", message.at));
    }
    lines
}

/// What is known of a Send beside its row.
fn details(send: &Send) -> Vec<String> {
    let claim = send.claim.as_ref().map(|claim| {
        format!(
            "claimed at {} by {}, which ended by {} at the latest",
            claim.at, claim.holder, claim.expires_at
        )
    });
    let looked =
        send.looked.map(|looked| format!("looked for {} times, last at {}", looked.times, looked.last_at));
    let released =
        send.released.iter().map(|released| format!("an attempt of {} was released", released.claimed_at));
    let resolved = send.resolved.as_ref().map(|resolved| {
        let what = match resolved.decision {
            Decision::Sent => "sent",
            Decision::Release => "not sent, and released it",
        };
        format!("{} called it {what} at {}", resolved.by, resolved.at)
    });
    claim.into_iter().chain(looked).chain(released).chain(resolved).collect()
}

fn line(row: &Delivery, leg: &Leg) -> String {
    let campaign = row.campaign.as_ref().map_or("-", |campaign| campaign.as_str());
    let more = match (&row.message_id, &row.reason, row.waiting_for) {
        (Some(id), _, _) => format!("as {id}"),
        (None, Some(reason), Some(waits)) => format!("waits for {waits}: {reason}"),
        (None, Some(reason), None) => reason.clone(),
        (None, None, _) => String::new(),
    };
    format!("{}  {:<15} {} {leg} ({campaign})  {more}", row.updated_at, row.status, row.trigger)
        .trim_end()
        .to_owned()
}

/// Whoever took a claim can come back until it expires.
fn as_rows(send: &Send, now: Timestamp) -> Vec<Delivery> {
    rows(send, |claim| now < claim.expires_at)
}

/// Asks on the terminal. Without one, nobody can confirm.
fn confirm(question: &str) -> Result<bool, String> {
    if !std::io::stdin().is_terminal() {
        return Err("nobody is here to confirm it: say --yes".to_owned());
    }
    let failed = |error: std::io::Error| error.to_string();
    let mut out = std::io::stdout().lock();
    write!(out, "{question} [y/N] ").and_then(|()| out.flush()).map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests;
