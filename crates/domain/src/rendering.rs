//! The text that goes out.

/// The most bytes of UTF-8 that Instagram takes in a message.
pub const MAX_MESSAGE_BYTES: usize = 1000;

/// Renders the text of a direct message.
#[must_use]
pub fn direct_message(template: &str, username: Option<&str>, links: &[&str]) -> String {
    template
        .replace("{username}", username.unwrap_or(""))
        .replace("{link}", links.first().copied().unwrap_or(""))
}

/// Renders a public reply.
#[must_use]
pub fn public_reply(template: &str, username: Option<&str>) -> String {
    template.replace("{username}", username.unwrap_or(""))
}
