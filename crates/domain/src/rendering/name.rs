//! What of a name is shown. A person chooses it, so it is one line of visible characters whatever it was.

use crate::matching::is_invisible;

/// The name as it is shown: no control characters, nothing invisible (direction overrides among it), and
/// white space as single spaces. `None` if nothing is left.
pub(super) fn shown(name: &str) -> Option<String> {
    let visible: String =
        name.chars().filter(|c| c.is_whitespace() || !(c.is_control() || is_invisible(*c))).collect();
    let name = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}
