//! Resume: what waited for a hold, a stop or a pause that is over goes on; and the switches a person has.
//!
//! Guarantees: a Send that is woken goes through every gate again, so many that are woken at once are paced by
//! the hour; waking twice sends nothing twice, because each wake takes the place of the one before.

use crate::contended::{Unchanged, change_gate, change_stop};
use crate::ports::{Enqueue, Fact, Facts, Ledger, LedgerError, Queue, QueueError, Timer, Written};
use openreply_domain::campaign::Account;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::AccountId;
use openreply_domain::send::{Expect, Send, State, WaitingFor};
use openreply_domain::time::Timestamp;

/// Why not everything could be woken. Doing it again is safe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// The ledger failed on the way.
    #[error("{0}; do it again")]
    Ledger(#[from] LedgerError),
    /// The queue failed on the way.
    #[error("{0}; do it again")]
    Queue(#[from] QueueError),
    /// There is no such account.
    #[error(
        "the stack has no account {0}: accounts come from the campaign file, by their ids; nothing was changed"
    )]
    NoAccount(AccountId),
    /// Somebody else kept writing the same thing first.
    #[error("somebody else is changing the same thing; do it again")]
    Crowded,
}

impl From<Unchanged> for ResumeError {
    fn from(unchanged: Unchanged) -> Self {
        match unchanged {
            Unchanged::Ledger(error) => Self::Ledger(error),
            Unchanged::Crowded => Self::Crowded,
        }
    }
}

/// Lifts an account's hold, whatever it is for, and wakes what waited for it. Returns how many were woken.
///
/// # Errors
/// When there is no such account, or the ledger or the queue fails on the way.
pub async fn lift(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    account: &AccountId,
    now: Timestamp,
) -> Result<usize, ResumeError> {
    if ledger.account(account).await?.is_none() {
        return Err(ResumeError::NoAccount(account.clone()));
    }
    let (before, _) = ledger.gates(account).await?;
    let lifted = change_gate(ledger, account, AccountGate::lift).await?;
    tell_released(facts, account, &before, &lifted, now).await;
    resume_account(ledger, queue, facts, account, now).await
}

/// Lifts the app's hold and wakes what waited for it. Returns how many were woken.
///
/// # Errors
/// When the ledger or the queue fails on the way.
pub async fn lift_app(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    now: Timestamp,
) -> Result<usize, ResumeError> {
    change_stop(ledger, |stop| stop.app_hold = None).await?;
    resume_all(ledger, queue, facts, now).await
}

/// Stops all sending of the stack. Calls that are in the air are the last.
///
/// # Errors
/// When the ledger fails.
pub async fn stop(ledger: &impl Ledger, now: Timestamp) -> Result<(), ResumeError> {
    change_stop(ledger, |stop| stop.stopped_since = stop.stopped_since.or(Some(now))).await?;
    Ok(())
}

/// Ends a stop and wakes what waited for it. Returns how many were woken.
///
/// # Errors
/// When the ledger or the queue fails on the way.
pub async fn start(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    now: Timestamp,
) -> Result<usize, ResumeError> {
    change_stop(ledger, |stop| stop.stopped_since = None).await?;
    resume_all(ledger, queue, facts, now).await
}

