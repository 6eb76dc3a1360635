//! What to tell a person whose file is neither YAML nor JSON.
//!
//! The parser's own words name what it missed, never what it read, so that a token in a broken line stays
//! out of the message. To them comes advice for the mistakes that people make in texts.

use granit_parser::ErrorKind;

/// The message for a text that cannot be read.
pub(super) fn describe(kind: &ErrorKind) -> String {
    let advice = advice(kind).map_or_else(String::new, |advice| format!("; {advice}"));
    format!("not readable as YAML or JSON: {kind}{advice}")
}

fn advice(kind: &ErrorKind) -> Option<&'static str> {
    use ErrorKind as K;
    if matches!(kind, K::MappingValueNotAllowed | K::ExpectedBlockMappingKey | K::InvalidIndentation) {
        Some(
            "a text that has a colon and a space in it must stand in quotes, \
             and all keys of one campaign begin in the same column",
        )
    } else if matches!(kind, K::SimpleKeyExpected | K::InvalidSimpleKey) {
        Some("every key needs a colon and a space behind it")
    } else if matches!(
        kind,
        K::ExpectedNodeContent
            | K::UnexpectedCharacter { .. }
            | K::MissingAnchorOrAliasName
            | K::UnknownAnchor
            | K::UndeclaredTagHandle
            | K::CommentNotSeparated
    ) {
        Some("a text that begins with one of { [ * & ! % @ ` # > | must stand in quotes")
    } else if matches!(kind, K::ExpectedFlowMappingSeparator | K::ExpectedFlowSequenceSeparator) {
        Some("between two values stands a comma, and a text with one of , [ ] { } in it must stand in quotes")
    } else if matches!(kind, K::UnclosedFlowCollection { .. }) {
        Some("its other half is missing, or is part of a comment: a # in a text must stand in quotes")
    } else if matches!(
        kind,
        K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation | K::TabAtBlockScalarStart
    ) {
        Some("indent with spaces")
    } else if matches!(
        kind,
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar | K::UnclosedQuotedScalar
    ) {
        Some(
            "within '…' an apostrophe is written twice, within \"…\" a quote is written \\\", \
             and between two values of JSON stands a comma",
        )
    } else if matches!(kind, K::UnknownQuotedScalarEscape) {
        Some("within \"…\" a backslash is written twice")
    } else if matches!(kind, K::ExpectedDocumentStart) {
        Some("the accounts and campaigns have ended before this")
    } else {
        None
    }
}
