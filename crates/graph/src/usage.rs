//! How long Meta asks a throttled caller to wait.
//!
//! `X-App-Usage` and `X-Business-Use-Case-Usage` carry JSON that may hold
//! `estimated_time_to_regain_access`, in minutes, at some depth. The longest one counts.

use crate::wire;
use http::HeaderMap;
use serde_json::Value;

const HEADERS: [&str; 2] = ["x-app-usage", "x-business-use-case-usage"];

/// Meta counts usage over rolling windows of an hour and of a day, so no honest wait is longer than a day.
const LONGEST_MINUTES: i64 = 24 * 60;

/// The wait that the usage headers ask for, where they ask for one.
pub(crate) fn retry_after_seconds(headers: &HeaderMap) -> Option<u32> {
    let minutes = HEADERS
        .iter()
        .flat_map(|name| headers.get_all(*name))
        .filter_map(|value| serde_json::from_slice(value.as_bytes()).ok())
        .filter_map(|usage: Value| longest_wait(&usage))
        .max()?;
    u32::try_from(minutes.min(LONGEST_MINUTES) * 60).ok().filter(|seconds| *seconds > 0)
}

fn longest_wait(usage: &Value) -> Option<i64> {
    match usage {
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(name, value)| match name.as_str() {
                "estimated_time_to_regain_access" => wire::whole(value),
                _ => longest_wait(value),
            })
            .max(),
        Value::Array(parts) => parts.iter().filter_map(longest_wait).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn asked(headers: &[(&'static str, &str)]) -> Option<u32> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        retry_after_seconds(&map)
    }

    #[test]
    fn minutes_become_seconds_and_the_longest_counts() {
        let business = r#"{"178":[{"type":"messenger","call_count":100,"total_time":9,"estimated_time_to_regain_access":7},
            {"type":"instagram","estimated_time_to_regain_access":19}]}"#
            .replace('\n', " ");
        type Case<'a> = (&'a [(&'static str, &'a str)], Option<u32>);
        let cases: &[Case<'_>] = &[
            (&[], None),
            (&[("x-app-usage", r#"{"call_count":28,"total_time":25,"total_cputime":25}"#)], None),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":1}"#)], Some(60)),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":"3"}"#)], Some(180)),
            (&[("x-business-use-case-usage", &business)], Some(19 * 60)),
            (
                &[
                    ("x-app-usage", r#"{"estimated_time_to_regain_access":30}"#),
                    ("x-business-use-case-usage", &business),
                ],
                Some(30 * 60),
            ),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":0}"#)], None),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":-4}"#)], None),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":9223372036854775807}"#)], Some(86_400)),
            (&[("x-app-usage", r#"{"estimated_time_to_regain_access":1e300}"#)], None),
            (&[("x-app-usage", "not json")], None),
            (&[("retry-after", "5")], None),
        ];
        for (headers, wanted) in cases {
            assert_eq!(asked(headers), *wanted, "{headers:?}");
        }
    }
}
