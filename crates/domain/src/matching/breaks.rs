//! Where in a folded text a keyword may begin and end.
//!
//! A place lies inside a word if a letter, digit or mark stands on both sides of it and both belong to
//! scripts that put spaces between words. A place lies inside a symbol if it parts what is drawn as one:
//! the halves of a flag (🇧🇩🇪🇸 is Bangladesh and Spain, with no Germany in it), or a flag and its region.
//!
//! Anything else, an emoji before all, is an edge by itself.

use super::characters::{
    KEYCAP, is_flag_half, is_flag_tag, is_key, is_mark, is_of_a_word, is_without_spaces, script,
};
use icu_properties::props::Script;

/// What every place of a text is.
#[derive(Debug, Clone)]
pub(super) struct Breaks(Box<[Place]>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Free,
    InWord,
    InSymbol,
}

/// A character as its neighbour sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    /// Of a word, in a script that puts spaces between words.
    Spaced,
    /// Of a word, in a script that does not.
    Unspaced,
    /// No part of a word: the text's end, a space, punctuation, an emoji.
    Apart,
}

impl Breaks {
    /// The places of a folded text, by byte.
    pub(super) fn of(text: &str) -> Self {
        // A place between the bytes of one character is never asked for.
        let mut places = vec![Place::InSymbol; text.len()];
        let mut before = Neighbour::Apart;
        let mut previous = None;
        let mut half_flag = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            let second_half = half_flag && is_flag_half(c);
            let after = neighbour(c, before);
            let makes_a_key = next == Some(KEYCAP) && is_key(c);
            if let Some(place) = places.get_mut(at) {
                *place = if second_half || is_flag_tag(c) {
                    Place::InSymbol
                } else if before == Neighbour::Spaced && after == Neighbour::Spaced && !makes_a_key {
                    Place::InWord
                } else {
                    Place::Free
                };
            }
            let ends_a_key = c == KEYCAP && previous.is_some_and(is_key);
            before = if ends_a_key { Neighbour::Apart } else { after };
            half_flag = is_flag_half(c) && !second_half;
            previous = Some(c);
        }
        places.push(Place::Free);
        Self(places.into())
    }

    /// Whether a word may begin or end here.
    pub(super) fn is_word_edge(&self, at: usize) -> bool {
        self.0.get(at) == Some(&Place::Free)
    }

    /// Whether anything may begin or end here.
    pub(super) fn is_symbol_edge(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|place| *place != Place::InSymbol)
    }
}

/// What `c` is to its neighbours. A mark that no script owns is written in the script of what it stands on.
fn neighbour(c: char, before: Neighbour) -> Neighbour {
    let inherits = before == Neighbour::Unspaced && is_mark(c) && script(c) == Script::Inherited;
    if !is_of_a_word(c) {
        Neighbour::Apart
    } else if inherits || is_without_spaces(c) {
        Neighbour::Unspaced
    } else {
        Neighbour::Spaced
    }
}
