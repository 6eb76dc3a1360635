//! Keywords in any script.
//!
//! A comment meets a keyword however the two were typed: case, width, composed or decomposed form, Latin
//! accents, invisible characters and the amount of white space make no difference. What makes two words
//! different in their own script (a dakuten, a vowel sign, the breve of й) stays a difference. `fold` says how,
//! `breaks` where a word begins and ends.
//!
//! Folding is done once per text and once per keyword. [`Keywords::find`] then only searches, and allocates
//! nothing: one comment may be held against 500 campaigns of 50 keywords each.

mod breaks;
mod characters;
mod fold;
#[cfg(test)]
mod languages;
#[cfg(test)]
mod properties;

pub(crate) use characters::{is_invisible, is_mark};

use breaks::Breaks;
use serde::{Deserialize, Serialize};

/// How a campaign's keywords are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// A keyword counts where no letter, digit or mark stands directly before or after it. Beside a script
    /// that puts no spaces between its words, and for an emoji, contained is enough.
    WholeWord,
    /// A keyword counts wherever it is contained.
    Partial,
    /// Every comment counts.
    AnyWord,
}

/// A text made ready for matching.
#[derive(Debug, Clone)]
pub struct FoldedText {
    text: String,
    breaks: Breaks,
}

impl FoldedText {
    /// Folds a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = fold::fold(text);
        let breaks = Breaks::of(&text);
        Self { text, breaks }
    }

    /// Whether a folded keyword occurs. Every occurrence is looked at, overlapping ones included: the first
    /// may stand inside a longer word and the next one alone.
    fn meets(&self, keyword: &str, may_begin_or_end: impl Fn(usize) -> bool) -> bool {
        let Some(first) = keyword.chars().next() else { return false };
        let mut from = 0;
        while let Some(found) = self.text[from..].find(keyword) {
            let start = from + found;
            if may_begin_or_end(start) && may_begin_or_end(start + keyword.len()) {
                return true;
            }
            from = start + first.len_utf8();
        }
        false
    }
}

/// Keywords made ready for matching.
#[derive(Debug, Clone)]
pub struct Keywords {
    mode: MatchMode,
    folded: Box<[Box<str>]>,
}

impl Keywords {
    /// Folds the keywords once.
    #[must_use]
    pub fn new(mode: MatchMode, keywords: &[String]) -> Self {
        let folded = match mode {
            MatchMode::WholeWord | MatchMode::Partial => keywords.iter().map(|k| fold::keyword(k)).collect(),
            MatchMode::AnyWord => Box::default(),
        };
        Self { mode, folded }
    }

    /// The first keyword (by its place in the list) that the text meets. `any_word` meets every text, as
    /// its keyword 0. A keyword that folds to nothing meets none.
    #[must_use]
    pub fn find(&self, text: &FoldedText) -> Option<usize> {
        let breaks = &text.breaks;
        match self.mode {
            MatchMode::AnyWord => Some(0),
            MatchMode::WholeWord => {
                self.position(|keyword| text.meets(keyword, |at| breaks.is_word_edge(at)))
            }
            MatchMode::Partial => {
                self.position(|keyword| text.meets(keyword, |at| breaks.is_symbol_edge(at)))
            }
        }
    }

    fn position(&self, met: impl Fn(&str) -> bool) -> Option<usize> {
        self.folded.iter().position(|keyword| met(keyword))
    }
}

/// Whether a text is this word or phrase and nothing else but signs around it: "stop!" is STOP, "non-stop" and
/// "please stop by" are not.
#[must_use]
pub fn is_just(text: &str, word: &str) -> bool {
    let bare = |text: &str| {
        let folded = fold::keyword(text);
        folded.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
    };
    let word = bare(word);
    !word.is_empty() && bare(text) == word
}

/// Whether nothing of a keyword is left to look for: it is empty, white space or invisible throughout. Such a
/// keyword never matches, so a campaign file that holds one is better refused.
#[must_use]
pub fn folds_to_nothing(keyword: &str) -> bool {
    fold::keyword(keyword).is_empty()
}
