//! Missed comments: those that Instagram shows, a campaign answers, and the ledger has never heard of.

use super::Round;
use super::answered::own_replies;
use super::posts::Watched;
use crate::job::Job;
use crate::ports::{Enqueue, Host, LedgerError, Own, Reader, SeenComment, SeenReply, SweepLedger};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{CampaignId, CommentId};
use openreply_domain::matched::{Matched, PreparedCampaign};
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::{Comment, QueueIdentity, TriggerKey, TriggerKind};
use std::collections::{BTreeMap, BTreeSet};

/// How many comments of one campaign a round puts on the queue at most.
const A_ROUND: usize = 30;
/// Whoever is not named can be sent nothing.
const NAMELESS: &str = "Instagram does not say who wrote some of the comments: nobody can answer those; the token may lack a permission";
/// What a missed comment's chance is: which of its public replies is published is decided when it is delivered.
const NO_CHANCE: u64 = 0;

/// A comment that a campaign answers.
pub(super) struct Candidate {
    pub(super) comment: Comment,
    pub(super) winner: CampaignId,
    pub(super) written_at: Timestamp,
    /// What the account replied in its thread, where that could be an answer to it.
    pub(super) own_replies: Vec<Shown>,
    /// The comment that its thread stands under.
    pub(super) thread: CommentId,
    /// Where the part of its thread begins that was not read.
    pub(super) unread: Option<String>,
}

impl Candidate {
    pub(super) fn key(&self) -> SendKey {
        SendKey { trigger: self.comment.key(), leg: Leg::Dm }
    }

    /// That of the comment it replies to.
    pub(super) fn parent(&self) -> Option<SendKey> {
        let parent = self.comment.parent.as_ref()?;
        let (kind, account) = (TriggerKind::Comment, self.comment.account.clone());
        Some(SendKey { trigger: TriggerKey { kind, account, id: parent.into() }, leg: Leg::Dm })
    }
}

/// What was missed, by the campaign that answers it.
pub(super) type Missed = BTreeMap<CampaignId, Vec<Candidate>>;

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
        let mut missed = Missed::new();
        let mut met: BTreeSet<CommentId> = BTreeSet::new();
        let posts = self.watched().await?;
        let (posts, goes_on) = self.begin_turn(posts);
        for post in posts {
            // What was found under the others is handed over all the same.
            let outcome = self.look_through(&post, goes_on, &campaigns, &mut met, &mut missed).await;
            self.survive("the comments of a post", outcome);
        }
        self.end_turn();
        for found in missed.into_values() {
            self.hand_over(found).await;
        }
        Ok(())
    }

    /// The comment and the replies under it that a campaign answers.
    pub(super) fn candidates(
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
            let Some(from) = seen.from.clone() else {
                self.summary.note(NAMELESS);
                continue;
            };
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
            found.push(Candidate {
                comment,
                winner: matched.winner.id,
                written_at: seen.at,
                own_replies: own_replies(&thread.replies, own, seen.at),
                thread: thread.comment.id.clone(),
                unread: thread.more_replies.clone(),
            });
        }
        found
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
