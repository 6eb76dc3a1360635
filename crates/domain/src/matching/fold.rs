//! Folds a text so that two ways to write the same thing become equal, and nothing else does.
//!
//! - Invisible characters go, wherever they stand. Each run of white space becomes one space.
//! - Forms become one: full and half width, ligatures, letters in circles or in a decorative alphabet,
//!   composed and decomposed. Emoji keep theirs: ℹ is not an i.
//! - Case goes, with the final sigma; dotted and dotless i are one.
//! - Latin letters lose their accents, strokes and hooks. Marks on letters of other scripts stay.
//! - The signs that keyboards put for an apostrophe are one.
//!
//! Folding what is folded changes nothing.

use super::characters::{is_emoji, is_flag_tag, is_invisible, is_mark, is_space, script};
use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::Script;

/// Folds a keyword: the same, without white space around it.
pub(super) fn keyword(keyword: &str) -> Box<str> {
    fold(keyword).trim().into()
}

/// Folds a text.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        // One form, no marks: most keywords come this way, and tens of thousands are folded at once.
        return without_latin_accents(&text.to_ascii_lowercase());
    }
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    // Marks stand in canonical order before the case goes, because that turns one of them (the Greek iota
    // below) into a letter, which no order puts right any more.
    let visible = visible_in_one_form(text);
    let caseless = CaseMapper::new().fold_string(&nfd.normalize(&visible)).into_owned();
    let plain = without_latin_accents(&nfd.normalize(&caseless));
    // Composed, because a letter is not part of another: и is not contained in й, nor 하 in 한.
    ComposingNormalizerBorrowed::new_nfc().normalize(&plain).into_owned()
}

/// Every visible character in its plain form, decomposed.
fn visible_in_one_form(text: &str) -> String {
    let nfkd = DecomposingNormalizerBorrowed::new_nfkd();
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    let mut out = String::with_capacity(text.len());
    let mut in_flag = false;
    for c in text.chars() {
        let spells_a_flag = in_flag && is_flag_tag(c);
        if is_invisible(c) && !spells_a_flag {
            continue;
        }
        in_flag = spells_a_flag || c == '🏴';
        if c.is_ascii() || spells_a_flag {
            out.push(c);
        } else if is_space(c) {
            out.push(' ');
        } else if is_emoji(c) || stands_on_a_space(c) {
            out.extend(nfd.normalize_iter(std::iter::once(c)));
        } else {
            out.extend(nfkd.normalize_iter(std::iter::once(c)));
        }
    }
    out
}

/// A sign that counts as a space with a mark on it, such as the free-standing acute that people type for
/// an apostrophe. Taken apart it would put a space where none was written.
fn stands_on_a_space(c: char) -> bool {
    DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(std::iter::once(c)).next() == Some(' ')
}

/// Drops the marks on Latin letters, writes their relatives plainly, and leaves one space of each run.
fn without_latin_accents(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut on_latin = false;
    for c in text.chars() {
        if is_mark(c) {
            if !(on_latin && matches!(script(c), Script::Inherited | Script::Latin)) {
                out.push(c);
            }
            continue;
        }
        on_latin = c.is_ascii_alphabetic() || (!c.is_ascii() && script(c) == Script::Latin);
        if is_space(c) {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if let Some(plain) = plainly(c) {
            out.push_str(plain);
        } else {
            out.push(c);
        }
    }
    out
}

/// The characters that no normalisation takes apart, and that people leave out or replace when they type
/// in a hurry or on a foreign keyboard.
fn plainly(c: char) -> Option<&'static str> {
    Some(match c {
        'ⱥ' => "a",
        'ƀ' | 'ɓ' => "b",
        'ȼ' | 'ƈ' => "c",
        'đ' | 'ð' | 'ɖ' | 'ɗ' => "d",
        'ɇ' => "e",
        'ƒ' => "f",
        'ǥ' | 'ɠ' => "g",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ȷ' | 'ɉ' => "j",
        'ƙ' => "k",
        'ł' | 'ƚ' | 'ɫ' => "l",
        'ɲ' | 'ƞ' => "n",
        'ø' | 'ɵ' => "o",
        'ƥ' => "p",
        'ɍ' | 'ɽ' => "r",
        'ŧ' | 'ⱦ' | 'ƭ' => "t",
        'ʉ' => "u",
        'ɏ' | 'ƴ' => "y",
        'ƶ' | 'ȥ' => "z",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        '’' | '‘' | 'ʼ' | 'ʻ' | '′' | '´' | '`' => "'",
        _ => return None,
    })
}
