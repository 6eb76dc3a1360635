//! Log lines: one JSON object each, times in UTC, to standard output, where Lambda reads them.

use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Logs from now on at the levels that `RUST_LOG` names, `info` where it names none. A second call changes
/// nothing.
pub fn init() {
    let levels = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    // Refused only when lines go somewhere already.
    let _ = tracing::subscriber::set_global_default(lines(levels, std::io::stdout));
}

/// An event's own fields stand beside its message; spans are left out.
fn lines(
    levels: EnvFilter,
    to: impl for<'a> MakeWriter<'a> + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_env_filter(levels)
        .with_writer(to)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_json_object_as_lambda_reads_it() {
        let written = Written::default();
        let to = written.clone();
        tracing::subscriber::with_default(lines(EnvFilter::new("info"), move || to.clone()), || {
            let _inside = tracing::info_span!("request", secret = "hidden").entered();
            tracing::debug!("left out");
            tracing::warn!(trigger = "comment:1:2", attempt = 2, "line\nbreak");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let mut line: serde_json::Value = serde_json::from_str(&text).unwrap();
        let time = line["timestamp"].take();
        let time: jiff::Timestamp =
            time.as_str().filter(|time| time.ends_with('Z')).unwrap().parse().unwrap();
        assert!(time.as_second() > 0);
        let expected = serde_json::json!({
            "timestamp": null,
            "level": "WARN",
            "target": "openreply_aws::logging::tests",
            "message": "line\nbreak",
            "trigger": "comment:1:2",
            "attempt": 2,
        });
        assert_eq!(line, expected);
    }
}
