//! Missed comments: those that Instagram shows, a campaign answers, and the ledger has never heard of.

use super::Round;
use super::posts::Watched;
use super::thread::{Replies, WHOLE};
use crate::job::Job;
use crate::ports::{
    CommentsPage, Enqueue, Host, LedgerError, Own, Reader, SeenComment, SeenReply, SweepLedger,
};
use openreply_domain::ids::{CampaignId, CommentId};
use openreply_domain::matched::{Matched, PreparedCampaign};
use openreply_domain::send::{Leg, Send, SendKey, State};
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
    /// The comment that its thread stands under.
    thread: CommentId,
    /// Where the part of its thread begins that was not read.
    unread: Option<String>,
}

impl Candidate {
    fn key(&self) -> SendKey {
        SendKey { trigger: self.comment.key(), leg: Leg::Dm }
    }

    /// That of the comment it replies to.
    fn parent(&self) -> Option<SendKey> {
        let parent = self.comment.parent.as_ref()?;
        let (kind, account) = (TriggerKind::Comment, self.comment.account.clone());
        Some(SendKey { trigger: TriggerKey { kind, account, id: parent.into() }, leg: Leg::Dm })
    }
}

/// The Sends that a page's comments led to, by their keys.
type Known = HashMap<SendKey, Send>;

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
        let (rounds, count) = (self.order.round.as_second() / EVERY_SECONDS, posts.len().max(1) as i64);
        if let Ok(first) = usize::try_from(rounds.rem_euclid(count)) {
            posts.rotate_left(first);
        }
        self.unfinished.retain(|media, _| posts.iter().any(|post| post.media == *media));
        // Once each was the first, all go on where none was read to its end: what is new keeps nobody from what is old.
        let goes_on = rounds.div_euclid(count).rem_euclid(2) == 1;
        for post in posts {
            // What was found under the others is handed over all the same.
            let outcome = self.look_through(&post, goes_on, &campaigns, &mut met, &mut missed).await;
            self.survive("the comments of a post", outcome);
        }
        for found in missed.into_values() {
            self.hand_over(found).await;
        }
        Ok(())
    }

    /// Page by page, newest first, back to where no campaign's comments are; or from where an earlier round ended.
    async fn look_through(
        &mut self,
        post: &Watched,
        goes_on: bool,
        campaigns: &[PreparedCampaign],
        met: &mut BTreeSet<CommentId>,
        missed: &mut BTreeMap<CampaignId, Vec<Candidate>>,
    ) -> Result<(), LedgerError> {
        let begun = goes_on.then(|| self.unfinished.get(&post.media).cloned()).flatten();
        let mut cursor = begun.clone();
        loop {
            let refused = self.reading.refused();
            let Some(CommentsPage { comments, unreadable, next, .. }) =
                self.page(post, cursor.as_deref()).await
            else {
                if self.reading.refused() > refused {
                    // The post is gone, or the cursor is.
                    self.unfinished.remove(&post.media);
                } else if let Some(cursor) = cursor {
                    self.leave_unfinished(post, cursor, begun.is_some());
                }
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
                Some(_) | None => {
                    self.unfinished.remove(&post.media);
                    return Ok(());
                }
            }
        }
    }

    /// A page of a post's comments, if it can be had.
    async fn page(&mut self, post: &Watched, cursor: Option<&str>) -> Option<CommentsPage> {
        let token = self.reading.begin(self.now())?;
        let answer = self.reader.comments(&token, &post.media, cursor).await;
        let answer = answer.map(|page| {
            let usage = page.usage;
            (page, usage)
        });
        let now = self.now();
        self.reading.end(answer, now)
    }

    /// Remembers where a post goes on. Whoever began with the newest comments leaves an earlier, deeper place alone.
    fn leave_unfinished(&mut self, post: &Watched, cursor: String, went_on: bool) {
        let place = self.unfinished.entry(post.media.clone());
        if went_on {
            place.insert_entry(cursor);
        } else {
            place.or_insert(cursor);
        }
    }

    /// A thread with the replies that the page left out: there may be more to answer among them, and answers by hand.
    async fn with_more_replies(&mut self, mut thread: SeenComment) -> SeenComment {
        let Some(from) = thread.more_replies.take() else { return thread };
        let more = self.replies(&thread.comment.id, Some(from), REPLY_PAGES).await;
        thread.replies.extend(more.seen);
        thread.more_replies = more.next.filter(|_| !more.is_whole);
        if thread.more_replies.is_some() && !self.reading.is_over() {
            self.summary.note(
                "a thread has so many replies that what is missed behind the first of them is not found",
            );
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
            found.push(Candidate {
                comment,
                winner: matched.winner.id,
                written_at: seen.at,
                own_replies: later.map(|reply| reply.id.clone()).collect(),
                thread: thread.comment.id.clone(),
                unread: thread.more_replies.clone(),
            });
        }
        found
    }

    /// Those that the ledger does not know and nobody answered by hand: one batch read of the ledger, and another one
    /// where our own public replies stand among theirs.
    async fn unknown(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, LedgerError> {
        // With the comments that they reply to: our public replies to those are no answers by hand.
        let parents =
            candidates.iter().filter(|found| found.unread.is_some() || !found.own_replies.is_empty());
        let keys = candidates.iter().map(Candidate::key).chain(parents.filter_map(Candidate::parent));
        let known = self.ledger_knows(keys.collect()).await?;
        let (old, new): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|found| known.contains_key(&found.key()));
        self.summary.known += u32::try_from(old.len()).unwrap_or(u32::MAX);
        let owed = new.iter().filter_map(|found| known.get(&found.parent()?)).flat_map(public_replies);
        let ours = self.ledger_knows(owed.collect()).await?;
        let open = self.leave_answered(new, &known, &ours);
        let open = self.with_whole_threads(open).await;
        Ok(self.leave_answered(open, &known, &ours))
    }

    async fn ledger_knows(&self, keys: Vec<SendKey>) -> Result<Known, LedgerError> {
        if keys.is_empty() {
            return Ok(Known::new());
        }
        let sends = self.ledger().known(&keys).await?;
        Ok(sends.into_iter().map(|send| (send.key.clone(), send)).collect())
    }

    /// Those that nobody answered by hand, as far as their threads were read.
    fn leave_answered(&mut self, candidates: Vec<Candidate>, known: &Known, ours: &Known) -> Vec<Candidate> {
        let (answered, open): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| is_answered(candidate, known, ours));
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
                let rest = threads.get(&candidate.thread).filter(|rest| rest.is_whole);
                let Some(rest) = rest else {
                    tracing::info!(trigger = %candidate.comment.key(), "missed, and left for later: not all of its thread could be read");
                    self.summary.postponed += 1;
                    continue;
                };
                let own = Own { id: &self.account.id, username: &self.account.username };
                let is_own = |seen: &&SeenReply| own.wrote(seen.from.as_ref(), seen.username.as_deref());
                let later = rest.seen.iter().filter(is_own).filter(|seen| seen.at >= candidate.written_at);
                candidate.own_replies.extend(later.map(|reply| reply.id.clone()));
            }
            whole.push(candidate);
        }
        whole
    }

    /// Puts the oldest on the queue, under ids that no earlier job can swallow.
    async fn hand_over(&mut self, mut found: Vec<Candidate>) {
        found.sort_by(|a, b| (a.written_at, &a.comment.id).cmp(&(b.written_at, &b.comment.id)));
        let postponed = found.len().saturating_sub(A_ROUND);
        self.summary.postponed += u32::try_from(postponed).unwrap_or(u32::MAX);
        for Candidate { comment, .. } in found.drain(found.len() - postponed..) {
            tracing::info!(trigger = %comment.key(), "missed, and left for the next round: there are many");
        }
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

/// The public replies that a comment's campaigns owe.
fn public_replies(send: &Send) -> Vec<SendKey> {
    let owed = send.matched.iter().flat_map(|matched| &matched.public_replies);
    let legs = owed.map(|reply| Leg::PublicReply(reply.campaign.id.clone()));
    legs.map(|leg| SendKey { trigger: send.key.trigger.clone(), leg }).collect()
}

/// Whether somebody replied by hand: in the account's name, and not as the ledger knows.
fn is_answered(candidate: &Candidate, known: &Known, ours: &Known) -> bool {
    let parent = candidate.parent().and_then(|parent| known.get(&parent));
    let owed = parent.map(public_replies).unwrap_or_default();
    let is_ours = |reply: &CommentId| {
        owed.iter().filter_map(|key| ours.get(key)).any(|send| match &send.state {
            State::Sent { message_id: Some(id) } => id.as_str() == reply.as_str(),
            // It may be this one: nobody knows its id.
            State::Sent { message_id: None } | State::Claimed { .. } => true,
            State::Open { .. } | State::Failed { .. } | State::Skipped { .. } => false,
        })
    };
    !candidate.own_replies.iter().all(is_ours)
}
