//! What holds for every text, not only for those that somebody thought of.

use super::fold::fold;
use super::{FoldedText, Keywords, MatchMode, folds_to_nothing};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use proptest::prelude::*;

fn find(mode: MatchMode, keyword: &str, text: &str) -> Option<usize> {
    Keywords::new(mode, &[keyword.to_owned()]).find(&FoldedText::new(text))
}

fn composed(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

fn decomposed(text: &str) -> String {
    DecomposingNormalizerBorrowed::new_nfd().normalize(text).into_owned()
}

fn full_width(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '!'..='~' => char::from_u32(c as u32 + 0xFEE0).unwrap(),
            ' ' => '\u{3000}',
            other => other,
        })
        .collect()
}

fn sprinkled(text: &str) -> String {
    text.chars().flat_map(|c| ['\u{200D}', c, '\u{FE0F}', '\u{200B}']).collect()
}

fn swapped(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_uppercase() { c.to_lowercase().collect::<Vec<_>>() } else { c.to_uppercase().collect() }
        })
        .collect()
}

/// Letters, digits, marks, spaces and signs of many scripts, densely enough to meet each other. Without the
/// Greek iota below, whose capital is a letter of its own: under a mark of another script no case undoes that.
fn mixed_text() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = concat!(
        "a|b|Z|é|ñ|Ł|ø|ß|İ|ı|ợ|æ|ﬁ|1|２|²| |  |\n|-|'|’|#|_|!|σ|Σ|ς|ά|и|й|Ё|ї|ʼ|ر|ﺭ|َ|ש|",
        "\u{5C1}|क|ि|\u{93C}|ক|ো|க|ப்|น|้|ำ|ລ|ក|ំ|လ|့|链|々|か|が|ｶﾞ|ー|ン|\u{3099}|한|\u{1112}|",
        "\u{1161}|\u{11AB}|ㅋ|ა|Ა|և|ሊ|ꮳ|❤|❤️|👍🏽|🇩🇪|🇧|1️⃣|🏴󠁧󠁢󠁥󠁮󠁧󠁿|👩‍👧|ℹ️|\u{301}|\u{327}|",
        "\u{200B}|\u{AD}|\u{A0}|´",
    )
    .split('|')
    .collect();
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(pieces), 0..12).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
    ]
}

/// The rule of whole words as a person would check it, for plain ASCII.
fn stands_alone(keyword: &str, text: &str) -> bool {
    let (keyword, text) = (keyword.to_ascii_lowercase(), text.to_ascii_lowercase());
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    (0..text.len()).any(|at| {
        let Some(rest) = text[at..].strip_prefix(&keyword) else { return false };
        let joined_before = word(text[..at].chars().last()) && word(keyword.chars().next());
        let joined_after = word(keyword.chars().last()) && word(rest.chars().next());
        !joined_before && !joined_after
    })
}

/// Assigned characters, of which the large uniform blocks send every hundredth.
fn is_telling(c: char) -> bool {
    let uniform = matches!(c, '\u{3400}'..='\u{9FFF}' | '가'..='힣' | '\u{17000}'..='\u{1AFFF}' | '\u{20000}'..='\u{DFFFF}');
    let assigned = !matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::Unassigned | GeneralCategory::PrivateUse
    );
    assigned && (!uniform || (c as u32).is_multiple_of(100))
}

#[test]
fn every_character_folds_once_and_alike_in_all_its_forms() {
    for c in ('\0'..=char::MAX).filter(|c| is_telling(*c)) {
        let (alone, after_letter) = (c.to_string(), format!("x{c}"));
        for text in [&alone, &after_letter] {
            let folded = fold(text);
            assert_eq!(fold(&folded), folded, "folded twice: {text:?} U+{:04X}", c as u32);
            assert_eq!(fold(&composed(text)), folded, "composed: {text:?} U+{:04X}", c as u32);
            assert_eq!(fold(&decomposed(text)), folded, "decomposed: {text:?} U+{:04X}", c as u32);
        }
        let (upper, lower) = (alone.to_uppercase(), alone.to_lowercase());
        assert_eq!(fold(&upper), fold(&alone), "upper case: {alone:?} U+{:04X}", c as u32);
        assert_eq!(fold(&lower), fold(&alone), "lower case: {alone:?} U+{:04X}", c as u32);
    }
}

proptest! {
    #[test]
    fn folding_twice_is_folding_once(text in mixed_text()) {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }

    #[test]
    fn a_keyword_meets_itself_unless_nothing_is_left_of_it(keyword in mixed_text()) {
        let expected = (!folds_to_nothing(&keyword)).then_some(0);
        prop_assert_eq!(find(MatchMode::Partial, &keyword, &keyword), expected);
        prop_assert_eq!(find(MatchMode::WholeWord, &keyword, &keyword), expected);
        // White space cannot join what it parts, whatever the keyword begins with.
        let among_words = format!("so {keyword} ok");
        prop_assert_eq!(find(MatchMode::WholeWord, &keyword, &among_words), expected);
    }

    #[test]
    fn the_form_of_either_side_changes_no_answer(
        keyword in mixed_text(), before in mixed_text(), after in mixed_text(), contained in any::<bool>(),
    ) {
        let text = if contained { format!("{before}{keyword}{after}") } else { format!("{before}{after}") };
        for mode in [MatchMode::WholeWord, MatchMode::Partial] {
            let expected = find(mode, &keyword, &text);
            for form in [composed, decomposed, full_width, sprinkled, swapped] {
                prop_assert_eq!(find(mode, &keyword, &form(&text)), expected, "{:?} {:?}", mode, form(&text));
                prop_assert_eq!(find(mode, &form(&keyword), &text), expected, "{:?} {:?}", mode, form(&keyword));
            }
        }
    }

    #[test]
    fn a_whole_word_is_contained(keyword in mixed_text(), text in mixed_text()) {
        if find(MatchMode::WholeWord, &keyword, &text).is_some() {
            prop_assert_eq!(find(MatchMode::Partial, &keyword, &text), Some(0));
        }
    }

    #[test]
    fn ascii_whole_words_agree_with_the_rule_as_written(keyword in "[abA1#_-]{1,3}", text in "[abAB1#_ -]{0,14}") {
        prop_assert_eq!(find(MatchMode::WholeWord, &keyword, &text).is_some(), stands_alone(&keyword, &text));
    }
}
