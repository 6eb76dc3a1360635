//! Whatever a file holds, it is read or refused: no panic, no endless expansion, no token shown.

use super::good_files::{EXAMPLE, with_campaign};
use crate::campaign_file::parse;
use proptest::prelude::*;

/// Pieces of which YAML, JSON and campaign files are made.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "accounts",
        "campaigns",
        "id",
        "account",
        "username",
        "token",
        "token_env",
        "keywords",
        "dm",
        "links",
        "url",
        "label",
        "match",
        "post",
        "active",
        "public_replies",
        "name",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n    - ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "\"",
        "'",
        "|",
        ">",
        "&a ",
        "*a",
        "!!str ",
        "!x ",
        "? ",
        "---\n",
        "...",
        "#",
        "%",
        "~",
        "null",
        "true",
        "17841400000000001",
        "any_word",
        "{link}",
        "{username}",
        "https://example.com",
        "\\u0041",
        "\\ud83d",
        "\t",
        "\r\n",
        "\u{feff}",
        "é",
        "🥐",
        "\u{0}",
        "<<",
    ]);
    prop_oneof![4 => words.prop_map(str::to_owned), 1 => any::<String>()]
}

/// The example with some of its bytes cut out or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..20usize, piece());
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut chars: Vec<char> = EXAMPLE.chars().collect();
        for (at, cut, new) in edits {
            let start = at.index(chars.len());
            let end = (start + cut).min(chars.len());
            chars.splice(start..end, new.chars());
        }
        chars.into_iter().collect()
    })
}

fn refused_in_order_or_read(text: &str) {
    if let Err(errors) = parse(text) {
        let places: Vec<_> = errors.problems().iter().map(|problem| (problem.line, problem.column)).collect();
        assert!(!places.is_empty());
        assert!(places.is_sorted());
        assert!(places.iter().all(|(line, column)| *line >= 1 && *column >= 1), "{errors}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        refused_in_order_or_read(&text);
    }

    #[test]
    fn any_heap_of_pieces_is_read_or_refused(pieces in prop::collection::vec(piece(), 0..60)) {
        refused_in_order_or_read(&pieces.concat());
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(text in mutated()) {
        refused_in_order_or_read(&text);
    }

    #[test]
    fn a_token_is_shown_nowhere_however_the_file_is_damaged(
        at in any::<prop::sample::Index>(), cut in 0..4usize, new in piece()
    ) {
        let secret = format!("IGAA{}", "Q7x".repeat(40));
        let mut text = EXAMPLE.replace("demo-token", &secret);
        // Anywhere around the token, the key and the quotes included.
        let line = text.find("    token:").unwrap();
        let bounds: Vec<usize> = (line..line + 20).chain(line + 130..line + 145).collect();
        let start = bounds[at.index(bounds.len())];
        text.replace_range(start..start + cut, &new);
        if let Err(errors) = parse(&text) {
            prop_assert!(!format!("{errors} {errors:?}").contains("Q7xQ7x"), "{}", errors);
        }
    }
}

#[test]
fn aliases_cannot_make_a_small_file_large() {
    let mut bomb = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for n in 1..12 {
        let before = n - 1;
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{before}"); 9].join(", ")));
    }
    let errors = parse(&bomb).unwrap_err();
    assert!(errors.to_string().contains("expand to far too much"), "{errors}");

    let mut chain = "- &a0 [x]\n".to_owned();
    for n in 1..100_000 {
        chain.push_str(&format!("- &a{n} [*a{}]\n", n - 1));
    }
    assert!(parse(&chain).unwrap_err().to_string().contains("nested more than"));
    for deep in ["[".repeat(100_000), "- ".repeat(100_000), "{a: ".repeat(100_000), "? ".repeat(100_000)] {
        parse(&deep).unwrap_err();
    }
    let errors = parse("a: &a [*a]").unwrap_err();
    assert!(errors.to_string().contains("inside the value that it refers to"), "{errors}");
}

#[test]
fn a_long_list_under_many_aliases_is_not_read_for_each_of_them() {
    let words: Vec<_> = (0..2000).map(|n| format!("w{n}")).collect();
    let mut text = with_campaign(&format!("keywords: &words [{}]\ndm: hi", words.join(", ")));
    for n in 0..5000 {
        text.push_str(&format!("  - {{ id: c{n}, account: '1', keywords: *words, dm: hi }}\n"));
    }
    assert!(parse(&text).unwrap_err().to_string().contains("expand to far too much"));
}
