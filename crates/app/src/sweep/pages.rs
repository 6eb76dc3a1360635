//! The comments of posts, page by page, and where the next round goes on.

use super::Round;
use super::missed::Missed;
use super::posts::Watched;
use crate::ports::{CommentsPage, Host, LedgerError, Reader, SeenComment, SweepLedger};
use openreply_domain::campaign::{Campaign, Post};
use openreply_domain::ids::CommentId;
use openreply_domain::matched::PreparedCampaign;
use std::collections::BTreeSet;

/// How many pages of a thread's replies a round reads beside those that come with the post.
const REPLY_PAGES: usize = 4;

/// They lack an id or a time, or have one of a form that nobody knows.
const UNREADABLE: &str =
    "Instagram shows some of the comments in a form that cannot be read: those are passed over";

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// The posts in the order of this round, and whether it goes on where none was read to its end. Turns are taken:
    /// what is new keeps nobody from what is old, nor one post from the others.
    pub(super) fn begin_turn(&mut self, mut posts: Vec<Watched>) -> (Vec<Watched>, bool) {
        let turn = self.progress.turn;
        let first = usize::try_from(turn / 2).unwrap_or(0).checked_rem(posts.len()).unwrap_or(0);
        posts.rotate_left(first);
        // A list that could not be read says nothing of the posts that are gone.
        let takes_any = |own: &Campaign| own.active && own.content.post == Post::Any;
        if !self.account.campaigns.iter().any(takes_any) || self.own.is_begun() {
            self.progress.unfinished.retain(|media, _| posts.iter().any(|post| post.media == *media));
        }
        (posts, turn % 2 == 1)
    }

    /// A round that could read nothing was no turn.
    pub(super) fn end_turn(&mut self) {
        if self.pages_read > 0 {
            self.progress.turn = self.progress.turn.wrapping_add(1);
        }
    }

    /// Page by page, newest first, back to where no campaign's comments are; or from where an earlier round ended.
    pub(super) async fn look_through(
        &mut self,
        post: &Watched,
        goes_on: bool,
        campaigns: &[PreparedCampaign],
        met: &mut BTreeSet<CommentId>,
        missed: &mut Missed,
    ) -> Result<(), LedgerError> {
        let begun = goes_on.then(|| self.progress.unfinished.get(&post.media).cloned()).flatten();
        let mut cursor = begun.clone();
        loop {
            let refused = self.reading.refused();
            let Some(page) = self.page(post, cursor.as_deref()).await else {
                // The post is gone, or the cursor is, or leads to nothing that ever answers.
                let leads_nowhere = begun.is_some() && cursor == begun && !self.reading.is_over();
                if self.reading.refused() > refused || leads_nowhere {
                    self.progress.unfinished.remove(&post.media);
                } else {
                    self.leave_unfinished(post, cursor, begun.is_some());
                }
                return Ok(());
            };
            let CommentsPage { comments, unreadable, next, .. } = page;
            if unreadable > 0 {
                self.summary.errors += u32::try_from(unreadable).unwrap_or(u32::MAX);
                self.summary.note(UNREADABLE);
                tracing::warn!(account = %self.account.id, media = %post.media, unreadable, UNREADABLE);
            }
            let reached_the_end = comments.last().is_some_and(|last| !post.takes(&last.comment));
            let (mut candidates, mut is_cut_off) = (Vec::new(), false);
            for thread in comments {
                let thread = self.with_more_replies(thread).await;
                is_cut_off |= thread.more_replies.is_some();
                candidates.extend(self.candidates(post, &thread, campaigns, met));
            }
            for candidate in self.unknown(candidates).await? {
                missed.entry(candidate.winner.clone()).or_default().push(candidate);
            }
            // The next round has a whole one's time for the threads of this page, unless this one had it already.
            if is_cut_off && self.reading.is_over() && cursor != begun {
                self.leave_unfinished(post, cursor, begun.is_some());
                return Ok(());
            }
            match next {
                Some(next) if !reached_the_end && cursor.as_ref() != Some(&next) => cursor = Some(next),
                Some(_) | None => {
                    self.progress.unfinished.remove(&post.media);
                    return Ok(());
                }
            }
        }
    }

    /// A page of a post's comments, if it can be had.
    async fn page(&mut self, post: &Watched, cursor: Option<&str>) -> Option<CommentsPage> {
        let token = self.reading.begin(self.now())?;
        let answer = self.reader.comments(&token, &post.media, cursor).await;
        let now = self.now();
        let page = self.reading.end(answer, now)?;
        self.pages_read += 1;
        Some(page)
    }

    /// Remembers where a post goes on. Whoever began with the newest comments leaves an earlier, deeper place alone.
    fn leave_unfinished(&mut self, post: &Watched, cursor: Option<String>, went_on: bool) {
        let Some(cursor) = cursor else { return };
        let place = self.progress.unfinished.entry(post.media.clone());
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
}
