//! Accounts with their gates, and the switches a person has: lift, stop, start.

use super::body::NoBody;
use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use openreply_app::deliver::month_of;
use openreply_app::ports::{Clock, Ledger, LedgerError};
use openreply_app::resume::{self, ResumeError};
use openreply_domain::ids::AccountId;
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /_local/accounts`
pub(super) async fn accounts(State(runner): State<Arc<Runner>>) -> Response {
    match all(&runner).await {
        Ok(accounts) => Json(accounts).into_response(),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

async fn all(runner: &Runner) -> Result<Vec<Value>, LedgerError> {
    let now = runner.clock.now();
    let month_used = runner.ledger.month_used(&month_of(now)).await?;
    let mut accounts = Vec::new();
    for id in runner.ledger.account_ids().await? {
        let (gate, stop) = runner.ledger.gates(&id).await?;
        let waiting = runner.ledger.waiting(&id).await?.len();
        // What holds everything holds this account too.
        let hold = gate.standing(now).or(stop.app_hold.as_ref().filter(|hold| hold.stands(now)));
        let hold = match (hold, stop.stopped_since) {
            (Some(hold), _) => {
                json!({ "reason": hold.reason.as_str(), "since": hold.since, "until": hold.until })
            }
            (None, Some(since)) => json!({ "reason": "stopped", "since": since, "until": null }),
            (None, None) => Value::Null,
        };
        let (hourly, monthly) = (runner.policy.hourly_limit, runner.policy.monthly_limit);
        accounts.push(json!({
            "id": id,
            "hold": hold,
            "slots": { "limit": hourly, "used": gate.slots.used(now), "next_at": gate.slots.next_at(hourly, now) },
            "month": { "limit": monthly, "used": month_used },
            "waiting": waiting,
        }));
    }
    Ok(accounts)
}

/// `POST /_local/accounts/{id}/lift`
pub(super) async fn lift(
    State(runner): State<Arc<Runner>>,
    Path(id): Path<String>,
    NoBody: NoBody,
) -> Response {
    let Ok(id) = AccountId::parse(id) else {
        return refuse(StatusCode::BAD_REQUEST, "this is no account id");
    };
    answer(resume::lift(&runner.ledger, &runner.queue, &runner.facts, &id, runner.clock.now()).await)
}

/// `POST /_local/app/lift`
pub(super) async fn lift_app(State(runner): State<Arc<Runner>>, NoBody: NoBody) -> Response {
    answer(resume::lift_app(&runner.ledger, &runner.queue, &runner.facts, runner.clock.now()).await)
}

/// `POST /_local/stop`
pub(super) async fn stop(State(runner): State<Arc<Runner>>, NoBody: NoBody) -> Response {
    answer(resume::stop(&runner.ledger, runner.clock.now()).await.map(|()| 0))
}

/// `POST /_local/start`
pub(super) async fn start(State(runner): State<Arc<Runner>>, NoBody: NoBody) -> Response {
    answer(resume::start(&runner.ledger, &runner.queue, &runner.facts, runner.clock.now()).await)
}

fn answer(result: Result<usize, ResumeError>) -> Response {
    match result {
        Ok(woken) => Json(json!({ "woken": woken })).into_response(),
        Err(error @ ResumeError::NoAccount(_)) => refuse(StatusCode::NOT_FOUND, &error.to_string()),
        Err(error @ (ResumeError::Ledger(_) | ResumeError::Queue(_) | ResumeError::Crowded)) => {
            refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
    }
}
