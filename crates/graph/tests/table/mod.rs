//! The answer table, row by row, as both the pure and the socket tests read it.

use openreply_domain::outcome::RejectionKind::{self, *};

/// Which HTTP statuses a row holds at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Whatever the status.
    Always,
    /// Where the status says that the request was refused, 4xx.
    Refused,
}

/// One row: an error, and what it proves where the row holds. Elsewhere, and without a kind, it proves nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) code: i64,
    pub(crate) subcode: Option<i64>,
    pub(crate) message: &'static str,
    pub(crate) kind: Option<RejectionKind>,
    pub(crate) holds: Holds,
}

impl Row {
    /// What the row proves of an answer with this status.
    pub(crate) fn proves(&self, status: u16) -> Option<RejectionKind> {
        match self.holds {
            Holds::Always => self.kind,
            Holds::Refused => self.kind.filter(|_| (400..500).contains(&status)),
        }
    }

    /// The answer's body, as Meta writes it.
    pub(crate) fn body(&self) -> String {
        let subcode =
            self.subcode.map(|subcode| format!(r#""error_subcode":{subcode},"#)).unwrap_or_default();
        let (code, message) = (self.code, self.message);
        format!(
            r#"{{"error":{{"message":"{message}","type":"OAuthException","code":{code},{subcode}"is_transient":true,"fbtrace_id":"Axxx"}}}}"#
        )
    }
}

const fn pair(code: i64, subcode: i64, kind: Option<RejectionKind>) -> Row {
    Row { code, subcode: Some(subcode), message: "(#0) Something", kind, holds: Holds::Always }
}

const fn code(code: i64, subcode: Option<i64>, kind: Option<RejectionKind>) -> Row {
    Row { code, subcode, message: "(#0) Something", kind, holds: Holds::Refused }
}

const fn text(message: &'static str, subcode: Option<i64>, kind: Option<RejectionKind>) -> Row {
    Row { code: 100, subcode, message, kind, holds: Holds::Refused }
}

pub(crate) const ROWS: &[Row] = &[
    // A code with its subcode.
    pair(2, 1_545_133, Some(ReplySpent)),
    pair(2, 2_534_023, Some(ReplySpent)),
    pair(4, 2_207_051, None),
    pair(10, 2_534_022, Some(WindowClosed)),
    pair(10, 2_018_278, Some(WindowClosed)),
    pair(100, 2_534_025, Some(MaybeSpentEarlier)),
    pair(100, 2_534_014, Some(RecipientUnavailable)),
    pair(100, 2_018_001, Some(RecipientUnavailable)),
    pair(100, 2_018_292, Some(RecipientUnavailable)),
    pair(100, 33, Some(RecipientUnavailable)),
    pair(100, 2_534_037, Some(OtherAppOwnsThread)),
    // A code, whatever its subcode.
    code(1, None, None),
    code(1, Some(99), None),
    code(1, Some(2_534_025), None),
    code(2, None, None),
    code(2, Some(1), None),
    code(2, Some(2_534_025), None),
    code(3, None, Some(BadRequest)),
    code(4, None, Some(Throttled)),
    code(4, Some(2_207_050), Some(Throttled)),
    code(10, None, Some(Permission)),
    code(10, Some(2_534_023), Some(Permission)),
    code(17, None, Some(Throttled)),
    code(20, None, None),
    code(32, None, Some(Throttled)),
    code(100, None, Some(BadRequest)),
    code(100, Some(1), Some(BadRequest)),
    code(190, None, Some(TokenDead)),
    code(190, Some(463), Some(TokenDead)),
    code(190, Some(33), Some(TokenDead)),
    code(200, None, Some(Permission)),
    code(200, Some(2_534_022), Some(Permission)),
    code(230, None, Some(Permission)),
    code(368, None, Some(Blocked)),
    code(368, Some(1_390_008), Some(Blocked)),
    code(551, None, Some(RecipientUnavailable)),
    code(551, Some(1_545_041), Some(RecipientUnavailable)),
    code(613, None, Some(Throttled)),
    code(613, Some(1_996), Some(Throttled)),
    code(10_900, None, Some(ReplySpent)),
    code(80_001, None, Some(Throttled)),
    code(80_002, None, Some(Throttled)),
    code(80_006, Some(2_446_079), Some(Throttled)),
    code(80_014, None, Some(Throttled)),
    // Code 100, told apart by its text.
    text("Unsupported request", None, Some(AppUnusable)),
    text("(#100) Unsupported request - method type: post", Some(1), Some(AppUnusable)),
    text(
        "(#100) Param message[attachment][payload][template_type] must be one of",
        None,
        Some(TemplateRefused),
    ),
    text("(#100) Button title is too long", None, Some(TemplateRefused)),
    text("(#100) Invalid parameter", None, Some(BadRequest)),
    // Codes that no row lists, the neighbours of listed ones among them.
    code(0, None, None),
    code(-1, None, None),
    code(5, None, None),
    code(5, Some(33), None),
    code(9, None, None),
    code(11, None, None),
    code(101, None, None),
    code(102, None, None),
    code(191, None, None),
    code(199, None, None),
    code(299, None, None),
    code(506, None, None),
    code(550, None, None),
    code(1_545_133, None, None),
    code(9_007, None, None),
    code(80_000, None, None),
    code(80_015, None, None),
    code(2_207_051, None, None),
];
