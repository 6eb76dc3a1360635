//! What messages read like, as tables, and what holds for every template and name.

use super::{
    Length, MAX_BUTTONS_TEXT_CHARS, MAX_MESSAGE_BYTES, MAX_REPLY_CHARS, Values, places_link, plain_message,
    public_reply, text_over_buttons,
};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

const GUIDE: &str = "https://example.com/guide";
const SHOP: &str = "https://shop.example.com/?a=1&b={username}";

fn direct_message(template: &str, username: Option<&str>, links: &[&str]) -> String {
    super::direct_message(template, &Values { username, links, ..Values::default() })
}

fn longest_direct_message(template: &str, links: &[&str]) -> usize {
    super::longest_direct_message(template, &Values { links, ..Values::default() }).bytes
}

#[test]
fn a_name_stands_where_the_template_wants_it() {
    for (template, name, expected) in [
        ("Hi {username}!", "anna", "Hi anna!"),
        ("{username}, hi {username}", "anna", "anna, hi anna"),
        ("{username}", "anna.b_c", "anna.b_c"),
        (
            "Hi {name} {USERNAME} {user name} {}{{username}}",
            "anna",
            "Hi {name} {USERNAME} {user name} {}{anna}",
        ),
        ("Hi {username", "anna", "Hi {username"),
        ("  Hi {username}\n\n  there  \n", "anna", "Hi anna\n\n  there"),
        // What a person calls themselves is neither a template nor a layout.
        ("Hi {username}!", "{link}", "Hi {link}!"),
        ("Hi {username}!", "{username}", "Hi {username}!"),
        ("Hi {username}!", "a\nb\r\n\tc", "Hi a b c!"),
        ("Hi {username}!", "\u{202E}an\u{200B}na\u{2066}\u{0}\u{7}\u{FEFF}", "Hi anna!"),
        ("Hi {username}!", "  anna  ", "Hi anna!"),
    ] {
        assert_eq!(direct_message(template, Some(name), &[]), expected, "{template:?} {name:?}");
        assert_eq!(public_reply(template, Some(name)), expected, "{template:?} {name:?}");
    }
}

#[test]
fn a_missing_name_reads_well() {
    for (template, expected) in [
        ("Hi {username}!", "Hi!"),
        ("Hi {username}, here it is", "Hi, here it is"),
        ("Hey {username}, see", "Hey, see"),
        ("Hi {username} , see", "Hi, see"),
        ("Hi {username} 👋", "Hi 👋"),
        ("Hi {username} :)", "Hi :)"),
        ("Hi {username} \"see below\"", "Hi \"see below\""),
        ("Hi {username} - here it is", "Hi - here it is"),
        ("Hi {username}. Here it is", "Hi. Here it is"),
        ("Hi {username}... here", "Hi... here"),
        ("Hi {username}?!", "Hi?!"),
        ("Danke {username}", "Danke"),
        ("Danke, {username}", "Danke"),
        ("Danke, {username}.", "Danke."),
        ("Hi, {username}!", "Hi!"),
        ("Hi, {username}, here", "Hi, here"),
        ("Hi, {username} 👋", "Hi 👋"),
        ("Ok, {username} here it is", "Ok, here it is"),
        ("For: {username}\nSee below", "For\nSee below"),
        ("Hi {username} there", "Hi there"),
        ("Hi  {username}  there", "Hi there"),
        ("Hi {username}\nHere it is", "Hi\nHere it is"),
        ("Hi\n{username}\nhere", "Hi\nhere"),
        ("Hi\n\n{username}\n\nhere", "Hi\n\nhere"),
        ("Hi\r\n{username}\r\nhere", "Hi\r\nhere"),
        ("Hi!\n{username}, here it is", "Hi!\nHere it is"),
        ("{username}, here it is", "Here it is"),
        ("{username}: here it is", "Here it is"),
        ("{username} - here it is", "Here it is"),
        ("{username},\n\nhere it is", "Here it is"),
        ("{username}! Here it is", "Here it is"),
        ("{username} here it is", "Here it is"),
        ("{username} 🎉 here", "🎉 here"),
        ("{username}, iPhone cases", "iPhone cases"),
        ("{username}, indirim burada", "indirim burada"),
        ("{username}, example.com/a", "example.com/a"),
        ("{username}, https://example.com", "https://example.com"),
        ("{username} :) here", ":) here"),
        ("Thanks! {username}, here it is", "Thanks! Here it is"),
        ("Thanks! {username}!", "Thanks!"),
        ("🎉 {username}, here it is", "🎉 here it is"),
        ("❤️ {username}, here it is", "❤️ here it is"),
        ("🎉{username}!", "🎉"),
        ("Hi @{username}!", "Hi!"),
        ("@{username} check your inbox", "Check your inbox"),
        ("Thanks ({username})!", "Thanks!"),
        ("Thanks *{username}*, see", "Thanks, see"),
        ("Hi “{username}”, see", "Hi, see"),
        ("(Hi, {username})", "(Hi)"),
        ("\"Hi {username}\"", "\"Hi\""),
        ("\"{username}, hello\"", "\"Hello\""),
        ("Thanks (really), {username}!", "Thanks (really)!"),
        ("This is {username}'s guide", "This is guide"),
        ("¡Hola {username}! Aquí", "¡Hola! Aquí"),
        ("¡{username}! Aquí está", "Aquí está"),
        ("¡{username}, hola!", "¡Hola!"),
        ("Salut {username} !", "Salut !"),
        ("Salut {username}\u{A0}!", "Salut\u{A0}!"),
        ("{username}, élan", "Élan"),
        ("{username}, ბმული", "ბმული"),
        ("{username}, вот ссылка", "Вот ссылка"),
        ("Привет, {username}! Вот", "Привет! Вот"),
        ("{username}さん、こちらです", "こちらです"),
        ("こんにちは、{username}さん！リンクです", "こんにちは！リンクです"),
        ("{username}님, 링크입니다", "링크입니다"),
        ("亲爱的{username}，你好", "亲爱的，你好"),
        ("مرحبا {username}، تفضل", "مرحبا، تفضل"),
        ("नमस्ते {username}, लिंक", "नमस्ते, लिंक"),
        ("Hi {username} and {username}!", "Hi and!"),
        ("{username} {username}, hi", "Hi"),
        ("{username}", ""),
        (" {username}! ", ""),
        ("", ""),
    ] {
        for missing in [None, Some(""), Some(" \n\u{200B}\u{7}")] {
            assert_eq!(direct_message(template, missing, &[]), expected, "{template:?}");
            assert_eq!(public_reply(template, missing), expected, "{template:?}");
        }
    }
}

