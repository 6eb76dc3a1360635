//! From the tree to the keys of an account, a campaign, a link.
//!
//! Guarantees: every key is known or refused, stands once, and has the kind of value it needs; all that is
//! wrong is reported, not just the first. Which key belongs where is written once, in [`keys!`]: the reader
//! and the schema are both made from it.

use super::document::{Content, Node};
use super::problem::{Place, Problems, Reported};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use secrecy::SecretString;
use std::borrow::Cow;

/// A value and where it stands.
pub(super) struct Located<T> {
    pub(super) place: Place,
    pub(super) value: T,
}

/// What stands under a key.
#[derive(Default)]
pub(super) enum Key<T> {
    /// The key is not there.
    #[default]
    Absent,
    /// It is there, and its value has the right kind, or that it has not is reported.
    Present(Result<Located<T>, Reported>),
}

impl<T> Key<T> {
    /// The value of a key that must be there. `owner` is what it belongs to and where that stands.
    pub(super) fn required(
        self,
        key: &str,
        owner: (&str, Place),
        problems: &mut Problems,
    ) -> Result<Located<T>, Reported> {
        match self {
            Self::Absent => Err(problems.add(owner.1, format!("`{key}` is missing from {}", owner.0))),
            Self::Present(value) => value,
        }
    }

    /// The value of a key that may be left out.
    pub(super) fn optional(self) -> Result<Option<Located<T>>, Reported> {
        match self {
            Self::Absent => Ok(None),
            Self::Present(value) => value.map(Some),
        }
    }
}

/// A list, and how long it is as written: an item that cannot be read is reported and left out.
pub(super) struct List<T> {
    pub(super) items: Vec<Located<T>>,
    pub(super) written: usize,
}

/// A kind of value.
pub(super) trait Read: Sized {
    /// Reads it, or reports that it is something else. `key` is what it stands under.
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported>;
}

impl Read for String {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        let found = match &*node.content {
            Content::Scalar { text, .. } => return Ok(text.clone()),
            Content::Nothing => "nothing; what begins with #, and the word null, must stand in quotes",
            Content::List(_) => "a list; a text that begins with [ must stand in quotes",
            Content::Map(_) => {
                "keys of its own; a text that begins with { or has a colon must stand in quotes"
            }
        };
        Err(problems.add(node.place, format!("`{key}`: expected a text, found {found}")))
    }
}

impl Read for SecretString {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        String::read(node, key, problems).map(Self::from)
    }
}

impl Read for bool {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        let found = match &*node.content {
            Content::Scalar { text, quoted: false } => match text.as_str() {
                "true" | "True" | "TRUE" => return Ok(true),
                "false" | "False" | "FALSE" => return Ok(false),
                other => quoted(other, "something else"),
            },
            Content::Scalar { quoted: true, .. } => "a text in quotes".to_owned(),
            Content::Nothing => "nothing".to_owned(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "keys".to_owned(),
        };
        Err(problems.add(node.place, format!("`{key}`: expected true or false, found {found}")))
    }
}

impl Read for u32 {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        let found = match &*node.content {
            Content::Scalar { text, quoted: false } => match text.parse() {
                Ok(number) if text.bytes().all(|b| b.is_ascii_digit()) => return Ok(number),
                Ok(_) | Err(_) => quoted(text, "something else"),
            },
            Content::Scalar { quoted: true, .. } => "a text in quotes".to_owned(),
            Content::Nothing => "nothing".to_owned(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "keys".to_owned(),
        };
        Err(problems.add(node.place, format!("`{key}`: expected a whole number, found {found}")))
    }
}

impl<T: Read> Read for List<T> {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        let found = match &*node.content {
            Content::List(nodes) => {
                let items = nodes.iter().filter_map(|node| located(node, key, problems).ok()).collect();
                return Ok(Self { items, written: nodes.len() });
            }
            Content::Nothing => "nothing; an empty list is written []",
            Content::Scalar { .. } => "a single value; a list is written [one, two], or with - before each",
            Content::Map(_) => "keys; a list is written with - before each of its items",
        };
        Err(problems.add(node.place, format!("`{key}`: expected a list, found {found}")))
    }
}

fn located<T: Read>(node: &Node, key: &str, problems: &mut Problems) -> Result<Located<T>, Reported> {
    T::read(node, key, problems).map(|value| Located { place: node.place, value })
}

/// The keys of a mapping, each with its value, or with the report that it is misspelt.
pub(super) struct Keys<'a>(Vec<(&'a str, Result<&'a Node, Reported>)>);

