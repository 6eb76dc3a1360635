//! What goes out, ready to be sent, and what Instagram says about who follows whom.

use serde::{Deserialize, Serialize};

/// The most buttons that a message carries.
pub const MAX_BUTTONS: usize = 3;
/// The most characters of a button's title.
pub const MAX_TITLE_CHARS: usize = 20;
/// The most characters of a text that has buttons.
pub const MAX_BUTTONS_TEXT_CHARS: usize = 640;

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What it says: at most [`MAX_TITLE_CHARS`] characters.
    pub title: String,
    /// What it does.
    pub does: Does,
}

/// What a button does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Opens this URL.
    Open(String),
    /// Tells us this payload (a tap).
    Tell(String),
}

/// Whether a person follows the account. It lags: a fresh follow shows within about a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// They do.
    Yes,
    /// They do not, or have done so only moments ago.
    No,
    /// Instagram does not say: they never wrote to the account, or it could not be asked.
    Unknown,
}
