//! What an account must be.

use super::{Checked, instagram_id, opt_out};
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::{Located, quoted};
use crate::campaign_file::{FileAccount, TokenSource, limits, token, wire};
use openreply_domain::ids::AccountId;
use openreply_domain::time::Timestamp;

pub(super) fn check(
    account: Located<wire::Account>,
    problems: &mut Problems,
) -> Checked<AccountId, FileAccount> {
    let Located { place, value: mut account } = account;
    let id = std::mem::take(&mut account.id).required("id", (wire::Account::WHAT, place), problems);
    let id = id.and_then(|text| {
        let refuse =
            |why: &str| format!("`id`: expected the account's id on Instagram (digits), found {why}");
        let id = instagram_id(&text, |text| AccountId::parse(text), refuse, problems)?;
        Ok(Located { place: text.place, value: id })
    });
    let value = rest(account, place, &id, problems);
    Checked { id, value }
}

/// All but the id. Every part is checked before any that is wrong ends it.
fn rest(
    account: wire::Account,
    place: Place,
    id: &Result<Located<AccountId>, Reported>,
    problems: &mut Problems,
) -> Result<FileAccount, Reported> {
    let name = account.username.required("username", (wire::Account::WHAT, place), problems);
    let name = name.and_then(|text| username(text, problems));
    let token = token_source((account.token.optional(), account.token_env.optional()), place, problems);
    let token_ends = account.token_ends.optional().and_then(|day| token_ends(day, problems));
    let opt_out = opt_out::check(account.opt_out, problems);
    let id = id.as_ref().map(|id| id.value.clone()).map_err(|reported| *reported)?;
    Ok(FileAccount { id, username: name?, opt_out: opt_out?, token: token?, token_ends: token_ends? })
}

/// Instagram's own rule for user names.
fn username(text: Located<String>, problems: &mut Problems) -> Result<String, Reported> {
    let name = text.value;
    let why = if name.is_empty() {
        "nothing"
    } else if name.starts_with('@') {
        "one with it"
    } else if name.len() > limits::USERNAME_CHARS {
        "something longer"
    } else if name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_')) {
        return Ok(name);
    } else {
        "another character"
    };
    let most = limits::USERNAME_CHARS;
    let expected = format!("up to {most} letters, digits, dots and underscores, without @");
    Err(problems.add(text.place, format!("`username`: expected {expected}; found {why}")))
}

/// A day begins at midnight, UTC: the token is taken to end by then.
fn token_ends(day: Option<Located<String>>, problems: &mut Problems) -> Result<Option<Timestamp>, Reported> {
    let Some(day) = day else { return Ok(None) };
    match first_moment(&day.value) {
        Some(moment) => Ok(Some(moment)),
        None => {
            let expected = "a day such as 2027-01-29";
            Err(problems.add(
                day.place,
                format!("`token_ends`: expected {expected}, found {}", quoted(&day.value, "something else")),
            ))
        }
    }
}

/// Only the one way of writing it: what else a parser takes may not mean what its author meant.
fn first_moment(day: &str) -> Option<Timestamp> {
    let is_plain = day.len() == "2027-01-29".len() && day.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    is_plain.then(|| format!("{day}T00:00:00Z").parse().ok()).flatten()
}

type Found<T> = Result<Option<Located<T>>, Reported>;

fn token_source(
    found: (Found<secrecy::SecretString>, Found<String>),
    account: Place,
    problems: &mut Problems,
) -> Result<TokenSource, Reported> {
    match (found.0?, found.1?) {
        (None, None) => Err(problems.add(account, "`token` or `token_env` is missing from an account")),
        (Some(_), Some(variable)) => {
            Err(problems
                .add(variable.place, "`token_env` stands beside `token`; expected only one of the two"))
        }
        (Some(literal), None) => match token::check(&literal.value) {
            Ok(()) => Ok(TokenSource::Literal(literal.value)),
            Err(fault) => Err(problems.add(literal.place, format!("`token` {fault}"))),
        },
        (None, Some(variable)) => {
            if is_variable(&variable.value) {
                return Ok(TokenSource::Env(variable.value));
            }
            let expected = "the name of an environment variable, in capitals (such as BAKERY_TOKEN)";
            Err(problems
                .add(variable.place, format!("`token_env`: expected {expected}, found something else")))
        }
    }
}

/// Capitals only: a token that was put here by mistake must not pass for a name, because names are shown.
fn is_variable(name: &str) -> bool {
    (1..=limits::VARIABLE_CHARS).contains(&name.len())
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
