//! The message of a `POST /{account}/messages`: a text, or a text over buttons (a button template).

use super::refusal::Refusal;
use super::rules::MAX_TEXT_BYTES;
use openreply_domain::message::{Button, Does};
use serde::Deserialize;

/// Button template: at most 3 buttons.
const MAX_BUTTONS: usize = 3;
/// Button template: a title has at most 20 characters.
const MAX_TITLE_CHARS: usize = 20;
/// Button template: a text has at most 640 characters.
const MAX_TEMPLATE_CHARS: usize = 640;

/// A message as it came.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum MessageBody {
    /// `{"text": …}`
    Text(Text),
    /// `{"attachment": {"type": "template", "payload": {"template_type": "button", …}}}`
    Template { attachment: Attachment },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    text: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", content = "payload", rename_all = "snake_case")]
pub(super) enum Attachment {
    Template(Payload),
}

#[derive(Deserialize)]
#[serde(tag = "template_type", rename_all = "snake_case")]
pub(super) enum Payload {
    Button { text: String, buttons: Vec<TemplateButton> },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum TemplateButton {
    WebUrl { url: String, title: String },
    Postback { title: String, payload: String },
}

/// What a message says, and whether it came as a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) buttons: Vec<Button>,
    pub(super) is_template: bool,
}

impl From<MessageBody> for Said {
    fn from(body: MessageBody) -> Self {
        match body {
            MessageBody::Text(Text { text }) => Self { text, buttons: Vec::new(), is_template: false },
            MessageBody::Template { attachment: Attachment::Template(Payload::Button { text, buttons }) } => {
                let buttons = buttons.into_iter().map(Button::from).collect();
                Self { text, buttons, is_template: true }
            }
        }
    }
}

impl From<TemplateButton> for Button {
    fn from(button: TemplateButton) -> Self {
        match button {
            TemplateButton::WebUrl { url, title } => Self { title, does: Does::Open(url) },
            TemplateButton::Postback { title, payload } => Self { title, does: Does::Tell(payload) },
        }
    }
}

impl Said {
    /// Whether Instagram takes it at all, whoever it is for.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        if self.text.is_empty() {
            return Err(Refusal::TextEmpty);
        }
        if self.is_template {
            return self.check_template();
        }
        let bytes = self.text.len();
        if bytes > MAX_TEXT_BYTES { Err(Refusal::TextTooLong { bytes }) } else { Ok(()) }
    }

    fn check_template(&self) -> Result<(), Refusal> {
        let refuse = |why| Err(Refusal::Template { why });
        if self.buttons.is_empty() || self.buttons.len() > MAX_BUTTONS {
            return refuse("the template takes 1 to 3 buttons");
        }
        if self.text.chars().count() > MAX_TEMPLATE_CHARS {
            return refuse("the template's text may have 640 characters");
        }
        for Button { title, does } in &self.buttons {
            if title.is_empty() || title.chars().count() > MAX_TITLE_CHARS {
                return refuse("a button's title has 1 to 20 characters");
            }
            match does {
                Does::Open(url) if !url.starts_with("https://") && !url.starts_with("http://") => {
                    return refuse("a button's url must be one");
                }
                Does::Tell(payload) if payload.is_empty() || payload.len() > MAX_TEXT_BYTES => {
                    return refuse("a button's payload has 1 to 1000 bytes");
                }
                Does::Open(_) | Does::Tell(_) => {}
            }
        }
        Ok(())
    }
}
