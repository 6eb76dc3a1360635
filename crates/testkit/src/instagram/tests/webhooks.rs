use super::*;
use crate::instagram::webhook::{
    CommentUpdate, Conversation, Media, batch, comment_event, echo_event, message_event, sign, standby_event,
    tap_event,
};

fn at() -> Timestamp {
    Timestamp::from_millisecond(1_793_534_400_123).unwrap()
}

fn update() -> CommentUpdate<'static> {
    CommentUpdate {
        account: ACCOUNT,
        at: at(),
        id: "17900000000000001",
        text: "LINK 🥐",
        from: ANNA,
        username: Some("anna"),
        media: Media::Post(MEDIA),
        parent: None,
    }
}

#[test]
fn comments_have_metas_shape() {
    let anna = json!({ "id": ANNA, "username": "anna" });
    let post = json!({ "id": MEDIA, "media_product_type": "FEED" });
    let ad = Media::Ad { media: "18011", ad: "120", original: Some(MEDIA) };
    let dark_ad = Media::Ad { media: "18011", ad: "120", original: None };
    let reel = Media::Reel("18012");
    let id = "17900000000000001";
    let text = "LINK 🥐";
    for (update, value) in [
        (update(), json!({ "id": id, "text": text, "from": anna, "media": post })),
        (
            CommentUpdate { parent: Some("17"), ..update() },
            json!({ "id": id, "text": text, "from": anna, "media": post, "parent_id": "17" }),
        ),
        (
            CommentUpdate { username: None, media: reel, ..update() },
            json!({ "id": id, "text": text, "from": { "id": ANNA },
                    "media": { "id": "18012", "media_product_type": "REELS" } }),
        ),
        (
            CommentUpdate { media: ad, ..update() },
            json!({ "id": id, "text": text, "from": anna, "media": {
                "id": "18011", "ad_id": "120", "media_product_type": "AD", "original_media_id": MEDIA } }),
        ),
        (
            CommentUpdate { media: dark_ad, ..update() },
            json!({ "id": id, "text": text, "from": anna,
                    "media": { "id": "18011", "ad_id": "120", "media_product_type": "AD" } }),
        ),
    ] {
        assert_eq!(
            comment_event(&update),
            json!({ "object": "instagram", "entry": [{
                "id": ACCOUNT, "time": 1_793_534_400, "changes": [{ "field": "comments", "value": value }],
            }] })
        );
    }
}

#[test]
fn events_of_an_inbox_have_metas_shape() {
    let between = Conversation { account: ACCOUNT, user: ANNA, at: at() };
    let (account, anna) = (json!({ "id": ACCOUNT }), json!({ "id": ANNA }));
    for (event, list, sender, recipient, kind, what) in [
        (
            message_event(&between, "m1", "hi"),
            "messaging",
            &anna,
            &account,
            "message",
            json!({ "mid": "m1", "text": "hi" }),
        ),
        (
            tap_event(&between, "m2", "Send it", "reveal:guide"),
            "messaging",
            &anna,
            &account,
            "postback",
            json!({ "mid": "m2", "title": "Send it", "payload": "reveal:guide" }),
        ),
        (
            echo_event(&between, "m3", "Hi anna!"),
            "messaging",
            &account,
            &anna,
            "message",
            json!({ "mid": "m3", "text": "Hi anna!", "is_echo": true }),
        ),
        (
            standby_event(&between, "m4", "hi"),
            "standby",
            &anna,
            &account,
            "message",
            json!({ "mid": "m4", "text": "hi" }),
        ),
    ] {
        let time = 1_793_534_400_123_i64;
        assert_eq!(
            event,
            json!({ "object": "instagram", "entry": [{ "id": ACCOUNT, "time": time, list: [{
                "sender": sender, "recipient": recipient, "timestamp": time, kind: what,
            }] }] })
        );
    }
}

#[test]
fn a_batch_has_every_entry_in_order() {
    let other = CommentUpdate { id: "17900000000000002", ..update() };
    let between = Conversation { account: ACCOUNT, user: ANNA, at: at() };
    let events = [comment_event(&update()), message_event(&between, "m1", "hi"), comment_event(&other)];
    let entries: Vec<Value> = events.iter().map(|event| event["entry"][0].clone()).collect();
    assert_eq!(batch(events), json!({ "object": "instagram", "entry": entries }));
    assert_eq!(batch([]), json!({ "object": "instagram", "entry": [] }));
}

#[test]
fn a_comment_of_the_world_has_its_event() {
    let fake = FakeInstagram::new(HandClock::new());
    let first = fake.comment(comment_of(ANNA, "LINK", None));
    let reply = fake.comment(comment_of(ANNA, "me too", Some(&first)));
    let value = |id| fake.comment_event(id).unwrap()["entry"][0]["changes"][0]["value"].clone();
    assert_eq!(value(&first)["text"], "LINK");
    assert_eq!(value(&reply)["parent_id"], first.as_str());
    assert_eq!(fake.comment_event(&CommentId::parse("1").unwrap()), None);
}

/// The published example of HMAC-SHA256 with the key `key`.
#[test]
fn a_signature_is_the_hmac_of_the_bytes() {
    let signature = sign("key", b"The quick brown fox jumps over the lazy dog");
    assert_eq!(signature, "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
}