#[test]
fn links_stand_where_the_template_wants_them_or_at_the_end() {
    let none: &[&str] = &[];
    for (template, name, links, expected) in [
        ("Here: {link}", None, &[GUIDE][..], format!("Here: {GUIDE}")),
        ("{link}", None, &[GUIDE], GUIDE.to_owned()),
        ("See {link} and {link2}.", None, &[GUIDE, SHOP], format!("See {GUIDE} and {SHOP}.")),
        ("{link3} {link2} {link}", None, &["a:1", "a:2", "a:3"], "a:3 a:2 a:1".to_owned()),
        ("{link} {link}", None, &[GUIDE], format!("{GUIDE} {GUIDE}")),
        ("Hi {username}! {link}", Some("anna"), &[GUIDE], format!("Hi anna! {GUIDE}")),
        ("Hi {username} {link}", None, &[GUIDE], format!("Hi {GUIDE}")),
        ("Hi, {username}: {link}", None, &[GUIDE], format!("Hi: {GUIDE}")),
        ("{username}, {link}", None, &[GUIDE], GUIDE.to_owned()),
        ("{link} {username}, enjoy", None, &[GUIDE], format!("{GUIDE} enjoy")),
        ("{link} {username}!", None, &[GUIDE], GUIDE.to_owned()),
        // No link in the text: it is appended.
        ("Enjoy!", None, &[GUIDE], format!("Enjoy!\n{GUIDE}")),
        ("Enjoy!\n\n", None, &[GUIDE, SHOP], format!("Enjoy!\n{GUIDE}")),
        ("", None, &[GUIDE], GUIDE.to_owned()),
        ("{username}", None, &[GUIDE], GUIDE.to_owned()),
        ("Second: {link2}", None, &[GUIDE, SHOP], format!("Second: {SHOP}\n{GUIDE}")),
        ("Hi {username}", Some("{link}"), &[GUIDE], format!("Hi {{link}}\n{GUIDE}")),
        ("https://example.org/?u={username}", Some("anna"), none, "https://example.org/?u=anna".to_owned()),
        // The template spells it out: once is enough.
        ("See https://example.com/guide.", None, &[GUIDE], format!("See {GUIDE}.")),
        ("See https://example.com/guide2", None, &[GUIDE], format!("See {GUIDE}2\n{GUIDE}")),
        // None configured.
        ("Here it is: {link}", None, none, "Here it is".to_owned()),
        ("Here it is: {link}!", None, none, "Here it is!".to_owned()),
        ("Here ({link}) it is", None, none, "Here it is".to_owned()),
        ("Hi {username}! {link} {link2}", Some("anna"), none, "Hi anna!".to_owned()),
        (
            "Links:\n- {link}\n- {link2}\n- {link3}\nEnjoy",
            None,
            &[GUIDE],
            format!("Links:\n- {GUIDE}\nEnjoy"),
        ),
        ("Hi, {username} {link2}!", None, &[GUIDE], format!("Hi!\n{GUIDE}")),
        ("{link4} {links} {Link}", None, none, "{link4} {links} {Link}".to_owned()),
    ] {
        assert_eq!(direct_message(template, name, links), expected, "{template:?} {name:?}");
    }
}

