//! `openreply apply`: a campaign file into the stack's ledger.

use crate::say;
use openreply_app::apply::{Change, apply as apply_file};
use openreply_app::campaign_file;
use openreply_app::ports::Clock;
use openreply_app::resume::resume_all;
use openreply_aws::secrets::{SecretsPrefix, sealing_key};
use openreply_aws::{AesVault, DynamoLedger, SystemClock, settings};
use openreply_domain::links::Day;
use std::path::Path;

/// Checks the file first; nothing is asked of AWS for one that cannot be used.
pub(crate) async fn apply(file: &Path, stack: &str) -> Result<(), String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    let parsed = campaign_file::parse(&text).map_err(|errors| format!("{name} cannot be used:\n{errors}"))?;
    for warning in &parsed.warnings {
        say(&format!("{name}: warning: {warning}"));
    }

    let config = settings::sdk_config().await;
    let prefix = SecretsPrefix::of_stack(stack);
    let key = sealing_key(&aws_sdk_ssm::Client::new(&config), &prefix).await.map_err(|e| e.to_string())?;
    // As the template names it.
    let ledger = DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), format!("{stack}-ledger"));
    let applied = apply_file(&ledger, &AesVault::new(&key), &parsed, SystemClock.now(), |name| {
        std::env::var(name).ok()
    })
    .await
    .map_err(|error| error.to_string())?;

    let queue = crate::switches::queue(&config, stack).await?;
    let events = crate::switches::events(&config, stack);
    let woken =
        resume_all(&ledger, &queue, &events, SystemClock.now()).await.map_err(|error| error.to_string())?;

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
