//! The text that goes out.
//!
//! A message reads well with and without the name it was written for, and with and without its links. No link
//! is ever cut: where a message is too long, its text gives way. What a person calls themselves is untrusted:
//! a name is one line of visible characters, and a placeholder in it means nothing.
//!
//! Placeholders are `{username}`, `{link}`, `{link2}` and `{link3}`. Other words in braces stay as written.

mod gap;
mod message;
mod name;
mod template;
#[cfg(test)]
mod tests;

use message::Message;
use template::{Filled, Piece, Placeholder};

/// The most bytes of UTF-8 that Instagram takes in a message.
pub const MAX_MESSAGE_BYTES: usize = 1000;

/// The most characters that Instagram takes in a reply to a comment.
pub const MAX_REPLY_CHARS: usize = 1000;

/// Renders the text of a direct message, at most [`MAX_MESSAGE_BYTES`] long. `{link}` becomes the first of
/// the links, `{link2}` and `{link3}` the next ones. A first link that the template does not place goes on a
/// line of its own at the end.
///
/// Text is cut from its end, between two characters as a person counts them, and every link stays whole,
/// one that the template spells out included. Should the links alone be too long, those that fit are kept.
/// Empty if neither the template nor a link leaves anything to say; [`longest_direct_message`] tells
/// beforehand.
#[must_use]
pub fn direct_message(template: &str, username: Option<&str>, links: &[&str]) -> String {
    let name = username.and_then(name::shown);
    message(template, name.as_deref(), links, links.first().copied())
        .within(MAX_MESSAGE_BYTES, str::len)
        .to_string()
}

/// Renders a public reply, at most [`MAX_REPLY_CHARS`] long. It is given no link: every placeholder but
/// `{username}` stays as written.
#[must_use]
pub fn public_reply(template: &str, username: Option<&str>) -> String {
    let name = username.and_then(name::shown);
    let pieces = template::pieces(template, &[Placeholder::Username]);
    let reply = template::assembled(&pieces, |placeholder| match placeholder {
        Placeholder::Username => name.as_deref().map(Filled::Text),
        Placeholder::Link(_) => None,
    });
    reply.within(MAX_REPLY_CHARS, |text| text.chars().count()).to_string()
}

/// How many bytes a direct message takes with its links and without a name, before anything is cut.
/// `{link}` counts as the longest of the links. 0: there is nothing to send to a person without a name.
#[must_use]
pub fn longest_direct_message(template: &str, links: &[&str]) -> usize {
    let longest = links.iter().copied().max_by_key(|link| link.len());
    message(template, None, links, longest).measured(str::len)
}

/// A direct message before it is made to fit, with `first` in place of the first link.
fn message<'a>(
    template: &'a str,
    name: Option<&str>,
    links: &[&'a str],
    first: Option<&'a str>,
) -> Message<'a> {
    let pieces = template::pieces(template, &Placeholder::ALL);
    let mut message = template::assembled(&pieces, |placeholder| match placeholder {
        Placeholder::Username => name.map(Filled::Text),
        Placeholder::Link(0) => first.map(Filled::Link),
        Placeholder::Link(nth) => links.get(nth).copied().map(Filled::Link),
    });
    let spelled_out = links.first().is_some_and(|link| pieces.contains(&Piece::Link(link)));
    let placed = spelled_out || pieces.contains(&Piece::Placeholder(Placeholder::Link(0)));
    if let Some(link) = first.filter(|_| !placed) {
        message.append_on_a_new_line(link);
    }
    message
}
