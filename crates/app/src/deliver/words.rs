//! What a Send says: the text and the buttons, made from the version of the campaign that was promised.
//!
//! Guarantees: the same Send and the same version give the same words, today and on a retry next week, so that
//! nobody's text needs to be stored and what was sent can be recognised in the inbox.

use openreply_domain::campaign::{Asks, CampaignContent, OptOut};
use openreply_domain::message::{Button, Does};
use openreply_domain::rendering;
use openreply_domain::send::{Leg, Says, Send};
use openreply_domain::trigger::TriggerKey;

/// A text and the buttons under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Within Instagram's limits.
    pub text: String,
    /// None: plain text.
    pub buttons: Vec<Button>,
}

/// What the payloads of our own buttons begin with.
const PAYLOAD: &str = "openreply:";

/// The payload of a button by which a person asks for what an opening or a prompt promised.
#[must_use]
pub fn payload(root: &TriggerKey) -> String {
    format!("{PAYLOAD}{root}")
}

/// The trigger of the opening or prompt that a payload names. `None`: the button is not one of ours.
#[must_use]
pub fn root_of(payload: &str) -> Option<TriggerKey> {
    payload.strip_prefix(PAYLOAD)?.parse().ok()
}

/// What a Send of a campaign says.
#[must_use]
pub fn words(send: &Send, content: &CampaignContent) -> Words {
    match &send.key.leg {
        Leg::Dm => match send.says {
            Says::Link => reveal(send, content),
            Says::Opening => match &content.opening {
                Some(opening) => asking(send, &opening.text, &opening.asks),
                None => reveal(send, content),
            },
            Says::FollowPrompt => prompt(send, content),
        },
        Leg::PublicReply(_) => {
            let nth = send.variation as usize % content.public_replies.len().max(1);
            let template = content.public_replies.get(nth).map_or("", String::as_str);
            plain(rendering::public_reply(template, send.username.as_deref()))
        }
        Leg::Reveal => reveal(send, content),
        Leg::FollowPrompt => prompt(send, content),
        Leg::Acknowledgement => {
            let gate = content.follow_gate.as_ref();
            plain(text(send, gate.and_then(|gate| gate.acknowledgement.as_deref()).unwrap_or("")))
        }
        Leg::FollowUp => plain(text(send, content.follow_up.as_ref().map_or("", |later| &later.text))),
    }
}

/// What the account says to somebody who opted out.
#[must_use]
pub fn confirmation(send: &Send, opt_out: &OptOut) -> Words {
    plain(text(send, &opt_out.confirmation))
}

fn reveal(send: &Send, content: &CampaignContent) -> Words {
    let links: Vec<&str> = content.links.iter().map(|link| link.url.as_str()).collect();
    plain(rendering::direct_message(&content.dm, send.username.as_deref(), &links))
}

fn prompt(send: &Send, content: &CampaignContent) -> Words {
    match &content.follow_gate {
        Some(gate) => asking(send, &gate.text, &gate.asks),
        None => reveal(send, content),
    }
}

/// A message that asks for an answer or a tap.
fn asking(send: &Send, template: &str, asks: &Asks) -> Words {
    let text = text(send, template);
    let buttons = match asks {
        Asks::Button(title) if !send.text_only => {
            let root =
                send.conversation.as_ref().map_or(&send.key.trigger, |conversation| &conversation.root);
            vec![Button { title: title.clone(), does: Does::Tell(payload(root)) }]
        }
        Asks::Button(_) | Asks::Reply(_) => Vec::new(),
    };
    Words { text, buttons }
}

fn text(send: &Send, template: &str) -> String {
    rendering::direct_message(template, send.username.as_deref(), &[])
}

fn plain(text: String) -> Words {
    Words { text, buttons: Vec::new() }
}
