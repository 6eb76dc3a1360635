//! A message in the making: text and links. Made to fit, its text gives way from the end, between graphemes;
//! a link is whole or absent, and never runs into text that was cut.

use std::fmt;
use unicode_segmentation::UnicodeSegmentation;

/// Text and links as they follow each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Message<'l> {
    /// Each link with the text before it.
    linked: Vec<(String, &'l str)>,
    /// The text after the last link.
    tail: String,
}

impl<'l> Message<'l> {
    pub(super) fn push_text(&mut self, text: &str) {
        self.tail.push_str(text);
    }

    pub(super) fn push_link(&mut self, link: &'l str) {
        self.linked.push((std::mem::take(&mut self.tail), link));
    }

    /// Puts a link on a line of its own.
    pub(super) fn append_on_a_new_line(&mut self, link: &'l str) {
        if !(self.linked.is_empty() && self.tail.is_empty()) {
            self.tail.push('\n');
        }
        self.push_link(link);
    }

    /// The text after the last link.
    pub(super) fn tail(&mut self) -> &mut String {
        &mut self.tail
    }

    pub(super) fn has_links(&self) -> bool {
        !self.linked.is_empty()
    }

    /// Drops the white space around the message.
    pub(super) fn trim(&mut self) {
        self.tail.truncate(self.tail.trim_end().len());
        let beginning = self.linked.first_mut().map_or(&mut self.tail, |(text, _)| text);
        *beginning = beginning.trim_start().to_owned();
    }

    /// How much it measures, before anything is cut.
    pub(super) fn measured(&self, measure: impl Fn(&str) -> usize) -> usize {
        self.linked.iter().map(|(text, link)| measure(text) + measure(link)).sum::<usize>()
            + measure(&self.tail)
    }

    /// The message cut until it measures at most `max`.
    pub(super) fn within(self, max: usize, measure: impl Fn(&str) -> usize) -> Self {
        let mut message = self.with_links_that_fit(max, &measure);
        let mut excess = message.measured(&measure).saturating_sub(max);
        let mut give_way = |text: &mut String, cut: &dyn Fn(&str, usize) -> String| {
            if excess > 0 {
                let before = measure(text);
                *text = cut(text, before.saturating_sub(excess));
                excess = excess.saturating_sub(before.saturating_sub(measure(text)));
            }
        };
        give_way(&mut message.tail, &|text, room| beginning(text, room, &measure).to_owned());
        for (nth, (text, _)) in message.linked.iter_mut().enumerate().rev() {
            give_way(text, &|text, room| before_link(text, room, nth > 0, &measure));
        }
        message.trim();
        message
    }

    /// Drops, from the first one on, each link for which the ones before leave no room.
    fn with_links_that_fit(self, max: usize, measure: impl Fn(&str) -> usize) -> Self {
        let mut kept = Self::default();
        let mut used = 0;
        for (text, link) in self.linked {
            kept.push_text(&text);
            // One more for the space between two links, should all text between them go.
            let with_it = used + measure(link) + usize::from(used > 0);
            if with_it <= max {
                kept.push_link(link);
                used = with_it;
            }
        }
        kept.push_text(&self.tail);
        kept
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (text, link) in &self.linked {
            write!(f, "{text}{link}")?;
        }
        f.write_str(&self.tail)
    }
}

/// What of a text's beginning fits, in whole graphemes.
fn beginning(text: &str, room: usize, measure: impl Fn(&str) -> usize) -> &str {
    let mut left = room;
    let length = text
        .graphemes(true)
        .map_while(|grapheme| {
            left = left.checked_sub(measure(grapheme))?;
            Some(grapheme.len())
        })
        .sum();
    &text[..length]
}

/// What of a text's beginning fits if a link follows: the white space before the link (one character of it)
/// outlasts the text, as long as there is anything that it parts from the link.
fn before_link(text: &str, room: usize, after_link: bool, measure: impl Fn(&str) -> usize) -> String {
    let words = text.trim_end();
    let space = if text[words.len()..].contains('\n') { '\n' } else { ' ' };
    let kept = beginning(words, room.saturating_sub(1), measure).trim_end();
    let parts_something = !text.is_empty() && (after_link || !kept.is_empty());
    if parts_something { format!("{kept}{space}") } else { String::new() }
}
