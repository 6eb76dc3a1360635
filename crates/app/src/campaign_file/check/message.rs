//! What a message must be that goes into somebody's inbox.

use super::text;
use crate::campaign_file::limits;
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::Located;
use openreply_domain::campaign::Link;
use openreply_domain::message::MAX_BUTTONS_TEXT_CHARS;
use openreply_domain::rendering::{
    Length, MAX_MESSAGE_BYTES, Values, direct_message, longest_direct_message, longest_plain_message,
    plain_message,
};

/// What a message of a campaign may build on. `None`: it is wrong itself, and nothing is to be said about it.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    /// The campaign's links.
    pub(super) links: Option<&'a [Link]>,
    /// Its keywords: empty where it takes any word.
    pub(super) keywords: Option<&'a [String]>,
    /// Whether links are buttons where a conversation is open.
    pub(super) buttons: bool,
}

/// Which of a campaign's messages a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the campaign gives: the first link is in it in any case.
    Gives,
    /// It has the links that it places.
    Follows,
    /// It comes before what the campaign gives, and has no link.
    Precedes {
        /// Whether a button stands under it.
        button: bool,
    },
}

/// Checks one.
pub(super) fn check(
    text: Located<String>,
    key: &str,
    kind: Kind,
    of: Of<'_>,
    problems: &mut Problems,
) -> Result<String, Reported> {
    let Located { place, value: text } = text;
    text::message(&text, key, &text::IN_DIRECT_MESSAGES, place, problems)?;
    match (kind, of.links) {
        (Kind::Precedes { .. }, _) => refuse_links(&text, key, place, problems)?,
        (Kind::Gives | Kind::Follows, Some(links)) => missing_links(&text, key, links, place, problems)?,
        (Kind::Gives | Kind::Follows, None) => {}
    }
    if of.keywords.is_some_and(<[String]>::is_empty) && text.contains(text::KEYWORD) {
        let message = "{keyword} has no keyword to stand for: any_word takes every comment";
        return Err(problems.add(place, format!("`{key}`: {message}")));
    }
    let (Some(links), Some(keywords)) = (of.links, of.keywords) else { return Ok(text) };
    let urls: Vec<&str> = match kind {
        Kind::Precedes { .. } => Vec::new(),
        Kind::Gives | Kind::Follows => links.iter().map(|link| link.url.as_str()).collect(),
    };
    let values = Values {
        username: None,
        keyword: keywords.iter().map(String::as_str).max_by_key(|keyword| keyword.len()),
        links: &urls,
    };
    says_something(&text, key, kind, &urls, place, problems)?;
    fits(&text, key, kind, of.buttons, &values, place, problems)?;
    Ok(text)
}

/// Checks a text that the account says for itself: there is neither a keyword nor a link.
pub(super) fn of_the_account(
    text: Located<String>,
    key: &str,
    problems: &mut Problems,
) -> Result<String, Reported> {
    let Located { place, value: text } = text;
    text::message(&text, key, &text::IN_PUBLIC_REPLIES, place, problems)?;
    let kind = Kind::Precedes { button: false };
    says_something(&text, key, kind, &[], place, problems)?;
    fits(&text, key, kind, false, &Values::default(), place, problems)?;
    Ok(text)
}

fn refuse_links(text: &str, key: &str, place: Place, problems: &mut Problems) -> Result<(), Reported> {
    match text::LINKS.iter().find(|link| text.contains(**link)) {
        None => Ok(()),
        Some(link) => {
            let message = format!("{link} has no place here: links come with what `dm` says");
            Err(problems.add(place, format!("`{key}`: {message}")))
        }
    }
}

fn missing_links(
    text: &str,
    key: &str,
    links: &[Link],
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    match text::LINKS.iter().skip(links.len()).find(|link| text.contains(**link)) {
        None => Ok(()),
        Some(missing) => {
            let message = format!("{missing} has no link to stand for; `links` has {}", links.len());
            Err(problems.add(place, format!("`{key}`: {message}")))
        }
    }
}

/// Refuses a text of which nothing may be left.
fn says_something(
    text: &str,
    key: &str,
    kind: Kind,
    links: &[&str],
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    let least = Values { links, ..Values::default() };
    let said = match kind {
        Kind::Gives => direct_message(text, &least),
        Kind::Follows | Kind::Precedes { .. } => plain_message(text, &least),
    };
    if said.is_empty() { Err(problems.add(place, format!("`{key}`: {}", text::NAME_ALONE))) } else { Ok(()) }
}

/// Refuses a text that would have to be cut, whoever gets it.
fn fits(
    text: &str,
    key: &str,
    kind: Kind,
    buttons: bool,
    values: &Values<'_>,
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    let without_links = || longest_plain_message(text, &Values { links: &[], ..*values });
    let places = || text::LINKS.iter().any(|link| text.contains(link));
    let has_button = match kind {
        Kind::Precedes { button } => button,
        Kind::Gives => buttons && !values.links.is_empty(),
        Kind::Follows => buttons && places(),
    };
    let chars = without_links().chars;
    if has_button && chars > MAX_BUTTONS_TEXT_CHARS {
        let message =
            format!("expected at most {MAX_BUTTONS_TEXT_CHARS} characters over a button, found {chars}");
        return Err(problems.add(place, format!("`{key}`: {message}")));
    }
    let bytes = longest(text, kind, values).bytes;
    if bytes > MAX_MESSAGE_BYTES {
        let with = if values.links.is_empty() { "" } else { " with its longest link" };
        let found = format!("expected at most {MAX_MESSAGE_BYTES} bytes of UTF-8{with}, found {bytes}");
        let accents = "accented letters take 2 bytes, emoji 4 and more";
        return Err(problems.add(place, format!("`{key}`: {found}; {accents}")));
    }
    let tracked = "x".repeat(limits::TRACKED_LINK_BYTES);
    let tracked = vec![tracked.as_str(); values.links.len()];
    let bytes = longest(text, kind, &Values { links: &tracked, ..*values }).bytes;
    if bytes > MAX_MESSAGE_BYTES {
        let message = format!("with tracked links it takes up to {bytes} bytes of UTF-8");
        problems.warn(
            place,
            format!(
                "`{key}`: {message}; what is more than {MAX_MESSAGE_BYTES} is cut from the end of its text"
            ),
        );
    }
    Ok(())
}

fn longest(text: &str, kind: Kind, values: &Values<'_>) -> Length {
    match kind {
        Kind::Gives => longest_direct_message(text, values),
        Kind::Follows | Kind::Precedes { .. } => longest_plain_message(text, values),
    }
}
