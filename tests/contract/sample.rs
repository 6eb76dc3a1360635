//! One Send for the tests that look at the table rather than at the contract.

use openreply_domain::campaign::CampaignRef;
use openreply_domain::ids::{CampaignId, ClaimId, UserId};
use openreply_domain::matched::{Matched, PublicReply};
use openreply_domain::send::{Claim, Leg, Send, SendKey};
use openreply_domain::time::{SignedDuration, after, from_millis};

/// A plain comment's direct message, with ids as long as Instagram's and Lambda's.
pub(crate) fn plain_claim() -> Send {
    let now = from_millis(1_796_054_400_123);
    let campaign = CampaignRef { id: CampaignId::parse("free-guide-autumn").unwrap(), version: 12 };
    let trigger = "comment:17841400000000001:17912345678901234".parse().unwrap();
    let (user, name) = (UserId::parse("1234567890123456").unwrap(), "somebody.with.a_longer_name".to_owned());
    let promised = Some(campaign.clone());
    Send {
        keyword: Some(0),
        matched: Some(Matched {
            winner: campaign.clone(),
            keyword: Some(0),
            losers: vec![CampaignRef { id: CampaignId::parse("welcome").unwrap(), version: 3 }],
            public_replies: vec![PublicReply { campaign, variation: 2 }],
        }),
        claim: Some(Claim {
            id: ClaimId::parse("0123456789abcdef0123456789abcdef").unwrap(),
            at: now,
            holder: "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned(),
            expires_at: after(now, SignedDuration::from_secs(120)),
            slot: None,
            month: None,
            token_version: 1,
        }),
        attempts: 1,
        ..Send::new(SendKey { trigger, leg: Leg::Dm }, promised, user, Some(name), now)
    }
}
