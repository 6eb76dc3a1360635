//! Missed comments: those that Instagram shows, a campaign answers, and the ledger has never heard of.

use super::Round;
use super::posts::Watched;
use crate::job::Job;
use crate::ports::{
    CommentsPage, Enqueue, Host, Ledger, LedgerError, Own, Reader, RepliesPage, SeenComment, SeenReply,
    SweepLedger,
};
use openreply_domain::ids::{CampaignId, CommentId};
use openreply_domain::matched::{Matched, PreparedCampaign};
use openreply_domain::send::{Leg, Send, State};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::{Comment, QueueIdentity, TriggerKey, TriggerKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// About how far rounds are apart.
const EVERY_SECONDS: i64 = 300;
/// How many comments of one campaign a round puts on the queue at most.
const A_ROUND: usize = 30;
/// How many pages of a thread's replies a round reads beside those that come with the post.
const REPLY_PAGES: usize = 4;
/// What a missed comment's chance is: which of its public replies is published is decided when it is delivered.
const NO_CHANCE: u64 = 0;

/// A comment that a campaign answers.
struct Candidate {
    comment: Comment,
    winner: CampaignId,
    written_at: Timestamp,
    /// What the account replied in its thread, where that could be an answer to it.
    own_replies: Vec<CommentId>,
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    pub(super) async fn find_missed(&mut self) -> Result<(), LedgerError> {
        let now = self.now();
        if let Some(why) = self.stop.standing(now) {
            self.summary.note(why);
            return Ok(());
        }
        if let Some(hold) = self.gate.standing(now) {
            let why = format!("the account is held: {}", hold.reason);
            self.summary.note(why);
            return Ok(());
        }
        if !self.keeps_up {
            return Ok(());
        }
        let campaigns: Vec<PreparedCampaign> =
            self.account.campaigns.iter().cloned().map(PreparedCampaign::new).collect();
        let mut missed: BTreeMap<CampaignId, Vec<Candidate>> = BTreeMap::new();
        let mut met: BTreeSet<CommentId> = BTreeSet::new();
        let mut posts = self.watched().await?;
        // Another post comes first each round: one that is never read to its end keeps no round from the others.
        let rounds = self.order.round.as_second() / EVERY_SECONDS;
        if let Ok(first) = usize::try_from(rounds.rem_euclid(posts.len().max(1) as i64)) {
            posts.rotate_left(first);
        }
        for post in posts {
            // What was found under the others is handed over all the same.
            let outcome = self.look_through(&post, &campaigns, &mut met, &mut missed).await;
            self.survive("the comments of a post", outcome);
        }
        for found in missed.into_values() {
            self.hand_over(found).await;
        }
        Ok(())
    }

    /// Page by page, newest first, back to where no campaign's comments are.
    async fn look_through(
        &mut self,
        post: &Watched,
        campaigns: &[PreparedCampaign],
        met: &mut BTreeSet<CommentId>,
        missed: &mut BTreeMap<CampaignId, Vec<Candidate>>,
    ) -> Result<(), LedgerError> {
        let mut cursor = None;
        loop {
            let Some(token) = self.reading.begin(self.now()) else { return Ok(()) };
            let answer = self.reader.comments(&token, &post.media, cursor.as_deref()).await;
            let answer = answer.map(|page| {
                let usage = page.usage;
                (page, usage)
            });
            let now = self.now();
            let Some(CommentsPage { comments, unreadable, next, .. }) = self.reading.end(answer, now) else {
                return Ok(());
            };
            self.summary.errors += u32::try_from(unreadable).unwrap_or(u32::MAX);
            let reached_the_end = comments.last().is_some_and(|last| !post.takes(&last.comment));
            let mut candidates = Vec::new();
            for thread in comments {
                let thread = self.with_more_replies(thread).await;
                candidates.extend(self.candidates(post, &thread, campaigns, met));
            }
            for candidate in self.unknown(candidates).await? {
                missed.entry(candidate.winner.clone()).or_default().push(candidate);
            }
            match next {
                Some(next) if !reached_the_end && cursor.as_ref() != Some(&next) => cursor = Some(next),
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// A thread with the replies that the page left out: an answer by hand may be among them. What cannot be had is
    /// left out.
    async fn with_more_replies(&mut self, mut thread: SeenComment) -> SeenComment {
        for _ in 0..REPLY_PAGES {
            let Some(after) = thread.more_replies.take() else { break };
            let Some(token) = self.reading.begin(self.now()) else { break };
            let answer = self.reader.more_replies(&token, &thread.comment.id, &after).await;
            let answer = answer.map(|page| {
                let usage = page.usage;
                (page, usage)
            });
            let now = self.now();
            let Some(RepliesPage { replies, next, .. }) = self.reading.end(answer, now) else { break };
            thread.replies.extend(replies);
            thread.more_replies = next.filter(|next| *next != after);
        }
        thread
    }

    /// The comment and the replies under it that a campaign answers.
    fn candidates(
        &mut self,
        post: &Watched,
        thread: &SeenComment,
        campaigns: &[PreparedCampaign],
        met: &mut BTreeSet<CommentId>,
    ) -> Vec<Candidate> {
        let (id, username) = (self.account.id.clone(), self.account.username.clone());
        let own = Own { id: &id, username: &username };
        let is_own = |seen: &SeenReply| own.wrote(seen.from.as_ref(), seen.username.as_deref());
        let top = std::iter::once((&thread.comment, None));
        let under = thread.replies.iter().map(|reply| (reply, Some(&thread.comment.id)));
        let mut found = Vec::new();
        for (seen, parent) in top.chain(under) {
            // Under an old comment there may be a new one.
            if !post.takes(seen) || is_own(seen) || !met.insert(seen.id.clone()) {
                continue;
            }
            self.summary.found += 1;
            let Some(from) = seen.from.clone() else { continue };
            let comment = Comment {
                account: self.account.id.clone(),
                id: seen.id.clone(),
                from,
                username: seen.username.clone(),
                media: Some(post.media.clone()),
                original_media: post.original.clone(),
                parent: parent.cloned(),
                text: seen.text.clone(),
            };
            let Some(matched) = Matched::find_missed(campaigns, &comment, seen.at, NO_CHANCE) else {
                continue;
            };
            self.summary.matched += 1;
            let later = thread.replies.iter().filter(|reply| is_own(reply) && reply.at >= seen.at);
            let own_replies = later.map(|reply| reply.id.clone()).collect();
            found.push(Candidate { comment, winner: matched.winner.id, written_at: seen.at, own_replies });
        }
        found
    }

    /// Those that the ledger does not know and nobody answered by hand: one batch read of the ledger.
    async fn unknown(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, LedgerError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        // With the threads they stand in, whose public replies are no answers by hand.
        let threads = candidates.iter().filter(|found| !found.own_replies.is_empty());
        let threads = threads.filter_map(|found| Some(self.trigger(found.comment.parent.as_ref()?)));
        let keys: Vec<TriggerKey> =
            candidates.iter().map(|found| found.comment.key()).chain(threads).collect();
        let known: HashMap<TriggerKey, Send> = {
            let sends = self.ledger().direct_messages(&keys).await?;
            sends.into_iter().map(|send| (send.key.trigger.clone(), send)).collect()
        };
        let mut unknown = Vec::new();
        for candidate in candidates {
            if known.contains_key(&candidate.comment.key()) {
                self.summary.known += 1;
            } else if self.is_answered(&candidate, &known).await? {
                self.summary.answered += 1;
            } else {
                unknown.push(candidate);
            }
        }
        Ok(unknown)
    }

    /// Whether somebody replied by hand: in the account's name, and not as the ledger knows.
    async fn is_answered(
        &self,
        candidate: &Candidate,
        known: &HashMap<TriggerKey, Send>,
    ) -> Result<bool, LedgerError> {
        if candidate.own_replies.is_empty() {
            return Ok(false);
        }
        let thread = candidate.comment.parent.as_ref().map(|parent| self.trigger(parent));
        let Some(thread) = thread.and_then(|thread| known.get(&thread)) else { return Ok(true) };
        let owed = thread.matched.iter().flat_map(|matched| &matched.public_replies);
        let legs: Vec<Leg> = owed.map(|reply| Leg::PublicReply(reply.campaign.id.clone())).collect();
        let ours = self.ledger().sends(&thread.key.trigger, &legs).await?;
        let is_ours = |reply: &CommentId| {
            ours.iter().any(|send| match &send.state {
                State::Sent { message_id: Some(id) } => id.as_str() == reply.as_str(),
                // It may be this one: nobody knows its id.
                State::Sent { message_id: None } | State::Claimed { .. } => true,
                State::Open { .. } | State::Failed { .. } | State::Skipped { .. } => false,
            })
        };
        Ok(!candidate.own_replies.iter().all(is_ours))
    }

    fn trigger(&self, comment: &CommentId) -> TriggerKey {
        TriggerKey { kind: TriggerKind::Comment, account: self.account.id.clone(), id: comment.into() }
    }

    /// Puts the oldest on the queue, under ids that no earlier job can swallow.
    async fn hand_over(&mut self, mut found: Vec<Candidate>) {
        found.sort_by(|a, b| (a.written_at, &a.comment.id).cmp(&(b.written_at, &b.comment.id)));
        let postponed = found.len().saturating_sub(A_ROUND);
        self.summary.postponed += u32::try_from(postponed).unwrap_or(u32::MAX);
        found.truncate(A_ROUND);
        let round = self.order.round.as_millisecond();
        let jobs: Vec<Enqueue> = found
            .into_iter()
            .map(|Candidate { comment, written_at, .. }| {
                let trigger = comment.key();
                tracing::info!(%trigger, "missed: no webhook told of this comment");
                let name = format!("sweep_{round}_{trigger}");
                let identity = QueueIdentity::new(&comment.account, &comment.from, &name);
                Enqueue { identity, job: Job::Missed { comment, written_at } }
            })
            .collect();
        self.summary.enqueued += self.enqueue(&jobs).await;
    }
}
