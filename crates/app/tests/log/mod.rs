//! Everything that is logged, at every level, as one text.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// What was logged so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<String>>);

impl Log {
    /// Listens to this thread until the guard is gone.
    pub(crate) fn listen() -> (Self, DefaultGuard) {
        let log = Self::default();
        let guard = tracing::subscriber::set_default(Listener(log.clone()));
        (log, guard)
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

struct Listener(Log);

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
        span.record(&mut Line(&mut self.0.0.lock().unwrap()));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Line(&mut self.0.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = self.0.0.lock().unwrap();
        write!(text, "\n{}", event.metadata().level()).unwrap();
        event.record(&mut Line(&mut text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
