//! Takes a template apart, once, and puts it together with what its placeholders stand for. What is filled in
//! is never read as a template.

use super::gap::{self, is_inline_space};
use super::message::Message;

/// What a template leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeholder {
    Username,
    Keyword,
    /// A link, counted from 0.
    Link(usize),
}

impl Placeholder {
    pub(super) const ALL: [Self; 5] =
        [Self::Username, Self::Keyword, Self::Link(0), Self::Link(1), Self::Link(2)];

    fn written(self) -> &'static str {
        match self {
            Self::Username => "{username}",
            Self::Keyword => "{keyword}",
            Self::Link(0) => "{link}",
            Self::Link(1) => "{link2}",
            Self::Link(_) => "{link3}",
        }
    }
}

/// A stretch of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// A link that the template spells out.
    Link(&'t str),
    Placeholder(Placeholder),
}

/// What stands for a placeholder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Filled<'v, 'l> {
    Text(&'v str),
    Link(&'l str),
}

/// The pieces of a template in which only the `known` placeholders have a meaning.
pub(super) fn pieces<'t>(template: &'t str, known: &[Placeholder]) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(c) = template[at..].chars().next() {
        let Some((piece, length)) = special(&template[at..], known) else {
            at += c.len_utf8();
            continue;
        };
        pieces.extend(text_piece(&template[text_from..at]));
        pieces.push(piece);
        at += length;
        text_from = at;
    }
    pieces.extend(text_piece(&template[text_from..]));
    pieces
}

fn text_piece(text: &str) -> Option<Piece<'_>> {
    (!text.is_empty()).then_some(Piece::Text(text))
}

/// The placeholder or link that `rest` begins with, and its length.
fn special<'t>(rest: &'t str, known: &[Placeholder]) -> Option<(Piece<'t>, usize)> {
    if let Some(placeholder) = known.iter().find(|known| rest.starts_with(known.written())) {
        return Some((Piece::Placeholder(*placeholder), placeholder.written().len()));
    }
    if !["https://", "http://"].iter().any(|scheme| rest.starts_with(scheme)) {
        return None;
    }
    let placeholder_at = known.iter().filter_map(|known| rest.find(known.written()));
    let length = placeholder_at.chain(rest.find(char::is_whitespace)).min().unwrap_or(rest.len());
    // The punctuation after a link is the sentence's.
    let link = rest[..length]
        .trim_end_matches(['.', ',', '!', '?', ';', ':', ')', ']', '"', '\'', '。', '、', '！', '？']);
    Some((Piece::Link(link), link.len()))
}

/// Puts the pieces together. Where a placeholder stands for nothing, the text around it closes up.
pub(super) fn assembled<'a, 'v>(
    pieces: &[Piece<'a>],
    fill: impl Fn(Placeholder) -> Option<Filled<'v, 'a>>,
) -> Message<'a> {
    let mut message = Message::default();
    let mut rest = pieces;
    while let Some((piece, after)) = rest.split_first() {
        rest = after;
        match piece {
            Piece::Text(text) => message.push_text(text),
            Piece::Link(link) => message.push_link(link),
            Piece::Placeholder(placeholder) => match fill(*placeholder) {
                Some(Filled::Text(text)) => message.push_text(text),
                Some(Filled::Link(link)) => message.push_link(link),
                None => {
                    rest = after_neighbours(rest, |placeholder| fill(placeholder).is_none());
                    let right = match rest {
                        [Piece::Text(text), after @ ..] => {
                            rest = after;
                            text
                        }
                        [] | [Piece::Link(_) | Piece::Placeholder(_), ..] => "",
                    };
                    gap::close(&mut message, right, !rest.is_empty());
                }
            },
        }
    }
    message.trim();
    message
}

/// Skips the missing placeholders that only spaces part from the one before: together they leave one gap.
fn after_neighbours<'p, 'a>(
    mut pieces: &'p [Piece<'a>],
    missing: impl Fn(Placeholder) -> bool,
) -> &'p [Piece<'a>] {
    loop {
        pieces = match pieces {
            [Piece::Placeholder(next), after @ ..] if missing(*next) => after,
            [Piece::Text(text), Piece::Placeholder(next), after @ ..]
                if text.chars().all(is_inline_space) && missing(*next) =>
            {
                after
            }
            pieces => return pieces,
        }
    }
}
