use super::*;
use crate::instagram::{Author, CallKind};

#[tokio::test]
async fn a_private_reply_lands_in_the_inbox_of_whoever_commented() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let (status, body) = stand.private_reply(comment.as_str(), "Hi anna!").await;
    let inbox = stand.fake.inbox(&account(), &user(ANNA));
    assert_eq!(inbox.len(), 1);
    let message = &inbox[0];
    assert_eq!((status, body), (200, json!({ "recipient_id": ANNA, "message_id": message.id })));
    assert_eq!((message.text.as_str(), message.author), ("Hi anna!", Author::Account));
    assert_eq!((message.at, message.comment.as_ref()), (stand.clock.now(), Some(&comment)));
}

#[tokio::test]
async fn a_comment_gets_one_private_reply_ever() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    assert_eq!(stand.private_reply(comment.as_str(), "first").await.0, 200);
    for text in ["first", "of another campaign"] {
        let again = stand.private_reply(comment.as_str(), text).await;
        assert_eq!(refusal(&again), (400, 100, Some(2_534_025)));
    }
    assert_eq!(stand.texts(), ["first"]);
    let other = stand.comment("LINK");
    assert_eq!(stand.private_reply(other.as_str(), "second comment").await.0, 200);
}

#[tokio::test]
async fn a_private_reply_has_seven_days() {
    let seven_days = SignedDuration::from_hours(7 * 24);
    for (age, delivered) in [
        (SignedDuration::ZERO, true),
        (seven_days, true),
        (seven_days + SignedDuration::from_millis(1), false),
        (SignedDuration::from_hours(24 * 365), false),
    ] {
        let stand = Stand::new().await;
        let comment = stand.comment("LINK");
        stand.clock.advance(age);
        let answer = stand.private_reply(comment.as_str(), "Hi!").await;
        assert_eq!(answer.0 == 200, delivered, "{age}");
        if !delivered {
            assert_eq!(refusal(&answer), (400, 10, Some(2_534_022)), "{age}");
        }
        assert_eq!(stand.texts().len(), usize::from(delivered), "{age}");
    }
}

