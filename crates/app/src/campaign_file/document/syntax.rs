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
    if matches!(kind, K::MappingValueNotAllowed | K::InvalidSimpleKey | K::SimpleKeyExpected) {
        Some("a text with a colon and a space in it must stand in quotes, and every key needs a colon and a space")
    } else if matches!(
        kind,
        K::ExpectedNodeContent
            | K::UnexpectedCharacter { .. }
            | K::ExpectedFlowMappingSeparator
            | K::ExpectedFlowSequenceSeparator
            | K::MissingAnchorOrAliasName
            | K::UnknownAnchor
            | K::UndeclaredTagHandle
    ) {
        Some("a text that begins with one of { [ * & ! % @ ` # > | must stand in quotes")
    } else if matches!(
        kind,
        K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation | K::TabAtBlockScalarStart
    ) {
        Some("indent with spaces")
    } else if matches!(kind, K::ExpectedBlockMappingKey | K::ExpectedBlockSequenceEntry | K::InvalidIndentation)
    {
        Some("the keys of one campaign begin in the same column, and quotes in a quoted text are doubled or escaped")
    } else if matches!(
        kind,
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar | K::UnclosedQuotedScalar
    ) {
        Some("within '…' an apostrophe is written twice, within \"…\" a quote is written \\\"")
    } else if matches!(kind, K::UnknownQuotedScalarEscape) {
        Some("within \"…\" a backslash is written twice")
    } else {
        None
    }
}
