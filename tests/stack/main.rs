//! The whole product on an emulator of AWS: the real template, the real release executables, a fake Instagram.
#![cfg(test)]

mod person;
mod stack;

use openreply_app::job::Job;
use openreply_app::ports::{Clock, Ledger, Links, SweepLedger};
use openreply_aws::SystemClock;
use openreply_domain::delivery::rows;
use openreply_domain::ids::{AccountId, MediaId, UserId};
use openreply_domain::links::{Clicks, Day, Slug};
use openreply_domain::send::Leg;
use openreply_domain::trigger::{Comment, Trigger};
use openreply_testkit::instagram::webhook::sign;
use openreply_testkit::instagram::{CallKind, FakeInstagram, Fault, NewComment};
use person::Person;
use secrecy::SecretString;
use stack::{Answer, Stack};
use std::sync::Arc;
use std::time::Duration;

const APP_SECRET: &str = "0123456789abcdef0123456789abcdef";
const TOKEN: &str = "IGAA-the-bakery";
const ACCOUNT: &str = "17841400000000001";
const CAMPAIGNS: &str = r#"
accounts:
  - { id: "17841400000000001", username: bakery, token: IGAA-the-bakery }
campaigns:
  - id: guide
    account: "17841400000000001"
    name: Free guide
    post: any
    keywords: [LINK]
    match: whole_word
    dm: "Hi {username}! Here it is: {link}"
    links: [{ url: "https://example.com/guide", label: Open the guide }]
    public_replies: [Sent! Check your DMs]
    active: true
"#;

