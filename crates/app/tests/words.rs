//! What each message says: its text and its buttons.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::deliver::words::{Words, confirmation, payload, root_of, untracked, words};
use openreply_domain::campaign::{
    Asks, CampaignContent, CampaignRef, FollowGate, FollowUp, Link, Opening, OptOut,
};
use openreply_domain::ids::{CampaignId, UserId};
use openreply_domain::links::LinksBase;
use openreply_domain::message::{Button, Does};
use openreply_domain::send::{Conversation, Leg, Says, Send, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;

fn trigger(text: &str) -> TriggerKey {
    text.parse().unwrap()
}

fn send(leg: Leg, says: Says) -> Send {
    let campaign = CampaignRef { id: CampaignId::parse("guide").unwrap(), version: 3 };
    let key = SendKey { trigger: trigger("comment:1784:17900"), leg };
    let user = UserId::parse("9001").unwrap();
    let send = Send::new(key, Some(campaign), user, Some("anna".into()), Timestamp::UNIX_EPOCH);
    Send { says, keyword: Some(1), ..send }
}

fn link(url: &str, label: Option<&str>) -> Link {
    Link { url: url.into(), label: label.map(str::to_owned) }
}

fn content() -> CampaignContent {
    CampaignContent {
        keywords: vec!["LINK".into(), "guía".into()],
        dm: "Here is the {keyword}, {username}: {link}".into(),
        links: vec![
            link("https://a.b/1", Some("Open it")),
            link("https://a.b/2", None),
            link("https://a.b/3", None),
        ],
        public_replies: vec!["Sent, {username}!".into()],
        opening: Some(Opening {
            text: "The {keyword}, {username}?".into(),
            asks: Asks::Button("Yes".into()),
        }),
        follow_gate: Some(FollowGate {
            text: "Follow us first, {username}".into(),
            asks: Asks::Reply(vec!["DONE".into()]),
            acknowledgement: Some("One moment, {username}".into()),
        }),
        follow_up: Some(FollowUp { text: "Once more: {link2}".into(), after_minutes: 60 }),
        ..CampaignContent::default()
    }
}

fn button(title: &str, does: Does) -> Button {
    Button { title: title.into(), does }
}

fn open(title: &str, url: &str) -> Button {
    button(title, Does::Open(url.into()))
}

fn said(text: &str, buttons: Vec<Button>) -> Words {
    Words { text: text.into(), buttons }
}

#[test]
fn each_leg_says_its_own_text() {
    let reveal = "Here is the guía, anna: https://a.b/1";
    let yes = vec![button("Yes", Does::Tell("openreply:comment:1784:17900".into()))];
    for (leg, says, expected) in [
        (Leg::Dm, Says::Link, said(reveal, vec![])),
        (Leg::Dm, Says::Opening, said("The guía, anna?", yes)),
        (Leg::Dm, Says::FollowPrompt, said("Follow us first, anna", vec![])),
        (Leg::PublicReply(CampaignId::parse("guide").unwrap()), Says::Link, said("Sent, anna!", vec![])),
        (Leg::Reveal, Says::Link, said(reveal, vec![])),
        (Leg::FollowPrompt, Says::Link, said("Follow us first, anna", vec![])),
        (Leg::Acknowledgement, Says::Link, said("One moment, anna", vec![])),
        (Leg::FollowUp, Says::Link, said("Once more: https://a.b/2", vec![])),
    ] {
        assert_eq!(words(&send(leg.clone(), says), &content(), None), expected, "{leg} {says:?}");
    }
    let stop = confirmation(&send(Leg::Acknowledgement, Says::Link), &OptOut::default());
    assert_eq!(stop, said(&OptOut::default().confirmation, vec![]));
}

#[test]
fn links_are_buttons_only_in_a_conversation_that_is_open() {
    let content = CampaignContent { buttons: true, ..content() };
    let all = vec![
        open("Open it", "https://a.b/1"),
        open("Link 2", "https://a.b/2"),
        open("Link 3", "https://a.b/3"),
    ];
    let text = "Here is the guía, anna: https://a.b/1";
    for (leg, expected) in [
        (Leg::Dm, said(text, vec![])),
        (Leg::Reveal, said("Here is the guía, anna", all)),
        (Leg::FollowUp, said("Once more", vec![open("Link 2", "https://a.b/2")])),
    ] {
        let send = send(leg, Says::Link);
        assert_eq!(words(&send, &content, None), expected);
        // Instagram refused the buttons: everything is in the text again.
        let refused = words(&Send { text_only: true, ..send }, &content, None);
        assert!(refused.buttons.is_empty() && refused.text.contains("https://a.b/"), "{refused:?}");
    }
    // Nothing would stand over them.
    let bare = CampaignContent { dm: "{link}".into(), ..content.clone() };
    let send = send(Leg::Reveal, Says::Link);
    assert_eq!(words(&send, &bare, None), said("https://a.b/1", vec![]));
    let none = CampaignContent { links: vec![], dm: "Hello".into(), ..content };
    assert_eq!(words(&send, &none, None), said("Hello", vec![]));
}

#[test]
fn a_text_over_buttons_is_cut_and_one_without_keeps_a_thousand_bytes() {
    let content =
        CampaignContent { buttons: true, dm: format!("{{username}} {}", "x".repeat(700)), ..content() };
    let over = words(&send(Leg::Reveal, Says::Link), &content, None);
    assert_eq!((over.text.chars().count(), over.buttons.len()), (640, 3));
    let plain = words(&send(Leg::Dm, Says::Link), &content, None);
    assert!(plain.text.ends_with("x\nhttps://a.b/1"));
}

#[test]
fn tracked_links_stand_for_those_of_the_campaign() {
    let base = LinksBase::parse("https://links.example.com").unwrap();
    let url = |text: &str| text.split_once("https://").map(|(_, rest)| format!("https://{rest}")).unwrap();
    let content = CampaignContent { buttons: true, ..content() };
    let reveal = words(&send(Leg::Reveal, Says::Link), &content, Some(&base));
    let dm = words(&send(Leg::Dm, Says::Link), &content, Some(&base));
    let later = words(&send(Leg::FollowUp, Says::Link), &content, Some(&base));
    assert!(url(&dm.text).starts_with("https://links.example.com/r/"), "{}", dm.text);
    assert_eq!(reveal.buttons[0].does, Does::Open(url(&dm.text)));
    assert_eq!(later.buttons[0].does, reveal.buttons[1].does);
    assert_eq!(
        untracked(&dm.text, &send(Leg::Dm, Says::Link), &content),
        "Here is the guía, anna: https://a.b/1"
    );
    // The same in every version of the campaign, another in another campaign.
    let mut next = send(Leg::Dm, Says::Link);
    next.campaign.as_mut().unwrap().version = 4;
    assert_eq!(words(&next, &content, Some(&base)), dm);
    next.campaign.as_mut().unwrap().id = CampaignId::parse("other").unwrap();
    assert_ne!(words(&next, &content, Some(&base)), dm);
}

#[test]
fn a_payload_names_the_trigger_that_began_it() {
    let root = trigger("comment:1784:17900");
    let mut prompt = send(Leg::FollowPrompt, Says::Link);
    prompt.conversation = Some(Conversation {
        is_first_contact: false,
        root: root.clone(),
        asked_by: trigger("tap:1784:mid"),
        checks: 0,
        closes_at: Timestamp::UNIX_EPOCH,
    });
    let mut content = content();
    content.follow_gate.as_mut().unwrap().asks = Asks::Button("Done".into());
    let asked = words(&prompt, &content, None);
    assert_eq!(asked.buttons, [button("Done", Does::Tell(payload(&root)))]);
    assert_eq!(root_of(&payload(&root)), Some(root));
    for foreign in ["", "openreply:", "openreply:comment", "x:comment:1784:17900", "comment:1784:17900"] {
        assert_eq!(root_of(foreign), None, "{foreign}");
    }
}