#[test]
fn a_keyword_stands_as_the_campaign_has_it_and_leaves_no_gap() {
    for (template, keyword, expected) in [
        ("You wrote {keyword}, {username}: here", Some("LINK"), "You wrote LINK: here"),
        ("{keyword}? Of course", Some("guía"), "guía? Of course"),
        ("Here is the {keyword}!", None, "Here is the!"),
        ("\"{keyword}\", here you go", None, "Here you go"),
        ("{keyword}: {link}", Some("{link}"), "{link}"),
    ] {
        let values = Values { keyword, ..Values::default() };
        assert_eq!(plain_message(template, &values), expected, "{template:?}");
        assert_eq!(super::direct_message(template, &values), expected, "{template:?}");
        assert_eq!(text_over_buttons(template, &values), expected, "{template:?}");
    }
    assert_eq!(public_reply("{keyword}", Some("anna")), "{keyword}");
}

#[test]
fn a_plain_message_has_the_links_that_it_places_and_no_other() {
    let values = Values { links: &[GUIDE, SHOP], ..Values::default() };
    for (template, expected) in [
        ("How did it go?", "How did it go?".to_owned()),
        ("Again: {link}", format!("Again: {GUIDE}")),
        ("And {link2}!", format!("And {SHOP}!")),
        ("And {link3}!", "And!".to_owned()),
    ] {
        assert_eq!(plain_message(template, &values), expected);
        assert!(super::longest_plain_message(template, &values).bytes >= expected.len());
    }
    assert!(places_link("x {link2}", 1) && !places_link("x {link2}", 0) && !places_link("{link2", 1));
}

#[test]
fn a_text_over_buttons_fits_both_limits() {
    let none = Values::default();
    assert_eq!(text_over_buttons(&"a".repeat(700), &none), "a".repeat(MAX_BUTTONS_TEXT_CHARS));
    assert_eq!(text_over_buttons(&"値".repeat(640), &none), "値".repeat(333));
    let long = super::longest_plain_message(&"é".repeat(640), &none);
    assert_eq!(long, Length { bytes: 1280, chars: 640 });
}

#[test]
fn a_public_reply_leaves_links_as_written() {
    assert_eq!(public_reply("{username}: {link} {link2}", Some("anna")), "anna: {link} {link2}");
    assert_eq!(public_reply("Hi {username} {link}", None), "Hi {link}");
    assert_eq!(public_reply("See {link}", None), "See {link}");
}

