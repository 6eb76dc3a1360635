//! Closes the gap that a placeholder without a value leaves, so that nobody can tell it was there:
//! "Hi {username}!" becomes "Hi!", "{username}, here it is" becomes "Here it is".
//!
//! What belonged to the value alone goes with it: the brackets or quotes around it, an `@` before it, a
//! possessive or an honorific after it, a comma, colon or dash that only led up to it, and a line that held
//! nothing else. Punctuation moves up to the word before; where there is none, it goes too.

use super::message::Message;
use crate::matching::{is_invisible, is_mark};
use icu_casemap::CaseMapper;
use std::borrow::Cow;

/// What is written around a value.
const PAIRS: [(char, char); 17] = [
    ('(', ')'),
    ('[', ']'),
    ('<', '>'),
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('（', '）'),
    ('【', '】'),
    ('*', '*'),
    ('_', '_'),
    ('¡', '!'),
    ('¿', '?'),
];

/// After these nothing is set off by a space.
const OPENING: [char; 15] = ['(', '[', '<', '"', '\'', '“', '„', '‘', '«', '「', '『', '（', '【', '¡', '¿'];

/// Before these neither.
const CLOSING: [char; 12] = [')', ']', '>', '"', '\'', '”', '’', '»', '」', '』', '）', '】'];

/// What leads up to a value, or sets it off.
const COMMAS: [char; 4] = [',', '，', '、', '،'];
const LEADS: [char; 10] = [',', '，', '、', '،', ':', '：', '-', '–', '—', '•'];
const DASHES: [char; 3] = ['-', '–', '—'];

/// What is written after a name and means nothing without it.
const SUFFIXES: [&str; 10] = ["'s", "’s", "さん", "さま", "様", "ちゃん", "くん", "君", "님", "씨"];

/// What comes after the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing: the message ends.
    End,
    /// A new line.
    Line,
    /// A letter or digit, or a value.
    Word,
    /// Punctuation that ends or parts a clause.
    Mark,
    /// What closes a bracket or a quotation that was opened before the gap.
    Closing,
    /// Anything else, such as an emoji.
    Sign,
}

/// Goes on with `right` after a value that is missing. `followed`: more than `right` comes.
pub(super) fn close(message: &mut Message<'_>, right: &str, followed: bool) {
    let after_link = message.has_links();
    let left = message.tail();
    let right = without_company(left, right);
    let written = left.len();
    left.truncate(left.trim_end_matches(is_inline_space).len());
    let spaced = left.len() < written;
    join(left, spaced, right, Surroundings { after_link, followed });
}

#[derive(Debug, Clone, Copy)]
struct Surroundings {
    /// What is left of the gap begins behind a link.
    after_link: bool,
    /// More comes after what is right of the gap.
    followed: bool,
}

/// Joins `right` to a `left` without trailing spaces, of which there were some if `spaced`.
fn join(left: &mut String, spaced: bool, right: &str, around: Surroundings) {
    let tight = right.trim_start_matches(is_inline_space);
    let space = right.chars().next().filter(|c| is_inline_space(*c)).or(spaced.then_some(' '));
    let next = next(tight, tight.len() < right.len(), around.followed);
    without_lead(left, next);
    let line_starts = (left.is_empty() && !around.after_link) || left.ends_with('\n');
    match next {
        Next::End => {}
        Next::Closing => left.push_str(tight),
        Next::Line if left.is_empty() && line_starts => left.push_str(&capitalised(tight.trim_start())),
        Next::Line if line_starts => left.push_str(after_line_break(left, tight)),
        Next::Line => left.push_str(tight),
        Next::Mark if ends_with_word(left) => {
            // Some are set off by a space, in French or as a dash; then the author wrote one.
            let keeps = tight.starts_with(['!', '?', ':', ';']) || tight.starts_with(DASHES);
            left.extend(right.chars().next().filter(|c| keeps && is_inline_space(*c)));
            left.push_str(tight);
        }
        Next::Mark => join(left, spaced, after_marks(tight), around),
        Next::Word | Next::Sign => {
            let opens = line_starts || (!spaced && left.ends_with(OPENING));
            let begins_sentence = opens || left.ends_with(['.', '!', '?', '…', '。', '！', '？']);
            left.extend(space.filter(|_| !opens));
            left.push_str(&if begins_sentence { capitalised(tight) } else { Cow::Borrowed(tight) });
        }
    }
}

