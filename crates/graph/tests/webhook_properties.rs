//! What holds for every body: nothing panics, and no element loses its neighbour.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::ports::{EventBodies, EventReader, Unreadable};
use openreply_graph::{AppSecrets, MetaWebhook};
use proptest::prelude::*;

const GOOD: &str = r#"{"field":"comments","value":{"id":"180","text":"LINK","from":{"id":"900"}}}"#;
const GOOD_MESSAGE: &str = r#"{"sender":{"id":"900"},"message":{"mid":"m_1","text":"LINK"}}"#;

fn webhook() -> MetaWebhook {
    MetaWebhook::new(AppSecrets { instagram: Some("s".into()), facebook: None, verify_token: "v".into() })
        .unwrap()
}

/// JSON texts of the webhook's own words and anything else, numbers beyond all bounds, halves of characters
/// and nesting beyond all sense included.
fn any_json() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("object"),
        Just("entry"),
        Just("id"),
        Just("changes"),
        Just("field"),
        Just("value"),
        Just("from"),
        Just("messaging"),
        Just("standby"),
        Just("message"),
        Just("postback"),
        Just("sender"),
        Just("mid"),
        Just("text"),
        Just("payload"),
        Just("media"),
        Just("parent_id"),
        Just("quick_reply"),
        Just("comments"),
        Just("instagram"),
        Just("is_echo"),
        Just("timestamp"),
        Just("0"),
        Just("17841400000000001"),
    ];
    let leaf = prop_oneof![
        4 => word.clone().prop_map(|word| format!("\"{word}\"")),
        1 => Just("null".to_owned()),
        1 => Just("true".to_owned()),
        2 => any::<u64>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        1 => Just("1e999999".to_owned()),
        1 => Just("9".repeat(400)),
        1 => Just(r#""\ud83d""#.to_owned()),
        1 => Just(r#""\udc00\ud83d\ude00\"""#.to_owned()),
        1 => Just("[".repeat(300) + &"]".repeat(300)),
        1 => any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec((word.clone(), inner), 0..6).prop_map(|fields| {
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(body in proptest::collection::vec(any::<u8>(), 0..200), signature in ".{0,80}") {
        let webhook = webhook();
        let _ = webhook.parse(&body);
        let _ = webhook.authenticate(Some(&signature), &body);
        let _ = webhook.knows_verify_token(&signature);
    }

    #[test]
    fn whatever_is_json_is_read(body in any_json()) {
        prop_assert!(webhook().parse(body.as_bytes()).is_ok(), "{body}");
    }

    #[test]
    fn a_bad_element_loses_no_neighbour(bad in proptest::collection::vec(any_json(), 6)) {
        let body = format!(
            r#"{{"object":"instagram","entry":[{},{{"id":"178","changes":[{},{GOOD},{}],"messaging":[{},{GOOD_MESSAGE},{}]}},{}]}}"#,
            bad[0], bad[1], bad[2], bad[3], bad[4], bad[5],
        );
        let event = webhook().parse(body.as_bytes()).unwrap();
        let keys: Vec<_> = event.triggers.iter().map(|trigger| trigger.key().to_string()).collect();
        prop_assert!(keys.contains(&"comment:178:180".to_owned()), "{body} {keys:?}");
        prop_assert!(keys.contains(&"message:178:m_1".to_owned()), "{body} {keys:?}");
    }
}

#[test]
fn what_is_no_json_says_where_and_not_what() {
    for (body, line, column) in [
        (&b""[..], 1, 1),
        (b"{", 1, 1),
        (b"secret", 1, 1),
        (b"{\n  \"entry\": [}\n}", 2, 13),
        (b"{} {}", 1, 4),
        (b"\"\xff\xfe\"", 1, 2),
    ] {
        let error = webhook().parse(body).unwrap_err();
        assert_eq!(error, Unreadable { line, column }, "{body:?}");
        assert!(!error.to_string().contains("secret"));
    }
}
