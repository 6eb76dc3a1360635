//! The rules of a campaign file, over keys that were read.
//!
//! Guarantees: every rule is looked at whatever else is wrong, except where a mistake already reported makes
//! its answer meaningless.

mod account;
mod campaign;
mod flows;
mod link;
mod message;
mod opt_out;
mod text;
mod words;

pub(super) use campaign::MATCH_MODES;
pub(super) use flows::REPEATS;

use super::problem::{Place, Problems, Reported};
use super::reading::{Key, Located, quoted};
use super::{CampaignFile, FileAccount, limits, wire};
use openreply_domain::ids::{AccountId, IdError};
use std::collections::HashMap;

/// Checks a file as a whole.
pub(super) fn file(
    file: wire::File,
    place: Place,
    problems: &mut Problems,
) -> Result<CampaignFile, Reported> {
    let owner = (wire::File::WHAT, place);
    let accounts = file.accounts.required("accounts", owner, problems);
    let campaigns = file.campaigns.required("campaigns", owner, problems);

    let accounts = accounts.and_then(|list| {
        if list.value.written == 0 {
            return Err(problems.add(list.place, "`accounts`: expected one account at least, found none"));
        }
        let complete = list.value.items.len() == list.value.written;
        let checked: Vec<_> =
            list.value.items.into_iter().map(|wire| account::check(wire, problems)).collect();
        Ok((Listed::of(&checked, complete, problems), checked))
    });
    let listed = accounts.as_ref().ok().map(|(listed, _)| listed);

    let campaigns = campaigns.map(|list| {
        refuse_too_many_campaigns(&list.value.items, problems);
        let checked: Vec<_> =
            list.value.items.into_iter().map(|wire| campaign::check(wire, listed, problems)).collect();
        refuse_repeated_campaigns(&checked, problems);
        checked
    });

    // For editors: that it is a text is all that matters here.
    file.schema.optional()?;
    let accounts = accounts.and_then(|(_, checked)| all(checked))?;
    let campaigns = campaigns.and_then(all)?;
    Ok(CampaignFile { accounts, campaigns, warnings: Vec::new() })
}

/// The value of everything that was checked, if all of it is good.
fn all<I, T>(checked: Vec<Checked<I, T>>) -> Result<Vec<T>, Reported> {
    checked.into_iter().map(|one| one.value).collect()
}

/// An account or a campaign after its own checks. The id is kept beside the rest, so that what goes by it is
/// checked even where the rest is wrong.
struct Checked<I, T> {
    id: Result<Located<I>, Reported>,
    value: Result<T, Reported>,
}

/// The accounts that campaigns may name.
struct Listed {
    /// Ids with the user name, where it could be read.
    accounts: HashMap<AccountId, Option<String>>,
    /// Whether every account of the file has a good id. If not, a missing one may be among the bad ones.
    complete: bool,
}

impl Listed {
    fn of(checked: &[Checked<AccountId, FileAccount>], complete: bool, problems: &mut Problems) -> Self {
        let mut listed = Self { accounts: HashMap::new(), complete };
        let mut first: HashMap<&AccountId, usize> = HashMap::new();
        for account in checked {
            let Ok(id) = &account.id else {
                listed.complete = false;
                continue;
            };
            if let Some(line) = first.get(&id.value) {
                problems.add(id.place, repeated("account", &id.value, *line));
                continue;
            }
            first.insert(&id.value, id.place.line);
            let username = account.value.as_ref().ok().map(|account| account.username.clone());
            listed.accounts.insert(id.value.clone(), username);
        }
        listed
    }

    /// The id of the account that goes by this user name.
    fn by_username(&self, username: &str) -> Option<&AccountId> {
        let username = username.trim_start_matches('@');
        self.accounts.iter().find_map(|(id, name)| {
            name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(username)).then_some(id)
        })
    }
}

fn repeated(what: &str, id: &impl std::fmt::Display, line: usize) -> String {
    format!("`id`: the {what} {id} is in the file already, on line {line}; expected each id once")
}

fn refuse_repeated_campaigns(checked: &[campaign::CheckedCampaign], problems: &mut Problems) {
    let mut first = HashMap::new();
    for id in checked.iter().filter_map(|campaign| campaign.id.as_ref().ok()) {
        match first.get(&id.value) {
            Some(line) => _ = problems.add(id.place, repeated("campaign", &id.value, *line)),
            None => _ = first.insert(&id.value, id.place.line),
        }
    }
}

fn refuse_too_many_campaigns(campaigns: &[Located<wire::Campaign>], problems: &mut Problems) {
    let most = limits::CAMPAIGNS_PER_ACCOUNT;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for campaign in campaigns {
        let Key::Present(Ok(account)) = &campaign.value.account else { continue };
        let count = counts.entry(account.value.as_str()).or_default();
        *count += 1;
        if *count == most + 1 {
            problems.add(
                campaign.place,
                format!("expected at most {most} campaigns of an account, here is one more"),
            );
        }
    }
}

/// Reads an id that Instagram gave. It has a digit in it: a word without one is a user name, or a slip of the
/// pen for something else.
fn instagram_id<I>(
    text: &Located<String>,
    parse: impl Fn(&str) -> Result<I, IdError>,
    refuse: impl Fn(&str) -> String,
    problems: &mut Problems,
) -> Result<I, Reported> {
    let written = text.value.as_str();
    let has_digit = written.contains(|c: char| c.is_ascii_digit());
    // What a spreadsheet makes of a long id; its last digits are lost.
    let is_rounded = written.starts_with(|c: char| c.is_ascii_digit())
        && !written.bytes().all(|b| b.is_ascii_digit())
        && written.parse::<f64>().is_ok();
    let why = match parse(written) {
        Ok(_) if is_rounded => "a rounded number".to_owned(),
        Ok(_) if !has_digit => quoted(written, "a word"),
        Ok(id) => return Ok(id),
        Err(IdError::Empty) => "nothing".to_owned(),
        Err(IdError::TooLong) => "something far too long".to_owned(),
        Err(IdError::Character) => quoted(written, "a character that is in no id"),
    };
    Err(problems.add(text.place, refuse(&why)))
}