#[test]
fn text_gives_way_and_links_do_not() {
    let long = |unit: &str, times: usize| unit.repeat(times);
    let link = format!("https://example.com/{}", "x".repeat(80));
    for (template, name, links, expected) in [
        // The end of the last text goes first.
        (
            format!("{} {{link}} {}", long("a", 400), long("b", 600)),
            None,
            vec![&*link],
            format!("{} {link} {}", long("a", 400), long("b", 498)),
        ),
        // Then the text before, whose space outlasts it.
        (
            format!("{} {{link}} tail", long("a", 990)),
            None,
            vec![&*link],
            format!("{} {link}", long("a", 899)),
        ),
        (format!("{}\n{{link}}", long("a", 990)), None, vec![&*link], format!("{}\n{link}", long("a", 899))),
        (long("a", 1000), None, vec![&*link], format!("{}\n{link}", long("a", 899))),
        (format!("{}{{link}}", long("a", 990)), None, vec![&*link], format!("{} {link}", long("a", 899))),
        // A name is text.
        (
            "Hi {username}! {link}".to_owned(),
            Some(long("n", 2000)),
            vec![&*link],
            format!("Hi {} {link}", long("n", 896)),
        ),
        ("Hi {username}!".to_owned(), Some(long("n", 2000)), vec![], format!("Hi {}", long("n", 997))),
        // Whole graphemes: 25, 3 and 6 bytes each.
        (long("👨‍👩‍👧‍👦", 60), None, vec![], long("👨‍👩‍👧‍👦", 40)),
        (format!("x{}", long("👨‍👩‍👧‍👦", 60)), None, vec![], format!("x{}", long("👨‍👩‍👧‍👦", 39))),
        (long("e\u{301}", 400), None, vec![], long("e\u{301}", 333)),
        (format!("{} {{link}}", long("नि", 200)), None, vec![&*link], format!("{} {link}", long("नि", 149))),
        // A link that the template spells out.
        (
            format!("{{username}} {link} {{username}}"),
            Some(long("n", 980)),
            vec![],
            format!("{} {link}", long("n", 899)),
        ),
        // Exactly full.
        (long("a", 1000), None, vec![], long("a", 1000)),
        (long("a", 1001), None, vec![], long("a", 1000)),
    ] {
        let message = direct_message(&template, name.as_deref(), &links);
        assert_eq!(message, expected, "{template:?}");
        assert!(message.len() <= MAX_MESSAGE_BYTES);
    }
}

#[test]
fn links_that_cannot_all_stay_are_kept_whole_or_left_out() {
    let (a, b, c) = ("a".repeat(600), "b".repeat(500), "c".repeat(390));
    let links = [&*a, &*b, &*c];
    assert_eq!(direct_message("1 {link} 2 {link2} 3 {link3} 4", None, &links), format!("1 {a} 2  3 {c} 4"));
    assert_eq!(direct_message("{link}{link2}", None, &[&a, &c]), format!("{a}{c}"));
    // The space between two links is needed, the words are not.
    assert_eq!(
        direct_message("{link} or else {link2}", None, &[&a, &"d".repeat(399)]),
        format!("{a} {}", "d".repeat(399))
    );
    assert_eq!(direct_message("{link} {link2}", None, &[&a, &"d".repeat(400)]), a);
    assert_eq!(direct_message("hello {link}", None, &[&"x".repeat(1001)]), "hello");
    assert_eq!(direct_message("hello {link}", None, &[&"x".repeat(1000)]), "x".repeat(1000));
}

#[test]
fn a_public_reply_is_cut_by_characters() {
    assert_eq!(public_reply(&"é".repeat(1001), None), "é".repeat(1000));
    assert_eq!(public_reply(&format!("x{}", "👨‍👩‍👧‍👦".repeat(200)), None), format!("x{}", "👨‍👩‍👧‍👦".repeat(142)));
    assert_eq!(
        public_reply(&format!("{} {GUIDE}", "a".repeat(999)), None),
        format!("{} {GUIDE}", "a".repeat(974))
    );
}

#[test]
fn the_longest_message_counts_what_a_campaign_sends_without_a_name() {
    for (template, links, expected) in [
        ("", &[][..], 0),
        ("{username}!", &[], 0),
        ("Hi {username}!", &[], 3),
        ("Olá", &[], 4),
        ("{link}", &[GUIDE], GUIDE.len()),
        ("Hi", &[GUIDE], 3 + GUIDE.len()),
        ("Hi {link}", &["a:b", GUIDE, "c:d"], 3 + GUIDE.len()),
        ("{link} {link2}", &["a:b", GUIDE], 1 + 2 * GUIDE.len()),
        ("{link2}", &["a:b", GUIDE], 1 + 2 * GUIDE.len()),
        ("https://a.b {link2}", &["https://a.b", GUIDE], 12 + GUIDE.len()),
        ("https://example.com/guide", &["a:b", GUIDE], 1 + 2 * GUIDE.len()),
    ] {
        assert_eq!(longest_direct_message(template, links), expected, "{template:?}");
    }
    assert_eq!(longest_direct_message(&"a".repeat(1200), &[GUIDE]), 1201 + GUIDE.len());
}

fn template() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = concat!(
        "{username}|{username}|{link}|{link2}|{link3}|Hi|here it is| | |, |,|!|. |: |\n|(|",
        ")|@|- |\"|'s|👨‍👩‍👧‍👦|🇩🇪🇫🇷|e\u{301}|नि|さん、|¡|https://example.org/x |{|}|{other}|",
        "loooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooong",
    )
    .split('|')
    .collect();
    prop_oneof![
        3 => prop::collection::vec(prop::sample::select(pieces), 0..60).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

fn name() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop_oneof![
        "[a-z0-9._]{1,30}",
        "[a-z👨e\u{301}\u{200D}]{800,1300}",
        any::<String>(),
        Just("{link} {username} {link2}".to_owned()),
    ])
}

