//! Files that are refused: each mistake with the message that a person gets to read.

use super::good_files::with_campaign;
use crate::campaign_file::parse;
use serde_json::json;

/// Shows every file with what is wrong with it. The snapshots are for people to judge: messages are part of
/// the product.
fn refused(name: &str, files: &[String]) {
    let mut shown = String::new();
    for text in files {
        let errors = parse(text).expect_err(text);
        shown.push_str(&format!("{}\n{errors}\n\n", text.trim_end().replace('\t', "\\t")));
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, shown) });
}

/// A file with an account that has these keys.
fn with_account(keys: &str) -> String {
    format!("accounts: [{{ {keys} }}]\ncampaigns: []")
}

/// A file with a good account and these campaigns, from line 2 on.
fn with_campaigns(campaigns: &str) -> String {
    format!("accounts: [{{ id: '1', username: bakery, token: t }}]\ncampaigns:{campaigns}")
}

/// A file with a good campaign that has these keys as well, on line 2.
fn with_keys(keys: &str) -> String {
    with_campaigns(&format!(" [{{ id: c, account: '1', match: any_word, dm: hi, {keys} }}]"))
}

#[test]
fn an_empty_file_says_what_it_needs() {
    refused(
        "an_empty_file_says_what_it_needs",
        &[
            "".to_owned(),
            "# nothing yet\n".to_owned(),
            "---\n".to_owned(),
            "null".to_owned(),
            "{}".to_owned(),
            "[]".to_owned(),
            "hello".to_owned(),
            "accounts:\ncampaigns:\n".to_owned(),
            "accounts: []\ncampaigns: []\n".to_owned(),
            "accounts: {}\ncampaigns: 5\n".to_owned(),
        ],
    );
}

#[test]
fn text_that_is_neither_yaml_nor_json_comes_with_advice() {
    refused(
        "text_that_is_neither_yaml_nor_json_comes_with_advice",
        &[
            "accounts:\n\t- id: 1\n".to_owned(),
            with_campaign("dm: Hi: you\nkeywords: [a]"),
            with_campaign("dm: hi\n  keywords: [a]"),
            with_campaign("dm: @you\nkeywords: [a]"),
            with_campaign("dm: *you\nkeywords: [a]"),
            with_campaign("dm: 'it's'\nkeywords: [a]"),
            with_campaign("dm: \"a\\qb\"\nkeywords: [a]"),
            with_campaign("dm: \"a\nkeywords: [a]"),
            with_campaign("dm: hi\nkeywords: [a"),
            with_campaign("dm: hi\nkeywords: [#link]"),
            with_campaign("dm: hi\nkeywords: [link, #guide]"),
            with_campaign("dm: !html hi\nkeywords: [a]"),
            with_campaign("dm hi\nkeywords: [a]"),
            r#"{"accounts": [] "campaigns": []}"#.to_owned(),
            r#"{"accounts": [], "campaigns": []"#.to_owned(),
            r#"{"accounts": [], "campaigns": []} x"#.to_owned(),
            r#"{"accounts": "\ud83d"}"#.to_owned(),
            "accounts: []\ncampaigns: []\n---\naccounts: []\n".to_owned(),
            "%YAML 1.2\n---\naccounts: []\n".to_owned(),
        ],
    );
}

#[test]
fn every_key_is_known_and_stands_once() {
    refused(
        "every_key_is_known_and_stands_once",
        &[
            "account: []\ncampaign: []\n".to_owned(),
            with_campaign("dm: hi\nkeyword: [a]\nnmae: x\nflow_gate: true"),
            with_campaign("dm: hi\ndm: ho\nkeywords: [a]\nkeywords: [b]\nDM: hey"),
            with_campaign("? [x]\n: y\n<<: {}\ndm: hi\nkeywords: [a]"),
            with_keys("links: [{ url: https://example.com, title: Go }]"),
            with_account("id: 1, user: bakery, token: t"),
            with_campaigns("\n  - {}\n  - ~\n  - guide\n"),
        ],
    );
}

#[test]
fn every_value_has_its_kind() {
    refused(
        "every_value_has_its_kind",
        &[
            with_campaign("dm:\nkeywords: [[a], {b: c}, ~, ok]"),
            with_campaign("dm: {link}\nkeywords:\n  - #link"),
            with_campaign("dm: [x]\nkeywords: LINK\nactive: yes"),
            with_campaign("dm: hi\nkeywords:\nlinks: { url: x }\npublic_replies: hi"),
            with_keys("active: 'true'"),
            with_keys("active: ~"),
            with_keys("links: [https://example.com]"),
            with_keys("name: [a]"),
            "accounts: [bakery]\ncampaigns: []".to_owned(),
        ],
    );
}

