//! How much of its calls a caller has used, and how long Meta asks a throttled one to wait.
//!
//! `X-App-Usage` and `X-Business-Use-Case-Usage` carry JSON that holds, at some depth, `call_count`, `total_time`
//! and `total_cputime` in percent of what is allowed, and where it throttles `estimated_time_to_regain_access` in
//! minutes. The largest one counts.

use crate::wire;
use http::HeaderMap;
use serde_json::Value;

const HEADERS: [&str; 2] = ["x-app-usage", "x-business-use-case-usage"];
const WAIT: [&str; 1] = ["estimated_time_to_regain_access"];
const USED: [&str; 3] = ["call_count", "total_time", "total_cputime"];

/// Meta counts usage over rolling windows of an hour and of a day, so no honest wait is longer than a day.
const LONGEST_MINUTES: i64 = 24 * 60;

/// The wait that the usage headers ask for, where they ask for one.
pub(crate) fn retry_after_seconds(headers: &HeaderMap) -> Option<u32> {
    let minutes = values(headers).filter_map(|usage| largest(&usage, &WAIT)).max()?;
    u32::try_from(minutes.min(LONGEST_MINUTES) * 60).ok().filter(|seconds| *seconds > 0)
}

/// The most that is used of any allowance, in percent.
pub(crate) fn percent(headers: &HeaderMap) -> u32 {
    let most = values(headers).filter_map(|usage| largest(&usage, &USED)).max();
    most.and_then(|percent| u32::try_from(percent.max(0)).ok()).unwrap_or(0)
}

fn values(headers: &HeaderMap) -> impl Iterator<Item = Value> {
    let written = HEADERS.iter().flat_map(|name| headers.get_all(*name));
    written.filter_map(|value| serde_json::from_slice(value.as_bytes()).ok())
}

/// The largest number under any of these names, at any depth.
fn largest(usage: &Value, names: &[&str]) -> Option<i64> {
    match usage {
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(name, value)| {
                if names.contains(&name.as_str()) { wire::whole(value) } else { largest(value, names) }
            })
            .max(),
        Value::Array(parts) => parts.iter().filter_map(|part| largest(part, names)).max(),
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

    #[test]
    fn the_fullest_allowance_counts() {
        for (header, wanted) in [
            (r#"{"call_count":28,"total_time":76,"total_cputime":25}"#, 76),
            (r#"{"178":[{"type":"messenger","call_count":"80","total_time":9}]}"#, 80),
            (r#"{"estimated_time_to_regain_access":99}"#, 0),
            (r#"{"call_count":-1}"#, 0),
            ("not json", 0),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-business-use-case-usage", HeaderValue::from_str(header).unwrap());
            assert_eq!(percent(&headers), wanted, "{header}");
        }
        assert_eq!(percent(&HeaderMap::new()), 0);
    }
}
