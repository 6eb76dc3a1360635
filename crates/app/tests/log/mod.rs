//! Everything that a test logs, at every level, as one text.
//!
//! Whoever calls [`listen`] before anything is logged hears all of it: one listener for the whole binary, and a
//! text for each thread, which is a test.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::OnceLock;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Begins to listen.
pub(crate) fn listen() {
    static LISTENING: OnceLock<()> = OnceLock::new();
    LISTENING.get_or_init(|| tracing::subscriber::set_global_default(Listener).unwrap());
}

/// What this does logs.
pub(crate) async fn of(work: impl Future<Output = ()>) -> String {
    listen();
    TEXT.take();
    work.await;
    TEXT.take()
}

struct Listener;

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        TEXT.with_borrow_mut(|text| span.record(&mut Line(text)));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        TEXT.with_borrow_mut(|text| values.record(&mut Line(text)));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        TEXT.with_borrow_mut(|text| {
            write!(text, "\n{}", event.metadata().level()).unwrap();
            event.record(&mut Line(text));
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
