//! The contract of [`openreply_app::ports::Vault`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use openreply_app::ports::{SealError, Vault};
use openreply_domain::ids::AccountId;
use secrecy::{ExposeSecret, SecretString};

/// Two vaults with different keys.
#[derive(Debug)]
pub struct Vaults<V> {
    /// The one that seals.
    pub one: V,
    /// The one with another key.
    pub other: V,
}

const TOKEN: &str = "IGAAbcdefghijklmnopqrstuvwxyz0123456789";

fn account(id: &str) -> AccountId {
    AccountId::parse(id).unwrap()
}

fn seal(vault: &impl Vault) -> String {
    vault.seal(&account("1"), &SecretString::from(TOKEN))
}

/// Any token, as it was.
pub async fn a_token_opens_for_its_account(vaults: &Vaults<impl Vault>) {
    for token in ["", "x", TOKEN, "with.dots.and 🍞", &"long".repeat(500)] {
        let sealed = vaults.one.seal(&account("1"), &SecretString::from(token));
        let opened = vaults.one.open(&account("1"), &sealed).unwrap();
        assert_eq!(opened.expose_secret(), token);
    }
}

/// A sealed token that was moved to another account is of no use there.
pub async fn no_other_account_opens_it(vaults: &Vaults<impl Vault>) {
    let error = vaults.one.open(&account("2"), &seal(&vaults.one)).unwrap_err();
    assert_eq!(error, SealError::Broken { account: account("2") });
}

/// The error says which key sealed it and which is held, and neither is the key itself.
pub async fn another_key_is_named(vaults: &Vaults<impl Vault>) {
    let name = |error: SealError| match error {
        SealError::OtherKey { account: whose, sealed_with, held } if whose == account("1") => {
            (sealed_with, held)
        }
        other @ (SealError::OtherKey { .. } | SealError::Broken { .. }) => unreachable!("{other:?}"),
    };
    let (sealed_with, held) = name(vaults.other.open(&account("1"), &seal(&vaults.one)).unwrap_err());
    let reverse = name(vaults.one.open(&account("1"), &seal(&vaults.other)).unwrap_err());
    assert_ne!(sealed_with, held);
    assert_eq!(reverse, (held, sealed_with));
}

/// Any character changed, left out or added.
pub async fn any_damage_is_told(vaults: &Vaults<impl Vault>) {
    let sealed = seal(&vaults.one);
    let mut damaged =
        vec![String::new(), ".".to_owned(), TOKEN.to_owned(), format!("{sealed}A"), format!("{sealed}.")];
    for (at, character) in sealed.char_indices() {
        let other = if character == 'A' { 'B' } else { 'A' };
        damaged.push(format!("{}{other}{}", &sealed[..at], &sealed[at + 1..]));
        damaged.push(format!("{}{}", &sealed[..at], &sealed[at + 1..]));
        damaged.push(sealed[..at].to_owned());
    }
    for text in damaged {
        assert!(vaults.one.open(&account("1"), &text).is_err(), "{text}");
    }
}

/// Not the token, and it is short enough to stand in an item.
pub async fn a_seal_shows_nothing(vaults: &Vaults<impl Vault>) {
    let sealed = seal(&vaults.one);
    assert!(!sealed.contains(TOKEN) && sealed.len() < 300, "{sealed}");
}
