//! Resolve: a person looks at a Send in doubt and decides.
//!
//! Guarantees: nothing is decided for a Send that somebody may still settle; who decided what, and when, stands on
//! the Send; a release makes it due once more under a new wake, and it goes through every gate again.

use crate::deliver::words::untracked;
use crate::deliver::{begins, content_of, text_of};
use crate::ports::{
    Also, Enqueue, Fact, Facts, Ledger, LedgerError, Own, Queue, ReadError, Reader, SealError, Timer, Vault,
    Written,
};
use crate::sweep::WHOLE;
use openreply_domain::evidence::{Doubtful, Shown};
use openreply_domain::ids::CommentId;
use openreply_domain::send::{Decision, Expect, Leg, Send, SendKey, Unresolvable, release, resolve_sent};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;
use secrecy::SecretString;

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// There is no such Send.
    #[error("the ledger knows no such message; openreply deliveries list shows what there is")]
    Unknown,
    /// Nobody would know later who decided.
    #[error("who decides is a name of 1 to {MAX_NAME} characters")]
    Nameless,
    /// It cannot be decided now.
    #[error("{0}")]
    Unresolvable(#[from] Unresolvable),
    /// Somebody else wrote it at the same moment.
    #[error("somebody else is changing the same message; look at it again")]
    Moved,
    /// The ledger failed. Whether it was written, the next look shows.
    #[error("{0}; look at it again")]
    Ledger(#[from] LedgerError),
}

/// The longest name of whoever decides, in characters.
pub const MAX_NAME: usize = 100;

/// Decides what became of a Send in doubt. Returns it as it stands then.
///
/// # Errors
/// When it cannot be decided now, or the ledger fails.
pub async fn resolve(
    ledger: &impl Ledger,
    queue: &impl Queue,
    facts: &impl Facts,
    key: &SendKey,
    decision: Decision,
    by: &str,
    now: Timestamp,
) -> Result<Send, ResolveError> {
    let by = by.trim();
    if by.is_empty() || by.chars().count() > MAX_NAME {
        return Err(ResolveError::Nameless);
    }
    let send = find(ledger, key).await?;
    let next = match decision {
        Decision::Sent => resolve_sent(&send, by, now)?,
        Decision::Release => release(&send, by, now)?,
    };
    let Some(claim) = send.claim.as_ref().map(|claim| claim.id.clone()) else {
        return Err(Unresolvable::NotInDoubt.into());
    };
    let also = match decision {
        Decision::Sent => what_follows(ledger, &next, now).await?,
        Decision::Release => Vec::new(),
    };
    match ledger.put_send_with(&next, &Expect::Claimed(claim), &also).await? {
        Written::Done => {}
        Written::Refused(_) | Written::Moved => return Err(ResolveError::Moved),
    }
    tracing::warn!(trigger = %key.trigger, leg = %key.leg, by, ?decision, "a person decided");
    if let Some(fact) = Fact::of(&next) {
        facts.report(now, &fact).await;
    }
    if let Some(timer) = Timer::of(&next) {
        let entry = Enqueue { identity: timer.identity(), job: timer.job() };
        let taken = queue.enqueue(&[entry]).await.map(|refused| refused.is_empty()).unwrap_or(false);
        if !taken {
            tracing::error!(trigger = %key.trigger, leg = %key.leg, "it is released, and could not be put on the queue: the next sweep does");
        }
    }
    Ok(next)
}

/// The follow-up that a delivery promises, if there is none yet. It has no timer: the sweep finds it when it is due.
async fn what_follows(ledger: &impl Ledger, sent: &Send, now: Timestamp) -> Result<Vec<Also>, LedgerError> {
    let Some(account) = ledger.account(&sent.key.trigger.account).await? else { return Ok(Vec::new()) };
    let content = content_of(ledger, &account.id, account.campaigns.iter(), sent).await?;
    let later = begins(ledger, sent, content.as_deref(), now).await?;
    Ok(later.map(|later| Also::Begin(Box::new(later))).into_iter().collect())
}

/// What speaks for and against a delivery, for the person who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What the Send says, as far as its version is still there.
    pub text: Option<String>,
    /// What Instagram shows of the conversation, or under the comment, newest first.
    pub shown: Vec<Shown>,
    /// Which of it fits this Send: the text, and the time of a claim of which nobody knows.
    pub fitting: Vec<Shown>,
}