#[test]
fn accounts_are_complete_and_listed_once() {
    refused(
        "accounts_are_complete_and_listed_once",
        &[
            with_account(""),
            with_account("id: bakery, username: '@bakery', token: ''"),
            with_account("id: 1.78414e16, username: 'my bakery', token: 'a b'"),
            with_account(r#"id: '', username: '', token: "t\n""#),
            with_account("id: 1/2, username: abcdefghijklmnopqrstuvwxyzabcde, token: tökén"),
            with_account("id: 1, username: b, token: t, token_env: BAKERY_TOKEN"),
            with_account("id: 1, username: b, token_env: bakery-token"),
            with_account("id: 1, username: b, token_env: 1TOKEN"),
            with_account("id: 1, username: b, token_env: ''"),
            with_account("id: 1, username: b, token: t, token_ends: 29.01.2027"),
            with_account("id: 1, username: b, token: t, token_ends: 2027-02-30"),
            with_account(
                "id: 1, username: b, token: t }, { id: 2, username: c, token: t },\n  { id: 1, username: d, token: t",
            ),
        ],
    );
}

#[test]
fn campaigns_have_ids_and_accounts() {
    refused("campaigns_have_ids_and_accounts", &[
        with_campaigns("\n  - { id: Free Guide, account: bakery, match: any_word, dm: hi }\n  - { id: '', account: 2, match: any_word, dm: hi }\n  - { id: free_guide, account: '@Bakery', match: any_word, dm: hi }\n  - { id: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, account: nobody, match: any_word, dm: hi }\n"),
        with_campaigns("\n  - { id: a, account: 1, match: any_word, dm: hi }\n  - { id: b, account: 1, match: any_word, dm: hi }\n  - { id: a, account: 1, match: any_word, dm: hi }\n  - { id: a, account: 1, match: any_word, dm: '' }\n"),
        "accounts: [{ id: x, username: b, token: t }]\ncampaigns: [{ id: a, account: 2, match: any_word, dm: hi }]".to_owned(),
    ]);
}

#[test]
fn keywords_and_posts_mean_something() {
    refused(
        "keywords_and_posts_mean_something",
        &[
            with_campaign("dm: hi"),
            with_campaign("dm: hi\nkeywords: []"),
            with_campaign("dm: hi\nmatch: any_word\nkeywords: [a]"),
            with_campaign("dm: hi\nmatch: exact\nkeywords: [a]"),
            with_campaign("dm: hi\nmatch: 'whole word!'\nkeywords: [a]"),
            with_campaign(
                "dm: hi\nkeywords: [' ', \"\\u200B\", Preço, link, PRECO, ＬＩＮＫ, 'link ', \"a\\tb\"]",
            ),
            with_keys("post: nextreel"),
            with_keys("post: https://www.instagram.com/p/C0/"),
            with_keys("post: 1.79e16"),
            with_keys("post: ''"),
            with_keys("name: ' '"),
            with_keys(r#"name: "a\nb""#),
        ],
    );
}

#[test]
fn messages_say_what_people_will_see() {
    refused(
        "messages_say_what_people_will_see",
        &[
            with_campaign("dm: ' '\nmatch: any_word"),
            with_campaign("dm: 'Hi {name} {Username} {link4} {username {link}'\nmatch: any_word"),
            with_campaign("dm: '{link} {link2}'\nmatch: any_word\nlinks: [{ url: https://example.com }]"),
            with_campaign("dm: 'Hi {{username}}'\nmatch: any_word"),
            with_campaign("dm: '{username} '\nmatch: any_word"),
            with_campaign("dm: 'Here: {link}'\nmatch: any_word\nlinks: []"),
            with_campaign("dm: \"bell\\a\"\nmatch: any_word"),
            with_keys(r#"public_replies: ['', 'Hi {name}', 'See {link}', '{username}', "a\rb", ok]"#),
        ],
    );
}

#[test]
fn links_are_checked() {
    refused(
        "links_are_checked",
        &[
            with_keys(
                "links: [{}, { url: http://example.com }, { url: https://example.com, label: '' },\n  { url: https://example.com }]",
            ),
            with_keys(
                "links: [{}, { url: http://example.com }, { url: https://example.com, label: a label that is too long }]",
            ),
        ],
    );
}

#[test]
fn limits_are_told() {
    let words = |count: usize| (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>().join(", ");
    let url = format!("https://example.com/{}", "x".repeat(400));
    let dm = format!("'{}{{link}}'", "x".repeat(581));
    let links = format!("[{{ url: https://example.com }}, {{ url: {url} }}]");
    let campaign = |n| json!({ "id": format!("c{n}"), "account": "1", "match": "any_word", "dm": "hi" });
    let campaigns: Vec<_> = (0..502).map(|n| campaign(n).to_string()).collect();
    for (text, expected) in [
        (with_campaign(&format!("dm: hi\nkeywords: [{}]", words(51))), "at most 50, found 51"),
        (
            with_campaign(&format!("dm: hi\nkeywords: [{}]", "é".repeat(101))),
            "at most 100 characters, found 101",
        ),
        (with_keys(&format!("name: {}", "é".repeat(101))), "at most 100 characters, found 101"),
        (with_keys(&format!("public_replies: [{}]", words(11))), "at most 10, found 11"),
        (
            with_keys(&format!("public_replies: [{}]", "é".repeat(1001))),
            "at most 1000 characters, found 1001",
        ),
        (with_keys(&format!("links: [{}]", words(4))), "at most 3, found 4"),
        (
            with_campaign(&format!("match: any_word\ndm: {}", "é".repeat(501))),
            "1000 bytes of UTF-8, found 1002",
        ),
        (
            with_campaign(&format!("match: any_word\ndm: {dm}\nlinks: {links}")),
            "1000 bytes of UTF-8 with its longest link, found 1001",
        ),
        (
            with_campaigns(&format!("\n  - {}\n", campaigns.join("\n  - "))),
            "line 503, column 5: expected at most 500",
        ),
    ] {
        let errors = parse(&text).expect_err(&text).to_string();
        assert!(errors.contains(expected), "{errors}\n{text}");
    }
}

#[test]
fn a_token_that_stands_where_none_belongs_is_not_repeated() {
    let token = format!("IGAA{}", "Q7x".repeat(40));
    for text in [
        with_account(&format!("id: 1, username: b, token:{token}")),
        with_account(&format!("id: 1, username: b, token: [{token}]")),
        with_account(&format!("id: 1, username: b, token: {{{token}: x}}")),
        with_account(&format!("id: 1, username: b, token_env: {token}")),
        with_account(&format!("id: 1, username: b, token_env: {}", token.to_uppercase())),
        with_account(&format!("id: 1, username: b, {token}: t")),
        with_account(&format!("id: 1, username: b, token: *{token}")),
        with_account(&format!("id: 1, username: b, token: !{token} x")),
        with_account(&format!("id: 1, username: b, token: {token} {token}")),
        with_account(&format!("id: 1, username: {token}, token: '{token}\\n '")),
        with_account(&format!("id: {token}, username: b, token: \"{token}\\n\"")),
        with_account(&format!("id: 1, username: b, token: \"{token}\\q\"")),
        with_account(&format!("id: 1, username: b, token: \"{token}")),
        format!("accounts:\n  - id: 1\n    username: b\n    token {token}\ncampaigns: []\n"),
        format!("accounts:\n  - id: 1\n    username: b\n    token:\n      {token}:\ncampaigns: []\n"),
        format!("accounts:\n  - {token}\ncampaigns: {token}\n"),
        with_keys(&format!("post: {token}/, name: {token}, active: {token}, links: {token}")),
        with_campaigns(&format!(
            " [{{ id: {token}, account: '{token}!', match: {token}, dm: '{{{token}}}' }}]"
        )),
        with_campaigns(&format!(" [{{ id: c, account: 1, match: any_word, dm: '{{{token}}} {{username' }}]")),
        token,
    ] {
        let errors = parse(&text).expect_err(&text);
        let shown = format!("{errors} {errors:?}").to_uppercase();
        assert!(!shown.contains("Q7XQ7X"), "{text}\n{errors}");
    }
}

#[test]
fn what_precedes_and_follows_a_message_is_checked() {
    let button = "x".repeat(21);
    let long = "x".repeat(641);
    refused(
        "what_precedes_and_follows_a_message_is_checked",
        &[
            with_keys("opening: hi"),
            with_keys("opening: {}, follow_gate: {}, follow_up: {}"),
            with_keys("opening: { text: hi, reply_words: [YES], button: Yes }"),
            with_keys(
                "follow_gate: { text: '', reply_words: [YES, yes, ''], acknowledgement: '{username}' }",
            ),
            with_keys(&format!("opening: {{ text: hi, button: {button} }}")),
            with_keys("opening: { text: 'Here: {link}' }, links: [{ url: https://example.com }]"),
            with_keys("opening: { text: 'Hi {name}, {keyword}' }"),
            with_keys(&format!("follow_gate: {{ text: {long}, button: Done }}")),
            with_keys(&format!("opening: {{ text: '{}' }}", "é".repeat(501))),
            with_keys("follow_up: { text: 'Here: {link}', after_minutes: 0 }"),
            with_keys("follow_up: { text: hi, after_minutes: 10081 }"),
            with_keys("follow_up: { text: hi, after_minutes: an hour }"),
            with_keys("follow_up: { text: hi, after_minutes: '60' }"),
            with_keys("follow_up: { text: hi, after_minutes: +6.5 }"),
            with_keys("repeat: never, dm_trigger: 1, buttons: maybe"),
            with_keys("buttons: true, links: [{ url: https://example.com }], keywords: []")
                .replace("dm: hi", &format!("dm: {long}")),
        ],
    );
}

#[test]
fn opting_out_is_told_by_words_that_mean_one_thing() {
    let opt_out = |keys: &str| with_account(&format!("id: 1, username: b, token: t, opt_out: {{ {keys} }}"));
    refused(
        "opting_out_is_told_by_words_that_mean_one_thing",
        &[
            opt_out("stop_words: [], start_words: ''"),
            opt_out("stop_words: [stop, STOP]"),
            opt_out("stop_words: [no], start_words: [yes, No]"),
            opt_out("stop_words: [Start]"),
            opt_out("start_words: unsubscribe"),
            opt_out("confirmation: 'See {link}'"),
            opt_out("confirmation: '{username}'"),
            opt_out("stop: [x]"),
        ],
    );
}
