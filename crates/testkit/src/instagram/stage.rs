//! One call at a time: decide, meet the fault that was planned, change, log, answer.

use super::call::{Answered, Call, CallKind};
use super::fault::{Fault, FaultAnswer, FaultPlan};
use super::ids;
use super::refusal::{ErrorAnswer, Refusal};
use super::rules::{self, Write};
use super::world::{Change, World};
use openreply_domain::ids::AccountId;
use openreply_domain::time::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Whoever hears of every change first.
pub(super) type Journal = Box<dyn Fn(&Change) + Send>;

/// Everything that is behind the lock.
#[derive(Default)]
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) tokens: BTreeMap<AccountId, SecretString>,
    /// Whose a token is, for a read that names no account.
    pub(super) owners: Vec<(SecretString, AccountId)>,
    pub(super) faults: FaultPlan,
    pub(super) calls: Vec<Call>,
    pub(super) journal: Option<Journal>,
    /// How long reads take.
    pub(super) read_latency: Duration,
    /// How late the answer to a write comes.
    pub(super) write_latency: Duration,
    /// How much of the calls is used, in percent.
    pub(super) usage: u32,
}

/// What every request has. The path is without the query.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) token: Option<String>,
    /// Whether the query has a `fields=` parameter.
    pub(super) names_fields: bool,
}

/// What the caller hears.
#[derive(Debug)]
pub(super) enum Answer {
    Json(u16, Value),
    Html(u16),
    Silence,
}

impl Stage {
    pub(super) fn change(&mut self, change: &Change) {
        if let Some(keep) = &self.journal {
            keep(change);
        }
        self.world.apply(change);
    }

    pub(super) fn write(&mut self, now: Timestamp, request: Request, write: &Write) -> Answer {
        let kind = write.kind();
        let granted = self
            .authorise(write.account(&self.world).as_ref(), request.token.as_deref())
            .and_then(|()| rules::decide(&self.world, now, write));
        let fault = self.faults.take(kind);
        let mut made = None;
        if fault.as_ref().is_none_or(|fault| fault.delivers)
            && let Ok(granted) = &granted
        {
            self.change(&granted.change);
            made = Some(granted.id.clone());
        }
        if fault.is_none()
            && let Some(change) = granted.as_ref().err().and_then(|refusal| rules::spends(write, refusal))
        {
            self.change(&change);
        }
        let (answered, answer) = match (fault, granted) {
            (Some(Fault { answer: FaultAnswer::Error(error), .. }), _) => self.refuse(&error),
            (Some(Fault { answer: FaultAnswer::Html { status }, .. }), _) => {
                (Answered::Html { status }, Answer::Html(status))
            }
            (Some(Fault { answer: FaultAnswer::Silence, .. }), _) => (Answered::Silence, Answer::Silence),
            (None, Err(refusal)) => self.refuse(&refusal.error()),
            (None, Ok(_)) if request.names_fields => self.refuse(&Refusal::FieldsOnWrite.error()),
            (None, Ok(granted)) => (Answered::Success, Answer::Json(200, granted.receipt)),
        };
        self.calls.push(Call {
            target: write.target().map(str::to_owned),
            text: write.text().map(str::to_owned),
            made,
            ..plain_call(now, request, kind, answered)
        });
        answer
    }

    /// `seen` is what there is to see and whose token that needs.
    pub(super) fn read(
        &mut self,
        now: Timestamp,
        request: Request,
        seen: Result<(AccountId, Value), Refusal>,
    ) -> Answer {
        let account = seen.as_ref().ok().map(|(account, _)| account);
        let outcome = self.authorise(account, request.token.as_deref()).and(seen);
        let (answered, answer) = match (self.faults.take_of_read(), outcome) {
            (Some(FaultAnswer::Error(error)), _) => self.refuse(&error),
            (Some(FaultAnswer::Html { status }), _) => (Answered::Html { status }, Answer::Html(status)),
            (Some(FaultAnswer::Silence), _) => (Answered::Silence, Answer::Silence),
            (None, Ok((_, seen))) => (Answered::Success, Answer::Json(200, seen)),
            (None, Err(refusal)) => self.refuse(&refusal.error()),
        };
        self.calls.push(plain_call(now, request, Some(CallKind::Read), answered));
        answer
    }

    pub(super) fn unknown_endpoint(&mut self, now: Timestamp, request: Request) -> Answer {
        let refusal = Refusal::UnknownEndpoint { method: request.method.clone() };
        let (answered, answer) = self.refuse(&refusal.error());
        self.calls.push(plain_call(now, request, None, answered));
        answer
    }

    /// Whose token it is. One that nobody was given is that of the only account there is.
    pub(super) fn me(&self, token: Option<&str>) -> Result<AccountId, Refusal> {
        let token = token.ok_or(Refusal::TokenMissing)?;
        let known = self.owners.iter().map(|(known, id)| (id, known)).chain(&self.tokens);
        let owners: BTreeSet<&AccountId> =
            known.filter(|(_, known)| known.expose_secret() == token).map(|(id, _)| id).collect();
        let candidates: BTreeSet<&AccountId> =
            if owners.is_empty() { self.world.accounts().keys().collect() } else { owners };
        match candidates.first() {
            Some(only) if candidates.len() == 1 => Ok((*only).clone()),
            Some(_) | None => Err(Refusal::UnknownObject),
        }
    }

    fn authorise(&self, account: Option<&AccountId>, token: Option<&str>) -> Result<(), Refusal> {
        let token = token.ok_or(Refusal::TokenMissing)?;
        match account.and_then(|id| self.tokens.get(id)) {
            Some(known) if known.expose_secret() != token => Err(Refusal::TokenInvalid),
            Some(_) | None => Ok(()),
        }
    }

    fn refuse(&self, error: &ErrorAnswer) -> (Answered, Answer) {
        let ErrorAnswer { status, code, subcode, .. } = *error;
        let answer = Answer::Json(status, error.body(&ids::trace(self.calls.len())));
        (Answered::Error { status, code, subcode }, answer)
    }
}

fn plain_call(at: Timestamp, request: Request, kind: Option<CallKind>, answer: Answered) -> Call {
    let Request { method, path, .. } = request;
    Call { at, method, path, kind, target: None, text: None, made: None, answer }
}