/// One stack for the whole story, as each takes half a minute.
#[tokio::test(flavor = "multi_thread")]
async fn a_signed_comment_becomes_one_message_however_often_it_comes() {
    let account = AccountId::parse(ACCOUNT).unwrap();
    let instagram = FakeInstagram::new(Arc::new(SystemClock));
    // Any other token is refused: what the consumer sends with was sealed by `apply` and opened again.
    instagram.set_token(&account, SecretString::from(TOKEN));
    let graph = instagram.serve().await.unwrap();
    let Some(stack) = Stack::deploy(&graph.base(), APP_SECRET).await else { return };
    stack.apply(CAMPAIGNS);

    let query = format!(
        "hub.mode=subscribe&hub.verify_token={}&hub.challenge=1158201444",
        stack.verify_token().await
    );
    assert_eq!(stack.get(&query).await, Answer { status: 200, body: "1158201444".to_owned() });

    let person = UserId::parse("554").unwrap();
    let comment = NewComment {
        account: account.clone(),
        media: MediaId::parse("17900000000000001").unwrap(),
        from: person.clone(),
        username: Some("ana".to_owned()),
        text: "link please 🙏".to_owned(),
        parent: None,
    };
    let id = instagram.comment(comment.clone());
    let body = instagram.comment_event(&id).unwrap().to_string();

    let forged = stack.post(&body, &sign("another secret", body.as_bytes())).await;
    assert_eq!(forged.status, 401, "{}", forged.body);
    for _ in 0..3 {
        let taken = stack.post(&body, &sign(APP_SECRET, body.as_bytes())).await;
        assert_eq!(taken.status, 200, "{}", taken.body);
    }
    stack.drain().await;

    let got =
        || instagram.inbox(&account, &person).into_iter().map(|message| message.text).collect::<Vec<_>>();
    let [text] = got().try_into().unwrap();
    let (_, slug) = text.split_once("/r/").unwrap();
    assert!(text.starts_with("Hi ana! Here it is: https://"), "{text}");
    assert_eq!(instagram.replies(&id).len(), 1);
    let leads_to = stack.follow(&format!("/r/{slug}")).await;
    assert_eq!(leads_to.as_deref(), Some("https://example.com/guide"));
    let (slug, today) = (Slug::parse(slug).unwrap(), Day::of(SystemClock.now()));
    assert_eq!(stack.ledger().clicks(&slug, &today).await.unwrap(), Clicks { clicks: 1, visitors: 1 });

    // Days later SQS no longer knows the message: the ledger does.
    let NewComment { account: on, media, from, username, text, parent } = comment;
    let trigger =
        Comment { account: on, id, from, username, media: Some(media), original_media: None, parent, text };
    let job = Job::Ingested { trigger: Trigger::Comment(trigger), received_at: SystemClock.now() };
    for _ in 0..2 {
        stack.redeliver(&serde_json::to_string(&job).unwrap()).await;
    }
    stack.drain().await;

    assert_eq!(got().len(), 1);
    assert_eq!((instagram.count(CallKind::PrivateReply), instagram.count(CallKind::PublicReply)), (1, 1));
    let since = SystemClock.now() - openreply_domain::time::SignedDuration::from_hours(1);
    let sends = stack.ledger().deliveries(&account, since).await.unwrap();
    let states: Vec<_> =
        sends.iter().flat_map(|send| rows(send, |_| false)).map(|row| (row.leg, row.status)).collect();
    assert_eq!(states.len(), 2, "{states:?}");
    assert!(states.iter().all(|(_, status)| *status == "SENT"), "{states:?}");

    // Instagram refuses for a while: a real schedule brings the message back after five minutes, once.
    let throttled = Fault::error(403, 4, None, "Application request limit reached");
    instagram.fail_next_of(CallKind::PrivateReply, 1, &throttled);
    let patient = UserId::parse("555").unwrap();
    let second = NewComment {
        account: account.clone(),
        media: MediaId::parse("17900000000000001").unwrap(),
        from: patient.clone(),
        username: Some("bea".to_owned()),
        text: "LINK".to_owned(),
        parent: None,
    };
    let body = instagram.comment_event(&instagram.comment(second)).unwrap().to_string();
    assert_eq!(stack.post(&body, &sign(APP_SECRET, body.as_bytes())).await.status, 200);
    stack.drain().await;
    assert_eq!((instagram.count(CallKind::PrivateReply), instagram.inbox(&account, &patient).len()), (2, 0));

    // No webhook tells of this one: a scheduled sweep finds it, within five minutes.
    let unheard = UserId::parse("556").unwrap();
    let lost = instagram.comment(NewComment {
        account: account.clone(),
        media: MediaId::parse("17900000000000001").unwrap(),
        from: unheard.clone(),
        username: Some("cleo".to_owned()),
        text: "LINK".to_owned(),
        parent: None,
    });

    let person = Person { stack: &stack, instagram: &instagram, graph: graph.base() };
    let doubts = person.doubts().await;
    person.switches(&job).await;

    stack.first_beat().await;
    let health = stack.health("/api/health").await;
    assert_eq!(health.status, 200, "{}", health.body);
    let report: serde_json::Value = serde_json::from_str(&health.body).unwrap();
    assert_eq!(report["status"], "ok", "{report}");
    assert_eq!(report["checks"]["worker"]["healthy"], true, "{report}");
    let page = stack.health("/status").await;
    assert!(page.status == 200 && page.body.contains("OpenReply works"), "{}", page.body);

    // Five minutes, and a little for a schedule that is late.
    for _ in 0..210 {
        let got = |person: &UserId| !instagram.inbox(&account, person).is_empty();
        if got(&patient) && got(&unheard) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    stack.drain().await;
    assert_eq!(
        (instagram.count(CallKind::PrivateReply), instagram.inbox(&account, &patient).len()),
        (4 + 7, 1)
    );
    assert_eq!((instagram.inbox(&account, &unheard).len(), instagram.replies(&lost).len()), (1, 1));
    person.decides(&doubts).await;
    person.reads();
    let swept = stack.ledger().last_sweep(Some(&account)).await.unwrap().expect("a sweep left its summary");
    assert_eq!(swept.summary.errors, 0, "{swept:?}");
    let sends = stack.ledger().deliveries(&account, since).await.unwrap();
    let retried = sends.iter().find(|send| send.user == patient && send.key.leg == Leg::Dm).unwrap();
    assert_eq!((rows(retried, |_| false)[0].status, retried.attempts), ("SENT", 2));
}
