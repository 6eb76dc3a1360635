//! The events: what is told on the bus is what `infra/events.schema.json` says, and no more.

use super::product::{ACCOUNT, Product, TEXT, USER, USERNAME};
use openreply_app::ports::Fact;
use openreply_aws::facts::events::{SCHEMA_VERSION, SOURCE, event};
use openreply_domain::gate::HoldReason;
use openreply_domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/events.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON")
}

/// Why a value is not what a schema says. Knows the keywords that the schema uses, and no others.
fn problem(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    for (keyword, says) in schema.as_object().expect("a schema") {
        let problem = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => None,
            "$ref" => {
                let name =
                    says.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("a definition");
                problem(root, &root["$defs"][name], value)
            }
            "const" => (value != says).then(|| format!("{value} is not {says}")),
            "enum" => {
                let known = says.as_array().expect("values").contains(value);
                (!known).then(|| format!("{value} is none of {says}"))
            }
            "type" => {
                let kind = match value {
                    Value::Object(_) => "object",
                    Value::String(_) => "string",
                    Value::Null => "null",
                    Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
                    Value::Number(_) => "number",
                    Value::Bool(_) => "boolean",
                    Value::Array(_) => "array",
                };
                (says != kind).then(|| format!("{value} is no {says}"))
            }
            "minimum" => (value.as_i64() < says.as_i64()).then(|| format!("{value} is below {says}")),
            // The one pattern there is: a moment in UTC.
            "pattern" => {
                assert_eq!(says, "Z$");
                let moment = value.as_str().filter(|text| text.ends_with('Z')).map(str::parse::<Timestamp>);
                (!matches!(moment, Some(Ok(_)))).then(|| format!("{value} is no moment in UTC"))
            }
            "required" => says
                .as_array()
                .expect("names")
                .iter()
                .find(|name| value.get(name.as_str().expect("a name")).is_none())
                .map(|name| format!("{name} is missing in {value}")),
            "properties" => says
                .as_object()
                .expect("properties")
                .iter()
                .filter_map(|(name, schema)| problem(root, schema, value.get(name)?))
                .next(),
            "additionalProperties" => {
                assert_eq!(says, false);
                let known = schema["properties"].as_object().expect("properties");
                let keys = value.as_object().into_iter().flat_map(|object| object.keys());
                keys.filter(|key| !known.contains_key(*key)).map(|key| format!("{key} is unknown")).next()
            }
            "oneOf" | "anyOf" => {
                let fits = says
                    .as_array()
                    .expect("choices")
                    .iter()
                    .filter(|one| problem(root, one, value).is_none());
                let fits = fits.count();
                (fits == 0 || (keyword == "oneOf" && fits > 1))
                    .then(|| format!("{value} fits {fits} of the choices"))
            }
            other => panic!("teach this test the keyword {other}"),
        };
        if problem.is_some() {
            return problem;
        }
    }
    None
}

fn envelope(kind: &str, detail: &Value) -> Value {
    json!({ "source": SOURCE, "detail-type": kind, "detail": detail })
}

/// Everything that the product tells on the bus, by its kind.
async fn told(tells_sent: bool) -> BTreeMap<&'static str, Vec<Value>> {
    let mut told: BTreeMap<&'static str, Vec<Value>> = BTreeMap::new();
    for (at, fact) in Product::new().await.everything().await {
        if let Some(event) = event("openreply", at, &fact, tells_sent) {
            told.entry(event.detail_type).or_default().push(event.detail);
        }
    }
    told
}

#[tokio::test]
async fn every_event_is_as_the_schema_says() {
    let schema = schema();
    let told = told(true).await;
    for (kind, details) in &told {
        for detail in details {
            assert_eq!(problem(&schema, &schema, &envelope(kind, detail)), None, "{kind}: {detail}");
            assert_eq!(detail["schema_version"], SCHEMA_VERSION);
        }
    }
    let documented: Vec<&str> = schema["oneOf"]
        .as_array()
        .expect("kinds")
        .iter()
        .map(|kind| kind["properties"]["detail-type"]["const"].as_str().expect("a kind"))
        .collect();
    let mut kinds: Vec<&str> = told.keys().copied().collect();
    kinds.sort_unstable();
    let mut expected = documented;
    expected.sort_unstable();
    assert_eq!(kinds, expected, "each kind that is documented is told, and none else");
}

#[tokio::test]
async fn each_thing_is_told_once() {
    let count = |told: &BTreeMap<&str, Vec<Value>>| -> Vec<(String, usize)> {
        told.iter().map(|(kind, details)| ((*kind).to_owned(), details.len())).collect()
    };
    let expected = [
        ("account.held", 1),
        ("account.released", 1),
        ("alert.raised", 1),
        ("delivery.failed", 1),
        ("delivery.unconfirmed", 1),
    ]
    .map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(count(&told(false).await), expected, "what was sent is told only when asked for");
    assert_eq!(told(true).await["delivery.sent"].len(), 2);
}

#[tokio::test]
async fn no_event_holds_what_anybody_wrote() {
    for (kind, details) in told(true).await {
        for detail in details {
            let text = detail.to_string();
            for private in [TEXT, USERNAME, "bakery", "Words of the campaign", USER] {
                assert!(!text.contains(private), "{kind}, {private}: {text}");
            }
            assert!(text.contains(ACCOUNT), "{kind} says whom it concerns: {text}");
        }
    }
}

#[test]
fn the_schema_knows_every_reason_for_a_hold() {
    let reasons = [
        HoldReason::TokenDead,
        HoldReason::Permission,
        HoldReason::Blocked,
        HoldReason::AppUnusable,
        HoldReason::Throttled,
        HoldReason::Doubt,
    ];
    for kind in ["account.held", "account.released"] {
        assert_eq!(schema()["$defs"][kind]["properties"]["reason"]["enum"], json!(reasons), "{kind}");
    }
}

#[test]
fn an_event_that_is_not_as_the_schema_says_is_found() {
    let schema = schema();
    let good = json!({
        "schema_version": 1, "stack": "s", "at": "2026-11-30T16:00:00Z", "account": "1", "trigger": "comment:1:2",
        "leg": "dm", "attempts": 1, "reason": "why",
    });
    assert_eq!(problem(&schema, &schema, &envelope("delivery.failed", &good)), None);
    for (name, bad) in [
        ("schema_version", json!(2)),
        ("at", json!("yesterday")),
        ("attempts", json!(-1)),
        ("attempts", json!("1")),
        ("text", json!("what somebody wrote")),
    ] {
        let mut detail = good.clone();
        detail[name] = bad;
        assert!(problem(&schema, &schema, &envelope("delivery.failed", &detail)).is_some(), "{detail}");
    }
    assert!(problem(&schema, &schema, &envelope("delivery.lost", &good)).is_some());
}

#[test]
fn what_is_measured_and_received_is_no_event() {
    let at = Timestamp::UNIX_EPOCH;
    let measured = Fact::Measured { heartbeat: None, held_accounts: None };
    assert_eq!(event("openreply", at, &measured, true), None);
    assert_eq!(event("openreply", at, &Fact::Received { waited: Vec::new() }, true), None);
}
