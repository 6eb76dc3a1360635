//! `openreply deliveries` and `openreply sweeps`: what became of messages, and a person's decision about those in
//! doubt.
//!
//! Guarantees: evidence is shown before anything is decided; nobody's text is printed but on a terminal, to the
//! person who asked; nothing is decided without being confirmed.

use crate::say;
use crate::switches::parts;
use clap::{Args, Subcommand};
use openreply_app::ports::{Clock, Ledger, SweepLedger};
use openreply_app::resolve::{Evidence, all_of, evidence, find, resolve as decide};
use openreply_aws::secrets::{SecretsPrefix, sealing_key};
use openreply_aws::{AesVault, DynamoLedger, SystemClock, settings};
use openreply_domain::delivery::{Delivery, rows};
use openreply_domain::ids::AccountId;
use openreply_domain::send::{Decision, Leg, Send, SendKey};
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
        account: Option<String>,
        /// Only those in this state: SENT, UNCONFIRMED, FAILED, PENDING or SKIPPED_….
        #[arg(long)]
        status: Option<String>,
        /// Of how many days. Left out: of seven, and all there are of those that are UNCONFIRMED or PENDING.
        #[arg(long)]
        days: Option<u16>,
        #[command(flatten)]
        stack: Stack,
    },
    /// Shows everything about one trigger, with the evidence for what is in doubt.
    Show {
        /// `comment:<account>:<comment id>`, as the list shows it.
        trigger: String,
        #[command(flatten)]
        stack: Stack,
        #[command(flatten)]
        graph: GraphArgs,
    },
    /// Decides what became of a message in doubt.
    Resolve {
        /// `comment:<account>:<comment id>`, as the list shows it.
        trigger: String,
        /// `dm`, `public_reply#<campaign>`, …, as `show` shows it.
        leg: String,
        #[command(flatten)]
        verdict: Verdict,
        /// Whose decision it is. Left out: the name of this machine's user.
        #[arg(long, env = "USER", default_value = "somebody")]
        by: String,
        /// Asks nothing.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        stack: Stack,
        #[command(flatten)]
        graph: GraphArgs,
    },
}

/// The stack that is meant.
#[derive(Debug, Args)]
pub(crate) struct Stack {
    /// The stack's name.
    #[arg(long)]
    stack: String,
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
            list(&stack.stack, account.as_deref(), status.as_deref(), days).await
        }
        Deliveries::Show { trigger, stack, graph } => show(&stack.stack, &trigger, &graph).await,
        Deliveries::Resolve { trigger, leg, verdict, by, yes, stack, graph } => {
            let decision = if verdict.sent { Decision::Sent } else { Decision::Release };
            resolve(&stack.stack, &key(&trigger, &leg)?, decision, &by, yes, &graph).await
        }
    }
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
    stack: &str,
    account: Option<&str>,
    status: Option<&str>,
    days: Option<u16>,
) -> Result<(), String> {
    let ledger = ledger(stack).await;
    let accounts = match account {
        Some(id) => vec![AccountId::parse(id).map_err(|error| format!("the account id {error}"))?],
        None => ledger.account_ids().await.map_err(|error| error.to_string())?,
    };
    let now = SystemClock.now();
    let days = days_back(days, status);
    let since = days
        .map_or(Timestamp::UNIX_EPOCH, |days| after(now, -SignedDuration::from_hours(24 * i64::from(days))));
    let mut shown = 0;
    for account in accounts {
        for send in ledger.deliveries(&account, since).await.map_err(|error| error.to_string())? {
            for row in as_rows(&send, now) {
                if status.is_none_or(|status| row.status.eq_ignore_ascii_case(status)) {
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

async fn show(stack: &str, trigger: &str, graph: &GraphArgs) -> Result<(), String> {
    let trigger: TriggerKey = trigger.parse().map_err(|error| format!("{error}"))?;
    let ledger = ledger(stack).await;
    let sends = all_of(&ledger, &trigger).await.map_err(|error| error.to_string())?;
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
    stack: &str,
    key: &SendKey,
    decision: Decision,
    by: &str,
    yes: bool,
    graph: &GraphArgs,
) -> Result<(), String> {
    let (ledger, queue, events) = parts(stack).await?;
    let send = find(&ledger, key).await.map_err(|error| error.to_string())?;
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
    let send =
        decide(&ledger, &queue, &events, key, decision, by, now).await.map_err(|error| error.to_string())?;
    for row in as_rows(&send, now) {
        say(&line(&row, &key.leg));
    }
    Ok(())
}

/// `openreply sweeps`: what the last round came to.
pub(crate) async fn sweeps(stack: &str) -> Result<(), String> {
    let sweeps = ledger(stack).await.sweeps().await.map_err(|error| error.to_string())?;
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
async fn tell_evidence(stack: &str, ledger: &DynamoLedger, send: &Send, graph: &GraphArgs) {
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
    stack: &str,
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
    let ssm = aws_sdk_ssm::Client::new(&settings::sdk_config().await);
    let sealing =
        sealing_key(&ssm, &SecretsPrefix::of_stack(stack)).await.map_err(|error| error.to_string())?;
    evidence(ledger, &AesVault::new(&sealing), &graph, send).await.map_err(|error| error.to_string())
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

fn key(trigger: &str, leg: &str) -> Result<SendKey, String> {
    let trigger = trigger.parse().map_err(|error| format!("{error}"))?;
    Ok(SendKey { trigger, leg: leg.parse().map_err(|error| format!("{error}"))? })
}

async fn ledger(stack: &str) -> DynamoLedger {
    let config = settings::sdk_config().await;
    // As the template names it.
    DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), format!("{stack}-ledger"))
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
