//! What the client writes, as the Graph API wants it, and the one answer that is read for more than its outcome.

use openreply_domain::message::{Button, Does};
use serde::{Deserialize, Serialize};

/// The body of `POST /{account}/messages`.
#[derive(Serialize)]
pub(crate) struct DirectMessage<'a> {
    pub(crate) recipient: Recipient<'a>,
    pub(crate) message: Content<'a>,
}

/// To whom.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Recipient<'a> {
    Comment { comment_id: &'a str },
    Person { id: &'a str },
}

/// A text, or a text over buttons.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Text { text: &'a str },
    Buttons { attachment: Attachment<'a> },
}

#[derive(Serialize)]
pub(crate) struct Attachment<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    payload: ButtonTemplate<'a>,
}

#[derive(Serialize)]
pub(crate) struct ButtonTemplate<'a> {
    template_type: &'static str,
    text: &'a str,
    buttons: Vec<TemplateButton<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TemplateButton<'a> {
    WebUrl { url: &'a str, title: &'a str },
    Postback { title: &'a str, payload: &'a str },
}

impl<'a> Content<'a> {
    pub(crate) fn of(text: &'a str, buttons: &'a [Button]) -> Self {
        if buttons.is_empty() {
            return Self::Text { text };
        }
        let buttons = buttons.iter().map(|Button { title, does }| match does {
            Does::Open(url) => TemplateButton::WebUrl { url, title },
            Does::Tell(payload) => TemplateButton::Postback { title, payload },
        });
        let payload = ButtonTemplate { template_type: "button", text, buttons: buttons.collect() };
        Self::Buttons { attachment: Attachment { kind: "template", payload } }
    }
}

/// The answer of `GET /{igsid}?fields=is_user_follow_business`: absent where Instagram does not say.
#[derive(Default, Deserialize)]
pub(crate) struct FollowAnswer {
    #[serde(default)]
    pub(crate) is_user_follow_business: Option<bool>,
}

/// The body of `POST /{comment}/replies`.
#[derive(Serialize)]
pub(crate) struct PublicReply<'a> {
    pub(crate) message: &'a str,
}
