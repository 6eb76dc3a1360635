//! Which of the comments that a campaign answers nobody has answered: the ledger does not know them, and no person of
//! the account replied by hand.
//!
//! Guarantees: a reply of the account is an answer by hand unless the ledger says that it is our public reply: by its
//! id, or as that of one attempt of which nobody knows, by its text and its time. Where not all of a thread could be
//! read, nothing in it is missed yet.

use super::Round;
use super::doubt::message_of;
use super::missed::Candidate;
use super::thread::{Replies, WHOLE};
use crate::ports::{Host, LedgerError, Own, Reader, SeenReply, SweepLedger};
use openreply_domain::evidence::{Doubtful, Shown};
use openreply_domain::ids::{CommentId, MessageId};
use openreply_domain::send::{Leg, Send, SendKey};
use openreply_domain::time::Timestamp;
use std::collections::{HashMap, HashSet};

/// What of the replies under a comment is ours, and no answer by hand.
#[derive(Default)]
struct Ours {
    /// By their ids.
    known: HashSet<MessageId>,
    /// Attempts of which nobody knows whether they arrived: each may have made one reply.
    attempts: Vec<Doubtful>,
}

impl Ours {
    /// Whether a person of the account replied.
    fn leave_any_by_hand(&self, own_replies: &[Shown]) -> bool {
        let mut by_hand: Vec<&Shown> =
            own_replies.iter().filter(|reply| !self.known.contains(&reply.id)).collect();
        for attempt in &self.attempts {
            if let Some(place) = by_hand.iter().position(|reply| attempt.fits(reply)) {
                by_hand.swap_remove(place);
            }
        }
        !by_hand.is_empty()
    }
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// Those that the ledger does not know and nobody answered by hand: one batch read of the ledger, and another one
    /// where our own public replies may stand among theirs.
    pub(super) async fn unknown(
        &mut self,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, LedgerError> {
        // With the comments that they reply to: our public replies to those are no answers by hand.
        let parents =
            candidates.iter().filter(|found| found.unread.is_some() || !found.own_replies.is_empty());
        let keys = candidates.iter().map(Candidate::key).chain(parents.filter_map(Candidate::parent));
        let known: HashMap<SendKey, Send> =
            self.sends(keys.collect()).await?.into_iter().map(|send| (send.key.clone(), send)).collect();
        let (old, new): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|found| known.contains_key(&found.key()));
        self.summary.known += u32::try_from(old.len()).unwrap_or(u32::MAX);
        let ours = self.ours(new.iter().filter_map(|found| known.get(&found.parent()?))).await?;
        let open = self.leave_answered(new, &ours);
        let open = self.with_whole_threads(open).await;
        Ok(self.leave_answered(open, &ours))
    }

    /// What is ours under each of these comments, by their keys.
    async fn ours(
        &self,
        comments: impl Iterator<Item = &Send>,
    ) -> Result<HashMap<SendKey, Ours>, LedgerError> {
        let owed: Vec<SendKey> = comments.flat_map(public_replies).collect();
        let mut ours: HashMap<SendKey, Ours> = HashMap::new();
        for reply in self.sends(owed).await? {
            let comment = SendKey { trigger: reply.key.trigger.clone(), leg: Leg::Dm };
            let under = ours.entry(comment).or_default();
            under.known.extend(message_of(&reply));
            if !reply.unknown_attempts().is_empty()
                && let Some(text) = self.text_of(&reply).await?
            {
                under.attempts.extend(Doubtful::all_of(&reply, &text));
            }
        }
        Ok(ours)
    }

    async fn sends(&self, keys: Vec<SendKey>) -> Result<Vec<Send>, LedgerError> {
        if keys.is_empty() { Ok(Vec::new()) } else { self.ledger().known(&keys).await }
    }

    /// Those that nobody answered by hand, as far as their threads were read.
    fn leave_answered(
        &mut self,
        candidates: Vec<Candidate>,
        ours: &HashMap<SendKey, Ours>,
    ) -> Vec<Candidate> {
        let nothing = Ours::default();
        let (answered, open): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| {
            let ours = candidate.parent().and_then(|parent| ours.get(&parent)).unwrap_or(&nothing);
            ours.leave_any_by_hand(&candidate.own_replies)
        });
        for Candidate { comment, .. } in &answered {
            // Each round meets it again.
            tracing::debug!(trigger = %comment.key(), "missed, and answered by hand: left alone");
        }
        self.summary.answered += u32::try_from(answered.len()).unwrap_or(u32::MAX);
        open
    }

    /// Those of which all of the thread could be read: an answer by hand may stand at its end.
    async fn with_whole_threads(&mut self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let mut threads: HashMap<CommentId, Replies> = HashMap::new();
        let mut whole = Vec::new();
        for mut candidate in candidates {
            if let Some(unread) = candidate.unread.take() {
                if !threads.contains_key(&candidate.thread) {
                    let rest = self.replies(&candidate.thread, Some(unread), WHOLE).await;
                    threads.insert(candidate.thread.clone(), rest);
                }
                let Some(rest) = threads.get(&candidate.thread).filter(|rest| rest.is_whole) else {
                    tracing::info!(trigger = %candidate.comment.key(), "missed, and left for later: not all of its thread could be read");
                    self.summary.postponed += 1;
                    continue;
                };
                let own = Own { id: &self.account.id, username: &self.account.username };
                candidate.own_replies.extend(own_replies(&rest.seen, own, candidate.written_at));
            }
            whole.push(candidate);
        }
        whole
    }
}

/// What the account replied in a thread at that time or later.
pub(super) fn own_replies(replies: &[SeenReply], own: Own<'_>, since: Timestamp) -> Vec<Shown> {
    let later = replies.iter().filter(|reply| reply.at >= since);
    later.filter_map(|reply| reply.shown(own)).filter(|shown| shown.ours).collect()
}

/// The public replies that a comment's campaigns owe.
fn public_replies(send: &Send) -> Vec<SendKey> {
    let owed = send.matched.iter().flat_map(|matched| &matched.public_replies);
    let legs = owed.map(|reply| Leg::PublicReply(reply.campaign.id.clone()));
    legs.map(|leg| SendKey { trigger: send.key.trigger.clone(), leg }).collect()
}
