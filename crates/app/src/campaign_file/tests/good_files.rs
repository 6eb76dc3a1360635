//! Files that are read, and what is read from them.

use crate::campaign_file::{CampaignFile, TokenSource, parse};
use openreply_domain::campaign::{Link, Post};
use openreply_domain::matching::MatchMode;
use secrecy::ExposeSecret;

pub(super) const EXAMPLE: &str = include_str!("../../../../../examples/campaigns.yaml");

/// The file, its token included, in a form that can be compared.
pub(super) fn shown(file: &CampaignFile) -> String {
    let tokens: Vec<_> = file
        .accounts
        .iter()
        .map(|account| match &account.token {
            TokenSource::Literal(token) => token.expose_secret().to_owned(),
            TokenSource::Env(variable) => format!("${variable}"),
        })
        .collect();
    format!("{file:#?}\n{tokens:?}")
}

#[track_caller]
fn good(text: &str) -> CampaignFile {
    parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// A file with one campaign of which only these lines are given.
pub(super) fn with_campaign(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "accounts: [{{ id: '1', username: bakery, token: t }}]\ncampaigns:\n  - id: guide\n    account: '1'\n{lines}"
    )
}

#[test]
fn the_example_is_read_as_it_is_meant() {
    let file = good(EXAMPLE);
    let [account] = file.accounts.as_slice() else { panic!("one account") };
    assert_eq!((account.id.as_str(), account.username.as_str()), ("17841400000000001", "bakery"));
    assert!(matches!(&account.token, TokenSource::Literal(token) if token.expose_secret() == "demo-token"));

    let [guide, prices] = file.campaigns.as_slice() else { panic!("two campaigns") };
    assert_eq!(
        (guide.id.as_str(), guide.account.as_str(), guide.active),
        ("guide", account.id.as_str(), true)
    );
    assert_eq!(guide.content.name, "Free guide");
    assert_eq!(guide.content.post, Post::Any);
    assert_eq!(guide.content.match_mode, MatchMode::WholeWord);
    assert_eq!(guide.content.keywords, ["LINK", "guía"]);
    assert_eq!(guide.content.dm, "Hi {username}! Here it is: {link}");
    let link = Link { url: "https://example.com/guide".into(), label: Some("Open the guide".into()) };
    assert_eq!(guide.content.links, [link]);
    assert_eq!(guide.content.public_replies, ["Sent! Check your DMs", "In your inbox"]);

    assert_eq!(prices.id.as_str(), "prices");
    assert_eq!(prices.content.keywords, ["preço", "quanto custa", "valor", "値段", "💰"]);
    assert!(prices.content.dm.ends_with("{link}\n\nResponda por aqui se quiser encomendar. 🥐"));
    assert_eq!(prices.content.public_replies, [""; 0]);
}

