//! Log lines: one JSON object each, times in UTC, to standard output, where Lambda reads them.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Logs from now on at the levels that `RUST_LOG` names, `info` where it names none. A second call changes
/// nothing.
pub fn init() {
    let levels = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    let lines = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_env_filter(levels)
        .finish();
    // Refused only when lines go somewhere already.
    let _ = tracing::subscriber::set_global_default(lines);
}
