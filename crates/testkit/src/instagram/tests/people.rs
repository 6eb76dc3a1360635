use super::*;
use openreply_domain::trigger;

async fn follow_status(stand: &Stand) -> (u16, Value) {
    stand.get(&format!("{ANNA}?fields=is_user_follow_business")).await
}

#[tokio::test]
async fn a_follow_shows_after_a_minute_and_its_end_at_once() {
    let stand = Stand::new().await;
    stand.fake.message(&account(), &user(ANNA), None, "hello");
    let shown = |follows: bool| (200, json!({ "id": ANNA, "is_user_follow_business": follows }));
    assert_eq!(follow_status(&stand).await, shown(false));
    stand.fake.set_follows(&account(), &user(ANNA), true);
    stand.clock.advance(SignedDuration::from_millis(59_999));
    assert_eq!(follow_status(&stand).await, shown(false));
    // Following twice is following since the first time.
    stand.fake.set_follows(&account(), &user(ANNA), true);
    stand.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(follow_status(&stand).await, shown(true));
    stand.fake.set_follows(&account(), &user(ANNA), false);
    assert_eq!(follow_status(&stand).await, shown(false));
}

#[tokio::test]
async fn who_never_wrote_or_tapped_shows_nothing() {
    let stand = Stand::new().await;
    assert_eq!(refusal(&follow_status(&stand).await), (400, 100, Some(33)));
    let comment = stand.comment("LINK");
    assert_eq!(stand.private_reply(comment.as_str(), "Hi!").await.0, 200);
    let refused = follow_status(&stand).await;
    assert_eq!(refusal(&refused), (400, 230, None));
    assert!(refused.1["error"]["message"].as_str().unwrap().contains("consent"));
    stand.fake.tap(&account(), &user(ANNA));
    assert_eq!(follow_status(&stand).await.0, 200);
    // What is not asked for is not told.
    assert_eq!(stand.get(ANNA).await, (200, json!({ "id": ANNA })));
}

#[tokio::test]
async fn a_person_of_two_accounts_follows_each_on_its_own() {
    let stand = Stand::new().await;
    let other = AccountId::parse("17841400000000002").unwrap();
    for (id, token) in [(&account(), "IGAA-one"), (&other, "IGAA-two")] {
        stand.fake.message(id, &user(ANNA), None, "hello");
        stand.fake.know_token(id, token.to_owned().into());
    }
    stand.fake.set_follows(&other, &user(ANNA), true);
    stand.clock.advance(SignedDuration::from_secs(60));
    for (token, follows) in [("IGAA-one", false), ("IGAA-two", true)] {
        let url = stand.url(&format!("{ANNA}?fields=is_user_follow_business"));
        let (_, body) = stand.send(stand.http.get(url).bearer_auth(token)).await;
        assert_eq!(body["is_user_follow_business"], follows, "{token}");
    }
}

#[test]
fn what_a_person_does_comes_with_the_webhook_about_it() {
    let clock = HandClock::new();
    let fake = FakeInstagram::new(Arc::clone(&clock));
    let at = clock.now().as_millisecond();
    let entry = |what: Value| {
        let mut messaging =
            json!({ "sender": { "id": ANNA }, "recipient": { "id": ACCOUNT }, "timestamp": at });
        messaging.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        json!({ "object": "instagram", "entry": [{ "id": ACCOUNT, "time": at, "messaging": [messaging] }] })
    };
    let wrote = fake.write(&account(), &user(ANNA), Some("anna"), "YES");
    assert_eq!(wrote.event, entry(json!({ "message": { "mid": wrote.mid, "text": "YES" } })));
    let tapped = fake.tap_button(&account(), &user(ANNA), "old");
    let postback = json!({ "mid": tapped.mid, "title": "", "payload": "old" });
    assert_eq!(tapped.event, entry(json!({ "postback": postback })));
    assert_ne!(wrote.mid, tapped.mid);
    let conversation = fake.snapshot().conversation(&account(), &user(ANNA)).cloned().unwrap();
    assert_eq!(conversation.last_inbound_at, Some(clock.now()));
    assert_eq!(conversation.username.as_deref(), Some("anna"));
}

#[tokio::test]
async fn what_only_a_webhook_told_of_opens_the_window_too() {
    let stand = Stand::new().await;
    let (id, from) = (openreply_domain::ids::MessageId::parse("mid.1").unwrap(), user(ANNA));
    let told =
        trigger::Message { account: account(), id: id.clone(), from, text: Some("LINK".into()), at: None };
    stand.fake.adopt_message(&told);
    stand.fake.adopt_message(&told);
    assert_eq!(stand.texts(), ["LINK"]);
    stand.clock.advance(SignedDuration::from_hours(20));
    let at = Some(stand.clock.now());
    let tap = trigger::Tap { account: account(), id, from: user(ANNA), payload: "x".into(), at };
    stand.fake.adopt_tap(&tap);
    // One that comes late opens nothing again.
    stand.clock.advance(SignedDuration::from_hours(20));
    stand.fake.adopt_tap(&tap);
    stand.fake.adopt_message(&told);
    assert_eq!(stand.direct_message(ANNA, "Hi!").await.0, 200);
    stand.clock.advance(SignedDuration::from_hours(4) + SignedDuration::from_millis(1));
    assert_eq!(refusal(&stand.direct_message(ANNA, "Hi!").await), (400, 10, Some(2_534_022)));
}