fn links() -> impl Strategy<Value = Vec<String>> {
    let link = prop_oneof![4 => "https://[a-z]{3,40}/[a-z0-9?=&]{0,60}", 1 => "https://[a-z]{300,1100}"];
    prop::collection::vec(link, 0..4)
}

proptest! {
    #[test]
    fn a_message_always_fits(template in template(), name in name(), links in links()) {
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        prop_assert!(direct_message(&template, name.as_deref(), &links).len() <= MAX_MESSAGE_BYTES);
        prop_assert!(public_reply(&template, name.as_deref()).chars().count() <= MAX_REPLY_CHARS);
    }

    #[test]
    fn links_that_fit_are_all_there_and_whole(template in template(), name in name(), links in links()) {
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let placed: Vec<&str> = ["{link}", "{link2}", "{link3}"]
            .iter()
            .zip(&links)
            .flat_map(|(placeholder, link)| vec![*link; template.matches(placeholder).count()])
            .chain(vec!["https://example.org/x"; template.matches("https://example.org/x").count()])
            .collect();
        let first = links.first().copied();
        let all = placed.iter().copied().chain(first);
        let message = direct_message(&template, name.as_deref(), &links);
        if all.clone().map(|link| link.len() + 1).sum::<usize>() <= MAX_MESSAGE_BYTES {
            for link in all {
                prop_assert!(message.contains(link), "{:?} lacks {}", message, link);
            }
        }
        // Whatever begins like a link is one of them, to its end.
        for (at, _) in message.match_indices("https://") {
            let known = placed.iter().copied().chain(first).any(|link| message[at..].starts_with(link));
            let own = template.contains("https://") || name.as_deref().is_some_and(|name| name.contains("https://"));
            prop_assert!(known || own, "{:?} cuts a link at {}", message, at);
        }
    }

    #[test]
    fn text_is_cut_between_graphemes(text in "([a-z ]|👨‍👩‍👧‍👦|🇩🇪|e\u{301}|नि){300,500}", link in prop::option::of(Just(GUIDE))) {
        let links: Vec<&str> = link.into_iter().collect();
        let message = direct_message(&text, None, &links);
        let kept = message.strip_suffix(GUIDE).unwrap_or(&message).trim_end();
        let graphemes: Vec<&str> = text.trim().graphemes(true).take(kept.graphemes(true).count()).collect();
        prop_assert_eq!(graphemes.concat(), kept);
        // No more is cut than need be: the next grapheme, with the space before it, would not fit.
        let rest = &text.trim()[kept.len()..];
        if let Some(next) = rest.trim_start().graphemes(true).next() {
            let space = rest.len() - rest.trim_start().len();
            let with_next = kept.len() + space + next.len() + link.map_or(0, |link| 1 + link.len());
            prop_assert!(with_next > MAX_MESSAGE_BYTES, "{:?} would fit", next);
        }
    }

    #[test]
    fn a_name_is_never_a_template(name in "[{}a-z ]{0,12}(\\{link\\}|\\{link2\\}|\\{username\\})[{}a-z ]{0,12}") {
        let shown = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("Hi {shown}! {GUIDE}");
        prop_assert_eq!(direct_message("Hi {username}! {link}", Some(&name), &[GUIDE, SHOP]), expected);
    }

    #[test]
    fn a_missing_name_leaves_no_trace(before in "[A-Za-z]{1,8}", after in "[a-z]{1,8}", mark in "[,.!?]", name in "[a-z]{1,9}") {
        let template = format!("{before} {{username}}{mark} {after}");
        prop_assert_eq!(direct_message(&template, None, &[]), format!("{before}{mark} {after}"));
        prop_assert_eq!(direct_message(&template, Some(&name), &[]), format!("{before} {name}{mark} {after}"));
    }

    #[test]
    fn what_the_file_check_accepts_is_not_cut(template in template(), links in links()) {
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let longest = longest_direct_message(&template, &links);
        let message = direct_message(&template, None, &links);
        if longest <= MAX_MESSAGE_BYTES {
            prop_assert!(message.len() <= longest);
            prop_assert_eq!(longest == 0, message.is_empty());
            prop_assert!(links.first().is_none_or(|link| message.contains(link)));
        }
    }
}
