//! JSON strings cut in the middle of a character.
//!
//! An emoji is written as two `\u` escapes. A text that was cut between them is not valid Unicode, and no JSON
//! parser takes it; one such comment must not be lost, nor its neighbours.

use std::borrow::Cow;

/// `json` with every half of a surrogate pair that lacks its other half replaced by U+FFFD.
pub(super) fn halves(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'\\')) {
        at += found;
        at += match unit(bytes, at) {
            // An escape of another kind. The character after it may be a backslash: skip both.
            None => 2,
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&json[copied..at]);
                mended.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            Some(_) => 6,
        };
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    mended.push_str(&json[copied..]);
    Cow::Owned(mended)
}

/// The UTF-16 unit that the escape at `at` stands for, if one stands there.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (json, wanted) in [
            (r#""plain""#, r#""plain""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\uD83Db""#, r#""\ufffdb""#),
            (r#""\ude00x\ud83d\ude00\ud83d""#, r#""\ufffdx\ud83d\ude00\ufffd""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""é\ud83dé""#, r#""é\ufffdé""#),
            (r#"\u+d83"#, r#"\u+d83"#),
            (r#"\ud8"#, r#"\ud8"#),
            (r#"\"#, r#"\"#),
            ("", ""),
        ] {
            assert_eq!(halves(json), wanted, "{json}");
        }
    }
}
