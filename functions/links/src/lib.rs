//! The links function: `GET /r/{slug}` becomes a redirect, and a count of who clicked.
//!
//! Guarantees:
//! - Nobody is sent anywhere but to an `https` address that a campaign file named. Nothing of a request gets into an
//!   answer.
//! - A redirect takes one read. It waits for its click to be counted, which begins when the read has found the link,
//!   for [`PATIENCE`] at most: then the answer leaves and the click may stay uncounted. Work that goes on after the
//!   answer cannot be relied on, because Lambda freezes whoever has answered.
//! - No address is kept and none is logged. What is kept is a hash under a key that every day replaces and the ledger
//!   forgets.
//! - Machines that look at links (previews, prefetching, `HEAD`) are sent on like everybody, and not counted.

mod key;
mod page;
mod visit;

pub use visit::is_counted;

use key::KeyOfTheDay;
use lambda_http::http::{Method, header};
use lambda_http::{Body, Request, Response};
use openreply_app::ports::{Clock, LedgerError, Links, Random};
use openreply_domain::links::{Day, PATH, Slug, TrackedLink, Visitor};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long an answer waits for its click to be counted.
pub const PATIENCE: Duration = Duration::from_millis(100);

/// Sends people on. Cheap to clone.
pub struct Redirects<L, C, R> {
    shared: Arc<Shared<L, C, R>>,
}

struct Shared<L, C, R> {
    links: L,
    clock: C,
    random: R,
    key: KeyOfTheDay,
}

impl<L, C, R> Redirects<L, C, R>
where
    L: Links + 'static,
    C: Clock + 'static,
    R: Random + 'static,
{
    /// Redirects with these ports.
    pub fn new(links: L, clock: C, random: R) -> Self {
        Self { shared: Arc::new(Shared { links, clock, random, key: KeyOfTheDay::default() }) }
    }

    /// Answers one request of `/r/{slug}`. `address` is where it came from.
    pub async fn answer(&self, request: &Request, address: &str) -> Response<Body> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return page::wrong_method();
        }
        let answer = self.find(request, address).await;
        if *request.method() == Method::HEAD { page::without_body(answer) } else { answer }
    }

    async fn find(&self, request: &Request, address: &str) -> Response<Body> {
        let slug = request.uri().path().strip_prefix(PATH).and_then(|slug| Slug::parse(slug).ok());
        let Some(slug) = slug else { return page::unknown() };
        let link = match self.shared.links.link(&slug).await {
            Ok(Some(link)) => link,
            Ok(None) => return page::unknown(),
            Err(error) => {
                tracing::error!(%error, %slug, "a tracked link could not be looked up");
                return page::try_again();
            }
        };
        let Some(location) = location(&link) else {
            tracing::error!(%slug, "a tracked link leads to something that is no https address; nobody is sent there");
            return page::unknown();
        };
        if is_counted(request.method(), request.headers()) {
            let browser = request.headers().get(header::USER_AGENT).map_or(&[][..], |value| value.as_bytes());
            self.count(slug, address, &String::from_utf8_lossy(browser)).await;
        }
        page::redirect(location)
    }

    /// Counts a click beside the answer, and waits for it a little.
    async fn count(&self, slug: Slug, address: &str, browser: &str) {
        let shared = Arc::clone(&self.shared);
        let (address, browser) = (address.to_owned(), browser.to_owned());
        let counting = tokio::spawn(async move {
            if let Err(error) = shared.count(&slug, &address, &browser).await {
                tracing::warn!(%error, %slug, "a click could not be counted");
            }
        });
        if tokio::time::timeout(PATIENCE, counting).await.is_err() {
            tracing::warn!("a click was not counted in time; the answer did not wait for it");
        }
    }
}

impl<L: Links, C: Clock, R: Random> Shared<L, C, R> {
    async fn count(&self, slug: &Slug, address: &str, browser: &str) -> Result<(), LedgerError> {
        let day = Day::of(self.clock.now());
        let key = self.key.of(&day, &self.links, &self.random).await?;
        self.links.count_click(slug, &day, &Visitor::of(&key, slug, address, browser)).await
    }
}

/// Where a link leads, as a header says it: ASCII. `None`: it is no `https` address.
fn location(link: &TrackedLink) -> Option<header::HeaderValue> {
    let url = Url::parse(&link.url).ok().filter(|url| url.scheme() == "https" && url.host_str().is_some())?;
    header::HeaderValue::from_str(url.as_str()).ok()
}
