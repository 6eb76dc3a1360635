//! The schema is that of the reader.

use super::good_files::EXAMPLE;
use crate::campaign_file::{json_schema, parse};
use serde_json::{Value, json};
use std::path::Path;

/// `UPDATE_SCHEMA=1 cargo test -p openreply-app` writes it anew.
#[test]
fn the_schema_in_the_repository_is_the_one_of_this_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../infra/campaign-file.schema.json");
    let made = format!("{}\n", serde_json::to_string_pretty(&json_schema()).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "infra/campaign-file.schema.json is old: run UPDATE_SCHEMA=1 cargo test -p openreply-app"
    );
}

/// A file with every key.
fn full() -> Value {
    json!({
        "$schema": "x",
        "accounts": [{
            "id": "1", "username": "bakery", "token": "t", "token_ends": "2027-01-29",
            "opt_out": { "stop_words": ["STOP"], "start_words": "START", "confirmation": "Bye" }
        }],
        "campaigns": [{
            "id": "guide", "account": "1", "name": "Guide", "post": "any", "keywords": ["link"],
            "match": "whole_word", "dm": "Hi {link}", "links": [{ "url": "https://example.com", "label": "Go" }],
            "public_replies": ["Sent"], "active": true, "backfill": false,
            "opening": { "text": "Want it? YES", "reply_words": "YES", "button": "Yes" },
            "follow_gate": {
                "text": "Follow first", "reply_words": ["follow"], "button": "Done", "acknowledgement": "Wait"
            },
            "follow_up": { "text": "How was it?", "after_minutes": 60 },
            "dm_trigger": true, "buttons": true, "repeat": "once_per_person"
        }],
    })
}

/// Leaves one of the two ways in which an opening and a follow gate are answered.
fn answered_in_one_way(file: &mut Value, without: &str) {
    for flow in ["/campaigns/0/opening", "/campaigns/0/follow_gate"] {
        file.pointer_mut(flow).unwrap().as_object_mut().unwrap().remove(without);
    }
}

#[test]
fn the_schema_and_the_reader_know_and_require_the_same_keys() {
    let schema = json_schema();
    let definitions = &schema["$defs"];
    let mut seen = 0;
    for (kind, path) in [
        (&schema, ""),
        (&definitions["Account"], "/accounts/0"),
        (&definitions["Campaign"], "/campaigns/0"),
        (&definitions["Link"], "/campaigns/0/links/0"),
        (&definitions["OptOut"], "/accounts/0/opt_out"),
        (&definitions["Opening"], "/campaigns/0/opening"),
        (&definitions["FollowGate"], "/campaigns/0/follow_gate"),
        (&definitions["FollowUp"], "/campaigns/0/follow_up"),
    ] {
        assert_eq!(kind["additionalProperties"], false, "{path}");
        let required: Vec<&str> =
            kind["required"].as_array().into_iter().flatten().map(|key| key.as_str().unwrap()).collect();
        for key in kind["properties"].as_object().unwrap().keys() {
            seen += 1;
            let mut file = full();
            answered_in_one_way(&mut file, if key == "button" { "reply_words" } else { "button" });
            let object = file.pointer_mut(path).unwrap().as_object_mut().unwrap();
            let exclusive = ["token", "token_env"].contains(&key.as_str());
            if key == "token_env" {
                object.remove("token");
                object.insert(key.clone(), json!("BAKERY_TOKEN"));
            }
            assert!(object.contains_key(key), "the file of this test has no {path} {key}");
            parse(&file.to_string()).unwrap_or_else(|errors| panic!("{path} {key}: {errors}"));

            let object = file.pointer_mut(path).unwrap().as_object_mut().unwrap();
            object.remove(key);
            // Without keywords a campaign must take every comment, and without a link a message has none.
            match key.as_str() {
                "keywords" => _ = object.insert("match".to_owned(), json!("any_word")),
                "links" => _ = object.insert("dm".to_owned(), json!("Hi")),
                _ => {}
            }
            let must_be_there = exclusive || required.contains(&key.as_str());
            assert_eq!(parse(&file.to_string()).is_err(), must_be_there, "{path} {key}");
        }
        let mut file = full();
        answered_in_one_way(&mut file, "button");
        file.pointer_mut(path).unwrap().as_object_mut().unwrap().insert("surprise".to_owned(), json!(1));
        let errors = parse(&file.to_string()).unwrap_err().to_string();
        assert!(errors.contains("`surprise` is not a key of"), "{errors}");
    }
    assert_eq!(seen, 3 + 6 + 17 + 2 + 3 + 3 + 4 + 2);
}

#[test]
fn the_schema_describes_every_key() {
    let schema = json_schema();
    let mut kinds = vec![&schema];
    kinds.extend(schema["$defs"].as_object().unwrap().values());
    for kind in kinds {
        assert!(kind["description"].is_string(), "{kind}");
        for (key, property) in kind["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{key}");
        }
    }
}

#[test]
fn the_example_names_the_schema_for_editors() {
    assert!(EXAMPLE.starts_with("# yaml-language-server: $schema=../infra/campaign-file.schema.json\n"));
}
