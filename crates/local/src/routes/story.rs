//! The ledger's story of one trigger, step by step.

use super::view::sends;
use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use openreply_app::ports::{EventBodies, EventStatus, Ledger, LedgerError};
use openreply_domain::delivery::rows;
use openreply_domain::ids::CampaignId;
use openreply_domain::send::{Decision, Leg, Resolved, Says, Send};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::{TriggerKey, TriggerKind};
use openreply_testkit::instagram::World;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Deserialize)]
pub(super) struct StoryQuery {
    trigger: Option<String>,
}

#[derive(Serialize)]
struct Step {
    at: Timestamp,
    what: String,
    detail: Option<String>,
    /// How it looks: `done`, `waiting`, `failed` or `unsure`.
    state: &'static str,
}

/// `GET /_local/story?trigger=…`
pub(super) async fn story(State(runner): State<Arc<Runner>>, Query(query): Query<StoryQuery>) -> Response {
    let Some(trigger) = query.trigger.and_then(|trigger| trigger.parse::<TriggerKey>().ok()) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "?trigger= is missing or is none: it reads comment:<account>:<id>, and likewise for tap, message and follow_up",
        );
    };
    match tell(&runner, &trigger).await {
        Ok(steps) => Json(json!({ "trigger": trigger, "steps": steps })).into_response(),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn tell(runner: &Runner, trigger: &TriggerKey) -> Result<Vec<Step>, LedgerError> {
    let mut steps = Vec::new();
    let written = written(&runner.instagram.snapshot(), trigger);
    if let Some((at, what)) = written {
        steps.push(Step { at, what: what.into(), detail: None, state: "done" });
    }
    let (sends, alive) = sends(runner).await?;
    let sends: Vec<Send> = sends.into_iter().filter(|send| send.key.trigger == *trigger).collect();
    if let Some(missed) = sends.iter().find(|send| send.missed) {
        let what = "No webhook told of it: a sweep found it".to_owned();
        steps.push(Step { at: missed.first_seen_at, what, detail: None, state: "done" });
    }
    if let Some(received_at) = sends.first().map(|send| send.first_seen_at).or(written.map(|(at, _)| at)) {
        steps.extend(events(runner, trigger, received_at).await?);
    }
    for send in &sends {
        steps.extend(of_send(send, &alive));
    }
    if sends.is_empty() && !steps.is_empty() && runner.queue.is_idle() {
        let at = steps.last().map_or(Timestamp::UNIX_EPOCH, |step| step.at);
        let (what, detail) = match trigger.kind {
            TriggerKind::Comment => (
                "No campaign matches",
                "No active campaign listens for it, so nothing is sent and nothing is kept.",
            ),
            TriggerKind::Message | TriggerKind::Tap | TriggerKind::FollowUp => (
                "Nothing of its own",
                "It starts no message. If it answers an opening or a prompt, that one's story goes on.",
            ),
        };
        steps.push(Step { at, what: what.into(), detail: Some(detail.into()), state: "done" });
    }
    // What happened at the same moment stays in its order.
    steps.sort_by_key(|step| step.at);
    Ok(steps)
}

/// When a person wrote it, and what it is, as far as the fake Instagram knows. It keeps no taps.
fn written(world: &World, trigger: &TriggerKey) -> Option<(Timestamp, &'static str)> {
    match trigger.kind {
        TriggerKind::Comment => {
            world.comment(&trigger.id.as_comment()).map(|comment| (comment.at, "Comment written"))
        }
        TriggerKind::Message => {
            let id = trigger.id.to_string();
            let conversations = world.accounts().get(&trigger.account)?.conversations.values();
            let mut messages = conversations.flat_map(|conversation| &conversation.messages);
            let message = messages.find(|message| message.id.as_str() == id)?;
            Some((message.at, "Message written"))
        }
        TriggerKind::Tap | TriggerKind::FollowUp => None,
    }
}

/// The webhook events of that minute that held the trigger.
async fn events(runner: &Runner, trigger: &TriggerKey, at: Timestamp) -> Result<Vec<Step>, LedgerError> {
    let records = runner.ledger.events(at).await?.events;
    let holds = |body: &[u8]| {
        runner
            .reader
            .parse(body)
            .is_ok_and(|event| event.triggers.iter().any(|other| other.key() == *trigger))
    };
    let steps = records.into_iter().filter(|record| holds(&record.body)).map(|record| {
        let (what, detail, state) = match record.status {
            EventStatus::Pending => ("Webhook recorded", None, "waiting"),
            EventStatus::Processed => ("Webhook recorded and queued", None, "done"),
            EventStatus::Failed { why } => ("Webhook not taken whole", Some(why), "failed"),
        };
        Step { at: record.key.received_at, what: what.into(), detail, state }
    });
    Ok(steps.collect())
}

fn of_send(send: &Send, alive: &HashSet<String>) -> Vec<Step> {
    let campaign = send.campaign.as_ref().map_or("none", |campaign| campaign.id.as_str());
    let leg = match &send.key.leg {
        Leg::Dm => match send.says {
            Says::Link => "Direct message".to_owned(),
            Says::Opening => "Opening message".to_owned(),
            Says::FollowPrompt => "Request to follow".to_owned(),
        },
        Leg::PublicReply(campaign) => format!("Public reply of {campaign}"),
        Leg::Reveal => "Reveal".to_owned(),
        Leg::FollowPrompt => "Request to follow".to_owned(),
        Leg::Acknowledgement => "Acknowledgement".to_owned(),
        Leg::FollowUp => "Follow-up".to_owned(),
    };
    let mut steps = Vec::new();
    for (nth, released) in send.released.iter().enumerate() {
        let detail =
            Some(format!("Attempt {}, campaign {campaign}; nobody knows whether it arrived", nth + 1));
        let what = format!("{leg} claimed");
        steps.push(Step { at: released.claimed_at, what, detail, state: "unsure" });
    }
    if let Some(claim) = &send.claim {
        let detail = Some(format!("Attempt {}, campaign {campaign}", send.attempts.max(1)));
        steps.push(Step { at: claim.at, what: format!("{leg} claimed"), detail, state: "done" });
    }
    if let Some(Resolved { by, at, decision }) = &send.resolved {
        let what = match decision {
            Decision::Sent => format!("{leg}: called sent by {by}"),
            Decision::Release => format!("{leg}: called not sent by {by}, and released"),
        };
        steps.push(Step { at: *at, what, detail: None, state: "done" });
    }
    for row in rows(send, |claim| alive.contains(&claim.holder)) {
        let (what, state) = match row.status {
            "SENT" => (format!("{leg} sent"), "done"),
            "FAILED" => (format!("{leg} failed"), "failed"),
            "UNCONFIRMED" => (format!("{leg} unconfirmed"), "unsure"),
            "PENDING" => match row.waiting_for {
                Some(what) => (format!("{leg} waits for {what}"), "waiting"),
                None => (format!("{leg} in the air"), "waiting"),
            },
            skipped => (
                format!("{skipped} (campaign {})", row.campaign.as_ref().map_or("none", CampaignId::as_str)),
                "done",
            ),
        };
        let detail = row.message_id.map(|id| format!("Instagram's id {id}")).or(row.reason);
        steps.push(Step { at: row.updated_at, what, detail, state });
    }
    steps
}
