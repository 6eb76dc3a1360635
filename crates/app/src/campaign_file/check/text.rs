//! What a text must be that people get to read.

use crate::campaign_file::limits;
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::Located;
use openreply_domain::matching::folds_to_nothing;

/// The placeholders for the links, in their order.
pub(super) const LINKS: [&str; limits::LINKS] = ["{link}", "{link2}", "{link3}"];
/// The placeholder for the keyword that was met.
pub(super) const KEYWORD: &str = "{keyword}";
/// What stands for something else in a direct message.
pub(super) const IN_DIRECT_MESSAGES: [&str; 5] = ["{username}", KEYWORD, "{link}", "{link2}", "{link3}"];
/// What stands for something else in a public reply.
pub(super) const IN_PUBLIC_REPLIES: [&str; 1] = ["{username}"];

/// Why a text that holds nothing else is refused.
pub(super) const NAME_ALONE: &str = "expected more than {username}, which is empty for some people";

/// A text of one line.
pub(super) fn short(
    text: Located<String>,
    key: &str,
    most: usize,
    problems: &mut Problems,
) -> Result<String, Reported> {
    let Located { place, value: text } = text;
    not_blank(&text, key, place, problems)?;
    at_most(&text, key, most, place, problems)?;
    if text.chars().any(char::is_control) {
        return Err(
            problems.add(place, format!("`{key}`: found a control character, expected one line of text"))
        );
    }
    Ok(text)
}

/// A message: lines of text with placeholders.
pub(super) fn message(
    text: &str,
    key: &str,
    placeholders: &[&str],
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    not_blank(text, key, place, problems)?;
    let control = if text.chars().any(|c| c.is_control() && c != '\n') {
        let found = "found a control character, expected text and line breaks only";
        Err(problems.add(place, format!("`{key}`: {found}")))
    } else {
        Ok(())
    };
    for why in foreign_placeholders(text, placeholders) {
        problems.add(place, format!("`{key}`: {why}"));
    }
    control
}

/// A text that shows something.
fn not_blank(text: &str, key: &str, place: Place, problems: &mut Problems) -> Result<(), Reported> {
    if folds_to_nothing(text) {
        return Err(problems.add(place, format!("`{key}`: expected a text, found an empty one")));
    }
    Ok(())
}

/// A text of so many characters.
pub(super) fn at_most(
    text: &str,
    key: &str,
    most: usize,
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    let found = text.chars().count();
    if found > most {
        let message = format!("`{key}`: expected at most {most} characters, found {found}");
        return Err(problems.add(place, message));
    }
    Ok(())
}

/// Every `{word}` that is not a placeholder. It would go out to people as it stands.
fn foreign_placeholders(text: &str, known: &[&str]) -> Vec<String> {
    let offered = known.join(", ");
    let mut found = Vec::new();
    for (start, _) in text.match_indices('{') {
        let braced = text.get(start..).unwrap_or_default();
        let behind = braced.strip_prefix('{').unwrap_or_default();
        let end = behind.find(['{', '}', '\n']).unwrap_or(behind.len());
        let (inside, rest) = behind.split_at(end);
        let word = inside.trim();
        if known.iter().any(|known| braced.starts_with(known)) {
            if text.get(..start).is_some_and(|before| before.ends_with('{')) && rest.starts_with("}}") {
                found.push(format!("{{{{{inside}}}}} has a pair of braces too many"));
            }
        } else if rest.starts_with('}') {
            if looks_like_a_placeholder(word) {
                found.push(format!(
                    "{{{inside}}} would go out as it stands; the placeholders here are {offered}"
                ));
            }
        } else if ["username", "keyword", "link"].iter().any(|known| word.to_lowercase().starts_with(known)) {
            found.push(format!("found a {{ without its }}; the placeholders here are {offered}"));
        }
    }
    found
}

fn looks_like_a_placeholder(word: &str) -> bool {
    (1..=32).contains(&word.chars().count())
        && word.starts_with(char::is_alphabetic)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::{IN_DIRECT_MESSAGES, IN_PUBLIC_REPLIES, LINKS, foreign_placeholders};
    use openreply_domain::rendering::{Values, direct_message, public_reply};

    #[test]
    fn a_word_in_braces_is_a_placeholder_or_a_mistake() {
        for text in [
            "Hi {username}! {link}",
            "{link}{username}{link2}{link3}",
            "no braces at all",
            "{} { } {1} {2 for 1} {:-)} {a b} }{ {",
            "a set {1, 2, 3}, {link in bio} and {… more}",
        ] {
            assert_eq!(foreign_placeholders(text, &IN_DIRECT_MESSAGES), [""; 0], "{text}");
        }
        for (text, count) in [
            ("Hi {name}", 1),
            ("Hi {Username}", 1),
            ("Hi { username }", 1),
            ("Hi {{username}}", 1),
            ("{link1} {link4}", 2),
            ("{usuário}", 1),
            ("Hi {username, here: {link}", 1),
            ("Here: {link", 1),
            ("Here: {LINK\n}", 1),
        ] {
            assert_eq!(foreign_placeholders(text, &IN_DIRECT_MESSAGES).len(), count, "{text}");
        }
        assert_eq!(
            foreign_placeholders("{link}", &IN_PUBLIC_REPLIES),
            ["{link} would go out as it stands; the placeholders here are {username}"]
        );
    }

    #[test]
    fn the_placeholders_are_those_that_are_rendered() {
        let everything = IN_DIRECT_MESSAGES.join(" ");
        let values = Values { username: Some("ana"), keyword: Some("w"), links: &["x", "y", "z"] };
        assert_eq!(direct_message(&everything, &values), "ana w x y z");
        assert_eq!(direct_message(&LINKS.join(" "), &values), "x y z");
        assert_eq!(public_reply(&IN_PUBLIC_REPLIES.join(" "), Some("ana")), "ana");
    }
}
