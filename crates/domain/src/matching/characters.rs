//! What a character is, as far as matching asks.

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, GeneralCategory, GeneralCategoryGroup, RegionalIndicator, Script,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};

/// The scripts that are written without spaces between words.
const WITHOUT_SPACES: [Script; 12] = [
    Script::Han,
    Script::Bopomofo,
    Script::Hiragana,
    Script::Katakana,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
    Script::TaiLe,
    Script::NewTaiLue,
    Script::TaiTham,
    Script::TaiViet,
];

/// Turns the digit, `#` or `*` before it into a key.
pub(super) const KEYCAP: char = '\u{20E3}';

/// Whether a character shows nothing and takes no room: joiners, variation selectors, soft hyphens,
/// direction marks, the byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// White space, and the blank Braille pattern that people type for it.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// Spells the region of a flag after a black flag: England's is `gbeng`.
pub(super) fn is_flag_tag(c: char) -> bool {
    matches!(c, '\u{E0020}'..='\u{E007F}')
}

/// Half of a flag.
pub(super) fn is_flag_half(c: char) -> bool {
    CodePointSetData::new::<RegionalIndicator>().contains(c)
}

/// A character that reads as an emoji by itself. Digits, `#` and `*` do not, though a keycap makes them one;
/// nor does Ⓜ, which is one of an alphabet of letters in circles.
pub(super) fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c != 'Ⓜ' && CodePointSetData::new::<Emoji>().contains(c)
}

/// Whether a keycap may follow.
pub(super) fn is_key(c: char) -> bool {
    c.is_ascii_digit() || c == '#' || c == '*'
}

/// A combining mark of any kind.
pub(crate) fn is_mark(c: char) -> bool {
    !c.is_ascii() && GeneralCategoryGroup::Mark.contains(category(c))
}

/// A letter, digit or mark, emoji aside.
pub(super) fn is_of_a_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let word =
        GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number).union(GeneralCategoryGroup::Mark);
    word.contains(category(c)) && !is_emoji(c)
}

/// The one script a character belongs to, or Common, or Inherited.
pub(super) fn script(c: char) -> Script {
    ScriptWithExtensions::new().get_script_val(c)
}

/// Whether a character belongs to a script without spaces between words, or, where it belongs to none (the
/// Japanese prolonged sound mark), is shared by such scripts only.
pub(super) fn is_without_spaces(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let script = script(c);
    let mut shared_by = ScriptWithExtensions::new().get_script_extensions_val(c).iter();
    WITHOUT_SPACES.contains(&script)
        || (script == Script::Common && shared_by.all(|script| WITHOUT_SPACES.contains(&script)))
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}
