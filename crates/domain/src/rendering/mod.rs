//! The text that goes out.
//!
//! A message reads well with and without the name it was written for, and with and without its links. No link
//! is ever cut: where a message is too long, its text gives way. What a person calls themselves is untrusted:
//! a name is one line of visible characters, and a placeholder in it means nothing.
//!
//! Placeholders are `{username}`, `{keyword}`, `{link}`, `{link2}` and `{link3}`. Other words in braces stay as
//! written.

mod gap;
mod message;
mod name;
mod template;
#[cfg(test)]
mod tests;

use crate::message::MAX_BUTTONS_TEXT_CHARS;
use message::Message;
use template::{Filled, Piece, Placeholder};

/// The most bytes of UTF-8 that Instagram takes in a message.
pub const MAX_MESSAGE_BYTES: usize = 1000;

/// The most characters that Instagram takes in a reply to a comment.
pub const MAX_REPLY_CHARS: usize = 1000;

/// What the placeholders of a message stand for. What is absent leaves no gap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Values<'a> {
    /// The user name of the person.
    pub username: Option<&'a str>,
    /// The keyword that was met, as the campaign has it.
    pub keyword: Option<&'a str>,
    /// `{link}`, `{link2}` and `{link3}`.
    pub links: &'a [&'a str],
}

/// Renders the text of a direct message that gives links, at most [`MAX_MESSAGE_BYTES`] long. A first link that
/// the template does not place goes on a line of its own at the end.
///
/// Text is cut from its end, between two characters as a person counts them, and every link stays whole,
/// one that the template spells out included. Should the links alone be too long, those that fit are kept.
/// Empty if neither the template nor a link leaves anything to say.
#[must_use]
pub fn direct_message(template: &str, values: &Values<'_>) -> String {
    giving(template, values, values.links.first().copied()).within(MAX_MESSAGE_BYTES, str::len).to_string()
}

/// Renders a message that has only the links which its template places, at most [`MAX_MESSAGE_BYTES`] long, and
/// cut as a direct message is.
#[must_use]
pub fn plain_message(template: &str, values: &Values<'_>) -> String {
    message(template, values, values.links.first().copied()).within(MAX_MESSAGE_BYTES, str::len).to_string()
}

/// Renders a text that stands over buttons, at most [`MAX_BUTTONS_TEXT_CHARS`] characters and
/// [`MAX_MESSAGE_BYTES`] long, and cut as a direct message is.
#[must_use]
pub fn text_over_buttons(template: &str, values: &Values<'_>) -> String {
    message(template, values, values.links.first().copied())
        .within(MAX_BUTTONS_TEXT_CHARS, |text| text.chars().count())
        .within(MAX_MESSAGE_BYTES, str::len)
        .to_string()
}

/// Whether a template places a link, counted from 0.
#[must_use]
pub fn places_link(template: &str, nth: usize) -> bool {
    template::pieces(template, &Placeholder::ALL).contains(&Piece::Placeholder(Placeholder::Link(nth)))
}

/// Renders a public reply, at most [`MAX_REPLY_CHARS`] long. It is given no link and no keyword: every
/// placeholder but `{username}` stays as written.
#[must_use]
pub fn public_reply(template: &str, username: Option<&str>) -> String {
    let name = username.and_then(name::shown);
    let pieces = template::pieces(template, &[Placeholder::Username]);
    let reply = template::assembled(&pieces, |placeholder| match placeholder {
        Placeholder::Username => name.as_deref().map(Filled::Text),
        Placeholder::Keyword | Placeholder::Link(_) => None,
    });
    reply.within(MAX_REPLY_CHARS, |text| text.chars().count()).to_string()
}

/// How much a text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// In bytes of UTF-8.
    pub bytes: usize,
    /// In characters.
    pub chars: usize,
}

/// How much a direct message takes before anything is cut. `{link}` counts as the longest of the links.
#[must_use]
pub fn longest_direct_message(template: &str, values: &Values<'_>) -> Length {
    length(&giving(template, values, longest(values.links)))
}

/// How much a message takes, or a text over buttons, before anything is cut. `{link}` counts as the longest of the
/// links.
#[must_use]
pub fn longest_plain_message(template: &str, values: &Values<'_>) -> Length {
    length(&message(template, values, longest(values.links)))
}

fn longest<'a>(links: &[&'a str]) -> Option<&'a str> {
    links.iter().copied().max_by_key(|link| link.len())
}

fn length(message: &Message<'_>) -> Length {
    Length { bytes: message.measured(str::len), chars: message.measured(|text| text.chars().count()) }
}

/// A message before it is made to fit, which has the first link in any case. `first` stands in its place.
fn giving<'a>(template: &'a str, values: &Values<'a>, first: Option<&'a str>) -> Message<'a> {
    let pieces = template::pieces(template, &Placeholder::ALL);
    let spelled_out = values.links.first().is_some_and(|link| pieces.contains(&Piece::Link(link)));
    let placed = spelled_out || pieces.contains(&Piece::Placeholder(Placeholder::Link(0)));
    let mut message = filled(&pieces, values, first);
    if let Some(link) = first.filter(|_| !placed) {
        message.append_on_a_new_line(link);
    }
    message
}

/// A message before it is made to fit, with `first` in place of the first link.
fn message<'a>(template: &'a str, values: &Values<'a>, first: Option<&'a str>) -> Message<'a> {
    filled(&template::pieces(template, &Placeholder::ALL), values, first)
}

fn filled<'a>(pieces: &[Piece<'a>], values: &Values<'a>, first: Option<&'a str>) -> Message<'a> {
    let name = values.username.and_then(name::shown);
    template::assembled(pieces, |placeholder| match placeholder {
        Placeholder::Username => name.as_deref().map(Filled::Text),
        Placeholder::Keyword => values.keyword.map(Filled::Text),
        Placeholder::Link(0) => first.map(Filled::Link),
        Placeholder::Link(nth) => values.links.get(nth).copied().map(Filled::Link),
    })
}