/// Wakes everything that waits for something that is over. To be called after a campaign file was applied: a new
/// token lifts the holds that a token can lift, and a campaign that is active again goes on.
///
/// # Errors
/// When the ledger or the queue fails on the way.
pub async fn resume_all(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    now: Timestamp,
) -> Result<usize, ResumeError> {
    let mut woken = 0;
    let mut trouble = None;
    for account in ledger.account_ids().await? {
        // One account's trouble keeps nothing from the others.
        match resume_account(ledger, queue, facts, &account, now).await {
            Ok(of_account) => woken += of_account,
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    trouble.map_or(Ok(woken), Err)
}

async fn resume_account(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    id: &AccountId,
    now: Timestamp,
) -> Result<usize, ResumeError> {
    let Some(account) = ledger.account(id).await? else { return Ok(0) };
    let (mut gate, stop) = ledger.gates(id).await?;
    if gate.token_version < account.token.version {
        gate = end_hold(ledger, facts, &account, now).await?;
    }
    let mut woken = 0;
    for send in ledger.waiting(id).await? {
        if is_over(&send, &account, &gate, &stop, now) {
            woken += usize::from(wake(ledger, queue, &send, now).await?);
        }
    }
    Ok(woken)
}

/// Takes away a hold that is over by its time, or that the account's token lifts. Returns the gate as it stands then.
/// A hold's end is told of once, by whoever took it away.
pub(crate) async fn end_hold(
    ledger: &impl Ledger,
    facts: &impl Facts,
    account: &Account,
    now: Timestamp,
) -> Result<AccountGate, Unchanged> {
    let mut ended = None;
    let gate = change_gate(ledger, &account.id, |gate| {
        let before = gate.hold.clone();
        gate.token_stored(account.token.version);
        gate.hold.take_if(|hold| !hold.stands(now));
        ended = before.filter(|_| gate.hold.is_none());
    })
    .await?;
    if let Some(hold) = ended {
        facts.report(now, &Fact::AccountReleased { account: account.id.clone(), hold }).await;
    }
    Ok(gate)
}

/// Tells of a hold that stood before and does no more.
async fn tell_released(
    facts: &impl Facts,
    account: &AccountId,
    before: &AccountGate,
    after: &AccountGate,
    now: Timestamp,
) {
    if let (Some(hold), None) = (before.standing(now), after.standing(now)) {
        let fact = Fact::AccountReleased { account: account.clone(), hold: hold.clone() };
        facts.report(now, &fact).await;
    }
}

/// Whether what a Send waits for is over.
pub(crate) fn is_over(
    send: &Send,
    account: &Account,
    gate: &AccountGate,
    stop: &Stop,
    now: Timestamp,
) -> bool {
    match &send.state {
        State::Open { waiting_for: WaitingFor::Hold, .. } => {
            gate.standing(now).is_none() && stop.standing(now).is_none()
        }
        State::Open { waiting_for: WaitingFor::Pause, .. } => account.campaigns.iter().any(|campaign| {
            campaign.active && send.campaign.as_ref().is_some_and(|own| own.id == campaign.id)
        }),
        State::Open {
            waiting_for:
                WaitingFor::Slot | WaitingFor::Retry | WaitingFor::Follow | WaitingFor::Answer | WaitingFor::Delay,
            ..
        }
        | State::Claimed { .. }
        | State::Sent { .. }
        | State::Failed { .. }
        | State::Skipped { .. } => false,
    }
}

/// Makes a waiting Send due now, under a new wake, and puts that on the queue.
pub(crate) async fn wake(
    ledger: &impl Ledger,
    queue: &impl Queue,
    send: &Send,
    now: Timestamp,
) -> Result<bool, ResumeError> {
    let State::Open { waiting_for, reason, .. } = &send.state else { return Ok(false) };
    let state = State::Open { waiting_for: *waiting_for, due_at: now, reason: reason.clone() };
    let next = Send { wake: send.wake + 1, state, updated_at: now, ..send.clone() };
    match ledger.put_send(&next, &Expect::Open { wake: send.wake }).await? {
        Written::Done => {}
        // Somebody else woke or took it meanwhile.
        Written::Refused(_) | Written::Moved => return Ok(false),
    }
    let Some(timer) = Timer::of(&next) else { return Ok(false) };
    let refused = queue.enqueue(&[Enqueue { identity: timer.identity(), job: timer.job() }]).await?;
    match refused.first() {
        None => Ok(true),
        Some(refused) => Err(ResumeError::Queue(QueueError(refused.code.clone()))),
    }
}
