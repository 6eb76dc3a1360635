//! The key that seals tokens.

use crate::clock::random_bytes;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretBox, SecretString};
use sha2::{Digest, Sha256};
use std::fmt;

const KEY_BYTES: usize = 32;

/// 32 random bytes. Never printed; wiped when dropped.
pub struct SealingKey(SecretBox<[u8; KEY_BYTES]>);

/// Why a text is not a sealing key. Never quotes the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealingKeyError {
    /// There was nothing.
    #[error("the sealing key is empty")]
    Empty,
    /// A blank, a tab or a newline somewhere in it.
    #[error("the sealing key holds white space; store it again without a newline or blanks")]
    WhiteSpace,
    /// `=` at its end.
    #[error(
        "the sealing key is padded with `=`; write its 32 bytes as 64 hex digits or as 43 characters of base64 without padding"
    )]
    Padding,
    /// Neither hex nor base64.
    #[error(
        "the sealing key is neither hex nor base64; it is 32 bytes as 64 hex digits or as 43 characters of base64 without padding"
    )]
    Alphabet,
    /// Not 32 bytes.
    #[error(
        "the sealing key has {characters} characters; it is 32 bytes as 64 hex digits or as 43 characters of base64 without padding"
    )]
    Length {
        /// How long the text was.
        characters: usize,
    },
}

impl SealingKey {
    /// A key that nobody ever had.
    #[must_use]
    pub fn generate() -> Self {
        Self::from_bytes(random_bytes())
    }

    /// Reads 64 hex digits, or 43 characters of base64 (either alphabet, no padding).
    ///
    /// # Errors
    /// When the text is anything else, with the reason.
    pub fn parse(text: &str) -> Result<Self, SealingKeyError> {
        if text.is_empty() {
            return Err(SealingKeyError::Empty);
        }
        if text.chars().any(char::is_whitespace) {
            return Err(SealingKeyError::WhiteSpace);
        }
        if text.ends_with('=') {
            return Err(SealingKeyError::Padding);
        }
        let bytes = hex::decode(text)
            .or_else(|_| STANDARD_NO_PAD.decode(text))
            .or_else(|_| URL_SAFE_NO_PAD.decode(text))
            .ok();
        let in_alphabet = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
        match bytes.as_deref().map(<[u8; KEY_BYTES]>::try_from) {
            Some(Ok(bytes)) => Ok(Self::from_bytes(bytes)),
            Some(Err(_)) | None if text.bytes().all(in_alphabet) => {
                Err(SealingKeyError::Length { characters: text.len() })
            }
            Some(Err(_)) | None => Err(SealingKeyError::Alphabet),
        }
    }

    /// The key as it is stored: 64 hex digits.
    #[must_use]
    pub fn to_text(&self) -> SecretString {
        SecretString::from(hex::encode(self.bytes()))
    }

    /// What the key is called beside what it sealed: it tells keys apart and gives nothing away.
    #[must_use]
    pub fn id(&self) -> String {
        hex::encode(&Sha256::digest(self.bytes())[..4])
    }

    pub(super) fn bytes(&self) -> &[u8; KEY_BYTES] {
        self.0.expose_secret()
    }

    fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealingKey({})", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_from_every_form_it_may_be_stored_in() {
        let key = SealingKey::generate();
        let hex = key.to_text();
        let forms = [
            hex.expose_secret().to_owned(),
            hex.expose_secret().to_uppercase(),
            STANDARD_NO_PAD.encode(key.bytes()),
            URL_SAFE_NO_PAD.encode(key.bytes()),
        ];
        for form in forms {
            assert_eq!(SealingKey::parse(&form).unwrap().bytes(), key.bytes());
        }
    }

    #[test]
    fn what_is_no_key_is_refused_with_the_reason() {
        let hex = "ab".repeat(32);
        let padded = format!("{}=", "A".repeat(43));
        let cases = [
            ("", SealingKeyError::Empty),
            (" ", SealingKeyError::WhiteSpace),
            (&format!("{hex}\n"), SealingKeyError::WhiteSpace),
            (&format!(" {hex}"), SealingKeyError::WhiteSpace),
            (&format!("{} {}", &hex[..32], &hex[32..]), SealingKeyError::WhiteSpace),
            (&padded, SealingKeyError::Padding),
            (&hex[..62], SealingKeyError::Length { characters: 62 }),
            (&hex[..63], SealingKeyError::Length { characters: 63 }),
            (&format!("{hex}ab"), SealingKeyError::Length { characters: 66 }),
            ("secret", SealingKeyError::Length { characters: 6 }),
            (&format!("{}!", "A".repeat(42)), SealingKeyError::Alphabet),
            (&format!("0x{}\u{e9}", &hex[..60]), SealingKeyError::Alphabet),
        ];
        for (text, expected) in cases {
            let error = SealingKey::parse(text).unwrap_err();
            assert_eq!(error, expected, "{text:?}");
            assert!(text.trim().is_empty() || !error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = SealingKey::generate();
        let text = key.to_text();
        let shown = format!("{key:?} {text:?} {:?}", crate::AesVault::new(&key));
        assert!(!shown.contains(text.expose_secret()), "{shown}");
        assert!(shown.contains(&key.id()) && key.id().len() == 8);
        assert_ne!(key.id(), SealingKey::generate().id());
    }
}
