//! What a Send says: the text and the buttons, made from the version of the campaign that was promised.
//!
//! Guarantees: the same Send and the same version give the same words, today and on a retry next week, so that
//! nobody's text needs to be stored and what was sent can be recognised in the inbox.

use openreply_domain::campaign::{Asks, CampaignContent, Link, OptOut};
use openreply_domain::links::{LinksBase, PATH, Slug};
use openreply_domain::message::{Button, Does, MAX_BUTTONS};
use openreply_domain::rendering::{self, Values};
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

/// What a Send of a campaign says. `tracked` is where tracked links are served; without it links are as the campaign
/// has them.
#[must_use]
pub fn words(send: &Send, content: &CampaignContent, tracked: Option<&LinksBase>) -> Words {
    let voice = Voice { send, content, tracked };
    match &send.key.leg {
        Leg::Dm => match send.says {
            // The first message to somebody: a button could cost them the whole message.
            Says::Link => voice.links_as_text(),
            Says::Opening => voice.opening(),
            Says::FollowPrompt => voice.prompt(),
        },
        Leg::PublicReply(_) => voice.public_reply(),
        Leg::Reveal => voice.reveal(),
        Leg::FollowPrompt => voice.prompt(),
        Leg::Acknowledgement => voice.acknowledgement(),
        Leg::FollowUp => voice.follow_up(),
    }
}

/// A text that was sent, with each tracked link of the campaign as the campaign has it, wherever it was served.
#[must_use]
pub fn untracked(text: &str, send: &Send, content: &CampaignContent) -> String {
    let Some(campaign) = &send.campaign else { return text.to_owned() };
    content.links.iter().fold(text.to_owned(), |text, link| {
        let behind = format!("{PATH}{}", Slug::of(&send.key.trigger.account, &campaign.id, &link.url));
        let Some(at) = text.find(&behind) else { return text };
        let from = text.get(..at).and_then(|before| before.rfind("http")).unwrap_or(at);
        match text.get(from..at + behind.len()) {
            Some(tracked) => text.replace(tracked, &link.url),
            None => text,
        }
    })
}

/// What the account says to somebody who opted out.
#[must_use]
pub fn confirmation(send: &Send, opt_out: &OptOut) -> Words {
    let values = Values { username: send.username.as_deref(), ..Values::default() };
    plain(rendering::plain_message(&opt_out.confirmation, &values))
}

/// A Send and the version of the campaign for which it speaks.
#[derive(Clone, Copy)]
struct Voice<'a> {
    send: &'a Send,
    content: &'a CampaignContent,
    tracked: Option<&'a LinksBase>,
}

impl<'a> Voice<'a> {
    /// What the campaign gives, in an open conversation.
    fn reveal(self) -> Words {
        let every_link: Vec<usize> = (0..self.content.links.len()).collect();
        self.links_as_buttons(&self.content.dm, &every_link).unwrap_or_else(|| self.links_as_text())
    }

    fn links_as_text(self) -> Words {
        let links = self.links();
        let values = Values { links: &as_values(&links), ..self.values() };
        plain(rendering::direct_message(&self.content.dm, &values))
    }

    fn opening(self) -> Words {
        match &self.content.opening {
            Some(opening) => self.asking(&opening.text, &opening.asks),
            None => self.links_as_text(),
        }
    }

    fn prompt(self) -> Words {
        match &self.content.follow_gate {
            Some(gate) => self.asking(&gate.text, &gate.asks),
            None => self.reveal(),
        }
    }

    fn public_reply(self) -> Words {
        let replies = &self.content.public_replies;
        let nth = self.send.variation as usize % replies.len().max(1);
        let template = replies.get(nth).map_or("", String::as_str);
        plain(rendering::public_reply(template, self.send.username.as_deref()))
    }

    fn acknowledgement(self) -> Words {
        let gate = self.content.follow_gate.as_ref();
        let template = gate.and_then(|gate| gate.acknowledgement.as_deref()).unwrap_or("");
        plain(rendering::plain_message(template, &self.values()))
    }

    fn follow_up(self) -> Words {
        let template = self.content.follow_up.as_ref().map_or("", |later| later.text.as_str());
        let placed: Vec<usize> =
            (0..self.content.links.len()).filter(|nth| rendering::places_link(template, *nth)).collect();
        self.links_as_buttons(template, &placed).unwrap_or_else(|| {
            let links = self.links();
            let values = Values { links: &as_values(&links), ..self.values() };
            plain(rendering::plain_message(template, &values))
        })
    }

    /// A message that asks for an answer or a tap.
    fn asking(self, template: &str, asks: &Asks) -> Words {
        match asks {
            Asks::Button(title) if !self.send.text_only => {
                let conversation = self.send.conversation.as_ref();
                let root = conversation.map_or(&self.send.key.trigger, |conversation| &conversation.root);
                Words {
                    text: rendering::text_over_buttons(template, &self.values()),
                    buttons: vec![Button { title: title.clone(), does: Does::Tell(payload(root)) }],
                }
            }
            Asks::Button(_) | Asks::Reply(_) => plain(rendering::plain_message(template, &self.values())),
        }
    }

    /// A text over these links of the campaign. `None` where links are text: the campaign wants it so, Instagram
    /// refused buttons, or nothing would stand over them.
    fn links_as_buttons(self, template: &str, links: &[usize]) -> Option<Words> {
        if !self.content.buttons || self.send.text_only || links.is_empty() {
            return None;
        }
        let text = rendering::text_over_buttons(template, &self.values());
        let urls = self.links();
        let button = |nth: usize| {
            let link = self.content.links.get(nth)?;
            let title = link.label.clone().unwrap_or_else(|| default_title(nth));
            Some(Button { title, does: Does::Open(urls.get(nth)?.clone()) })
        };
        let buttons = links.iter().filter_map(|nth| button(*nth)).take(MAX_BUTTONS).collect();
        (!text.is_empty()).then_some(Words { text, buttons })
    }

    /// Where the campaign's links lead, in their order.
    fn links(self) -> Vec<String> {
        let tracked = self.tracked.zip(self.send.campaign.as_ref());
        let leads_to = |link: &Link| match tracked {
            Some((base, campaign)) => {
                base.url(&Slug::of(&self.send.key.trigger.account, &campaign.id, &link.url))
            }
            None => link.url.clone(),
        };
        self.content.links.iter().map(leads_to).collect()
    }

    /// What the campaign's texts are rendered with, without its links.
    fn values(self) -> Values<'a> {
        let keyword = self.send.keyword.and_then(|nth| self.content.keywords.get(nth as usize));
        Values { username: self.send.username.as_deref(), keyword: keyword.map(String::as_str), links: &[] }
    }
}

/// What a button says for a link without a label.
fn default_title(nth: usize) -> String {
    if nth == 0 { "Link".to_owned() } else { format!("Link {}", nth + 1) }
}

fn as_values(links: &[String]) -> Vec<&str> {
    links.iter().map(String::as_str).collect()
}

fn plain(text: String) -> Words {
    Words { text, buttons: Vec::new() }
}
