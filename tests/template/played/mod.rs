//! Permissions by what the functions do: each is played over a real ledger, and what it asks of DynamoDB is held
//! against what its role grants. Emulators do not look at permissions, so nothing else would notice one that is
//! missing.

mod recorder;
mod world;

use super::permissions::granted;
use super::{resources, target, template};
use lambda_http::{Body, Request};
use openreply_app::ports::{Clock, DelayQueue, EventKey, Ledger};
use openreply_app::resume;
use openreply_app::sweep::plan;
use openreply_domain::ids::{AccountId, ClaimId, MediaId, TriggerId, UserId};
use openreply_domain::links::{PATH, Slug};
use openreply_domain::send::{Claim, Expect, Leg, SendKey, State};
use openreply_domain::time::{SignedDuration, after};
use openreply_domain::trigger::{QueueIdentity, TriggerKey, TriggerKind};
use openreply_health::Health;
use openreply_links::Redirects;
use openreply_testkit::instagram::{CallKind, Fault, webhook};
use openreply_testkit::memory::{MemoryDepths, MemorySweepQueue};
use std::collections::BTreeSet;
use world::{ACCOUNT, World};

const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "played-token" }]
campaigns:
  - id: guide
    account: "17841400000000001"
    post: "18000000000000055"
    keywords: [LINK]
    dm: "Hi {username}! {link}"
    links: [{ url: "https://example.com/guide" }]
    public_replies: ["Sent!"]
    repeat: once_per_person
    follow_up: { text: "Did it help?", after_minutes: 60 }
    active: true
  - { id: asks, account: "17841400000000001", keywords: [COURSE], opening: { text: "Sure? YES", reply_words: [YES] }, dm: "The course" }
  - { id: film, account: "17841400000000001", post: next_reel, keywords: [FILM], dm: "The film" }
"#;

fn error(status: u16, code: i64) -> Option<Fault> {
    Some(Fault::error(status, code, None, "no"))
}

/// What comments and conversations make the webhook and the consumer do.
async fn people(world: &World) {
    world.comments("900", "LINK", None).await;
    // Again: once per person.
    world.comments("900", "LINK", None).await;
    // Refused for good, which frees the person's key; refused for now; refused with its token.
    world.comments("901", "LINK", error(400, 100)).await;
    world.comments("902", "LINK", error(400, 4)).await;
    world.clock.advance(SignedDuration::from_mins(6));
    world.work().await;
    // Paused while it waits.
    world.comments("903", "LINK", error(400, 4)).await;
    world.apply(&CAMPAIGNS.replace("active: true", "active: false")).await;
    world.clock.advance(SignedDuration::from_mins(6));
    world.work().await;
    world.apply(CAMPAIGNS).await;
    world.work().await;

    world.comments("904", "COURSE", None).await;
    world.writes("904", "mid.yes", "YES").await;
    world.writes("904", "mid.stop", "STOP").await;
    world.writes("904", "mid.start", "START").await;
}

/// What a hold and a stop make of comments, and what a person ends.
async fn held(world: &World) {
    let account = AccountId::parse(ACCOUNT).unwrap();
    let now = || world.clock.now();
    resume::stop(&world.person, now()).await.unwrap();
    world.comments("905", "LINK", None).await;
    resume::start(&world.person, &world.queue, &world.facts, now()).await.unwrap();
    world.work().await;
    world.comments("906", "LINK", error(400, 190)).await;
    world.comments("907", "LINK", None).await;
    world.sweep().await;
    resume::lift(&world.person, &world.queue, &world.facts, &account, now()).await.unwrap();
    world.work().await;
}

