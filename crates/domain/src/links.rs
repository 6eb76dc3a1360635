//! Tracked links: a short name for each link of a campaign, and who clicked without knowing who.
//!
//! Guarantees: the same link of the same campaign has the same slug in every version and on every machine, so a
//! message that was promised can be rendered again; no two links share one. A [`Visitor`] cannot be turned back into
//! an address, and tomorrow the same address is another visitor.

use crate::campaign::CampaignContent;
use crate::ids::{AccountId, CampaignId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use url::{Host, Url};

/// The path under which slugs are looked up.
pub const PATH: &str = "/r/";

/// How many characters a slug has: 80 bits. Of a million links two would share one once in a trillion stacks.
const SLUG_CHARS: usize = 16;
/// Letters and digits that cannot be mistaken for each other, in an order that says nothing.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A link's short name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

/// A text that is no slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a slug has 16 letters and digits")]
pub struct SlugError;

impl Slug {
    /// The slug of a link of a campaign.
    #[must_use]
    pub fn of(account: &AccountId, campaign: &CampaignId, url: &str) -> Self {
        let mut hash = Sha256::new();
        for part in ["openreply link", account.as_str(), campaign.as_str(), url] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let mut bits = hash.finalize().iter().fold(0_u128, |bits, byte| (bits << 8) | u128::from(*byte));
        let mut slug = String::with_capacity(SLUG_CHARS);
        for _ in 0..SLUG_CHARS {
            slug.push(char::from(ALPHABET[(bits & 31) as usize]));
            bits >>= 5;
        }
        Self(slug)
    }

    /// Reads one, as it stands in a path.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let is_slug = text.len() == SLUG_CHARS && text.bytes().all(|byte| ALPHABET.contains(&byte));
        if is_slug { Ok(Self(text.to_owned())) } else { Err(SlugError) }
    }

    /// As it stands in a path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Slug {
    type Error = SlugError;
    fn try_from(text: String) -> Result<Self, SlugError> {
        Self::parse(&text)
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

/// A link of a campaign, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackedLink {
    /// Its short name.
    pub slug: Slug,
    /// Whose.
    pub account: AccountId,
    /// Which campaign's.
    pub campaign: CampaignId,
    /// Where it leads.
    pub url: String,
}

impl TrackedLink {
    /// A link of a campaign.
    #[must_use]
    pub fn of(account: &AccountId, campaign: &CampaignId, url: &str) -> Self {
        Self {
            slug: Slug::of(account, campaign, url),
            account: account.clone(),
            campaign: campaign.clone(),
            url: url.to_owned(),
        }
    }

    /// Every link of a campaign.
    pub fn all<'a>(
        account: &'a AccountId,
        campaign: &'a CampaignId,
        content: &'a CampaignContent,
    ) -> impl Iterator<Item = Self> + 'a {
        content.links.iter().map(move |link| Self::of(account, campaign, &link.url))
    }
}

/// The address before a slug: `https://links.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinksBase(String);

/// A text that is no base for tracked links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the base of tracked links must be an https URL with a host and nothing behind it, such as \
     https://links.example.com (http only on this machine)"
)]
pub struct BaseError;

impl LinksBase {
    /// Reads one, with or without a slash at its end.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, BaseError> {
        let url = Url::parse(text).map_err(|_| BaseError)?;
        let at_home = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => return Err(BaseError),
        };
        let is_plain = (url.scheme() == "https" || (url.scheme() == "http" && at_home))
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !is_plain {
            return Err(BaseError);
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The address of a tracked link.
    #[must_use]
    pub fn url(&self, slug: &Slug) -> String {
        format!("{}{PATH}{slug}", self.0)
    }
}

/// A day in UTC: `2026-11-30`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Day(String);

impl Day {
    /// The day of a moment.
    #[must_use]
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.strftime("%Y-%m-%d").to_string())
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The secret of one day, under which addresses are hashed. It is forgotten soon after its day.
pub type DayKey = [u8; 32];

/// Somebody who clicked, for one day: a keyed hash of their address and browser, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Visitor([u8; 16]);

impl Visitor {
    /// Hashes an address and a browser under the key of the day. The key stands first, has one length and the hash
    /// is cut, so nothing can be appended to what was hashed.
    #[must_use]
    pub fn of(key: &DayKey, slug: &Slug, address: &str, browser: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(key);
        for part in [slug.as_str(), address, browser] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let mut cut = [0; 16];
        cut.copy_from_slice(&hash.finalize()[..16]);
        Self(cut)
    }

    /// One of `count` parts into which visitors are spread evenly.
    #[must_use]
    pub fn shard(&self, count: u8) -> u8 {
        self.0[0] % count.max(1)
    }
}

