//! A story: what people do, step by step, and the conversation that comes of it.

use crate::driver::{ACCOUNT, Answer, Sim};
use openreply_domain::ids::UserId;
use openreply_domain::message::{Does, Follow};
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::Policy;
use openreply_domain::time::SignedDuration;
use openreply_testkit::faults::{Fault, FaultPlan};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One thing that happens.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A person comments: id and text.
    Comments(&'static str, &'static str),
    /// A person writes: id and text.
    Writes(&'static str, &'static str),
    /// A person taps the button of the flow that began with this trigger: id of the tap, trigger.
    Taps(&'static str, &'static str),
    /// A person taps a button with this payload.
    TapsForeign(&'static str, &'static str),
    /// Both at once: the second is there before the first is handled.
    AtOnce(Box<(Step, Step)>),
    /// What Instagram says from now on about whether they follow.
    Follows(Follow),
    /// So many seconds go by.
    Wait(i64),
    /// Somebody applies another campaign file.
    Apply(&'static str),
    /// Another person acts from here on.
    Person(&'static str),
    /// It happens on another account from here on.
    On(&'static str),
}

pub(super) use Step::*;

/// A story with the conversation that it must give.
pub(super) struct Story {
    pub(super) name: &'static str,
    pub(super) campaigns: &'static str,
    pub(super) instagram: Answer,
    pub(super) steps: Vec<Step>,
    /// One line each: `> what the person did`, `< what they got`.
    pub(super) transcript: &'static str,
    /// `leg status` of each row in the end.
    pub(super) rows: &'static [&'static str],
}

/// Who acts, and on which account.
#[derive(Debug, Clone, Copy)]
struct Place {
    person: &'static str,
    account: &'static str,
}

/// A run of a story.
pub(super) struct Told {
    pub(super) sim: Sim,
    pub(super) transcript: Vec<String>,
}

/// How often each event is brought, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bringing {
    Once,
    /// Each event twice at once, and all of them again in the end, the last one first.
    AgainAndAgain,
}

impl Story {
    pub(super) async fn tell(&self, bringing: Bringing, faults: &[(usize, Fault)]) -> Told {
        let plan = FaultPlan::new(faults.iter().copied());
        let answer = self.instagram;
        let script = Arc::new(move |_: usize, _: &_| answer);
        let sim = Sim::scripted(self.campaigns, script, plan, Policy::default(), 7).await;
        let mut told = Told { sim, transcript: Vec::new() };
        let mut place = Place { person: "900", account: ACCOUNT };
        let mut brought = Vec::new();
        for step in &self.steps {
            told.step(step, &mut place, bringing, &mut brought).await;
        }
        told.let_run(SignedDuration::from_hours(24 * 8)).await;
        if bringing == Bringing::AgainAndAgain {
            for event in brought.iter().rev() {
                told.sim.post(event).await;
            }
            told.let_run(SignedDuration::from_hours(24)).await;
        }
        told
    }
}

impl Told {
    async fn step(&mut self, step: &Step, place: &mut Place, bringing: Bringing, brought: &mut Vec<Value>) {
        match step {
            Person(id) => place.person = id,
            On(id) => place.account = id,
            Follows(follow) => {
                let user = UserId::parse(place.person).unwrap();
                self.sim.memory().messenger.set_follows(&user, *follow);
            }
            Wait(seconds) => self.let_run(SignedDuration::from_secs(*seconds)).await,
            Apply(campaigns) => {
                self.sim.apply(campaigns).await;
                self.let_run(SignedDuration::from_secs(1)).await;
            }
            AtOnce(both) => {
                for step in [&both.0, &both.1] {
                    self.post(step, *place, bringing, brought).await;
                }
                self.let_run(SignedDuration::from_secs(5)).await;
            }
            Comments(..) | Writes(..) | Taps(..) | TapsForeign(..) => {
                self.post(step, *place, bringing, brought).await;
                self.let_run(SignedDuration::from_secs(5)).await;
            }
        }
    }

    async fn post(&mut self, step: &Step, place: Place, bringing: Bringing, brought: &mut Vec<Value>) {
        let at = self.sim.now().as_millisecond();
        let (line, event) = match step {
            Comments(id, text) => (format!("> comments: {text}"), comment(place, id, text)),
            Writes(id, text) => {
                (format!("> {text}"), messaging(place, at, "message", json!({"mid": id, "text": text})))
            }
            Taps(id, root) => {
                let payload = format!("openreply:{root}");
                (
                    "> taps".to_owned(),
                    messaging(place, at, "postback", json!({"mid": id, "payload": payload})),
                )
            }
            TapsForeign(id, payload) => (
                format!("> taps {payload}"),
                messaging(place, at, "postback", json!({"mid": id, "payload": payload})),
            ),
            AtOnce(_) | Follows(_) | Wait(_) | Apply(_) | Person(_) | On(_) => {
                unreachable!("nothing is posted")
            }
        };
        self.transcript.push(line);
        self.sim.post(&event).await;
        if bringing == Bringing::AgainAndAgain {
            self.sim.post(&event).await;
        }
        brought.push(event);
    }

    async fn let_run(&mut self, span: SignedDuration) {
        let before = self.sim.memory().messenger.calls().len();
        self.sim.drain_until(span).await;
        for sent in &self.sim.memory().messenger.calls()[before..] {
            let buttons: Vec<String> = sent
                .buttons
                .iter()
                .map(|button| match &button.does {
                    Does::Tell(_) => format!(" [{}]", button.title),
                    Does::Open(url) => format!(" [{} → {url}]", button.title),
                })
                .collect();
            let mark = if matches!(sent.outcome, SendOutcome::Delivered { .. }) { "<" } else { "x" };
            self.transcript.push(format!("{mark} {}{}", sent.text, buttons.concat()));
        }
    }

    /// `leg status` of every row, in the order of their Sends.
    pub(super) fn rows(&self) -> Vec<String> {
        self.sim.rows().iter().map(|row| format!("{} {}", row.leg, row.status)).collect()
    }

    /// How often each text arrived.
    pub(super) fn arrived(&self) -> BTreeMap<String, usize> {
        let mut arrived = BTreeMap::new();
        for texts in self.sim.inboxes.lock().unwrap().values() {
            for text in texts {
                *arrived.entry(text.clone()).or_default() += 1;
            }
        }
        arrived
    }
}

fn comment(place: Place, id: &str, text: &str) -> Value {
    let Place { person, account } = place;
    json!({"object": "instagram", "entry": [{"id": account, "time": 1_796_054_400, "changes": [{
        "field": "comments",
        "value": {"id": id, "text": text, "from": {"id": person, "username": format!("user{person}")}, "media": {"id": "55"}},
    }]}]})
}

fn messaging(place: Place, at: i64, kind: &str, what: Value) -> Value {
    let Place { person, account } = place;
    let mut element = json!({"sender": {"id": person}, "recipient": {"id": account}, "timestamp": at});
    element[kind] = what;
    json!({"object": "instagram", "entry": [{"id": account, "time": at, "messaging": [element]}]})
}
