//! Reads a CloudFormation template as JSON.
//!
//! Guarantees: each short form becomes its long one (`!Ref X` is `{"Ref": "X"}`, `!GetAtt X.Arn` is
//! `{"Fn::GetAtt": "X.Arn"}`), so that a name and a reference to it are never taken for one another. What the
//! project does not use (aliases, merges, several documents) stops the test.

use granit_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value, json};

/// The project's template.
pub(crate) fn template() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../template.yaml");
    parse(&std::fs::read_to_string(path).expect("template.yaml can be read"))
}

/// One YAML document as JSON.
pub(crate) fn parse(text: &str) -> Value {
    let mut events = Parser::new_from_str(text).map(|event| event.expect("a YAML text").0);
    while let Some(event) = events.next() {
        if let Event::DocumentStart(..) = event {
            let first = events.next().expect("a document with a value");
            return value(first, &mut events);
        }
    }
    panic!("no document in the text")
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "events are the parser's, and a template uses four of them"
)]
fn value<'a>(event: Event<'a>, rest: &mut impl Iterator<Item = Event<'a>>) -> Value {
    match event {
        Event::Scalar(text, style, _, tag) => intrinsic(tag.as_deref(), scalar(&text, style)),
        Event::SequenceStart(_, _, tag) => {
            let mut items = Vec::new();
            loop {
                match rest.next().expect("a sequence has an end") {
                    Event::SequenceEnd => return intrinsic(tag.as_deref(), Value::Array(items)),
                    item => items.push(value(item, rest)),
                }
            }
        }
        Event::MappingStart(_, _, tag) => {
            let mut entries = Map::new();
            loop {
                let key = match rest.next().expect("a mapping has an end") {
                    Event::MappingEnd => return intrinsic(tag.as_deref(), Value::Object(entries)),
                    Event::Scalar(key, ..) => key.into_owned(),
                    other => panic!("not a key: {other:?}"),
                };
                let entry = rest.next().expect("a key has a value");
                let earlier = entries.insert(key.clone(), value(entry, rest));
                assert!(earlier.is_none(), "the key {key} stands twice in one mapping");
            }
        }
        other => panic!("not part of a template: {other:?}"),
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return json!(text);
    }
    match text {
        "true" => json!(true),
        "false" => json!(false),
        "" | "null" | "~" => Value::Null,
        _ => text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number)),
    }
}

fn intrinsic(tag: Option<&Tag>, argument: Value) -> Value {
    match tag.map(Tag::suffix) {
        None => argument,
        Some(name @ ("Ref" | "Condition")) => json!({ name: argument }),
        Some(name) => json!({ format!("Fn::{name}"): argument }),
    }
}

#[test]
fn short_forms_become_long_ones() {
    let read = parse("a: !Ref X\nb: !GetAtt X.Arn\nc: !If [Yes, !Ref Y, 3]\nd: \"3\"\ne: !Sub ${A}-b\n");
    assert_eq!(
        read,
        json!({
            "a": { "Ref": "X" },
            "b": { "Fn::GetAtt": "X.Arn" },
            "c": { "Fn::If": ["Yes", { "Ref": "Y" }, 3] },
            "d": "3",
            "e": { "Fn::Sub": "${A}-b" },
        })
    );
}
