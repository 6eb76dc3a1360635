//! How a person sees a Send.
//!
//! Every trigger that matched has a row per message it owed: what was sent, what waits and for what, what was
//! skipped and why, and what nobody can be sure of. What matched nothing has no row.

use crate::ids::CampaignId;
use crate::send::{Claim, Leg, Send, Skip, State};
use crate::time::Timestamp;
use serde::Serialize;

/// One row of what a person sees. Times are RFC 3339 in UTC; what is absent is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// `comment:<account>:<comment id>`.
    pub trigger: String,
    /// Whose message. Null where the account speaks for itself.
    pub campaign: Option<CampaignId>,
    /// `dm`, `public_reply`, `reveal`, `follow_prompt`, `acknowledgement` or `follow_up`.
    pub leg: &'static str,
    /// What a comment's `dm` says: `link`, `opening` or `follow_prompt`. Null for other legs.
    pub says: Option<&'static str>,
    /// `PENDING`, `SENT`, `FAILED`, `UNCONFIRMED` or `SKIPPED_…`.
    pub status: &'static str,
    /// What it waits for: `slot`, `retry`, `hold`, `pause`, `follow`, `answer` or `delay`.
    pub waiting_for: Option<&'static str>,
    /// Calls that reached Meta.
    pub attempts: u32,
    /// Why it stands as it does.
    pub reason: Option<String>,
    /// The id Meta gave the message.
    pub message_id: Option<String>,
    /// When it goes on.
    pub due_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What a person should do about a send in doubt. Comes after the reason.
const WHAT_TO_DO: &str = "It is never repeated automatically. Look for it in the account's Instagram inbox \
(for a public reply: under the comment), Requests included, before you write to this person by hand";

/// The rows of one Send. `alive` says whether whoever took a claim can still come back to settle it.
#[must_use]
pub fn rows(send: &Send, alive: impl Fn(&Claim) -> bool) -> Vec<Delivery> {
    let mut row = Delivery {
        trigger: send.key.trigger.to_string(),
        campaign: send.campaign.as_ref().map(|campaign| campaign.id.clone()),
        leg: send.key.leg.name(),
        says: (send.key.leg == Leg::Dm).then(|| send.says.as_str()),
        status: "PENDING",
        waiting_for: None,
        attempts: send.attempts,
        reason: None,
        message_id: None,
        due_at: None,
        updated_at: send.updated_at,
    };
    match &send.state {
        State::Open { waiting_for, due_at, reason } => {
            row.waiting_for = Some(waiting_for.as_str());
            row.due_at = Some(*due_at);
            row.reason = Some(reason.clone());
        }
        State::Claimed { doubt: Some(doubt) } => {
            row.status = "UNCONFIRMED";
            row.reason = Some(format!("{doubt}. {WHAT_TO_DO}."));
        }
        State::Claimed { doubt: None } if send.claim.as_ref().is_some_and(&alive) => {}
        State::Claimed { doubt: None } => {
            row.status = "UNCONFIRMED";
            row.reason = Some(format!(
                "the process that was sending it ended before it could record the outcome. {WHAT_TO_DO}."
            ));
        }
        State::Sent { message_id } => {
            row.status = "SENT";
            row.message_id = message_id.as_ref().map(ToString::to_string);
            if message_id.is_none() {
                row.reason = send.resolved.as_ref().map(|decided| format!("{} called it sent", decided.by));
            }
        }
        State::Failed { reason } => {
            row.status = "FAILED";
            row.reason = Some(reason.clone());
        }
        State::Skipped { skip, reason } => {
            row.status = skip.as_str();
            row.reason = Some(reason.clone());
        }
    }
    let losers = send.matched.iter().flat_map(|matched| &matched.losers).map(|loser| Delivery {
        campaign: Some(loser.id.clone()),
        says: None,
        status: Skip::Dedup.as_str(),
        waiting_for: None,
        attempts: 0,
        reason: Some(format!(
            "campaign {} stands before it in the file and won this comment's one private reply",
            send.campaign.as_ref().map_or("?", |campaign| campaign.id.as_str())
        )),
        message_id: None,
        due_at: None,
        updated_at: send.first_seen_at,
        ..row.clone()
    });
    let losers: Vec<Delivery> = losers.collect();
    std::iter::once(row).chain(losers).collect()
}

#[cfg(test)]
mod tests;
