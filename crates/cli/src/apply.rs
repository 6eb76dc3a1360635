//! `openreply apply`: a campaign file into the stack's ledger.

use crate::say;
use crate::stack::StackName;
use openreply_app::apply::{Change, apply as apply_file};
use openreply_app::campaign_file;
use openreply_app::ports::Clock;
use openreply_app::resume::resume_all;
use openreply_aws::SystemClock;
use openreply_domain::links::Day;
use std::path::Path;

/// Checks the file first; nothing is asked of AWS for one that cannot be used.
pub(crate) async fn apply(file: &Path, stack: StackName) -> Result<(), String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    let parsed = campaign_file::parse(&text).map_err(|errors| format!("{name} cannot be used:\n{errors}"))?;
    for warning in &parsed.warnings {
        say(&format!("{name}: warning: {warning}"));
    }

    let stack = stack.find().await?;
    let (ledger, vault) = (stack.ledger(), stack.vault().await?);
    let applied = apply_file(&ledger, &vault, &parsed, SystemClock.now(), |name| std::env::var(name).ok())
        .await
        .map_err(stack.trouble())?;

    let queue = stack.queue().await?;
    let woken =
        resume_all(&ledger, &queue, &stack.events(), SystemClock.now()).await.map_err(stack.trouble())?;

    for account in &applied.accounts_written {
        let end =
            account.token.ends_by.map(|end| format!("; it is taken to end on {}", Day::of(end).as_str()));
        say(&format!("account {}: stored, token sealed{}", account.id, end.unwrap_or_default()));
    }
    for (account, campaign, change) in &applied.campaigns {
        let what = match change {
            Change::Added => "added".to_owned(),
            Change::Changed { version } => format!("changed, now version {version}"),
            Change::Moved => "moved or switched, text unchanged".to_owned(),
            Change::Unchanged => "unchanged".to_owned(),
            Change::Deactivated => "no longer in the file: inactive".to_owned(),
        };
        say(&format!("campaign {campaign} of account {account}: {what}"));
    }
    if woken > 0 {
        say(&format!("{woken} deliveries that waited go on"));
    }
    Ok(())
}
