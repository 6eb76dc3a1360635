//! What the cases write.
#![expect(clippy::unwrap_used, reason = "the samples are right or no case can run")]

use crate::memory::ManualClock;
use openreply_app::ports::{AccountUpdate, Clock};
use openreply_domain::campaign::{Campaign, CampaignContent, CampaignRef, Link, OptOut, Post};
use openreply_domain::gate::{AccountGate, Hold, HoldReason, Stop};
use openreply_domain::ids::{AccountId, CampaignId, ClaimId, TriggerId, UserId};
use openreply_domain::matched::Matched;
use openreply_domain::matching::MatchMode;
use openreply_domain::send::{Claim, Leg, Send, SendKey};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::token::SealedToken;
use openreply_domain::trigger::{TriggerKey, TriggerKind};

/// So many seconds after the moment that all cases begin at.
pub(in crate::contract) fn at(seconds: i64) -> Timestamp {
    after(ManualClock::default().now(), SignedDuration::from_secs(seconds))
}

pub(in crate::contract) fn account(n: u32) -> AccountId {
    AccountId::parse(format!("1784140000000{n}")).unwrap()
}

/// The n-th comment under the first account.
pub(in crate::contract) fn trigger(n: u32) -> TriggerKey {
    let id = TriggerId::parse(format!("1790000000000{n:04}")).unwrap();
    TriggerKey { kind: TriggerKind::Comment, account: account(1), id }
}

pub(in crate::contract) fn campaign_id(n: u32) -> CampaignId {
    CampaignId::parse(format!("campaign-{n}")).unwrap()
}

pub(in crate::contract) fn reply(n: u32) -> Leg {
    Leg::PublicReply(campaign_id(n))
}

pub(in crate::contract) fn claim(n: u32) -> Claim {
    Claim {
        id: ClaimId::parse(format!("{n:032x}")).unwrap(),
        at: at(1),
        holder: format!("invocation-{n}"),
        expires_at: at(121),
        slot: None,
        month: None,
        token_version: 1,
    }
}

pub(in crate::contract) fn matched() -> Matched {
    Matched { winner: reference(1), keyword: Some(1), losers: vec![reference(2)], public_replies: Vec::new() }
}

pub(in crate::contract) fn user() -> UserId {
    UserId::parse("900").unwrap()
}

pub(in crate::contract) fn reference(n: u32) -> CampaignRef {
    CampaignRef { id: campaign_id(n), version: 1 }
}

/// A Send as its first claim, number `n`, leaves it.
pub(in crate::contract) fn claimed(trigger: TriggerKey, leg: Leg, n: u32) -> Send {
    let matched = (leg == Leg::Dm).then(matched);
    let username = Some("anna".to_owned());
    Send {
        matched,
        claim: Some(claim(n)),
        attempts: 1,
        updated_at: at(1),
        ..Send::new(SendKey { trigger, leg }, Some(reference(1)), user(), username, at(0))
    }
}

pub(in crate::contract) fn update(id: AccountId) -> AccountUpdate {
    let token = SealedToken { sealed: "v1.0badcafe.c2VhbGVk".to_owned(), version: 1, ends_by: None };
    AccountUpdate { id, username: "bakery".to_owned(), opt_out: OptOut::default(), token }
}

pub(in crate::contract) fn campaign(n: u32, order: u32) -> Campaign {
    Campaign {
        id: campaign_id(n),
        order,
        version: 1,
        active: true,
        active_since: None,
        backfill: false,
        reel_since: None,
        bound: None,
        content: CampaignContent {
            name: format!("Guide {n}"),
            post: Post::Any,
            match_mode: MatchMode::WholeWord,
            keywords: vec!["LINK".to_owned(), "guía".to_owned()],
            dm: "Hi {username}! Here it is: {link}".to_owned(),
            links: vec![Link {
                url: "https://example.com/guide".to_owned(),
                label: Some("Open the guide".to_owned()),
            }],
            public_replies: vec!["Sent! Check your DMs".to_owned()],
            ..CampaignContent::default()
        },
    }
}

pub(in crate::contract) fn hold(reason: HoldReason, since: i64) -> Hold {
    Hold { reason, since: at(since), until: Some(at(since + 900)) }
}

/// A gate that nothing happened at yet but a token.
pub(in crate::contract) fn gate(revision: u64) -> AccountGate {
    AccountGate { revision, token_version: 1, ..AccountGate::default() }
}

pub(in crate::contract) fn stop(revision: u64) -> Stop {
    Stop { revision, stopped_since: Some(at(0)), app_hold: None }
}
