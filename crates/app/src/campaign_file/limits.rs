//! The limits of a campaign file: named once, held by the checks and told by the schema.

/// The most campaigns of one account.
pub(super) const CAMPAIGNS_PER_ACCOUNT: usize = 500;
/// The longest name of a campaign, in characters.
pub(super) const NAME_CHARS: usize = 100;
/// The most keywords of a campaign.
pub(super) const KEYWORDS: usize = 50;
/// The longest keyword, in characters.
pub(super) const KEYWORD_CHARS: usize = 100;
/// The most links of a campaign.
pub(super) const LINKS: usize = 3;
/// The longest label of a link, in characters: what fits on a button.
pub(super) const LABEL_CHARS: usize = 20;
/// The most variations of a public reply.
pub(super) const PUBLIC_REPLIES: usize = 10;
/// The longest user name on Instagram, in characters.
pub(super) const USERNAME_CHARS: usize = 30;
/// The longest name of an environment variable. Shorter than any token, so that a token which was put where
/// the variable's name belongs is refused, and never shown as one.
pub(super) const VARIABLE_CHARS: usize = 64;
/// The most words that an opening or a prompt suggests as an answer, or that opt a person out or in.
pub(super) const WORDS: usize = 50;
/// The longest of these words, in characters.
pub(super) const WORD_CHARS: usize = 100;
/// The longest title of a button, in characters.
pub(super) const TITLE_CHARS: usize = openreply_domain::message::MAX_TITLE_CHARS;
/// The longest wait for a follow-up, in minutes: a week.
pub(super) const AFTER_MINUTES: u32 = 7 * 24 * 60;
/// As long as a conversation stays open after a person's last message or tap, in minutes.
pub(super) const WINDOW_MINUTES: u32 = 24 * 60;
/// What a tracked link takes at most, in bytes, behind the address that AWS gives a stack.
pub(super) const TRACKED_LINK_BYTES: usize = 80;