/// Why no evidence can be shown.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The account is not there any more.
    #[error("its account is not set up here any more")]
    NoAccount,
    /// Its token cannot be opened.
    #[error("{0}")]
    Token(#[from] SealError),
    /// Instagram shows nothing.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// The ledger failed.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
}

/// Looks on Instagram for what a Send would have made.
///
/// # Errors
/// When it cannot be looked at.
pub async fn evidence(
    ledger: &impl Ledger,
    vault: &impl Vault,
    reader: &impl Reader,
    send: &Send,
) -> Result<Evidence, EvidenceError> {
    let id = &send.key.trigger.account;
    let account = ledger.account(id).await?.ok_or(EvidenceError::NoAccount)?;
    let token = vault.open(id, &account.token.sealed)?;
    let content = content_of(ledger, &account.id, account.campaigns.iter(), send).await?;
    let text = text_of(&account, content.as_deref(), send, None);
    let own = Own { id, username: &account.username };
    let mut shown = match &send.key.leg {
        Leg::PublicReply(_) => thread(reader, &token, own, &send.key.trigger.id.as_comment()).await?,
        Leg::Dm | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => {
            reader.conversation(&token, own, &send.user).await?.0
        }
    };
    shown.sort_by_key(|message| std::cmp::Reverse(message.at));
    let attempts = text.as_deref().map(|text| Doubtful::all_of(send, text)).unwrap_or_default();
    // Where the stack serves its tracked links is not known here: they are compared by where they lead.
    let plainly = |message: &Shown| match &content {
        Some(content) => Shown { text: untracked(&message.text, send, content), ..message.clone() },
        None => message.clone(),
    };
    let fits = |message: &&Shown| attempts.iter().any(|attempt| attempt.fits(&plainly(message)));
    let fitting = shown.iter().filter(fits).cloned().collect();
    Ok(Evidence { text, shown, fitting })
}

/// The replies under a comment, as many as anybody would look through.
async fn thread(
    reader: &impl Reader,
    token: &SecretString,
    own: Own<'_>,
    comment: &CommentId,
) -> Result<Vec<Shown>, ReadError> {
    let (mut shown, mut after) = (Vec::new(), None);
    for _ in 0..WHOLE {
        let page = reader.replies(token, comment, after.as_deref()).await?;
        shown.extend(page.replies.iter().filter_map(|reply| reply.shown(own)));
        match page.next {
            Some(next) if after.as_ref() != Some(&next) => after = Some(next),
            Some(_) | None => break,
        }
    }
    Ok(shown)
}

/// A Send, if there is one.
///
/// # Errors
/// When there is none, or the ledger fails.
pub async fn find(ledger: &impl Ledger, key: &SendKey) -> Result<Send, ResolveError> {
    let found = ledger.sends(&key.trigger, std::slice::from_ref(&key.leg)).await?.pop();
    found.ok_or(ResolveError::Unknown)
}

/// Every Send of a trigger.
///
/// # Errors
/// When the ledger fails.
pub async fn all_of(ledger: &impl Ledger, trigger: &TriggerKey) -> Result<Vec<Send>, LedgerError> {
    let legs = [Leg::Dm, Leg::Reveal, Leg::FollowPrompt, Leg::Acknowledgement, Leg::FollowUp];
    let mut sends = ledger.sends(trigger, &legs).await?;
    let owed =
        sends.iter().filter_map(|send| send.matched.as_ref()).flat_map(|matched| &matched.public_replies);
    let replies: Vec<Leg> = owed.map(|reply| Leg::PublicReply(reply.campaign.id.clone())).collect();
    if !replies.is_empty() {
        sends.extend(ledger.sends(trigger, &replies).await?);
    }
    Ok(sends)
}
