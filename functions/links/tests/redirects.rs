//! Redirects as HTTP shows them: where people are sent, what is counted, and what a stranger can make of it.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use lambda_http::http::{Method, StatusCode, header};
use lambda_http::{Body, Request, Response};
use openreply_app::ports::{Clock, Links};
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::links::{Clicks, Day, Slug, TrackedLink};
use openreply_domain::time::SignedDuration;
use openreply_links::Redirects;
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{ManualClock, MemoryLedger, SeededRandom};
use proptest::prelude::*;
use std::collections::HashSet;

const PERSON: &str = "Mozilla/5.0 (iPhone) Instagram 350.0";

struct Stage {
    ledger: MemoryLedger,
    clock: ManualClock,
    plan: FaultPlan,
    redirects: Redirects<Faulty<MemoryLedger>, ManualClock, SeededRandom>,
}

impl Stage {
    fn new(faults: impl IntoIterator<Item = (usize, Fault)>) -> Self {
        let (ledger, clock, plan) = (MemoryLedger::default(), ManualClock::default(), FaultPlan::new(faults));
        let port = Faulty { port: ledger.clone(), plan: plan.clone() };
        let redirects = Redirects::new(port, clock.clone(), SeededRandom::new(1));
        Self { ledger, clock, plan, redirects }
    }

    async fn link(&self, url: &str) -> Slug {
        let link =
            TrackedLink::of(&AccountId::parse("1").unwrap(), &CampaignId::parse("guide").unwrap(), url);
        self.ledger.put_link(&link).await.unwrap();
        link.slug
    }

    async fn get(&self, path: &str, agent: &str, address: &str) -> Response<Body> {
        self.redirects.answer(&request(Method::GET, path, agent), address).await
    }

    async fn clicks(&self, slug: &Slug) -> Clicks {
        self.ledger.clicks(slug, &Day::of(self.clock.now())).await.unwrap()
    }
}

fn request(method: Method, path: &str, agent: &str) -> Request {
    let mut request = Request::new(Body::Empty);
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().unwrap();
    request.headers_mut().insert(header::USER_AGENT, agent.parse().unwrap());
    request
}

fn location(response: &Response<Body>) -> Option<&str> {
    response.headers().get(header::LOCATION).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_click_is_sent_on_and_counted() {
    let stage = Stage::new([]);
    let slug = stage.link("https://example.com/guide?a=1#b").await;
    let answer = stage.get(&format!("/r/{slug}"), PERSON, "203.0.113.7").await;
    assert_eq!(
        (answer.status(), location(&answer)),
        (StatusCode::FOUND, Some("https://example.com/guide?a=1#b"))
    );
    assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
    // The redirect itself is one read; the key of the day is read once, and the click is written.
    assert_eq!(stage.plan.calls(), ["link", "day_key", "count_click"]);
    stage.get(&format!("/r/{slug}?igsh=x"), PERSON, "203.0.113.7").await;
    stage.get(&format!("/r/{slug}"), PERSON, "203.0.113.8").await;
    assert_eq!(stage.plan.calls().iter().filter(|call| **call == "link").count(), 3);
    assert_eq!(stage.plan.calls().iter().filter(|call| **call == "day_key").count(), 1);
    assert_eq!(stage.clicks(&slug).await, Clicks { clicks: 3, visitors: 2 });
}

#[tokio::test]
async fn a_redirect_of_a_machine_is_one_read_and_nothing_else() {
    let stage = Stage::new([]);
    let slug = stage.link("https://example.com/guide").await;
    let path = format!("/r/{slug}");
    let preview = stage.get(&path, "facebookexternalhit/1.1", "203.0.113.7").await;
    let head = stage.redirects.answer(&request(Method::HEAD, &path, PERSON), "203.0.113.7").await;
    for answer in [preview, head] {
        assert_eq!(
            (answer.status(), location(&answer)),
            (StatusCode::FOUND, Some("https://example.com/guide"))
        );
    }
    assert_eq!(stage.plan.calls(), ["link", "link"]);
    assert_eq!(stage.clicks(&slug).await, Clicks::default());
}

#[tokio::test]
async fn tomorrow_the_same_person_is_another_visitor() {
    let stage = Stage::new([]);
    let slug = stage.link("https://example.com/guide").await;
    let since = Day::of(stage.clock.now());
    for _ in 0..2 {
        stage.get(&format!("/r/{slug}"), PERSON, "203.0.113.7").await;
        stage.clock.advance(SignedDuration::from_hours(24));
    }
    assert_eq!(stage.ledger.clicks(&slug, &since).await.unwrap(), Clicks { clicks: 2, visitors: 2 });
    assert_eq!(stage.plan.calls().iter().filter(|call| **call == "day_key").count(), 2);
}

#[tokio::test]
async fn who_clicks_is_sent_on_whether_it_can_be_counted_or_not() {
    for fault in [Fault::Refuse, Fault::CrashBefore] {
        // The second call is the first of counting. A crash of it never answers: the answer does not wait.
        let stage = Stage::new([(1, fault)]);
        let slug = stage.link("https://example.com/guide").await;
        let answer = stage.get(&format!("/r/{slug}"), PERSON, "203.0.113.7").await;
        assert_eq!(answer.status(), StatusCode::FOUND, "{fault:?}");
    }
    let stage = Stage::new([(0, Fault::Refuse)]);
    let slug = stage.link("https://example.com/guide").await;
    let answer = stage.get(&format!("/r/{slug}"), PERSON, "203.0.113.7").await;
    assert_eq!((answer.status(), location(&answer)), (StatusCode::SERVICE_UNAVAILABLE, None));
}

#[tokio::test]
async fn what_is_unknown_is_told_so_and_reads_at_most_once() {
    let stage = Stage::new([]);
    stage.link("https://example.com/guide").await;
    let unknown = Slug::of(&AccountId::parse("2").unwrap(), &CampaignId::parse("x").unwrap(), "https://a.b");
    for (path, reads) in [
        (format!("/r/{unknown}"), 1),
        ("/r/".into(), 0),
        ("/r".into(), 0),
        ("/r/x".into(), 0),
        ("/".into(), 0),
    ] {
        let before = stage.plan.calls().len();
        let answer = stage.get(&path, PERSON, "203.0.113.7").await;
        assert_eq!((answer.status(), location(&answer)), (StatusCode::NOT_FOUND, None), "{path}");
        assert_eq!(stage.plan.calls().len() - before, reads, "{path}");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let answer = stage.redirects.answer(&request(method, "/r/x", PERSON), "").await;
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.headers()[header::ALLOW], "GET, HEAD");
    }
}