/// What sweeps find.
async fn swept(world: &World) {
    let beat =
        openreply_app::job::Job::Beat { id: "run".to_owned(), due_at: Some(world.clock.now()), echo: false };
    let entry = openreply_app::ports::Enqueue { identity: QueueIdentity::of_beat("run"), job: beat };
    world.timers.delay(&entry, world.clock.now()).await.unwrap();
    world.work().await;

    // In doubt, and there; and taken by somebody who never came back.
    let doubt = world.comments("908", "LINK", Some(Fault::html(502).after_delivery())).await;
    let key = |id: &str| SendKey {
        trigger: TriggerKey {
            kind: TriggerKind::Comment,
            account: AccountId::parse(ACCOUNT).unwrap(),
            id: TriggerId::parse(id).unwrap(),
        },
        leg: Leg::Dm,
    };
    let stands = world.person.sends(&key(doubt.as_str()).trigger, &[Leg::Dm]).await.unwrap().pop().unwrap();
    let claim = Claim {
        id: ClaimId::parse("0123456789abcdef0123456789abcdef").unwrap(),
        expires_at: after(world.clock.now(), SignedDuration::from_secs(1)),
        ..stands.claim.clone().unwrap()
    };
    let taken = openreply_domain::send::Send {
        key: key("1799"),
        user: UserId::parse("909").unwrap(),
        state: State::Claimed { doubt: None },
        claim: Some(claim),
        ..stands
    };
    drop(world.person.put_send(&taken, &Expect::Absent).await.unwrap());
    // A webhook event that never got onto the queue, of an ad.
    let ad = webhook::comment_event(&webhook::CommentUpdate {
        account: ACCOUNT,
        at: world.clock.now(),
        id: "1798",
        text: "nothing",
        from: "909",
        username: None,
        media: webhook::Media::Ad {
            media: "18000000000000099",
            ad: "1",
            original: Some("18000000000000055"),
        },
        parent: None,
    });
    let stuck = EventKey { received_at: world.clock.now(), id: "stuck".to_owned() };
    world.person.record_event(&stuck, ad.to_string().as_bytes()).await.unwrap();
    world.unheard("910", "LINK", "18000000000000055");
    world.instagram.publish(
        &AccountId::parse(ACCOUNT).unwrap(),
        &MediaId::parse("18000000000000077").unwrap(),
        true,
    );
    world.clock.advance(SignedDuration::from_mins(4));
    live(world).await;
    let sum = world.sweep().await;
    assert_eq!((sum.settled, sum.bound, sum.recovered, sum.enqueued, sum.errors), (1, 1, 1, 1, 0), "{sum:?}");
    // A dead token that a read meets, and a hold whose time is over.
    world.instagram.fail_next_of(CallKind::Read, 1, &Fault::error(400, 190, None, "dead"));
    world.clock.advance(SignedDuration::from_mins(5));
    live(world).await;
    world.sweep().await;
    let account = AccountId::parse(ACCOUNT).unwrap();
    let (mut gate, _) = world.person.gates(&account).await.unwrap();
    let hold = gate.hold.as_mut().expect("the read met a dead token");
    hold.until = Some(world.clock.now());
    gate.revision += 1;
    assert_eq!(world.person.put_gate(&account, &gate).await.unwrap(), None);
    // The token is near its end by then, and the follow-ups' timers are lost.
    world.clock.advance(SignedDuration::from_hours(24 * 55));
    drop(world.timers.fire(world.clock.now()));
    live(world).await;
    world.sweep().await;
    world.clock.advance(SignedDuration::from_mins(40));
    let ledger = world.ledger_of("ReconcilerFunction");
    plan(&ledger, &MemorySweepQueue::default(), &world.facts, world.clock.now()).await.unwrap();
}

/// The consumer writes a heartbeat.
async fn live(world: &World) {
    let beat = openreply_app::job::Job::Beat { id: "run".to_owned(), due_at: None, echo: true };
    let entry = openreply_app::ports::Enqueue {
        identity: QueueIdentity::of_beat(&world.clock.now().as_millisecond().to_string()),
        job: beat,
    };
    use openreply_app::ports::Queue;
    assert_eq!(world.queue.enqueue(&[entry]).await.unwrap(), []);
    world.work().await;
}

/// What is asked of health and of links.
async fn asked(world: &World) {
    let depths =
        MemoryDepths { queue: world.queue.clone(), timers: world.timers.clone(), clock: world.clock.clone() };
    let ledger = world.ledger_of("HealthFunction");
    let health = Health::new(ledger, depths, world.clock.clone(), world.facts.clone());
    assert_eq!(health.answer("GET", "/api/health").await.status, 200);
    health.measure().await;

    let (account, campaign) = (AccountId::parse(ACCOUNT).unwrap(), "guide".to_owned().try_into().unwrap());
    let slug = Slug::of(&account, &campaign, "https://example.com/guide");
    let links =
        Redirects::new(world.ledger_of("LinksFunction"), world.clock.clone(), openreply_aws::OsRandom);
    let mut request = Request::new(Body::Empty);
    *request.uri_mut() = format!("{PATH}{slug}").parse().unwrap();
    request.headers_mut().insert("user-agent", "Mozilla/5.0 (iPhone) Instagram 350.0".parse().unwrap());
    assert_eq!(links.answer(&request, "203.0.113.7").await.status(), 302);
}

/// Both ways: what is missing would be refused by AWS, and what nobody needs is not there.
#[tokio::test]
async fn each_function_may_ask_of_the_ledger_what_it_asks_and_nothing_more() {
    let world = World::new(CAMPAIGNS).await;
    people(&world).await;
    held(&world).await;
    swept(&world).await;
    live(&world).await;
    asked(&world).await;

    let template = template();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        let role = &template["Resources"][target(&function["Properties"]["Role"])];
        let granted: BTreeSet<(String, String)> =
            granted(role).into_iter().filter(|(action, _)| action.starts_with("dynamodb:")).collect();
        let needed = world.recorders[name].needed();
        let missing: Vec<_> = needed.difference(&granted).collect();
        let idle: Vec<_> = granted.difference(&needed).collect();
        assert!(missing.is_empty() && idle.is_empty(), "{name} lacks {missing:?}, and never needs {idle:?}");
    }
}
