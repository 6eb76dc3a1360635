use super::*;
use crate::instagram::{Change, World};
use openreply_domain::trigger;
use secrecy::SecretString;

#[tokio::test]
async fn a_world_that_was_kept_goes_on_where_it_was() {
    let stand = Stand::new().await;
    stand.fake.set_token(&account(), SecretString::from("IGAA-any"));
    let comment = stand.comment("LINK");
    stand.private_reply(comment.as_str(), "Hi!").await;
    stand.public_reply(comment.as_str(), "Sent!").await;
    let document = serde_json::to_string(&stand.fake.snapshot()).unwrap();
    assert!(!document.contains("IGAA"), "a token is no part of it");

    let kept: World = serde_json::from_str(&document).unwrap();
    assert_eq!(kept, stand.fake.snapshot());
    let fake = FakeInstagram::restore(Arc::clone(&stand.clock), kept);
    let again = Stand {
        clock: Arc::clone(&stand.clock),
        serving: fake.serve().await.unwrap(),
        fake,
        ..Stand::new().await
    };
    let refused = again.private_reply(comment.as_str(), "Hi!").await;
    assert_eq!(refusal(&refused), (400, 100, Some(2_534_025)), "its one private reply stays spent");
    assert_eq!(again.texts(), ["Hi!"]);
    assert_eq!(again.comment("LINK"), stand.comment("LINK"), "both give out the same next id");
}

#[tokio::test]
async fn whoever_kept_every_change_has_the_world() {
    let stand = Stand::new().await;
    let mut rebuilt = stand.fake.snapshot();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let journal = Arc::clone(&kept);
    stand.fake.journal(move |change| journal.lock().unwrap().push(serde_json::to_string(change).unwrap()));
    let comment = stand.comment("LINK");
    stand.private_reply(comment.as_str(), "Hi!").await;
    stand.private_reply(comment.as_str(), "refused: no change").await;
    stand.public_reply(comment.as_str(), "Sent!").await;
    stand.fake.message(&account(), &user(ANNA), Some("anna.b"), "thanks!");
    stand.fake.tap(&account(), &user(ANNA));
    stand.fake.name_account(&account(), "bakery");
    let spent = json!({ "comment_id": stand.comment("LINK") });
    let button = json!([{ "type": "postback", "title": "Yes", "payload": "x" }]);
    stand.template(spent, "Shall I?", button).await;
    stand.fake.set_follows(&account(), &user(ANNA), true);
    let lines = kept.lock().unwrap().clone();
    assert_eq!(lines.len(), 8, "a name that is no news is no change");
    for line in &lines {
        rebuilt.apply(&serde_json::from_str::<Change>(line).unwrap());
    }
    assert_eq!(rebuilt, stand.fake.snapshot());
}

#[tokio::test]
async fn a_change_is_told_and_a_read_is_not() {
    let stand = Stand::new().await;
    let mut told = stand.fake.subscribe();
    told.mark_unchanged();
    let before = stand.fake.revision();
    let comment = stand.comment("LINK");
    assert!(told.has_changed().unwrap());
    told.mark_unchanged();
    stand.get(&format!("{MEDIA}/comments")).await;
    stand.public_reply("17900000000099999", "refused").await;
    assert!(!told.has_changed().unwrap());
    stand.public_reply(comment.as_str(), "Sent!").await;
    assert!(told.has_changed().unwrap());
    assert_eq!((stand.fake.revision(), *told.borrow()), (before + 2, before + 2));
}

#[test]
fn ids_depend_on_the_seed_and_the_story_alone() {
    let ids = |seed| {
        let fake = FakeInstagram::restore(HandClock::new(), World::new(seed));
        let comments = [(); 3].map(|()| fake.comment(comment_of(ANNA, "LINK", None)).to_string());
        let message = fake.message(&account(), &user(ANNA), None, "hello").to_string();
        comments.into_iter().chain([message]).collect::<Vec<_>>()
    };
    assert_eq!(ids(0), ids(0));
    let mut all: Vec<String> = [0, 1_000, 2_000].into_iter().flat_map(ids).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 12);
}

#[tokio::test]
async fn a_comment_that_only_a_webhook_told_of_can_be_answered() {
    let stand = Stand::new().await;
    // An id that this world would itself have given out, two changes from now.
    let mut ahead = stand.fake.snapshot();
    for _ in 0..2 {
        ahead.apply(&Change::Named { account: account(), username: "bakery".to_owned() });
    }
    let taken = ahead.next_comment_id();
    let mut told = trigger::Comment {
        account: account(),
        id: taken.clone(),
        from: user(ANNA),
        username: Some("anna".to_owned()),
        media: None,
        original_media: None,
        parent: None,
        text: "LINK".to_owned(),
    };
    stand.fake.adopt(&told);
    told.text = "told again, after an edit".to_owned();
    stand.fake.adopt(&told);
    let known = stand.fake.snapshot();
    assert_eq!(known.comment(&taken).unwrap().text, "LINK");
    assert_eq!((known.posts().len(), known.posts()[0].comments.len()), (1, 1));
    assert_eq!(stand.private_reply(taken.as_str(), "Hi!").await.0, 200);
    for _ in 0..3 {
        assert_ne!(stand.comment("LINK"), taken, "an id that came from outside is not given out again");
    }
}

#[tokio::test]
async fn the_view_has_posts_with_replies_and_conversations_of_both_sides() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let (_, sent) = stand.private_reply(comment.as_str(), "Hi!").await;
    let (_, reply) = stand.public_reply(comment.as_str(), "Sent!").await;
    let thanks = stand.fake.message(&account(), &user(ANNA), None, "thanks!");
    stand.fake.set_follows(&account(), &user(ANNA), true);
    let at = "2026-11-01T12:00:00Z";
    let comments = json!([
        { "id": comment, "from": ANNA, "username": "anna", "text": "LINK", "at": at, "parent": null, "ours": false },
        { "id": reply["id"], "from": ACCOUNT, "username": "bakery", "text": "Sent!", "at": at, "parent": comment,
          "ours": true },
    ]);
    let messages = json!([
        { "id": sent["message_id"], "text": "Hi!", "at": at, "from_account": true, "comment": comment },
        { "id": thanks, "text": "thanks!", "at": at, "from_account": false, "comment": null },
    ]);
    assert_eq!(
        serde_json::to_value(stand.fake.snapshot().view()).unwrap(),
        json!({
            "posts": [{ "account": ACCOUNT, "media": MEDIA, "comments": comments }],
            "conversations": [{ "account": ACCOUNT, "user": ANNA, "username": "anna", "last_inbound_at": at,
                                "messages": messages }],
            "followers": [{ "account": ACCOUNT, "user": ANNA, "since": at }],
        })
    );
}