#[tokio::test]
async fn an_address_in_any_script_is_sent_as_ascii_and_only_https_at_all() {
    for (url, sent) in [
        ("https://bücher.example/straße?q=ä", Some("https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4")),
        ("https://example.com/a%20b", Some("https://example.com/a%20b")),
        ("http://example.com/", None),
        ("javascript:alert(1)", None),
        ("//evil.example", None),
        ("", None),
    ] {
        let stage = Stage::new([]);
        let slug = stage.link(url).await;
        let answer = stage.get(&format!("/r/{slug}"), PERSON, "").await;
        assert_eq!(location(&answer), sent, "{url}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a stranger asks for: they are sent where a campaign leads, or nowhere.
    #[test]
    fn no_request_makes_it_an_open_redirect(
        path in prop_oneof![
            "/r/[a-z2-9]{16}",
            "/r/[ -~&&[^#?]]{0,40}",
            "/(r|R)/*(https?:)?//evil\\.example[/a-z0-9]{0,8}",
            "/r/SLUG(/|%2f|%0d%0a|;|@|\\.\\.)[ -~&&[^#?]]{0,20}",
            "/r/SLUG",
        ],
        query in "(\\?[a-z=&:/.%0-9]{0,40})?",
        host in "[a-z]{1,8}\\.example",
        agent in "[ -~]{0,40}",
        head in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let stage = Stage::new([]);
            let mut known = HashSet::new();
            let mut slug = None;
            for url in ["https://example.com/guide", "https://example.com/prices"] {
                slug = Some(stage.link(url).await);
                known.insert(url);
            }
            let path = path.replace("SLUG", slug.unwrap().as_str());
            let mut request = Request::new(Body::Empty);
            let Ok(uri) = format!("{path}{query}").parse() else { return Ok(()) };
            *request.uri_mut() = uri;
            *request.method_mut() = if head { Method::HEAD } else { Method::GET };
            for (name, value) in [("host", &host), ("x-forwarded-host", &host), ("user-agent", &agent)] {
                request.headers_mut().insert(name, value.parse().unwrap());
            }
            let answer = stage.redirects.answer(&request, &host).await;
            match location(&answer) {
                Some(location) => {
                    prop_assert_eq!(answer.status(), StatusCode::FOUND);
                    prop_assert!(known.contains(location), "{}", location);
                }
                None => prop_assert_eq!(answer.status(), StatusCode::NOT_FOUND),
            }
            if let Body::Text(page) = answer.body() {
                prop_assert!(!page.contains("evil.example") && !page.contains(&host));
            }
            Ok(())
        })?;
    }
}