#[test]
fn the_files_on_the_page_for_creators_are_good() {
    let page = include_str!("../../../../../docs/CAMPAIGN-FILE.md");
    let files: Vec<_> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(files.iter().map(|text| good(text).campaigns.len()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn json_is_read_like_yaml() {
    let json = "{\n\
        \t\"$schema\": \"https:\\/\\/example.com\\/campaign-file.schema.json\",\n\
        \t\"accounts\": [\n\
        \t\t{ \"id\": 17841400000000001, \"username\": \"bakery\", \"token\": \"demo-token\" }\n\
        \t],\n\
        \t\"campaigns\": [\n\
        \t\t{\n\
        \t\t\t\"id\":\"guide\",\"account\":\"17841400000000001\",\n\
        \t\t\t\"name\": \"Free guide\", \"post\": \"any\", \"keywords\": [\"LINK\", \"gu\\u00eda\"],\n\
        \t\t\t\"match\": \"whole_word\", \"dm\": \"Hi {username}! Here it is: {link}\",\n\
        \t\t\t\"links\": [{\"url\":\"https:\\/\\/example.com\\/guide\",\"label\":\"Open the guide\"}],\n\
        \t\t\t\"public_replies\": [\"Sent! Check your DMs\", \"In your inbox\"], \"active\": true\n\
        \t\t},\n\
        \t\t{\n\
        \t\t\t\"id\": \"prices\", \"account\": 17841400000000001, \"name\": \"Price list\",\n\
        \t\t\t\"keywords\": [\"preço\", \"quanto custa\", \"valor\", \"\\u5024\\u6bb5\", \"\\uD83D\\uDCB0\"],\n\
        \t\t\t\"dm\": \"Oi {username}! Os preços de hoje estão aqui:\\n{link}\\n\\nResponda por aqui se quiser encomendar. \\ud83e\\udd50\",\n\
        \t\t\t\"links\": [ { \"url\" : \"https://example.com/precos\" , \"label\" : \"Ver os pre\\u00e7os\" } ]\n\
        \t\t}\n\
        \t]\n}\n";
    // It is JSON in the first place.
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(shown(&good(json)), shown(&good(EXAMPLE)));
    // However it is laid out.
    assert_eq!(shown(&good(&value.to_string())), shown(&good(EXAMPLE)));
    assert_eq!(shown(&good(&serde_json::to_string_pretty(&value).unwrap())), shown(&good(EXAMPLE)));
    // With the line ends of Windows, and the mark that its editors put in front.
    assert_eq!(shown(&good(&format!("\u{feff}{}", json.replace('\n', "\r\n")))), shown(&good(EXAMPLE)));
    assert_eq!(shown(&good(&format!("\u{feff}{}", EXAMPLE.replace('\n', "\r\n")))), shown(&good(EXAMPLE)));
}

#[test]
fn what_is_left_out_has_its_default() {
    let file = good(&with_campaign("keywords: [LINK]\ndm: Hello"));
    let [campaign] = file.campaigns.as_slice() else { panic!("one campaign") };
    assert!(campaign.active);
    assert_eq!(campaign.content.name, "guide");
    assert_eq!(campaign.content.post, Post::Any);
    assert_eq!(campaign.content.match_mode, MatchMode::WholeWord);
    assert_eq!(campaign.content.links, []);
    assert_eq!(campaign.content.public_replies, [""; 0]);
}

#[test]
fn an_account_may_run_nothing() {
    let file = good("accounts: [{ id: '1', username: bakery, token_env: BAKERY_TOKEN }]\ncampaigns: []");
    assert_eq!(file.campaigns, []);
    assert!(matches!(&file.accounts[0].token, TokenSource::Env(variable) if variable == "BAKERY_TOKEN"));
}

#[test]
fn scalars_are_words_as_they_were_written() {
    let file = good(&with_campaign(
        "keywords: [yes, No, 123, 007, 1.50, 1e3, 0x1F, true, off, 2026-11-01, .inf, 12:30, -5, null1, ~x]\n\
         name: 2026\ndm: 42",
    ));
    let content = &file.campaigns[0].content;
    assert_eq!(
        content.keywords,
        [
            "yes",
            "No",
            "123",
            "007",
            "1.50",
            "1e3",
            "0x1F",
            "true",
            "off",
            "2026-11-01",
            ".inf",
            "12:30",
            "-5",
            "null1",
            "~x"
        ]
    );
    assert_eq!((content.name.as_str(), content.dm.as_str()), ("2026", "42"));
    // JSON has numbers and truth values of its own.
    let json = with_campaign("keywords: [LINK]\ndm: Hi").replace("[LINK]", "[true, 123, 1.50]");
    assert_eq!(good(&json).campaigns[0].content.keywords, ["true", "123", "1.50"]);
}

#[test]
fn ids_are_exact_whether_quoted_or_not() {
    for id in ["17841400000000001", "99999999999999999999999999", "0", "17841400000000001_17900000000000002"]
    {
        for written in [id.to_owned(), format!("'{id}'"), format!("\"{id}\""), format!("!!str {id}")] {
            let file = good(&format!(
                "accounts: [{{ id: {written}, username: b, token: t }}]\n\
                 campaigns: [{{ id: c, account: {written}, post: {written}, match: any_word, dm: hi }}]"
            ));
            assert_eq!(file.accounts[0].id.as_str(), id);
            assert_eq!(file.campaigns[0].account.as_str(), id);
            assert!(matches!(&file.campaigns[0].content.post, Post::Media(media) if media.as_str() == id));
        }
    }
}

#[test]
fn every_way_to_match_and_every_kind_of_post_is_read() {
    for (lines, mode) in [
        ("match: whole_word\nkeywords: [a]", MatchMode::WholeWord),
        ("match: partial\nkeywords: [a]", MatchMode::Partial),
        ("match: any_word", MatchMode::AnyWord),
        ("match: any_word\nkeywords: []", MatchMode::AnyWord),
    ] {
        assert_eq!(good(&with_campaign(&format!("{lines}\ndm: hi"))).campaigns[0].content.match_mode, mode);
    }
    let post =
        good(&with_campaign("post: next_reel\nmatch: any_word\ndm: hi")).campaigns[0].content.post.clone();
    assert_eq!(post, Post::NextReel);
    assert!(!good(&with_campaign("active: false\nmatch: any_word\ndm: hi")).campaigns[0].active);
}

#[test]
fn what_is_just_within_the_limits_is_read() {
    let keywords: Vec<_> = (0..50).map(|n| format!("{n:0>100}")).collect();
    let replies: Vec<_> = (0..10).map(|n| format!("{n}{}", "é".repeat(999))).collect();
    let url = format!("https://example.com/{}", "x".repeat(400));
    let dm = format!("{{username}}{}{{link}}", "é".repeat((1000 - url.len()) / 2));
    let content = serde_json::json!({
        "id": "x".repeat(64), "account": "1", "name": "é".repeat(100), "keywords": keywords, "dm": dm,
        "links": [
            { "url": url, "label": "é".repeat(20) },
            { "url": "https://example.com/2" },
            { "url": "https://example.com/3" }
        ],
        "public_replies": replies,
    });
    let file = serde_json::json!({
        "accounts": [{ "id": "1", "username": "a".repeat(30), "token": "t".repeat(300) }],
        "campaigns": [content],
    });
    assert_eq!(good(&file.to_string()).campaigns[0].content.keywords.len(), 50);

    let campaigns: Vec<_> = (0..1000)
        .map(|n| {
            serde_json::json!({
                "id": format!("c{n}"), "account": (n % 2).to_string(), "match": "any_word", "dm": "hi"
            })
        })
        .collect();
    let file = serde_json::json!({
        "accounts": [
            { "id": "0", "username": "a", "token": "t" }, { "id": "1", "username": "b", "token": "t" }
        ],
        "campaigns": campaigns,
    });
    let read = good(&file.to_string());
    assert!(read.campaigns.iter().enumerate().all(|(n, campaign)| campaign.id.as_str() == format!("c{n}")));
    assert_eq!(read.campaigns.len(), 1000);
}

#[test]
fn anchors_save_repetition() {
    let file = good(
        "accounts: [{ id: &me '1', username: bakery, token: t }]\n\
         campaigns:\n\
         \x20 - { id: a, account: *me, keywords: &words [link, guide], dm: hi, public_replies: &thanks [Sent!] }\n\
         \x20 - { id: b, account: *me, keywords: *words, dm: hi, public_replies: *thanks }\n",
    );
    assert_eq!(file.campaigns[0].content.keywords, file.campaigns[1].content.keywords);
    assert_eq!(file.campaigns[1].content.public_replies, ["Sent!"]);
}

#[test]
fn long_texts_in_json_are_no_keys() {
    // YAML limits the length of a key; a text in a list could be one until its end is seen.
    let reply = "x ".repeat(499);
    let json = serde_json::json!({
        "accounts": [{ "id": "1", "username": "b", "token": "t".repeat(4000) }],
        "campaigns": [{ "id": "c", "account": "1", "match": "any_word", "dm": "y".repeat(1000),
            "public_replies": [reply] }],
    });
    assert_eq!(good(&json.to_string()).campaigns[0].content.public_replies, [reply]);
}

#[test]
fn no_debug_output_has_a_token_in_it() {
    let file = good(EXAMPLE);
    assert!(!format!("{file:?}{file:#?}{:?}", file.accounts).contains("demo-token"));
}
