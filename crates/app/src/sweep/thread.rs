//! Threads: the replies under a comment, page by page.

use super::Round;
use crate::ports::{Host, Reader, RepliesPage, SeenReply, SweepLedger};
use openreply_domain::ids::CommentId;

/// Pages of one thread that are read where all of it counts.
pub(crate) const WHOLE: usize = 40;

/// What was read of a thread.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// In Instagram's order.
    pub(super) seen: Vec<SeenReply>,
    /// Whether that was all from there on.
    pub(super) is_whole: bool,
    /// Where to go on. `None`: from where it was begun.
    pub(super) next: Option<String>,
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// The replies under a comment from a cursor on, or from the first: so many pages at most, as far as they can be
    /// had.
    pub(super) async fn replies(
        &mut self,
        comment: &CommentId,
        from: Option<String>,
        pages: usize,
    ) -> Replies {
        let mut read = Replies { next: from, ..Replies::default() };
        for _ in 0..pages {
            let Some(token) = self.reading.begin(self.now()) else { break };
            let answer = self.reader.replies(&token, comment, read.next.as_deref()).await;
            let now = self.now();
            let Some(RepliesPage { replies, next, .. }) = self.reading.end(answer, now) else { break };
            read.seen.extend(replies);
            // A cursor that leads to itself leads nowhere.
            read.is_whole = next.as_ref().is_none_or(|next| read.next.as_ref() == Some(next));
            if read.is_whole {
                break;
            }
            read.next = next;
        }
        read
    }
}