impl fmt::Display for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// How often a link was clicked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clicks {
    /// All clicks of people.
    pub clicks: u64,
    /// By how many of them, counted anew each day.
    pub visitors: u64,
}

impl std::ops::AddAssign for Clicks {
    fn add_assign(&mut self, other: Self) {
        self.clicks += other.clicks;
        self.visitors += other.visitors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn account(id: &str) -> AccountId {
        AccountId::parse(id).unwrap()
    }

    fn campaign(id: &str) -> CampaignId {
        CampaignId::parse(id).unwrap()
    }

    #[test]
    fn a_slug_is_the_same_for_ever() {
        let slug = Slug::of(&account("17841400000000001"), &campaign("guide"), "https://example.com/guide");
        // Messages that went out carry it: it must not change with the code.
        assert_eq!(slug.as_str(), "jky287my5exq8bpi");
        assert_eq!(Slug::parse(slug.as_str()), Ok(slug));
    }

    #[test]
    fn another_link_campaign_or_account_has_another_slug() {
        let mut seen = HashSet::new();
        for account in ["1", "11", "2"].map(account) {
            for campaign in ["1a", "a", "a-1", "guide"].map(campaign) {
                for url in ["https://a.b/", "https://a.b/1", "https://a.b/?x", "https://1a.b/"] {
                    assert!(seen.insert(Slug::of(&account, &campaign, url)));
                }
            }
        }
    }

    #[test]
    fn what_is_no_slug_is_refused() {
        let good = Slug::of(&account("1"), &campaign("a"), "https://a.b/").to_string();
        for bad in [
            "",
            "short",
            &good[1..],
            &format!("{good}a"),
            &good.to_uppercase().replace(char::is_numeric, "A"),
            "aaaaaaaaaaaaaaa/",
            "aaaaaaaaaaaaaa%2",
            "ööööööööaaaaaaaa",
            "aaaaaaaaaaaaaaa\n",
        ] {
            assert_eq!(Slug::parse(bad), Err(SlugError), "{bad}");
        }
    }

    #[test]
    fn a_base_is_a_host_and_nothing_else() {
        let slug = Slug::of(&account("1"), &campaign("a"), "https://a.b/");
        for (base, url) in [
            ("https://links.example.com", "https://links.example.com"),
            ("https://links.example.com/", "https://links.example.com"),
            (
                "https://a1.execute-api.eu-west-1.amazonaws.com:8443",
                "https://a1.execute-api.eu-west-1.amazonaws.com:8443",
            ),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
        ] {
            assert_eq!(LinksBase::parse(base).unwrap().url(&slug), format!("{url}/r/{slug}"), "{base}");
        }
        for base in [
            "",
            "links.example.com",
            "http://example.com",
            "https://a.b/path",
            "https://a.b?x",
            "https://u@a.b",
            "ftp://a.b",
        ] {
            assert_eq!(LinksBase::parse(base), Err(BaseError), "{base}");
        }
    }

    #[test]
    fn a_visitor_is_the_same_for_one_link_and_one_day() {
        let [one, other] =
            ["https://a.b/", "https://c.d/"].map(|url| Slug::of(&account("1"), &campaign("a"), url));
        let today = Visitor::of(&[1; 32], &one, "203.0.113.7", "Firefox");
        assert_eq!(today, Visitor::of(&[1; 32], &one, "203.0.113.7", "Firefox"));
        for different in [
            Visitor::of(&[2; 32], &one, "203.0.113.7", "Firefox"),
            Visitor::of(&[1; 32], &other, "203.0.113.7", "Firefox"),
            Visitor::of(&[1; 32], &one, "203.0.113.8", "Firefox"),
            Visitor::of(&[1; 32], &one, "203.0.113.7", "Safari"),
            Visitor::of(&[1; 32], &one, "203.0.113.7F", "irefox"),
        ] {
            assert_ne!(today, different);
        }
        let shards: HashSet<u8> =
            (0..200).map(|n| Visitor::of(&[1; 32], &one, &format!("203.0.113.{n}"), "").shard(4)).collect();
        assert_eq!(shards.len(), 4);
    }

    #[test]
    fn days_are_those_of_utc() {
        let day = |text: &str| Day::of(text.parse().unwrap());
        assert_eq!(day("2026-11-30T23:59:59Z").as_str(), "2026-11-30");
        assert_eq!(day("2026-12-01T00:30:00+01:00").as_str(), "2026-11-30");
        assert!(day("2026-11-30T00:00:00Z") < day("2026-12-01T00:00:00Z"));
    }
}
