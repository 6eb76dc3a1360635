//! What is said before AWS is asked anything: of settings that are missing, and of arguments that cannot be meant.
#![cfg(test)]

use std::process::Command;

const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")];
/// A port that nobody listens on: whoever asks is refused at once.
const NOBODY: (&str, &str) = ("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
const REGION: (&str, &str) = ("AWS_REGION", "us-east-1");

/// What `openreply` says with these settings and no others, and how it ends.
fn openreply(args: &[&str], settings: &[(&str, &str)]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_openreply"))
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn whoever_has_set_no_region_or_no_credentials_is_told_so() {
    for command in [
        ["stop"].as_slice(),
        &["init"],
        &["sweeps"],
        &["links"],
        &["dead-letters", "list"],
        &["deliveries", "show", "comment:1:2"],
        &["lift", "app"],
    ] {
        let args = [command, &["--stack", "shop"]].concat();
        let (code, told) = openreply(&args, &KEYS);
        assert!(code == Some(1) && told.contains("no AWS region is set"), "{args:?} says {told}");
        let (code, told) = openreply(&args, &[REGION]);
        assert!(code == Some(1) && told.contains("AWS gave no credentials"), "{args:?} says {told}");
    }
}

#[test]
fn an_error_names_the_stack_it_is_about() {
    let settings = [KEYS[0], KEYS[1], REGION, NOBODY];
    for command in [["stop"].as_slice(), &["sweeps"], &["links"], &["deliveries", "list"]] {
        let args = [command, &["--stack", "shop"]].concat();
        let (code, told) = openreply(&args, &settings);
        assert!(code == Some(1) && told.contains("stack shop: the ledger"), "{args:?} says {told}");
    }
    let (code, told) = openreply(&["lift", "app", "--stack", "shop"], &settings);
    assert!(code == Some(1) && told.contains("shop-deliveries.fifo"), "{told}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_asked() {
    for (args, says) in [
        (["lift", "my bakery", "--stack", "shop"].as_slice(), "expected `app` or an account id"),
        (&["deliveries", "list", "--account", "my bakery", "--stack", "shop"], "--account"),
        (&["deliveries", "list", "--status", "UNCONFIRMD", "--stack", "shop"], "UNCONFIRMED"),
        (
            &["deliveries", "resolve", "comment:1:2", "dm", "--stack", "shop"],
            "the following required arguments",
        ),
        (&["deliveries", "show", "comment:1", "--stack", "shop"], "comment:<account>:<id>"),
        (
            &["deliveries", "resolve", "comment:1:2", "dn", "--sent", "--stack", "shop"],
            "public_reply#<campaign>",
        ),
    ] {
        let (code, told) = openreply(args, &[]);
        assert!(code == Some(2) && told.contains(says), "{args:?} says {told}");
    }
}
