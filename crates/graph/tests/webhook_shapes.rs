//! Every shape of a webhook body, and what becomes of it.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "a test may stop where it stands")]

use openreply_app::ports::{EventBodies, ParsedEvent};
use openreply_graph::{AppSecrets, MetaWebhook};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const ACCOUNT: &str = "17841400000000001";

fn read(body: &[u8]) -> ParsedEvent {
    let secrets = AppSecrets { instagram: Some("s".into()), facebook: None, verify_token: "v".into() };
    MetaWebhook::new(secrets).unwrap().parse(body).unwrap()
}

/// Checks what one body holds: the triggers as they go on the queue, and the counts.
fn check(body: &Value, triggers: &Value, passed_over: &[(&'static str, u32)]) {
    check_text(&body.to_string(), triggers, passed_over);
}

fn check_text(body: &str, triggers: &Value, passed_over: &[(&'static str, u32)]) {
    let event = read(body.as_bytes());
    assert_eq!(serde_json::to_value(&event.triggers).unwrap(), *triggers, "{body}");
    assert_eq!(event.passed_over, passed_over.iter().copied().collect::<BTreeMap<_, _>>(), "{body}");
}

fn body(entry: Value) -> Value {
    json!({"object": "instagram", "entry": [entry]})
}

fn comments(value: Value) -> Value {
    body(json!({"id": ACCOUNT, "time": 1_770_000_000, "changes": [{"field": "comments", "value": value}]}))
}

fn messaging(element: Value) -> Value {
    body(json!({"id": ACCOUNT, "time": 1_770_000_000, "messaging": [element]}))
}

/// An element of `messaging` from a person, with what it holds.
fn from_anna(name: &str, part: Value) -> Value {
    json!({"sender": {"id": "900"}, "recipient": {"id": ACCOUNT}, "timestamp": 1_770_000_000_123_i64, name: part})
}

fn simple() -> Value {
    json!({"id": "180", "text": "LINK", "from": {"id": "900", "username": "anna"}, "media": {"id": "555"}})
}

fn simple_trigger() -> Value {
    json!({"kind": "comment", "account": ACCOUNT, "id": "180", "from": "900", "username": "anna", "media": "555", "text": "LINK"})
}

#[test]
fn a_comment_in_every_envelope() {
    let change = json!({"field": "comments", "value": simple()});
    let wanted = json!([simple_trigger()]);
    for envelope in [
        comments(simple()),
        body(json!({"id": ACCOUNT, "changes": change})),
        body(json!({"id": 17_841_400_000_000_001_u64, "changes": [change]})),
        body(json!({"id": ACCOUNT, "time": 1, "field": "comments", "value": simple()})),
        json!([comments(simple())]),
        json!({"entry": [{"id": ACCOUNT, "changes": [change]}]}),
        json!({"object": "instagram", "entry": {"id": ACCOUNT, "changes": [change], "messaging": null}}),
    ] {
        check(&envelope, &wanted, &[]);
    }
}

#[test]
fn the_fields_of_a_comment() {
    let mut full = simple();
    full["media"] = json!({"id": 556, "media_product_type": "AD", "ad_id": "7", "ad_title": "x", "original_media_id": "557"});
    full["parent_id"] = json!("179");
    let mut full_trigger = simple_trigger();
    full_trigger["media"] = json!("556");
    full_trigger["original_media"] = json!("557");
    full_trigger["parent"] = json!("179");
    check(&comments(full), &json!([full_trigger]), &[]);

    // Other names, numbers, and as little as there may be.
    let least = json!({"comment_id": 9_007_199_254_740_993_u64, "from": {"id": 900}, "media_id": 555});
    let trigger = json!({"kind": "comment", "account": ACCOUNT, "id": "9007199254740993", "from": "900", "media": "555", "text": ""});
    check(&comments(least), &json!([trigger]), &[]);

    let empty = json!({"id": "180", "text": null, "from": {"id": "900", "username": ""}, "media": {"id": 5.5}, "parent_id": null});
    let trigger = json!({"kind": "comment", "account": ACCOUNT, "id": "180", "from": "900", "text": ""});
    check(&comments(empty), &json!([trigger]), &[]);
}

#[test]
fn a_text_keeps_every_character_and_one_that_was_cut_is_not_lost() {
    for (text, wanted) in [
        (r#""\ud83d\ude00 <a@b> 50% \/ \\ud83d \"é\" 日本""#, "😀 <a@b> 50% / \\ud83d \"é\" 日本"),
        (r#""LINK \ud83d""#, "LINK \u{fffd}"),
        (r#""\ude00LINK""#, "\u{fffd}LINK"),
    ] {
        let body = comments(simple()).to_string().replace("\"LINK\"", text);
        let mut trigger = simple_trigger();
        trigger["text"] = json!(wanted);
        check_text(&body, &json!([trigger]), &[]);
    }
}

#[test]
fn own_comments_never_trigger() {
    for from in [
        json!({"id": ACCOUNT, "username": "bakery"}),
        json!({"id": 17_841_400_000_000_001_u64}),
        json!({"id": ACCOUNT, "self_ig_scoped_id": "746"}),
        json!({"id": "746", "self_ig_scoped_id": "746"}),
        json!({"id": "24210", "username": "bakery", "self_ig_scoped_id": 746}),
        json!({"self_ig_scoped_id": "746"}),
    ] {
        let mut value = simple();
        value["from"] = from;
        check(&comments(value), &json!([]), &[("own_comment", 1)]);
    }
    let mut value = simple();
    value["from"]["self_ig_scoped_id"] = Value::Null;
    check(&comments(value), &json!([simple_trigger()]), &[]);
}

#[test]
fn malformed_comments_are_counted() {
    let mut wrong = vec![json!(null), json!("LINK"), json!([]), json!({})];
    for (field, values) in [
        ("id", vec![json!(null), json!(""), json!(1.8e30), json!({}), json!("1/../2"), json!(-1)]),
        (
            "from",
            vec![json!(null), json!("900"), json!({}), json!({"id": null}), json!({"username": "anna"})],
        ),
        ("text", vec![json!(7), json!({}), json!([])]),
        ("parent_id", vec![json!({}), json!(""), json!(1.5)]),
    ] {
        for value in values {
            let mut comment = simple();
            comment[field] = value;
            wrong.push(comment);
        }
    }
    for value in wrong {
        check(&comments(value), &json!([]), &[("malformed_comment", 1)]);
    }
}

#[test]
fn messages_and_taps() {
    let at = 1_770_000_000_123_i64;
    let message = |text: Option<&str>| {
        let mut message =
            json!({"kind": "message", "account": ACCOUNT, "id": "m_1", "from": "900", "at": at});
        text.inspect(|text| message["text"] = json!(text));
        message
    };
    let tap =
        json!({"kind": "tap", "account": ACCOUNT, "id": "m_1", "from": "900", "payload": "GET", "at": at});
    let story = json!({"mid": "m_1", "text": "LINK", "reply_to": {"story": {"id": "5", "url": "https://x"}}});
    for (name, part, wanted) in [
        ("message", json!({"mid": "m_1", "text": "LINK"}), message(Some("LINK"))),
        ("message", story, message(Some("LINK"))),
        (
            "message",
            json!({"mid": "m_1", "text": "LINK", "is_echo": false, "is_deleted": false}),
            message(Some("LINK")),
        ),
        ("message", json!({"mid": "m_1", "attachments": [{"type": "image"}]}), message(None)),
        ("message", json!({"mid": "m_1", "text": "", "attachments": [{"type": "share"}]}), message(None)),
        ("postback", json!({"mid": "m_1", "title": "Get it", "payload": "GET"}), tap.clone()),
        ("message", json!({"mid": "m_1", "text": "Get it", "quick_reply": {"payload": "GET"}}), tap),
    ] {
        let element = from_anna(name, part);
        check(&messaging(element.clone()), &json!([wanted]), &[]);
        for field in ["messages", "messaging_postbacks"] {
            check(
                &body(json!({"id": ACCOUNT, "changes": [{"field": field, "value": element}]})),
                &json!([wanted]),
                &[],
            );
        }
    }
}

#[test]
fn times_may_be_seconds_or_strings_or_missing() {
    for (timestamp, wanted) in [
        (json!(1_770_000_000_123_i64), Some(1_770_000_000_123_i64)),
        (json!("1770000000123"), Some(1_770_000_000_123)),
        (json!(1_770_000_000), Some(1_770_000_000_000)),
        (json!("1527459824"), Some(1_527_459_824_000)),
        (json!(null), None),
        (json!(0), None),
        (json!(-5), None),
        (json!(1.5), None),
        (json!("yesterday"), None),
        (json!(u64::MAX), None),
    ] {
        let mut element = from_anna("message", json!({"mid": "m_1", "text": "LINK"}));
        element["timestamp"] = timestamp.clone();
        let event = read(messaging(element).to_string().as_bytes());
        let got = serde_json::to_value(&event.triggers[0]).unwrap().get("at").and_then(Value::as_i64);
        assert_eq!(got, wanted, "{timestamp}");
    }
}

#[test]
fn what_the_account_did_itself_is_an_echo() {
    let message = json!({"mid": "m_1", "text": "LINK"});
    let mut flagged = message.clone();
    flagged["is_echo"] = json!(true);
    let mut own = message.clone();
    own["is_self"] = json!(1);
    let mut ours = vec![from_anna("message", flagged), from_anna("message", own)];
    for (name, part) in [("message", message), ("postback", json!({"mid": "m_1", "payload": "GET"}))] {
        let mut sent = from_anna(name, part.clone());
        sent["sender"]["id"] = json!(17_841_400_000_000_001_u64);
        let mut own = from_anna(name, part);
        own["is_self"] = json!(true);
        ours.extend([sent, own]);
    }
    for element in ours {
        check(&messaging(element), &json!([]), &[("echo", 1)]);
    }
}

#[test]
fn everything_else_in_a_conversation_is_counted_by_what_it_is() {
    for (name, part, reason) in [
        ("message", json!({"mid": "m_1", "is_deleted": true}), "deleted_message"),
        ("message", json!({"mid": "m_1", "is_unsupported": true}), "unsupported_message"),
        (
            "message",
            json!({"mid": "m_1", "attachments": [{"type": "unsupported_type"}], "is_unsupported": true}),
            "unsupported_message",
        ),
        ("message", json!({"mid": "m_1"}), "empty_message"),
        ("message", json!({"mid": "m_1", "text": "", "attachments": []}), "empty_message"),
        ("message", json!({"text": "LINK"}), "malformed_message"),
        ("message", json!({"mid": 1.5, "text": "LINK"}), "malformed_message"),
        ("message", json!("LINK"), "malformed_message"),
        ("postback", json!({"payload": "GET"}), "malformed_tap"),
        ("postback", json!({"mid": "m_1"}), "malformed_tap"),
        ("postback", json!({"mid": "m_1", "payload": ""}), "malformed_tap"),
        ("postback", json!("GET"), "malformed_tap"),
        ("message", json!({"text": "Get it", "quick_reply": {"payload": "GET"}}), "malformed_tap"),
        ("message", json!({"mid": "m_1", "text": "Get it", "quick_reply": {}}), "malformed_tap"),
        ("reaction", json!({"mid": "m_1", "action": "react", "emoji": "❤"}), "reaction"),
        ("read", json!({"mid": "m_1"}), "read"),
        ("delivery", json!({"mids": ["m_1"]}), "delivery"),
        ("message_edit", json!({"mid": "m_1", "text": "LINK", "num_edit": 1}), "message_edit"),
        ("referral", json!({"ref": "x"}), "referral"),
        ("optin", json!({}), "optin"),
        ("pass_thread_control", json!({}), "pass_thread_control"),
        ("something_new", json!({"mid": "m_1", "text": "LINK"}), "unknown_messaging"),
    ] {
        check(&messaging(from_anna(name, part)), &json!([]), &[(reason, 1)]);
    }
    for nobody in [json!(null), json!({}), json!({"id": 1.5}), json!("900")] {
        let mut element = from_anna("message", json!({"mid": "m_1", "text": "LINK"}));
        element["sender"] = nobody;
        check(&messaging(element), &json!([]), &[("malformed_message", 1)]);
    }
    for element in [json!(null), json!(7), json!("LINK"), json!([])] {
        check(
            &body(json!({"id": ACCOUNT, "messaging": [element]})),
            &json!([]),
            &[("malformed_messaging", 1)],
        );
    }
}

#[test]
fn the_rest_of_the_envelope_is_counted_too() {
    let change = json!({"field": "comments", "value": simple()});
    let message = from_anna("message", json!({"mid": "m_1", "text": "LINK"}));
    for (envelope, reason, times) in [
        (body(json!({"id": ACCOUNT, "standby": [message, message]})), "standby", 2),
        (body(json!({"id": "0", "changes": [change, change], "messaging": [message]})), "test_sample", 3),
        (body(json!({"id": 0, "field": "messages", "value": message})), "test_sample", 1),
        (body(json!({"id": ACCOUNT, "time": 1})), "unknown_entry", 1),
        (body(json!({"id": ACCOUNT, "changes": []})), "unknown_entry", 1),
        (body(json!({"changes": [change]})), "malformed_entry", 1),
        (body(json!({"id": 1.5, "changes": [change]})), "malformed_entry", 1),
        (body(json!([ACCOUNT, [change]])), "malformed_entry", 1),
        (body(json!("entry")), "malformed_entry", 1),
        (body(json!({"id": ACCOUNT, "changes": [7]})), "malformed_change", 1),
        (body(json!({"id": ACCOUNT, "changes": [{"value": simple()}]})), "malformed_change", 1),
        (body(json!({"id": ACCOUNT, "changes": [{"field": 7, "value": simple()}]})), "malformed_change", 1),
        (
            body(json!({"id": ACCOUNT, "changes": [{"field": "live_comments", "value": simple()}]})),
            "live_comment",
            1,
        ),
        (body(json!({"id": ACCOUNT, "changes": [{"field": "mentions", "value": {}}]})), "unknown_field", 1),
        (body(json!({"id": ACCOUNT, "changes": [{"field": "comments"}]})), "malformed_comment", 1),
        (json!({"object": "page", "entry": [{"id": ACCOUNT, "changes": [change]}]}), "unknown_object", 1),
        (json!({"object": "instagram"}), "malformed_envelope", 1),
        (json!(["instagram", [{"id": ACCOUNT, "changes": [change]}]]), "malformed_envelope", 2),
        (json!("instagram"), "malformed_envelope", 1),
        (json!(null), "malformed_envelope", 1),
    ] {
        check(&envelope, &json!([]), &[(reason, times)]);
    }
    check(&json!([]), &json!([]), &[]);
    check(&json!({"object": "instagram", "entry": []}), &json!([]), &[]);
}

#[test]
fn kinds_mix_and_their_order_stays() {
    let message = from_anna("message", json!({"mid": "m_1", "text": "LINK"}));
    let mut second = simple();
    second["id"] = json!("181");
    let envelope = json!({"object": "instagram", "entry": [
        {"id": ACCOUNT, "changes": [{"field": "comments", "value": simple()}, {"field": "mentions", "value": {}}],
         "messaging": [message, from_anna("read", json!({}))], "standby": [message]},
        {"id": "17841400000000002", "field": "comments", "value": second},
    ]});
    let event = read(envelope.to_string().as_bytes());
    let keys: Vec<_> = event.triggers.iter().map(|trigger| trigger.key().to_string()).collect();
    assert_eq!(
        keys,
        ["comment:17841400000000001:180", "message:17841400000000001:m_1", "comment:17841400000000002:181"]
    );
    assert_eq!(event.passed_over, BTreeMap::from([("read", 1), ("standby", 1), ("unknown_field", 1)]));
}

#[test]
fn a_thousand_updates_are_all_read() {
    let text = "Ich hätte gern den LINK 🥐 ".repeat(24);
    let entries: Vec<_> = (0..1000)
        .map(|n| {
            let mut value = simple();
            value["id"] = json!(n.to_string());
            value["text"] = json!(text);
            json!({"id": ACCOUNT, "time": 1, "changes": [{"field": "comments", "value": value}]})
        })
        .collect();
    let envelope = json!({"object": "instagram", "entry": entries}).to_string();
    assert!(envelope.len() > 700_000, "{}", envelope.len());
    let event = read(envelope.as_bytes());
    assert_eq!(event.triggers.len(), 1000);
    assert!(event.passed_over.is_empty());
}
