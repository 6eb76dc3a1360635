use super::*;
use secrecy::SecretString;

#[tokio::test]
async fn without_a_known_token_any_will_do_but_none() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let body = json!({ "recipient": { "comment_id": comment }, "message": { "text": "Hi!" } });
    let url = stand.url(&format!("{ACCOUNT}/messages"));
    let bare = stand.send(stand.http.post(&url).json(&body)).await;
    assert_eq!(refusal(&bare), (401, 190, None));
    let in_query = stand.http.post(format!("{url}?access_token=IGAA-any")).json(&body);
    assert_eq!(refusal(&stand.send(in_query).await), (401, 190, None), "a token in the query");
    assert_eq!(stand.texts(), [""; 0]);
    assert_eq!(stand.private_reply(comment.as_str(), "Hi!").await.0, 200);
}

#[tokio::test]
async fn a_known_token_is_the_only_one() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    stand.fake.set_token(&account(), SecretString::from("IGAA-new"));
    stand.fake.set_token(&AccountId::parse("17841400000000002").unwrap(), SecretString::from("IGAA-any"));
    assert_eq!(refusal(&stand.private_reply(comment.as_str(), "Hi!").await), (400, 190, Some(463)));
    assert_eq!(refusal(&stand.public_reply(comment.as_str(), "Hi!").await), (400, 190, Some(463)));
    assert_eq!(refusal(&stand.get(&format!("{MEDIA}/comments")).await), (400, 190, Some(463)));
    assert_eq!((stand.texts().len(), stand.fake.replies(&comment).len()), (0, 0));
    let renewed = stand
        .http
        .post(stand.url(&format!("{comment}/replies")))
        .bearer_auth("IGAA-new")
        .json(&json!({ "message": "Sent!" }));
    assert_eq!(stand.send(renewed).await.0, 200);
}
