//! What a list of words must be: keywords, answers, the words that opt out.

use super::text;
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::{List, Located};
use crate::campaign_file::wire;
use openreply_domain::matching::{FoldedText, Keywords, MatchMode};

/// How long a list of words may be, and each of them.
#[derive(Clone, Copy)]
pub(super) struct Most {
    pub(super) words: usize,
    pub(super) chars: usize,
}

/// Checks a list that is not empty. No two of its words are the same to what a person writes.
pub(super) fn check(
    list: Located<List<wire::Keyword>>,
    key: &str,
    most: Most,
    problems: &mut Problems,
) -> Result<Vec<Located<String>>, Reported> {
    let Located { place, value: list } = list;
    if list.written > most.words {
        let message = format!("`{key}`: expected at most {}, found {}", most.words, list.written);
        return Err(problems.add(place, message));
    }
    let good: Vec<_> = list
        .items
        .into_iter()
        .filter_map(|word| {
            let place = word.place;
            let word = Located { place, value: word.value.0 };
            let value = text::short(word, key, most.chars, problems).ok()?;
            Some(Located { place, value })
        })
        .collect();
    refuse_repeated(&good, key, problems);
    Ok(good)
}

/// Refuses words that are the same to a comment or a message.
fn refuse_repeated(words: &[Located<String>], key: &str, problems: &mut Problems) {
    let what = if key == "keywords" { "keyword" } else { "word" };
    for (index, word) in words.iter().enumerate() {
        let same = words.iter().take(index).find(|earlier| are_the_same(&earlier.value, &word.value));
        if let Some(Located { place: Place { line, column }, .. }) = same {
            let message = format!("the same {what} stands on line {line}, column {column} already");
            problems.add(word.place, format!("`{key}`: {message}; case and accents make no difference"));
        }
    }
}

/// Whether two words are the same to what a person writes: each is contained in the other.
pub(super) fn are_the_same(one: &str, other: &str) -> bool {
    contains(one, other) && contains(other, one)
}

/// Whether a text has this word in it, however it is written.
pub(super) fn contains(text: &str, word: &str) -> bool {
    let word = Keywords::new(MatchMode::Partial, &[word.to_owned()]);
    word.find(&FoldedText::new(text)).is_some()
}
