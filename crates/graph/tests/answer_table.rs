//! The answer table of `classify`, every row at every kind of status, and what no answer may ever do.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

mod table;

use http::{HeaderMap, HeaderValue};
use openreply_domain::ids::MessageId;
use openreply_domain::outcome::{Doubt, Rejection, RejectionKind, SendOutcome};
use openreply_graph::{Expect, classify};
use proptest::prelude::*;
use std::fmt::Write as _;
use table::ROWS;

const STATUSES: [u16; 8] = [200, 302, 400, 403, 429, 499, 500, 503];

fn answer(status: u16, body: &str) -> SendOutcome {
    classify(status, &HeaderMap::new(), body.as_bytes(), Expect::Message)
}

fn delivered(id: &str) -> SendOutcome {
    SendOutcome::Delivered { message_id: MessageId::parse(id).unwrap() }
}

fn unreadable(status: u16) -> SendOutcome {
    SendOutcome::Unconfirmed(Doubt::Unreadable { status })
}

fn doubt(status: u16, code: Option<i64>, subcode: Option<i64>) -> SendOutcome {
    SendOutcome::Unconfirmed(Doubt::Answer { status, code, subcode })
}

#[test]
fn every_row_at_every_status() {
    for row in ROWS {
        for status in STATUSES {
            let wanted = match row.proves(status) {
                Some(kind) => SendOutcome::Rejected(Rejection {
                    kind,
                    code: row.code,
                    subcode: row.subcode,
                    retry_after_seconds: None,
                }),
                None => doubt(status, Some(row.code), row.subcode),
            };
            for expect in [Expect::Message, Expect::PublicReply] {
                let got = classify(status, &HeaderMap::new(), row.body().as_bytes(), expect);
                assert_eq!(got, wanted, "{status} {expect:?} {row:?}");
            }
        }
    }
}

/// The same as a page that a person can hold beside the platform facts.
#[test]
fn the_table_as_a_page() {
    let mut page = String::new();
    for row in ROWS {
        let subcode = row.subcode.map_or_else(String::new, |subcode| format!("/{subcode}"));
        let told = if row.message.contains("Something") { "" } else { row.message };
        write!(
            page,
            "{:<14} {:<62}",
            format!("{}{subcode}", row.code),
            told.get(..60.min(told.len())).unwrap()
        )
        .unwrap();
        for status in [200, 400, 500] {
            let word = match answer(status, &row.body()) {
                SendOutcome::Rejected(rejection) => format!("{:?}", rejection.kind),
                SendOutcome::Unconfirmed(_) => "-".to_owned(),
                SendOutcome::Delivered { .. } => "Delivered".to_owned(),
                SendOutcome::NotSent(_) => "NotSent".to_owned(),
            };
            write!(page, " {status}:{word:<21}").unwrap();
        }
        page.truncate(page.trim_end().len());
        page.push('\n');
    }
    insta::assert_snapshot!(page);
}

