//! What a link must be: a URL that opens as it is written, on a button that can hold its label.

use super::text;
use crate::campaign_file::problem::{Problems, Reported};
use crate::campaign_file::reading::Located;
use crate::campaign_file::{limits, wire};
use openreply_domain::campaign::Link;
use url::Url;

pub(super) fn check(link: Located<wire::Link>, problems: &mut Problems) -> Result<Link, Reported> {
    let owner = (wire::Link::WHAT, link.place);
    let url = link.value.url.required("url", owner, problems).and_then(|url| match refuse_url(&url.value) {
        None => Ok(url.value),
        Some(why) => Err(problems.add(url.place, format!("`url`: {why}"))),
    });
    let label = link.value.label.optional().and_then(|label| {
        label.map(|label| text::short(label, "label", limits::LABEL_CHARS, problems)).transpose()
    });
    Ok(Link { url: url?, label: label? })
}

/// What is wrong with a URL. Stricter than browsers, which repair white space and missing slashes: the text
/// goes out as it is written.
fn refuse_url(written: &str) -> Option<&'static str> {
    if written.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("expected a URL without white space (%20 stands for a space)");
    }
    if written.contains(['{', '}', '\\', '<', '>', '"']) {
        return Some("expected a URL; one of { } \\ < > \" in it must be percent-encoded");
    }
    let Some(rest) = written.strip_prefix("https://") else {
        return Some("expected a URL that begins with https://");
    };
    let Ok(url) = Url::parse(written) else {
        return Some("expected a URL, found something that cannot be opened as one");
    };
    if url.host_str().is_none_or(str::is_empty) || rest.starts_with('/') {
        return Some("expected a host behind https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("expected a URL without a user name or password in it");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::refuse_url;

    #[test]
    fn links_are_https_urls_that_open_as_they_are_written() {
        for good in [
            "https://example.com/guide",
            "https://example.com:8443/a%20b?c=d&e=f#g",
            "https://bücher.example/straße",
            "https://203.0.113.7/",
            "https://[2001:db8::1]/",
            "https://example.com/@maker",
        ] {
            assert_eq!(refuse_url(good), None, "{good}");
        }
        for (bad, why) in [
            ("", "begins with https://"),
            ("example.com", "begins with https://"),
            ("http://example.com", "begins with https://"),
            ("https:/example.com", "begins with https://"),
            ("HTTPS://example.com", "begins with https://"),
            ("ftp://example.com", "begins with https://"),
            ("javascript:alert(1)", "begins with https://"),
            ("https://", "cannot be opened"),
            ("https:///example.com", "expected a host"),
            ("https://:443/", "cannot be opened"),
            ("https://exa mple.com", "white space"),
            ("https://example.com/\n", "white space"),
            (" https://example.com", "white space"),
            ("https://user@example.com/", "without a user name"),
            ("https://user:secret@example.com/", "without a user name"),
            ("https://example.com/{username}", "percent-encoded"),
            ("https://example.com\\guide", "percent-encoded"),
            ("https://999.999.999.999/", "cannot be opened"),
            ("héttps://x", "begins with https://"),
        ] {
            let found = refuse_url(bad).unwrap_or("nothing");
            assert!(found.contains(why), "{bad}: {found}");
        }
    }
}
