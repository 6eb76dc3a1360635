//! Where an account's access token comes from.
//!
//! Guarantees: a token is never in an error or a `Debug` output, and one that was padded or broken on the
//! way (a copied newline, a quote too many) is refused instead of stored.

use openreply_domain::ids::AccountId;
use secrecy::{ExposeSecret, SecretString};

/// Where an account's token comes from.
#[derive(Debug, Clone)]
pub enum TokenSource {
    /// The file itself.
    Literal(SecretString),
    /// The environment variable of this name.
    Env(String),
}

/// Why a text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// There is nothing in it.
    #[error("is empty")]
    Empty,
    /// It has white space in it or around it.
    #[error("has white space or a line break in it; a token has neither")]
    WhiteSpace,
    /// It has a character that cannot be in a token.
    #[error("has a character in it that no token has (not visible ASCII)")]
    Character,
}

/// Why there is no token for an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The variable is not set.
    #[error(
        "the environment variable {variable} is not set; it has to hold the access token of account {account}"
    )]
    NotSet {
        /// Whose token it is to hold.
        account: AccountId,
        /// Its name.
        variable: String,
    },
    /// The variable holds something else than a token.
    #[error(
        "the environment variable {variable} {fault}; it has to hold the access token of account {account}"
    )]
    Refused {
        /// Whose token it is to hold.
        account: AccountId,
        /// Its name.
        variable: String,
        /// What is wrong with what it holds.
        fault: TokenFault,
    },
}

impl TokenSource {
    /// The token of this account. `env` looks up an environment variable.
    ///
    /// # Errors
    /// When the variable is not set, or holds something that is not a token.
    pub fn resolve(
        &self,
        account: &AccountId,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<SecretString, TokenError> {
        match self {
            Self::Literal(token) => Ok(token.clone()),
            Self::Env(variable) => {
                let named = || (account.clone(), variable.clone());
                let Some(token) = env(variable).map(SecretString::from) else {
                    let (account, variable) = named();
                    return Err(TokenError::NotSet { account, variable });
                };
                match check(&token) {
                    Ok(()) => Ok(token),
                    Err(fault) => {
                        let (account, variable) = named();
                        Err(TokenError::Refused { account, variable, fault })
                    }
                }
            }
        }
    }
}

/// A token is one word of visible ASCII: it travels in a header.
pub(super) fn check(token: &SecretString) -> Result<(), TokenFault> {
    let token = token.expose_secret();
    if token.is_empty() {
        Err(TokenFault::Empty)
    } else if token.chars().any(|c| c.is_whitespace() || c.is_control()) {
        Err(TokenFault::WhiteSpace)
    } else if token.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(TokenFault::Character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(value: Option<&'static str>) -> impl Fn(&str) -> Option<String> {
        move |name| {
            assert_eq!(name, "BAKERY_TOKEN");
            value.map(str::to_owned)
        }
    }

    #[test]
    fn a_variable_that_holds_no_token_is_named_with_its_account_and_without_what_it_holds() {
        let source = TokenSource::Env("BAKERY_TOKEN".to_owned());
        let account = AccountId::parse("17841400000000001").unwrap();
        for (value, reason) in [
            (None, "BAKERY_TOKEN is not set"),
            (Some(""), "BAKERY_TOKEN is empty"),
            (Some("IGAA\n"), "BAKERY_TOKEN has white space"),
            (Some(" IGAA"), "BAKERY_TOKEN has white space"),
            (Some("IG\tAA"), "BAKERY_TOKEN has white space"),
            (Some("IGAA\u{feff}"), "BAKERY_TOKEN has a character"),
            (Some("“IGAA”"), "BAKERY_TOKEN has a character"),
        ] {
            let error = source.resolve(&account, env(value)).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("account 17841400000000001"), "{shown}");
            assert!(shown.contains(reason), "{value:?}: {shown}");
            assert!(!shown.contains("IG"), "{shown}");
        }
        assert_eq!(source.resolve(&account, env(Some("IGAA_-9"))).unwrap().expose_secret(), "IGAA_-9");
    }

    #[test]
    fn a_token_in_the_file_needs_no_environment() {
        let source = TokenSource::Literal("IGAA".to_owned().into());
        let account = AccountId::parse("17841400000000001").unwrap();
        let token = source.resolve(&account, |_| panic!("nothing to look up")).unwrap();
        assert_eq!(token.expose_secret(), "IGAA");
        assert!(!format!("{source:?} {token:?}").contains("IGAA"));
    }
}
