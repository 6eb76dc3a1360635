//! A stack's secrets: one call, and an error for each way they may be wrong.

use crate::{bodies, config, json, refusal};
use aws_sdk_ssm::Client;
use openreply_aws::secrets::{SecretsPrefix, sealing_key, webhook_secrets};
use openreply_testkit::sockets::{Script, ScriptedServer};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

async fn client(script: Script) -> (Client, ScriptedServer) {
    let server = ScriptedServer::start(vec![script]).await.unwrap();
    (Client::new(&config(&server).await), server)
}

fn prefix() -> SecretsPrefix {
    SecretsPrefix::parse("/openreply/dev/").unwrap()
}

/// The last parts of parameters' names, and their values.
type Stored<'a> = &'a [(&'a str, &'a str)];

fn stored(parameters: Stored<'_>) -> Script {
    let parameters: Vec<Value> = parameters
        .iter()
        .map(|(name, value)| json!({ "Name": format!("/openreply/dev/{name}"), "Type": "SecureString", "Value": value }))
        .collect();
    json(200, &json!({ "Parameters": parameters, "InvalidParameters": [] }))
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

#[tokio::test]
async fn the_webhook_reads_its_three_by_one_call() {
    let script = stored(&[
        ("webhook-verify-token", "verify"),
        ("facebook-app-secret", "facebook"),
        ("instagram-app-secret", "instagram"),
    ]);
    let (client, server) = client(script).await;
    let secrets = webhook_secrets(&client, &prefix()).await.unwrap();
    let app: Vec<&str> = secrets.app_secrets.iter().map(ExposeSecret::expose_secret).collect();
    assert_eq!(app, ["instagram", "facebook"]);
    assert_eq!(secrets.verify_token.expose_secret(), "verify");
    let asked = bodies(&server);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["WithDecryption"], true);
    let names = ["instagram-app-secret", "facebook-app-secret", "webhook-verify-token"];
    assert_eq!(asked[0]["Names"], json!(names.map(|name| format!("/openreply/dev/{name}"))));
    let shown = format!("{secrets:?}");
    assert!(!shown.contains("verify\"") && !shown.contains("facebook\""), "{shown}");
}

#[tokio::test]
async fn either_app_secret_is_enough() {
    for name in ["instagram-app-secret", "facebook-app-secret"] {
        let (client, _server) = client(stored(&[(name, "app"), ("webhook-verify-token", "verify")])).await;
        assert_eq!(webhook_secrets(&client, &prefix()).await.unwrap().app_secrets.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn what_is_missing_or_unusable_is_named_with_what_to_do() {
    let verify = ("webhook-verify-token", "verify");
    let app = ("instagram-app-secret", "app");
    let cases: [(Stored, &[&str]); 5] = [
        (
            &[verify],
            &[
                "/openreply/dev/instagram-app-secret",
                "/openreply/dev/facebook-app-secret",
                "openreply init --stack dev",
            ],
        ),
        (&[app], &["/openreply/dev/webhook-verify-token", "openreply init --stack dev"]),
        (&[], &["configuration error", "openreply init --stack dev"]),
        (
            &[app, ("webhook-verify-token", "s3cr3t\n")],
            &["/openreply/dev/webhook-verify-token", "white space"],
        ),
        (
            &[("instagram-app-secret", " s3cr3t"), verify],
            &["/openreply/dev/instagram-app-secret", "white space"],
        ),
    ];
    for (parameters, words) in cases {
        let (client, _server) = client(stored(parameters)).await;
        let error = webhook_secrets(&client, &prefix()).await.unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(!error.contains("s3cr3t"), "{error}");
    }
}

#[tokio::test]
async fn the_sealing_key_is_read_or_its_fault_is_told() {
    let (whole, _server) = client(stored(&[("sealing-key", KEY)])).await;
    assert_eq!(sealing_key(&whole, &prefix()).await.unwrap().to_text().expose_secret(), KEY);
    let cases: [(Stored, &str); 3] = [
        (&[], "openreply init --stack dev"),
        (&[("sealing-key", "abc")], "64 hex digits"),
        (&[("sealing-key", "a2V5IGtleSBrZXkga2V5IGtleSBrZXkga2V5IGtleQ==")], "padded"),
    ];
    for (parameters, words) in cases {
        let (client, _server) = client(stored(parameters)).await;
        let error = sealing_key(&client, &prefix()).await.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("/openreply/dev/sealing-key"), "{error}");
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_no_missing_secret() {
    let (client, _server) =
        client(refusal(400, "AccessDeniedException", "not authorized to perform ssm:GetParameters")).await;
    let error = webhook_secrets(&client, &prefix()).await.unwrap_err().to_string();
    assert!(
        error.contains("ssm:GetParameters") && error.contains("stack dev") && !error.contains("init"),
        "{error}"
    );
}

#[test]
fn a_prefix_names_a_stack() {
    for text in ["", "/openreply/", "/openreply//", "/openreply/dev", "openreply/dev/", "/openreply/a/b/"] {
        assert!(SecretsPrefix::parse(text).is_err(), "{text:?}");
    }
    assert_eq!(SecretsPrefix::parse("/openreply/dev/").unwrap(), SecretsPrefix::of_stack("dev"));
}
