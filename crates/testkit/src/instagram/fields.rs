//! The `fields=` parameter of a read: nothing comes back that was not asked for.

use serde_json::{Map, Value};

/// `id,text,replies{id,text}`, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Fields(Vec<(String, Fields)>);

impl Fields {
    pub(super) fn parse(text: &str) -> Self {
        let mut rest = text;
        parse(&mut rest)
    }

    /// Keeps of an object what was asked for. An edge (`{"data": […]}`) is narrowed item by item.
    pub(super) fn narrow(&self, value: Value) -> Value {
        let Value::Object(mut object) = value else { return value };
        if let Some(Value::Array(items)) = object.remove("data") {
            let items = items.into_iter().map(|item| self.narrow(item)).collect();
            object.insert("data".to_owned(), Value::Array(items));
            return Value::Object(object);
        }
        let mut kept = Map::new();
        for (name, inner) in &self.0 {
            if let Some(value) = object.remove(name) {
                let value = if inner.0.is_empty() { value } else { inner.narrow(value) };
                kept.insert(name.clone(), value);
            }
        }
        Value::Object(kept)
    }
}

fn parse(rest: &mut &str) -> Fields {
    let mut fields = Vec::new();
    loop {
        let end = rest.find([',', '{', '}']).unwrap_or(rest.len());
        let name = rest[..end].trim().to_owned();
        let stop = rest[end..].chars().next();
        *rest = rest.get(end + 1..).unwrap_or_default();
        let inner = if stop == Some('{') { parse(rest) } else { Fields::default() };
        if !name.is_empty() {
            fields.push((name, inner));
        }
        if matches!(stop, None | Some('}')) {
            return Fields(fields);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_read_gives_what_was_asked_for_and_nothing_else() {
        let comment = json!({
            "id": "1", "text": "LINK", "timestamp": "t", "from": {"id": "9", "username": "anna"},
            "replies": {"data": [{"id": "2", "text": "Sent!", "timestamp": "t", "from": {"id": "5"}}]},
        });
        for (fields, wanted) in [
            ("", json!({})),
            ("id", json!({"id": "1"})),
            ("id,text", json!({"id": "1", "text": "LINK"})),
            ("from{username},id", json!({"id": "1", "from": {"username": "anna"}})),
            ("id,replies{id},text", json!({"id": "1", "text": "LINK", "replies": {"data": [{"id": "2"}]}})),
            ("nothing", json!({})),
            ("id,replies{id", json!({"id": "1", "replies": {"data": [{"id": "2"}]}})),
        ] {
            assert_eq!(Fields::parse(fields).narrow(comment.clone()), wanted, "{fields:?}");
        }
    }
}