impl<'a> Keys<'a> {
    /// Takes the keys of what ought to be a mapping, and reports those that are not known or stand twice.
    pub(super) fn of(
        node: &'a Node,
        what: &str,
        known: &[&'a str],
        problems: &mut Problems,
    ) -> Result<Self, Reported> {
        let found = match &*node.content {
            Content::Map(entries) => return Ok(Self::take(entries, what, known, problems)),
            Content::Nothing => "nothing",
            Content::Scalar { .. } => "a single value; every key needs a colon and a space behind it",
            Content::List(_) => "a list",
        };
        let known = known.join(", ");
        Err(problems.add(node.place, format!("expected {what} with its keys ({known}), found {found}")))
    }

    fn take(entries: &'a [(Node, Node)], what: &str, known: &[&'a str], problems: &mut Problems) -> Self {
        let mut taken: Vec<(&str, &Node, usize)> = Vec::with_capacity(known.len());
        let mut misspelt = Vec::new();
        for (key, value) in entries {
            let name = match &*key.content {
                Content::Scalar { text, .. } => text.as_str(),
                Content::Nothing | Content::List(_) | Content::Map(_) => "",
            };
            if !known.contains(&name) {
                let meant = meant(name, known);
                let reported = problems.add(key.place, unknown_key(name, meant, what, known));
                misspelt.extend(meant.map(|meant| (meant, Err(reported))));
            } else if let Some((.., line)) = taken.iter().find(|(taken, ..)| *taken == name) {
                problems.add(key.place, format!("`{name}` stands twice in {what}, first on line {line}"));
            } else {
                taken.push((name, value, key.place.line));
            }
        }
        Self(taken.into_iter().map(|(name, node, _)| (name, Ok(node))).chain(misspelt).collect())
    }

    /// Reads what stands under a key.
    pub(super) fn key<T: Read>(&self, key: &str, problems: &mut Problems) -> Key<T> {
        match self.0.iter().find(|(name, _)| *name == key) {
            None => Key::Absent,
            Some((_, Err(reported))) => Key::Present(Err(*reported)),
            Some((_, Ok(node))) => Key::Present(located(node, key, problems)),
        }
    }
}

fn unknown_key(name: &str, meant: Option<&str>, what: &str, known: &[&str]) -> String {
    let meant = meant.map_or_else(String::new, |meant| format!(", perhaps `{meant}` is meant"));
    format!("{} is not a key of {what}{meant}; its keys are {}", quoted(name, "this"), known.join(", "))
}

/// The known key that looks most like this one: two letters differ at most, or one begins with the other.
fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let looks_like = |known: &str| {
        let distance = distance(&name, known);
        let begins_alike = name.len() >= 3 && (known.starts_with(&name) || name.starts_with(known));
        (begins_alike || (distance <= 2 && distance < known.len())).then_some(distance)
    };
    let candidates = known.iter().filter_map(|known| Some((looks_like(known)?, *known)));
    candidates.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// A word of the file, to be repeated in a message, or what to call it otherwise. Only what looks like a
/// word is repeated: in `{token:IGAA…}` the missing space makes the token part of a key.
pub(super) fn quoted(word: &str, otherwise: &str) -> String {
    let is_word = !word.is_empty()
        && word.chars().count() <= 32
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '<'));
    if is_word { format!("`{word}`") } else { otherwise.to_owned() }
}

/// How many characters must be inserted, removed or replaced to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let replaced = row.get(j).copied().unwrap_or_default() + usize::from(ca != *cb);
            let removed = row.get(j + 1).copied().unwrap_or_default() + 1;
            let inserted = next.get(j).copied().unwrap_or_default() + 1;
            next.push(replaced.min(removed).min(inserted));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Declares the keys of a mapping once: a struct of them, its reader and its schema.
macro_rules! keys {
    (
        $(#[$attribute:meta])*
        $what:literal $name:ident {
            $( $(#[$key_attribute:meta])* $key:literal $field:ident : $kind:ty ),+ $(,)?
        }
    ) => {
        #[derive(schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        $(#[$attribute])*
        pub(super) struct $name {
            $(
                $(#[$key_attribute])*
                #[schemars(rename = $key)]
                pub(super) $field: $crate::campaign_file::reading::Key<$kind>
            ),+
        }

        impl $name {
            /// What messages call it.
            pub(super) const WHAT: &'static str = $what;
            /// Its keys, in the order in which they are told.
            pub(super) const KEYS: &'static [&'static str] = &[$($key),+];
        }

        impl $crate::campaign_file::reading::Read for $name {
            fn read(
                node: &$crate::campaign_file::document::Node,
                _: &str,
                problems: &mut $crate::campaign_file::problem::Problems,
            ) -> Result<Self, $crate::campaign_file::problem::Reported> {
                let keys = $crate::campaign_file::reading::Keys::of(node, Self::WHAT, Self::KEYS, problems)?;
                Ok(Self { $( $field: keys.key($key, problems) ),+ })
            }
        }
    };
}
pub(super) use keys;

/// The schema of a key is that of its value. Which keys may be left out says `#[schemars(default)]`.
impl<T: JsonSchema> JsonSchema for Key<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("List_of_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
