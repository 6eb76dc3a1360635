//! Whose body it is.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use hmac::{Hmac, KeyInit, Mac};
use openreply_app::ports::{Authenticity, EventReader};
use openreply_graph::{AppSecrets, MetaWebhook, SecretsError};
use sha2::Sha256;

fn secrets(instagram: Option<&str>, facebook: Option<&str>, verify_token: &str) -> AppSecrets {
    AppSecrets {
        instagram: instagram.map(Into::into),
        facebook: facebook.map(Into::into),
        verify_token: verify_token.into(),
    }
}

fn webhook(instagram: Option<&str>, facebook: Option<&str>) -> MetaWebhook {
    MetaWebhook::new(secrets(instagram, facebook, "verify-me")).unwrap()
}

fn sign(secret: &str, body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

/// RFC 4231, test case 2, so that signing and checking are not only each other's mirror.
#[test]
fn the_signature_is_hmac_sha256() {
    let tag = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let webhook = webhook(Some("Jefe"), None);
    assert_eq!(webhook.authenticate(Some(tag), b"what do ya want for nothing?"), Authenticity::Authentic);
    assert_eq!(webhook.authenticate(Some(tag), b"what do ya want for nothing!"), Authenticity::Wrong);
}

#[test]
fn either_secret_may_have_signed_the_raw_bytes() {
    let body = br#"{"text":"\ud83d\ude00 <a@b> 50% \/","n":1.0}"#;
    let both = webhook(Some("instagram-secret"), Some("facebook-secret"));
    for (reader, secret, wanted) in [
        (&both, "instagram-secret", Authenticity::Authentic),
        (&both, "facebook-secret", Authenticity::Authentic),
        (&both, "another-secret", Authenticity::Wrong),
        (&webhook(Some("instagram-secret"), None), "facebook-secret", Authenticity::Wrong),
        (&webhook(None, Some("facebook-secret")), "facebook-secret", Authenticity::Authentic),
        (&webhook(None, Some("facebook-secret")), "instagram-secret", Authenticity::Wrong),
    ] {
        assert_eq!(reader.authenticate(Some(&sign(secret, body)), body), wanted, "{secret}");
    }
    let rewritten = serde_json::from_slice::<serde_json::Value>(body).unwrap().to_string();
    let signature = sign("instagram-secret", body);
    assert_eq!(both.authenticate(Some(&signature), rewritten.as_bytes()), Authenticity::Wrong);
    assert_eq!(both.authenticate(Some(&sign("instagram-secret", b"")), b""), Authenticity::Authentic);
}

#[test]
fn the_header_is_sha256_and_hex_of_any_case() {
    let (webhook, body) = (webhook(Some("s"), None), b"{}");
    let signature = sign("s", body);
    let digits = signature.strip_prefix("sha256=").unwrap();
    let upper = format!("sha256={}", digits.to_uppercase());
    assert_eq!(webhook.authenticate(Some(&upper), body), Authenticity::Authentic);
    assert_eq!(webhook.authenticate(None, body), Authenticity::Missing);
    for wrong in [
        String::new(),
        "sha256=".to_owned(),
        digits.to_owned(),
        format!("sha1={digits}"),
        format!("sha256={}", &digits[..62]),
        format!("sha256={}", &digits[..63]),
        format!("sha256={digits}00"),
        format!("sha256= {digits}"),
        format!("sha256={digits},sha256={digits}"),
        format!("sha256={}", "zz".repeat(32)),
        format!("sha256={}", "é".repeat(32)),
    ] {
        assert_eq!(webhook.authenticate(Some(&wrong), body), Authenticity::Wrong, "{wrong}");
    }
}

#[test]
fn the_verify_token_is_known_whole() {
    let webhook = webhook(Some("s"), None);
    assert!(webhook.knows_verify_token("verify-me"));
    for wrong in ["", "verify", "verify-me ", "Verify-me", "verify-me\0"] {
        assert!(!webhook.knows_verify_token(wrong), "{wrong:?}");
    }
}

#[test]
fn a_missing_secret_is_no_bad_signature() {
    for (secrets, wanted) in [
        (secrets(None, None, "v"), SecretsError::NoAppSecret),
        (secrets(Some(""), None, "v"), SecretsError::Empty("Instagram app secret")),
        (secrets(Some("s"), Some(""), "v"), SecretsError::Empty("Facebook app secret")),
        (secrets(Some("s"), None, ""), SecretsError::Empty("webhook verify token")),
        (secrets(Some("secret-value\n"), None, "v"), SecretsError::WhiteSpace("Instagram app secret")),
        (secrets(None, Some(" secret-value"), "v"), SecretsError::WhiteSpace("Facebook app secret")),
        (secrets(Some("s"), None, "secret value"), SecretsError::WhiteSpace("webhook verify token")),
    ] {
        let shown = format!("{secrets:?}");
        let error = MetaWebhook::new(secrets).unwrap_err();
        assert_eq!(error, wanted);
        assert!(!error.to_string().contains("secret-value") && !shown.contains("secret-value"));
    }
    assert!(!format!("{:?}", webhook(Some("secret-value"), None)).contains("secret-value"));
}