/// Takes away what stands directly around the missing value and belongs to it.
fn without_company<'r>(left: &mut String, mut right: &'r str) -> &'r str {
    if left.ends_with('@') {
        left.pop();
    }
    for suffix in SUFFIXES {
        if let Some(after) = right.strip_prefix(suffix) {
            let whole = !suffix.is_ascii() || !after.starts_with(char::is_alphanumeric);
            right = if whole { after } else { right };
            break;
        }
    }
    while let Some((open, after)) = PAIRS
        .iter()
        .find_map(|(open, close)| Some((open, right.strip_prefix(*close).filter(|_| left.ends_with(*open))?)))
    {
        left.truncate(left.len() - open.len_utf8());
        right = after;
    }
    right
}

/// Takes away what only led up to the value: the comma of "Hi, {username}!", the colon of "Link: {link}", the
/// dash of a list. Before a word they part what they parted before.
fn without_lead(left: &mut String, next: Next) {
    let leads: &[char] = match next {
        Next::Word => return,
        Next::Sign => &COMMAS,
        Next::End | Next::Line | Next::Mark | Next::Closing => &LEADS,
    };
    while let Some(rest) = left.strip_suffix(leads) {
        if left.ends_with(DASHES) && rest.ends_with(|c: char| !c.is_whitespace()) {
            return;
        }
        let kept = rest.trim_end_matches(is_inline_space).len();
        left.truncate(kept);
    }
}

fn next(tight: &str, spaced: bool, followed: bool) -> Next {
    let Some(c) = tight.chars().next() else {
        return if followed { Next::Word } else { Next::End };
    };
    if c == '\n' || c == '\r' {
        Next::Line
    } else if c.is_alphanumeric() {
        Next::Word
    } else if mark_length(tight) > 0 {
        Next::Mark
    } else if !spaced && CLOSING.contains(&c) {
        Next::Closing
    } else {
        Next::Sign
    }
}

/// The length of the punctuation mark that a text begins with. The eyes of `:)`, the point of `.com`
/// and the hyphen of `-10%` are none.
fn mark_length(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(c) = chars.next() else { return 0 };
    let after = chars.next();
    let is_mark = match c {
        ',' | '!' | '?' | '…' | '，' | '、' | '。' | '！' | '？' | '；' | '：' | '،' | '؟' | '؛' | '।'
        | '։' => true,
        '.' => !after.is_some_and(char::is_alphanumeric),
        ':' | ';' | '-' | '–' | '—' => after.is_none_or(char::is_whitespace),
        _ => false,
    };
    if is_mark { c.len_utf8() } else { 0 }
}

fn after_marks(mut text: &str) -> &str {
    loop {
        match mark_length(text) {
            0 => return text,
            length => text = &text[length..],
        }
    }
}

/// What follows the line break after a line that held nothing else. Of the empty lines around it, the ones
/// before are enough.
fn after_line_break<'r>(left: &str, right: &'r str) -> &'r str {
    if left.ends_with("\n\n") {
        return right.trim_start_matches(['\r', '\n']);
    }
    right.strip_prefix("\r\n").or_else(|| right.strip_prefix(['\r', '\n'])).unwrap_or(right)
}

/// Whether punctuation may follow directly: after a word, or the bracket that closes behind one.
fn ends_with_word(text: &str) -> bool {
    let last = text.chars().rev().find(|c| !is_mark(*c) && !is_invisible(*c));
    last.is_some_and(|c| c.is_alphanumeric() || (CLOSING.contains(&c) && !OPENING.contains(&c)))
}

/// White space within a line.
pub(super) fn is_inline_space(c: char) -> bool {
    c.is_whitespace() && c != '\n' && c != '\r'
}

/// The text with its first word capitalised, where that is certain to be right: a plain word, in lower case
/// throughout, and not beginning with an i, whose capital depends on the language.
fn capitalised(text: &str) -> Cow<'_, str> {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let plain = word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '’' || c == '-')
        && !word.contains(char::is_uppercase);
    match text.chars().next() {
        Some(first) if plain && first != 'i' => {
            let title = CaseMapper::new().simple_titlecase(first);
            Cow::Owned(format!("{title}{}", &text[first.len_utf8()..]))
        }
        Some(_) | None => Cow::Borrowed(text),
    }
}
