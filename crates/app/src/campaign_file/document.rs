//! A YAML or JSON text as a tree in which every value knows where it stands.
//!
//! Guarantees: scalars are kept as they were written, so an id is never rounded to a float and the keyword
//! `yes` is never turned into a truth value. JSON is read by the same parser, of which it is a subset.
//! Nesting is bounded, and so is what aliases expand to. No error repeats the file's own text.

use super::problem::{Place, Problems, Reported};
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

mod syntax;

/// How deep values may be nested. A campaign file needs five.
const MAX_DEPTH: usize = 24;
/// How much aliases may add to a file, in nodes and bytes of text.
const MAX_ALIASED: usize = 4 * 1024 * 1024;

/// A value and where it stands. Not `Debug`: it may be a token.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Rc<Content>,
    depth: usize,
    weight: usize,
}

/// What a value is.
pub(super) enum Content {
    /// An empty value, `~` or `null`.
    Nothing,
    /// A scalar as it was written, escapes resolved.
    Scalar { text: String, quoted: bool },
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file. A key may stand twice: the reader refuses that.
    Map(Vec<(Node, Node)>),
}

/// Reads a text. `None` is a file without a value.
pub(super) fn read(text: &str, problems: &mut Problems) -> Result<Option<Node>, Reported> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        disallow_directives: true,
    };
    let mut tree = Tree::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| refuse_syntax(&error, problems))?;
        tree.take(event, span, problems)?;
    }
    Ok(tree.root.filter(|root| !matches!(*root.content, Content::Nothing)))
}

fn refuse_syntax(error: &ScanError, problems: &mut Problems) -> Reported {
    let marker = error.marker();
    let place = Place { line: marker.line().max(1), column: marker.col() + 1 };
    problems.add(place, syntax::describe(error.kind()))
}

/// A collection that is not closed yet.
struct Open {
    place: Place,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map { entries: Vec<(Node, Node)>, key: Option<Node> },
}

/// The tree as far as it has been read.
#[derive(Default)]
struct Tree {
    root: Option<Node>,
    documents: usize,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
}

impl Tree {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what else the parser tells is no value")]
    fn take(&mut self, event: Event<'_>, span: Span, problems: &mut Problems) -> Result<(), Reported> {
        let place = Place { line: span.start.line().max(1), column: span.start.col() + 1 };
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(problems.add(place, "a second document begins here; a campaign file is one"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                refuse_tag(tag.as_deref(), "str", place, problems)?;
                let node = scalar(text, style, tag.is_some(), place);
                self.place(node, anchor, problems)
            }
            Event::SequenceStart(_, anchor, tag) => {
                refuse_tag(tag.as_deref(), "seq", place, problems)?;
                self.open.push(Open { place, anchor, items: Items::List(Vec::new()) });
                Ok(())
            }
            Event::MappingStart(_, anchor, tag) => {
                refuse_tag(tag.as_deref(), "map", place, problems)?;
                let items = Items::Map { entries: Vec::new(), key: None };
                self.open.push(Open { place, anchor, items });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(problems),
            Event::Alias(anchor) => {
                let node = self.alias(anchor, place, problems)?;
                self.place(node, 0, problems)
            }
            _ => Ok(()),
        }
    }

    /// Puts a finished value where it belongs.
    fn place(&mut self, node: Node, anchor: usize, problems: &mut Problems) -> Result<(), Reported> {
        if node.depth > MAX_DEPTH {
            return Err(problems.add(node.place, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map { entries, key }) => match key.take() {
                None => *key = Some(node),
                Some(key) => entries.push((key, node)),
            },
        }
        Ok(())
    }

    fn close(&mut self, problems: &mut Problems) -> Result<(), Reported> {
        let Some(Open { place, anchor, items }) = self.open.pop() else {
            return Ok(());
        };
        let content = match items {
            Items::List(items) => Content::List(items),
            Items::Map { entries, key: _ } => Content::Map(entries),
        };
        self.place(Node::new(place, content), anchor, problems)
    }

    /// What an alias stands for, at the alias's own place.
    fn alias(&mut self, anchor: usize, place: Place, problems: &mut Problems) -> Result<Node, Reported> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(problems.add(place, "this alias stands inside the value that it refers to"));
        };
        self.aliased = self.aliased.saturating_add(node.weight);
        if self.aliased > MAX_ALIASED {
            return Err(problems.add(place, "the aliases (*) of this file expand to far too much"));
        }
        Ok(Node { place, ..node.clone() })
    }
}

impl Node {
    fn new(place: Place, content: Content) -> Self {
        let (depth, weight) = match &content {
            Content::Nothing => (0, 1),
            Content::Scalar { text, .. } => (0, text.len().saturating_add(1)),
            Content::List(items) => measure(items.iter()),
            Content::Map(entries) => measure(entries.iter().flat_map(|(key, value)| [key, value])),
        };
        Self { place, content: Rc::new(content), depth, weight }
    }
}

fn measure<'a>(children: impl Iterator<Item = &'a Node>) -> (usize, usize) {
    children.fold((1, 1), |(depth, weight), child| {
        (depth.max(child.depth + 1), weight.saturating_add(child.weight))
    })
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, tagged: bool, place: Place) -> Node {
    let quoted = tagged || style != ScalarStyle::Plain;
    let nothing = !quoted && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
    let content =
        if nothing { Content::Nothing } else { Content::Scalar { text: text.into_owned(), quoted } };
    Node::new(place, content)
}

/// Only the tags that say what a value is anyway are read; `!!str` makes a text of whatever follows.
fn refuse_tag(
    tag: Option<&Tag>,
    expected: &str,
    place: Place,
    problems: &mut Problems,
) -> Result<(), Reported> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema_tag(expected) => {
            Err(problems
                .add(place, format!("found a tag (!); the only one that may stand here is !!{expected}")))
        }
        Some(_) | None => Ok(()),
    }
}
