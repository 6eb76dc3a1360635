//! Files that are read, and what is read from them.

use crate::campaign_file::{CampaignFile, TokenSource, parse};
use openreply_domain::campaign::{
    Asks, CampaignContent, FollowGate, FollowUp, Link, Opening, OptOut, Post, Repeat,
};
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

    assert_eq!(file.warnings, []);
    let [guide, prices, course, voucher] = file.campaigns.as_slice() else { panic!("four campaigns") };
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

    let content = &course.content;
    assert_eq!(content.opening.as_ref().unwrap().asks, Asks::Reply(vec!["YES".into()]));
    assert!(content.follow_gate.as_ref().unwrap().acknowledgement.is_some());
    assert_eq!(content.follow_up.as_ref().unwrap().after_minutes, 60);
    assert!(content.buttons && !content.dm_trigger);
    assert!(voucher.content.dm_trigger);
    assert_eq!(voucher.content.repeat, Repeat::OncePerPerson);
}

#[test]
fn the_files_on_the_page_for_creators_are_good() {
    let page = include_str!("../../../../../docs/CAMPAIGN-FILE.md");
    let files: Vec<_> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(files.iter().map(|text| good(text).campaigns.len()).collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn json_is_read_like_yaml() {
    // The first two campaigns.
    let (yaml, _) = EXAMPLE.split_once("\n  # A conversation").unwrap();
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
    assert_eq!(shown(&good(json)), shown(&good(yaml)));
    // However it is laid out.
    assert_eq!(shown(&good(&value.to_string())), shown(&good(yaml)));
    assert_eq!(shown(&good(&serde_json::to_string_pretty(&value).unwrap())), shown(&good(yaml)));
    // With the line ends of Windows, and the mark that its editors put in front.
    assert_eq!(shown(&good(&format!("\u{feff}{}", json.replace('\n', "\r\n")))), shown(&good(yaml)));
    assert_eq!(shown(&good(&format!("\u{feff}{}", yaml.replace('\n', "\r\n")))), shown(&good(yaml)));
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
    let said = CampaignContent {
        name: "guide".into(),
        keywords: vec!["LINK".into()],
        dm: "Hello".into(),
        ..CampaignContent::default()
    };
    assert_eq!(campaign.content, said);
    assert_eq!(file.accounts[0].opt_out, OptOut::default());
    assert_eq!(file.warnings, []);
}

#[test]
fn the_flows_around_a_direct_message_are_read() {
    let file = good(&with_campaign(
        "keywords: [LINK]\ndm: \"{keyword}: {link}\"\nlinks: [{ url: 'https://example.com' }]\n\
         opening: { text: 'Want the {keyword}? Answer YES or SÍ', reply_words: [YES, sí] }\n\
         follow_gate: { text: Follow us first, button: I follow you, acknowledgement: One moment }\n\
         follow_up: { text: \"Again, {username}: {link}\", after_minutes: 60 }\n\
         dm_trigger: true\nbuttons: true\nrepeat: once_per_person",
    ));
    let content = &file.campaigns[0].content;
    let asks = Asks::Reply(vec!["YES".into(), "sí".into()]);
    assert_eq!(content.opening, Some(Opening { text: "Want the {keyword}? Answer YES or SÍ".into(), asks }));
    let gate = FollowGate {
        text: "Follow us first".into(),
        asks: Asks::Button("I follow you".into()),
        acknowledgement: Some("One moment".into()),
    };
    assert_eq!(content.follow_gate, Some(gate));
    let later = FollowUp { text: "Again, {username}: {link}".into(), after_minutes: 60 };
    assert_eq!(content.follow_up, Some(later));
    assert!(content.dm_trigger && content.buttons);
    assert_eq!(content.repeat, Repeat::OncePerPerson);
    // The button of the gate comes after an opening, when the person has written.
    assert_eq!(file.warnings, []);
}

#[test]
fn an_answer_is_one_word_several_or_whatever_is_written() {
    for (lines, asks) in [
        ("reply_words: YES", Asks::Reply(vec!["YES".into()])),
        ("reply_words: yes", Asks::Reply(vec!["yes".into()])),
        ("reply_words: [1, sí]", Asks::Reply(vec!["1".into(), "sí".into()])),
        ("button: 'Yes, please'", Asks::Button("Yes, please".into())),
        ("", Asks::Reply(Vec::new())),
        ("reply_words: []", Asks::Reply(Vec::new())),
    ] {
        let flow = format!("{{ text: 'Answer YES, sí or 1', {lines} }}");
        let lines = format!("match: any_word\ndm: hi\nopening: {flow}\nfollow_gate: {flow}");
        let file = good(&with_campaign(&lines));
        let content = &file.campaigns[0].content;
        assert_eq!(content.opening.as_ref().unwrap().asks, asks);
        assert_eq!(content.follow_gate.as_ref().unwrap().asks, asks);
    }
}

#[test]
fn people_opt_out_by_the_words_of_the_account() {
    let with = |keys: &str| {
        let file =
            format!("accounts: [{{ id: '1', username: b, token: t, opt_out: {{ {keys} }} }}]\ncampaigns: []");
        good(&file).accounts[0].opt_out.clone()
    };
    let default = OptOut::default();
    assert_eq!(with(""), OptOut::default());
    assert_eq!(with("stop_words: PARAR"), OptOut { stop_words: vec!["PARAR".into()], ..default });
    let all = with("stop_words: [no, stop it], start_words: [go], confirmation: 'Bye {username}'");
    assert_eq!(
        (all.stop_words, all.start_words, all.confirmation.as_str()),
        (vec!["no".to_owned(), "stop it".to_owned()], vec!["go".to_owned()], "Bye {username}")
    );
}

#[test]
fn what_works_but_may_surprise_comes_with_a_warning() {
    let warnings = |lines: &str| {
        let file = good(&with_campaign(lines));
        file.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let opening = "opening: { text: Want it? }";
    for (lines, places_and_words) in [
        (
            "opening: { text: Want it?, button: Yes }",
            &[("line 7, column 40: `button`", "refuses a first")][..],
        ),
        (
            "follow_gate: { text: Follow, button: Done }",
            &[("line 7, column 42: `button`", "refuses a first")],
        ),
        (
            "opening: { text: Want it?, reply_words: YES }",
            &[("line 7, column 45: `reply_words`", "none of them")],
        ),
        (
            "follow_up: { text: Hello again, after_minutes: 60 }",
            &[("line 7, column 16: `follow_up`", "a comment does not count")],
        ),
        ("dm_trigger: true\nfollow_up: { text: Hello again, after_minutes: 60 }", &[]),
        (&format!("{opening}\nfollow_up: {{ text: Hello again, after_minutes: 1439 }}"), &[]),
        (
            &format!("{opening}\nfollow_up: {{ text: Hello again, after_minutes: 1440 }}"),
            &[("line 8, column 52: `after_minutes`", "24 hours have passed")],
        ),
        (&format!("links: [{{ url: 'https://a.b' }}]\nopening: {{ text: \"{}\" }}", "a".repeat(1000)), &[]),
    ] {
        let found = warnings(&format!("match: any_word\ndm: hi\n{lines}"));
        assert_eq!(found.len(), places_and_words.len(), "{lines}: {found:?}");
        for (found, (place, words)) in found.iter().zip(places_and_words) {
            assert!(found.starts_with(place) && found.contains(words), "{lines}: {found}");
        }
    }
    let dm =
        format!("match: any_word\nlinks: [{{ url: 'https://a.b' }}]\ndm: \"{} {{link}}\"", "a".repeat(950));
    let found = warnings(&dm);
    assert!(
        matches!(found.as_slice(), [one] if one.contains("with tracked links it takes up to 1031")),
        "{found:?}"
    );
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
