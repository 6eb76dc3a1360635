//! Sends for the tables.

use super::{Claim, Leg, Send, SendKey, Skip, State, WaitingFor};
use crate::campaign::CampaignRef;
use crate::ids::{AccountId, CampaignId, ClaimId, MessageId, TriggerId, UserId};
use crate::matched::Matched;
use crate::time::{SignedDuration, Timestamp, after, from_millis};
use crate::trigger::{TriggerKey, TriggerKind};

/// So many minutes after the comment of every sample.
pub(crate) fn minutes(minutes: i64) -> Timestamp {
    after(from_millis(1_796_054_400_000), SignedDuration::from_mins(minutes))
}

pub(crate) fn campaign(id: &str, version: u32) -> CampaignRef {
    CampaignRef { id: CampaignId::parse(id).unwrap(), version }
}

pub(crate) fn claim_id(n: u32) -> ClaimId {
    ClaimId::parse(format!("{n:032x}")).unwrap()
}

pub(crate) fn claim(n: u32) -> Claim {
    Claim {
        id: claim_id(n),
        at: minutes(0),
        holder: "turn".to_owned(),
        expires_at: minutes(2),
        slot: None,
        month: None,
        token_version: 1,
    }
}

pub(crate) fn open(due_at: Timestamp) -> State {
    State::Open { waiting_for: WaitingFor::Retry, due_at, reason: "no connection".to_owned() }
}

pub(crate) fn sent() -> State {
    State::Sent { message_id: MessageId::parse("mid.1").ok() }
}

/// Every state, those of a claim without and with doubt, OPEN due five minutes after the comment.
pub(crate) fn states() -> [State; 6] {
    [
        open(minutes(5)),
        State::Claimed { doubt: None },
        State::Claimed { doubt: Some("no answer".to_owned()) },
        sent(),
        State::Failed { reason: "deleted".to_owned() },
        State::Skipped { skip: Skip::Window, reason: "too late".to_owned() },
    ]
}

/// A direct message in this state. Its claim is the first, its wake 3, and it made one attempt.
pub(crate) fn send(state: State) -> Send {
    let account = AccountId::parse("17841400000000001").unwrap();
    let id = TriggerId::parse("179").unwrap();
    let winner = campaign("guide", 1);
    let key = SendKey { trigger: TriggerKey { kind: TriggerKind::Comment, account, id }, leg: Leg::Dm };
    let user = UserId::parse("900").unwrap();
    let matched =
        Matched { winner: winner.clone(), keyword: Some(0), losers: Vec::new(), public_replies: Vec::new() };
    Send {
        matched: Some(matched),
        state,
        claim: Some(claim(1)),
        attempts: 1,
        wake: 3,
        ..Send::new(key, Some(winner), user, None, minutes(0))
    }
}