#[tokio::test]
async fn a_message_has_one_to_a_thousand_bytes() {
    for (text, delivered) in [
        (String::new(), false),
        ("x".repeat(1000), true),
        ("x".repeat(1001), false),
        ("🥐".repeat(250), true),
        ("é".repeat(501), false),
    ] {
        let stand = Stand::new().await;
        let comment = stand.comment("LINK");
        stand.fake.message(&account(), &user(ANNA), None, "hello");
        for answer in
            [stand.private_reply(comment.as_str(), &text).await, stand.direct_message(ANNA, &text).await]
        {
            assert_eq!(answer.0 == 200, delivered, "{} bytes", text.len());
            if !delivered {
                assert_eq!(refusal(&answer), (400, 100, None), "{} bytes", text.len());
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_there_gets_nothing() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    for unknown in ["17900000000099999", "no such id", ""] {
        let answer = stand.private_reply(unknown, "Hi!").await;
        assert_eq!(refusal(&answer), (400, 100, Some(33)), "{unknown:?}");
    }
    assert_eq!(refusal(&stand.public_reply("17900000000099999", "Hi!").await), (400, 100, Some(33)));
    let body = json!({ "recipient": { "comment_id": comment }, "message": { "text": "Hi!" } });
    let foreign = stand.post("17841400000000002/messages", &body).await;
    assert_eq!(refusal(&foreign), (400, 100, Some(33)), "a comment of another account");
    assert_eq!(stand.texts(), [""; 0]);
}

#[tokio::test]
async fn a_body_that_is_none_is_refused() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let text = json!({ "text": "Hi!" });
    for body in [
        json!({}),
        json!([]),
        json!({ "recipient": {}, "message": text }),
        json!({ "recipient": { "comment_id": comment, "id": ANNA }, "message": text }),
        json!({ "recipient": { "comment_id": comment } }),
        json!({ "recipient": { "comment_id": comment }, "message": { "txt": "Hi!" } }),
    ] {
        let answer = stand.post(&format!("{ACCOUNT}/messages"), &body).await;
        assert_eq!(refusal(&answer), (400, 100, None), "{body}");
    }
    let answer = stand.post(&format!("{comment}/replies"), &json!({ "text": "Hi!" })).await;
    assert_eq!(refusal(&answer), (400, 100, None));
    assert_eq!(stand.texts(), [""; 0]);
}

#[tokio::test]
async fn a_direct_message_needs_a_person_who_wrote_within_a_day() {
    let day = SignedDuration::from_hours(24);
    let moment = SignedDuration::from_millis(1);
    for (what, age, wanted) in [
        ("message", SignedDuration::ZERO, Ok(())),
        ("message", day, Ok(())),
        ("message", day + moment, Err((10, Some(2_534_022)))),
        ("tap", day, Ok(())),
        ("tap", day + moment, Err((10, Some(2_534_022)))),
        ("comment", SignedDuration::ZERO, Err((10, Some(2_534_022)))),
        ("nothing", SignedDuration::ZERO, Err((100, Some(2_534_014)))),
    ] {
        let stand = Stand::new().await;
        match what {
            "message" => drop(stand.fake.message(&account(), &user(ANNA), Some("anna"), "hello")),
            "tap" => drop(stand.fake.tap(&account(), &user(ANNA))),
            "comment" => {
                let comment = stand.comment("LINK");
                assert_eq!(stand.private_reply(comment.as_str(), "Hi!").await.0, 200);
            }
            _ => {}
        }
        stand.clock.advance(age);
        let before = stand.texts().len();
        let answer = stand.direct_message(ANNA, "And one more thing").await;
        match wanted {
            Ok(()) => assert_eq!(answer.0, 200, "{what} {age}"),
            Err((code, subcode)) => assert_eq!(refusal(&answer), (400, code, subcode), "{what} {age}"),
        }
        assert_eq!(stand.texts().len() - before, usize::from(wanted.is_ok()), "{what} {age}");
    }
}

#[tokio::test]
async fn only_a_top_level_comment_takes_replies() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let (status, body) = stand.public_reply(comment.as_str(), "Sent! Check your DMs").await;
    assert_eq!(status, 200);
    let reply = body["id"].as_str().unwrap();
    assert_eq!(refusal(&stand.public_reply(reply, "and again").await), (400, 100, None));
    assert_eq!(stand.public_reply(comment.as_str(), "a second one").await.0, 200);

    let replies = stand.fake.replies(&comment);
    let seen: Vec<_> = replies.iter().map(|reply| (reply.username.as_deref(), reply.text.as_str())).collect();
    assert_eq!(seen, [(Some("bakery"), "Sent! Check your DMs"), (Some("bakery"), "a second one")]);
    assert!(replies.iter().all(|reply| reply.is_own() && reply.parent.as_ref() == Some(&comment)));
}

#[tokio::test]
async fn a_reply_of_a_person_takes_a_private_reply_and_no_public_one() {
    let stand = Stand::new().await;
    let comment = stand.comment("nice!");
    let reply = stand.fake.comment(comment_of(ANNA, "LINK", Some(&comment)));
    assert_eq!(refusal(&stand.public_reply(reply.as_str(), "Sent!").await), (400, 100, None));
    assert_eq!(stand.private_reply(reply.as_str(), "Hi!").await.0, 200);
}

#[tokio::test]
async fn the_log_tells_calls_in_order_with_what_they_made() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let (_, body) = stand.private_reply(comment.as_str(), "Hi!").await;
    stand.private_reply(comment.as_str(), "Hi again!").await;
    stand.public_reply(comment.as_str(), "Sent!").await;

    let calls = stand.fake.calls();
    let told: Vec<_> = calls.iter().map(|call| (call.kind, call.text.as_deref(), call.answer)).collect();
    let refused = Answered::Error { status: 400, code: 100, subcode: Some(2_534_025) };
    assert_eq!(
        told,
        [
            (Some(CallKind::PrivateReply), Some("Hi!"), Answered::Success),
            (Some(CallKind::PrivateReply), Some("Hi again!"), refused),
            (Some(CallKind::PublicReply), Some("Sent!"), Answered::Success),
        ]
    );
    assert_eq!(calls[0].path, format!("/v25.0/{ACCOUNT}/messages"));
    assert_eq!(calls[0].target.as_deref(), Some(comment.as_str()));
    assert_eq!(calls[0].made.as_deref(), body["message_id"].as_str());
    assert_eq!(calls[1].made, None);
    assert_eq!((stand.fake.count(CallKind::PrivateReply), stand.fake.count(CallKind::PublicReply)), (2, 1));
}