#[test]
fn a_success_names_the_message() {
    for (status, body, expect, wanted) in [
        (200, r#"{"recipient_id":"9","message_id":"aWdf_1"}"#, Expect::Message, delivered("aWdf_1")),
        (200, r#"{"message_id":17841400000000001}"#, Expect::Message, delivered("17841400000000001")),
        (201, r#"{"message_id":"m"}"#, Expect::Message, delivered("m")),
        (200, r#"{"message_id":"m","error":null}"#, Expect::Message, delivered("m")),
        (200, r#"{"id":"178"}"#, Expect::PublicReply, delivered("178")),
        (200, r#"{"id":18446744073709551615}"#, Expect::PublicReply, delivered("18446744073709551615")),
        (200, r#"{"id":"178"}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":"m"}"#, Expect::PublicReply, unreadable(200)),
        (200, r#"{"success":true}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":""}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":"not an id"}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":1.5}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":18446744073709551616}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":{"id":"m"}}"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":null}"#, Expect::Message, unreadable(200)),
        (200, r#"{"data":{"message_id":"m"}}"#, Expect::Message, unreadable(200)),
        (200, r#"[{"message_id":"m"}]"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":"m"} {"#, Expect::Message, unreadable(200)),
        (200, r#"{"message_id":"m""#, Expect::Message, unreadable(200)),
        (200, "", Expect::Message, unreadable(200)),
        (204, "", Expect::Message, unreadable(204)),
        (302, r#"{"message_id":"m"}"#, Expect::Message, doubt(302, None, None)),
        (400, r#"{"message_id":"m"}"#, Expect::Message, unreadable(400)),
        (500, r#"{"message_id":"m"}"#, Expect::Message, unreadable(500)),
        (100, r#"{"message_id":"m"}"#, Expect::Message, unreadable(100)),
    ] {
        let got = classify(status, &HeaderMap::new(), body.as_bytes(), expect);
        assert_eq!(got, wanted, "{status} {expect:?} {body}");
    }
}

#[test]
fn a_message_and_an_error_in_one_answer_prove_nothing() {
    for row in ROWS {
        let body = row.body().replacen('{', r#"{"message_id":"m","#, 1);
        assert_eq!(answer(200, &body), doubt(200, Some(row.code), row.subcode), "{body}");
    }
}

#[test]
fn what_cannot_be_read_proves_nothing() {
    for status in [200, 400, 429, 500, 502, 503, 504] {
        for body in [
            "",
            "<html>Sorry, something went wrong.</html>",
            "null",
            "[]",
            "\"error\"",
            "{}",
            "{\"error\":",
            "\u{feff}{}",
        ] {
            assert_eq!(answer(status, body), unreadable(status), "{status} {body}");
        }
        assert_eq!(
            classify(status, &HeaderMap::new(), b"{\"error\":\"\xff\"}", Expect::Message),
            unreadable(status)
        );
    }
    for status in [301, 302, 303, 304, 307, 308] {
        assert_eq!(answer(status, ""), doubt(status, None, None));
    }
}

#[test]
fn an_error_whose_code_or_subcode_cannot_be_read_proves_nothing() {
    for (error, code, subcode) in [
        (r#""Invalid""#, None, None),
        ("false", None, None),
        ("[190]", None, None),
        ("{}", None, None),
        (r#"{"code":null}"#, None, None),
        (r#"{"code":190.5}"#, None, None),
        (r#"{"code":1.9e2}"#, None, None),
        (r#"{"code":[190]}"#, None, None),
        (r#"{"code":"OAuth"}"#, None, None),
        (r#"{"error_subcode":463}"#, None, Some(463)),
        (r#"{"message":"Unsupported request"}"#, None, None),
        // It might have been 2207051.
        (r#"{"code":4,"error_subcode":"2207051x"}"#, Some(4), None),
        (r#"{"code":4,"error_subcode":2207051.0}"#, Some(4), None),
        (r#"{"code":190,"error_subcode":{}}"#, Some(190), None),
    ] {
        let body = format!(r#"{{"error":{error}}}"#);
        assert_eq!(answer(400, &body), doubt(400, code, subcode), "{body}");
    }
}

#[test]
fn codes_may_be_strings_and_texts_may_stand_in_any_field() {
    for (error, kind) in [
        (r#"{"code":"190"}"#, RejectionKind::TokenDead),
        (r#"{"code":"10","error_subcode":"2534022"}"#, RejectionKind::WindowClosed),
        (r#"{"code":190,"error_subcode":null}"#, RejectionKind::TokenDead),
        (r#"{"code":100,"message":"UNSUPPORTED REQUEST"}"#, RejectionKind::AppUnusable),
        (r#"{"code":100,"message":7,"error_user_msg":"Too many buttons"}"#, RejectionKind::TemplateRefused),
        (r#"{"code":100,"message":null,"error_user_title":"Template"}"#, RejectionKind::TemplateRefused),
    ] {
        let got = answer(400, &format!(r#"{{"error":{error}}}"#));
        assert!(
            matches!(&got, SendOutcome::Rejected(rejection) if rejection.kind == kind),
            "{error} {got:?}"
        );
    }
}

#[test]
fn only_a_throttled_answer_carries_the_wait_that_meta_asks_for() {
    let mut headers = HeaderMap::new();
    let usage = r#"{"178":[{"type":"instagram","estimated_time_to_regain_access":2}]}"#;
    headers.insert("x-business-use-case-usage", HeaderValue::from_static(usage));
    for row in ROWS {
        let SendOutcome::Rejected(rejection) =
            classify(400, &headers, row.body().as_bytes(), Expect::Message)
        else {
            continue;
        };
        let wanted = (rejection.kind == RejectionKind::Throttled).then_some(120);
        assert_eq!(rejection.retry_after_seconds, wanted, "{row:?}");
    }
}

/// Bodies that look like Meta's, with anything in their fields.
fn plausible() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        prop_oneof![Just(100), Just(2), Just(4), Just(190), Just(33)].prop_map(|code: i64| code.to_string()),
        "[a-zA-Z0-9_/ .-]{0,12}".prop_map(|text| format!("\"{text}\"")),
        Just("[".repeat(200) + &"]".repeat(200)),
    ];
    let error = (scalar.clone(), scalar.clone(), scalar.clone()).prop_map(|(code, subcode, message)| {
        format!(r#"{{"code":{code},"error_subcode":{subcode},"message":{message}}}"#)
    });
    let error = prop_oneof![error, scalar.clone()];
    let field = prop_oneof![
        (prop_oneof![Just("message_id"), Just("id")], scalar)
            .prop_map(|(name, value)| format!("\"{name}\":{value}")),
        error.prop_map(|error| format!("\"error\":{error}")),
    ];
    proptest::collection::vec(field, 0..4).prop_map(|fields| format!("{{{}}}", fields.join(",")))
}

fn check(status: u16, body: &[u8], usage: &[u8], expect: Expect) {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_bytes(usage) {
        headers.insert("x-app-usage", value);
    }
    let outcome = classify(status, &headers, body, expect);
    match outcome {
        SendOutcome::Delivered { message_id } => {
            assert!((200..300).contains(&status), "{status}");
            let answer: serde_json::Value = serde_json::from_slice(body).unwrap();
            let field = &answer[if expect == Expect::Message { "message_id" } else { "id" }];
            let text = field.as_str().map_or_else(|| field.as_u64().unwrap().to_string(), str::to_owned);
            assert_eq!(text, message_id.as_str());
            assert!(answer.get("error").is_none_or(serde_json::Value::is_null));
        }
        SendOutcome::Rejected(rejection) => {
            let answer: serde_json::Value = serde_json::from_slice(body).unwrap();
            assert!(answer["error"]["code"].is_i64() || answer["error"]["code"].is_string());
            assert!(rejection.retry_after_seconds.is_none_or(|seconds| (60..=86_400).contains(&seconds)));
        }
        SendOutcome::Unconfirmed(Doubt::Answer { .. } | Doubt::Unreadable { .. }) => {}
        SendOutcome::Unconfirmed(Doubt::Timeout | Doubt::Broken) | SendOutcome::NotSent(_) => {
            panic!("an answer was read: {outcome:?}")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic_or_prove_a_delivery_that_they_do_not_name(
        status in prop_oneof![Just(200), Just(400), Just(500), any::<u16>()],
        body in prop_oneof![proptest::collection::vec(any::<u8>(), 0..200), plausible().prop_map(String::into_bytes)],
        usage in prop_oneof![plausible().prop_map(String::into_bytes), proptest::collection::vec(any::<u8>(), 0..40)],
        public in any::<bool>(),
    ) {
        check(status, &body, &usage, if public { Expect::PublicReply } else { Expect::Message });
    }
}
