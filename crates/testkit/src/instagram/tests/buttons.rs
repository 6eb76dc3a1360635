use super::*;
use openreply_domain::message::{Button, Does};

fn postback(title: &str) -> Value {
    json!({ "type": "postback", "title": title, "payload": "openreply:x" })
}

fn web_url(title: &str, url: &str) -> Value {
    json!({ "type": "web_url", "title": title, "url": url })
}

#[tokio::test]
async fn buttons_are_kept_with_their_message() {
    let stand = Stand::new().await;
    stand.fake.message(&account(), &user(ANNA), None, "hello");
    let buttons = json!([postback("Yes"), web_url("Open", "https://example.com")]);
    assert_eq!(stand.template(json!({ "id": ANNA }), "Shall I?", buttons).await.0, 200);
    let inbox = stand.fake.inbox(&account(), &user(ANNA));
    assert_eq!(inbox[1].text, "Shall I?");
    assert_eq!(
        inbox[1].buttons,
        [
            Button { title: "Yes".into(), does: Does::Tell("openreply:x".into()) },
            Button { title: "Open".into(), does: Does::Open("https://example.com".into()) },
        ]
    );
    let view = serde_json::to_value(stand.fake.snapshot().view()).unwrap();
    assert_eq!(
        view["conversations"][0]["messages"][1]["buttons"],
        json!([{ "title": "Yes", "payload": "openreply:x" }, { "title": "Open", "url": "https://example.com" }])
    );
}

#[tokio::test]
async fn a_template_that_is_none_is_refused_by_name_and_spends_nothing() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    stand.fake.set_follows(&account(), &user(ANNA), true);
    let long = "x".repeat(641);
    let many = json!([postback("1"), postback("2"), postback("3"), postback("4")]);
    for (text, buttons) in [
        ("Hi", json!([])),
        ("Hi", many),
        ("Hi", json!([postback("")])),
        ("Hi", json!([postback(&"x".repeat(21))])),
        ("Hi", json!([{ "type": "postback", "title": "Yes", "payload": "" }])),
        ("Hi", json!([web_url("Open", "javascript:alert(1)")])),
        (&long, json!([postback("Yes")])),
    ] {
        let answer = stand.template(json!({ "comment_id": comment }), text, buttons.clone()).await;
        assert_eq!(refusal(&answer), (400, 100, None), "{buttons}");
        let message = answer.1["error"]["message"].as_str().unwrap();
        assert!(message.contains("template"), "{message}");
    }
    let good = json!([postback(&"é".repeat(20)), postback("2"), web_url("3", "https://example.com")]);
    let answer = stand.template(json!({ "comment_id": comment }), &"é".repeat(640), good).await;
    assert_eq!(answer.0, 200, "{}", answer.1);
}

#[tokio::test]
async fn a_first_message_with_a_button_is_refused_to_strangers_and_spends_the_reply() {
    for (follows, ended) in [(false, false), (true, true)] {
        let stand = Stand::new().await;
        if follows {
            stand.fake.set_follows(&account(), &user(ANNA), true);
        }
        if ended {
            stand.fake.set_follows(&account(), &user(ANNA), false);
        }
        let comment = stand.comment("LINK");
        let to = json!({ "comment_id": comment });
        let answer = stand.template(to.clone(), "Shall I?", json!([postback("Yes")])).await;
        assert_eq!(refusal(&answer), (400, 2, Some(1_545_133)));
        let again = stand.private_reply(comment.as_str(), "Then as a text").await;
        assert_eq!(refusal(&again), (400, 100, Some(2_534_025)));
        assert_eq!(stand.texts(), [""; 0]);
        // In a conversation that they opened themselves it is no first message.
        stand.fake.message(&account(), &user(ANNA), None, "hello");
        assert_eq!(stand.template(json!({ "id": ANNA }), "Shall I?", json!([postback("Yes")])).await.0, 200);
    }
}
