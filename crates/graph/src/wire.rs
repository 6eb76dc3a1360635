//! Ids as Meta writes them: strings, or numbers that lost nothing on the way.

use serde_json::Value;

/// The id in a JSON value. A fraction, an exponent, a negative number or one beyond 64 bits is none: its
/// digits may no longer be those that Meta meant.
pub(crate) fn id<T: TryFrom<String>>(value: Option<&Value>) -> Option<T> {
    let text = match value? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64()?.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    T::try_from(text).ok()
}

/// A whole number, written as one or as a string of digits.
pub(crate) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openreply_domain::ids::MessageId;

    #[test]
    fn ids_are_strings_whatever_json_made_of_them() {
        for (json, wanted) in [
            (r#""17841400000000001""#, Some("17841400000000001")),
            ("17841400000000001", Some("17841400000000001")),
            ("9007199254740993", Some("9007199254740993")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("18446744073709551616", None),
            ("17841400000000001.0", None),
            ("1.7841400000000001e16", None),
            ("-1", None),
            (r#""""#, None),
            (r#""a/b""#, None),
            ("null", None),
            ("true", None),
            ("[]", None),
            ("{}", None),
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            let id: Option<MessageId> = id(Some(&value));
            assert_eq!(id.as_ref().map(MessageId::as_str), wanted, "{json}");
        }
        assert_eq!(id::<MessageId>(None), None);
    }

    #[test]
    fn whole_numbers_may_be_quoted() {
        for (json, wanted) in [
            ("190", Some(190)),
            (r#""190""#, Some(190)),
            ("-3", Some(-3)),
            ("190.0", None),
            (r#""1e2""#, None),
            ("null", None),
        ] {
            assert_eq!(whole(&serde_json::from_str(json).unwrap()), wanted, "{json}");
        }
    }
}
