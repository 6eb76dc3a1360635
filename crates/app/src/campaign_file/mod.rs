//! The campaign file: what a creator writes, in YAML or JSON.
//!
//! Guarantees: a [`CampaignFile`] has been checked in full, so that nothing of it can be refused later for what
//! it says. A file with mistakes yields all of them at once, each with its line and column and with what was
//! expected. A token is in no error and in no `Debug` output.
//!
//! `docs/CAMPAIGN-FILE.md` is the page for people who write one; [`json_schema`] is for their editors.

mod check;
mod document;
mod limits;
mod problem;
mod reading;
mod schema;
mod token;
mod wire;

#[cfg(test)]
mod tests;

pub use problem::{CampaignFileErrors, Problem};
pub use schema::json_schema;
pub use token::{TokenError, TokenFault, TokenSource};

use openreply_domain::campaign::{CampaignContent, OptOut};
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::time::Timestamp;
use problem::{Place, Problems, Reported};
use reading::Read;

/// A campaign file that was read and checked.
#[derive(Debug, Clone)]
pub struct CampaignFile {
    /// The accounts, at least one, each id once.
    pub accounts: Vec<FileAccount>,
    /// The campaigns in the order of the file, each id once, each of a listed account.
    pub campaigns: Vec<FileCampaign>,
    /// What its author should know, in the order of the file. It refuses nothing.
    pub warnings: Vec<Problem>,
}

/// An account as the file has it.
#[derive(Debug, Clone)]
pub struct FileAccount {
    /// Its id.
    pub id: AccountId,
    /// Its user name, without @.
    pub username: String,
    /// How people opt out.
    pub opt_out: OptOut,
    /// Where its token comes from.
    pub token: TokenSource,
    /// When its token ends, where the file says so.
    pub token_ends: Option<Timestamp>,
}

/// A campaign as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCampaign {
    /// Its id.
    pub id: CampaignId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// Whether it takes comments.
    pub active: bool,
    /// Whether a sweep may answer comments from before it was made active.
    pub backfill: bool,
    /// What it says and listens to.
    pub content: CampaignContent,
}

/// Reads and checks a campaign file.
///
/// # Errors
/// With everything that is wrong with the file.
pub fn parse(text: &str) -> Result<CampaignFile, CampaignFileErrors> {
    let mut problems = Problems::default();
    let file = read(text, &mut problems);
    let (file, warnings) = problems.settle(file)?;
    Ok(CampaignFile { warnings, ..file })
}

fn read(text: &str, problems: &mut Problems) -> Result<CampaignFile, Reported> {
    let Some(root) = document::read(text, problems)? else {
        return Err(problems.add(Place::START, "the file is empty; expected the keys accounts and campaigns"));
    };
    let file = wire::File::read(&root, "", problems)?;
    check::file(file, root.place, problems)
}
