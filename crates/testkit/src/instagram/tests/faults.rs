use super::*;
use crate::instagram::{CallKind, Fault};
use std::time::Duration;

#[tokio::test]
async fn a_fault_says_on_its_own_what_happens_and_what_is_told() {
    let throttled = || Fault::error(400, 4, None, "too many calls");
    let unknown = || Fault::error(500, 1, None, "an unknown error occurred");
    for (fault, delivered) in [
        (throttled(), false),
        (unknown(), false),
        (unknown().after_delivery(), true),
        (Fault::html(502), false),
        (Fault::html(502).after_delivery(), true),
        (Fault::hang(), false),
        (Fault::hang().after_delivery(), true),
    ] {
        let stand = Stand::new().await;
        let comment = stand.comment("LINK");
        stand.fake.fail_next(1, &fault);
        let body = json!({ "recipient": { "comment_id": comment }, "message": { "text": "Hi!" } });
        let request = stand.http.post(stand.url(&format!("{ACCOUNT}/messages"))).bearer_auth("IGAA-any");
        let heard = request.json(&body).timeout(Duration::from_millis(300)).send().await;
        match stand.last_answer() {
            Answered::Error { status, code, .. } => {
                let heard = heard.unwrap();
                assert_eq!(heard.status().as_u16(), status);
                assert_eq!(heard.json::<Value>().await.unwrap()["error"]["code"], code);
            }
            Answered::Html { status } => {
                let heard = heard.unwrap();
                assert_eq!(heard.status().as_u16(), status);
                assert!(heard.text().await.unwrap().starts_with("<!DOCTYPE html>"));
            }
            Answered::Silence => assert!(heard.unwrap_err().is_timeout()),
            Answered::Success => panic!("{fault:?} was not met"),
        }
        assert_eq!(stand.texts().len(), usize::from(delivered), "{fault:?}");
        assert_eq!(stand.fake.calls()[0].made.is_some(), delivered, "{fault:?}");
        let next = stand.private_reply(comment.as_str(), "Hi!").await;
        assert_eq!(next.0 == 200, !delivered, "{fault:?} is over, and what it delivered stays");
    }
}

#[tokio::test]
async fn a_fault_meets_as_many_writes_as_it_should_of_the_kind_it_should() {
    let stand = Stand::new().await;
    let (first, second) = (stand.comment("LINK"), stand.comment("LINK"));
    stand.fake.fail_next_of(CallKind::PrivateReply, 2, &Fault::error(400, 4, None, "too many calls"));
    assert_eq!(stand.public_reply(first.as_str(), "Sent!").await.0, 200);
    assert_eq!(refusal(&stand.private_reply(first.as_str(), "Hi!").await), (400, 4, None));
    assert_eq!(refusal(&stand.private_reply(second.as_str(), "Hi!").await), (400, 4, None));
    assert_eq!(stand.private_reply(first.as_str(), "Hi!").await.0, 200);
}

#[tokio::test]
async fn a_fault_delivers_nothing_that_the_rules_forbid() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    assert_eq!(stand.private_reply(comment.as_str(), "Hi!").await.0, 200);
    stand.fake.fail_next(1, &Fault::error(500, 1, None, "an unknown error occurred").after_delivery());
    assert_eq!(refusal(&stand.private_reply(comment.as_str(), "Hi!").await), (500, 1, None));
    assert_eq!(stand.texts(), ["Hi!"]);
}

#[tokio::test]
async fn a_write_that_names_fields_is_done_and_then_answered_with_an_error() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let body = json!({ "recipient": { "comment_id": comment }, "message": { "text": "Hi!" } });
    let answer = stand.post(&format!("{ACCOUNT}/messages?fields=message_id"), &body).await;
    assert_eq!(refusal(&answer), (400, 100, None));
    assert_eq!(stand.texts(), ["Hi!"]);
}
