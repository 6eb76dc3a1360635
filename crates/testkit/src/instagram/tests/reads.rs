use super::*;

#[tokio::test]
async fn an_inbox_shows_its_twenty_newest_messages() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    stand.private_reply(comment.as_str(), "Hi!").await;
    for number in 1..=21 {
        stand.fake.message(&account(), &user(ANNA), Some("anna"), &format!("message {number}"));
    }
    stand.fake.message(&account(), &user("9002"), Some("ben"), "somebody else");
    let path = format!(
        "{ACCOUNT}/conversations?platform=instagram&user_id={ANNA}&fields=messages{{id,created_time,from,message}}"
    );
    let (status, body) = stand.get(&path).await;
    let threads = body["data"].as_array().unwrap();
    let messages = threads[0]["messages"]["data"].as_array().unwrap();
    assert_eq!((status, threads.len(), messages.len()), (200, 1, 20));
    assert_eq!(messages[0]["message"], "message 21");
    assert_eq!(messages[19]["message"], "message 2");
    assert_eq!(messages[0]["from"], json!({ "id": ANNA, "username": "anna" }));
    assert_eq!(messages[0]["created_time"], "2026-11-01T12:00:00+0000");
}

#[tokio::test]
async fn an_inbox_shows_which_messages_are_the_accounts() {
    let stand = Stand::new().await;
    let comment = stand.comment("LINK");
    let (_, sent) = stand.private_reply(comment.as_str(), "Hi!").await;
    let path =
        format!("{ACCOUNT}/conversations?platform=instagram&user_id={ANNA}&fields=messages{{id,from}}");
    let wanted = json!({ "id": sent["message_id"], "from": { "id": ACCOUNT, "username": "bakery" } });
    assert_eq!(stand.get(&path).await.1["data"][0]["messages"]["data"], json!([wanted]));
    let other = format!("{ACCOUNT}/conversations?platform=instagram&user_id=9002&fields=id");
    assert_eq!(stand.get(&other).await, (200, json!({ "data": [] })));
    let no_platform = stand.get(&format!("{ACCOUNT}/conversations?user_id={ANNA}")).await;
    assert_eq!(refusal(&no_platform), (400, 100, None));
}

#[tokio::test]
async fn the_comments_of_a_post_come_page_by_page_newest_first() {
    let stand = Stand::new().await;
    let ids: Vec<_> = (1..=5).map(|number| stand.comment(&format!("comment {number}"))).collect();
    stand.public_reply(ids[4].as_str(), "Sent!").await;
    let path =
        format!("{MEDIA}/comments?fields=id,text,replies{{text,from}}&order=reverse_chronological&limit=2");

    let (status, first) = stand.get(&path).await;
    let sent = json!({ "text": "Sent!", "from": { "id": ACCOUNT, "username": "bakery" } });
    let cursors = &first["data"][0]["replies"]["paging"];
    assert!(cursors["cursors"]["after"].is_string() && cursors["next"].is_null(), "{cursors}");
    let replies = json!({ "data": [sent], "paging": cursors });
    assert_eq!(status, 200);
    assert_eq!(
        first["data"],
        json!([
            { "id": ids[4], "text": "comment 5", "replies": replies },
            { "id": ids[3], "text": "comment 4" },
        ])
    );
    let mut seen = 2;
    let mut page = first;
    while let Some(next) = page["paging"]["next"].as_str() {
        assert!(next.contains("access_token=IGAA-any"), "like Meta's, {next} carries the token");
        page = stand.send(stand.http.get(next).bearer_auth("IGAA-any")).await.1;
        seen += page["data"].as_array().unwrap().len();
    }
    assert_eq!(seen, 5);
    assert_eq!(page["data"], json!([{ "id": ids[0], "text": "comment 1" }]));
    let again = format!("{path}&after={}", ids[3]);
    assert_eq!(stand.get(&again).await.1["data"][0]["text"], "comment 3");
}

#[tokio::test]
async fn what_the_fake_has_not_got_says_so() {
    let stand = Stand::new().await;
    for path in ["me", "9001?fields=is_user_follow_business", "18099/comments", "9/conversations"] {
        assert_eq!(refusal(&stand.get(path).await), (400, 100, Some(33)), "{path}");
    }
    assert_eq!(refusal(&stand.get("1/messages").await), (400, 100, Some(33)), "another method");
    assert_eq!(refusal(&stand.post("1/likes", &json!({})).await), (400, 100, Some(33)));
}
