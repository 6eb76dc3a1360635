//! Looking at the runner: deliveries, the fake Instagram's world, and a signal whenever something changed.

use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use openreply_app::ports::{Clock, Ledger, LedgerError};
use openreply_domain::campaign::{Account, Campaign, Post};
use openreply_domain::delivery::{Delivery, rows};
use openreply_domain::send::Send;
use openreply_domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// `GET /_local/deliveries`: every row, oldest trigger first.
pub(super) async fn deliveries(State(runner): State<Arc<Runner>>) -> Response {
    match sends(&runner).await {
        Ok((sends, alive)) => {
            let rows: Vec<Delivery> =
                sends.iter().flat_map(|send| rows(send, |claim| alive.contains(&claim.holder))).collect();
            Json(rows).into_response()
        }
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// Every Send, and the invocations that were at work around the moment they were read: one that ends in between has
/// settled what it was sending.
pub(super) async fn sends(runner: &Runner) -> Result<(Vec<Send>, HashSet<String>), LedgerError> {
    let mut alive = runner.pump.alive();
    let mut sends = Vec::new();
    for account in runner.ledger.account_ids().await? {
        sends.extend(runner.ledger.deliveries(&account, Timestamp::UNIX_EPOCH).await?);
    }
    alive.extend(runner.pump.alive());
    sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
    Ok((sends, alive))
}

/// `GET /_local/world`: what the page shows.
pub(super) async fn world(State(runner): State<Arc<Runner>>) -> Response {
    match accounts(&runner).await {
        Ok(accounts) => {
            let view = runner.instagram.snapshot().view();
            let graph = runner.graph_url.clone().unwrap_or_else(|| "fake".to_owned());
            Json(json!({
                "now": runner.clock.now(),
                "accounts": accounts,
                "posts": view.posts,
                "conversations": view.conversations,
                "followers": view.followers,
                "graph": graph,
            }))
            .into_response()
        }
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn accounts(runner: &Runner) -> Result<Vec<Value>, LedgerError> {
    let mut accounts = Vec::new();
    for id in runner.ledger.account_ids().await? {
        if let Some(account) = runner.ledger.account(&id).await? {
            accounts.push(account_json(&account));
        }
    }
    Ok(accounts)
}

fn account_json(account: &Account) -> Value {
    let campaigns: Vec<Value> = account.campaigns.iter().map(campaign_json).collect();
    json!({ "id": account.id, "username": account.username, "campaigns": campaigns })
}

fn campaign_json(campaign: &Campaign) -> Value {
    let post = match &campaign.content.post {
        Post::Any => "any",
        Post::NextReel => "next_reel",
        Post::Media(media) => media.as_str(),
    };
    json!({
        "id": campaign.id,
        "name": campaign.content.name,
        "active": campaign.active,
        "keywords": campaign.content.keywords,
        "match": campaign.content.match_mode,
        "post": post,
        "opening": campaign.content.opening.is_some(),
        "follow_gate": campaign.content.follow_gate.is_some(),
        "follow_up": campaign.content.follow_up.as_ref().map(|later| later.after_minutes),
        "dm_trigger": campaign.content.dm_trigger,
        "repeat": campaign.content.repeat,
    })
}

/// `GET /_local/events`: a `change` event whenever something may have changed, as Server-Sent Events.
pub(super) async fn events(
    State(runner): State<Arc<Runner>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // Bursts are told of once: the page reads everything anew.
    const AT_MOST_EVERY: Duration = Duration::from_millis(100);
    let seen = runner.instagram.subscribe();
    let changes = stream::unfold((runner, seen), |(runner, mut seen)| async move {
        tokio::select! {
            _ = seen.changed() => {}
            () = runner.queue.changed() => {}
        }
        tokio::time::sleep(AT_MOST_EVERY).await;
        Some((Ok(Event::default().event("change").data("")), (runner, seen)))
    });
    Sse::new(changes).keep_alive(KeepAlive::default())
}
