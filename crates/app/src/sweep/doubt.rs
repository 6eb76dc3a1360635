//! Doubt: claims that nobody settled become unconfirmed, and those in doubt are looked for on Instagram.

use super::Round;
use super::thread::WHOLE;
use crate::deliver::{content_of, text_of};
use crate::ports::{Host, LedgerError, Own, Reader, SweepLedger};
use openreply_domain::campaign::CampaignContent;
use openreply_domain::evidence::{Doubtful, Shown, proof};
use openreply_domain::ids::{CommentId, MessageId, UserId};
use openreply_domain::send::{Leg, Send, State};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use std::borrow::Cow;
use std::collections::HashSet;

/// Conversations and comments that one round reads at most: Instagram allows two such calls a second.
const PLACES: usize = 25;
/// How long before its claim the trigger of a message may have come: the window, with room for clocks.
const SEEN_BEFORE: SignedDuration = SignedDuration::from_hours(9 * 24);

/// Where a message shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Conversation(UserId),
    Comment(CommentId),
}

impl Place {
    fn of(send: &Send) -> Self {
        match &send.key.leg {
            Leg::PublicReply(_) => Self::Comment(send.key.trigger.id.as_comment()),
            Leg::Dm | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => {
                Self::Conversation(send.user.clone())
            }
        }
    }
}

/// What the ledger knows of what is shown at a place.
#[derive(Default)]
struct Known {
    /// The messages of which a Send has the id.
    taken: HashSet<MessageId>,
    /// The Sends with attempts there of which nobody knows, those that are looked at included.
    rivals: Vec<Send>,
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    pub(super) async fn settle_doubt(&mut self) -> Result<(), LedgerError> {
        let mut places: Vec<(Place, Vec<Send>)> = Vec::new();
        for send in self.ledger().unsettled(self.id(), self.now()).await? {
            let doubtful = match &send.state {
                State::Claimed { doubt: Some(_) } => Some(send),
                // The rest of very many is the next round's.
                State::Claimed { doubt: None } if self.is_late() => None,
                State::Claimed { doubt: None } => match self.deliver.fall_into_doubt(&send).await {
                    Ok(fallen) => {
                        self.summary.doubted += u32::from(fallen.is_some());
                        fallen
                    }
                    Err(error) => {
                        self.survive("a claim that nobody settled", Err(error));
                        None
                    }
                },
                State::Open { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
                    None
                }
            };
            let Some(doubtful) = doubtful else { continue };
            let place = Place::of(&doubtful);
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, sends)) => sends.push(doubtful),
                None => places.push((place, vec![doubtful])),
            }
        }
        for (place, sends) in places.into_iter().take(PLACES) {
            let reads = self.reading.reads();
            let Some(shown) = self.look(&place).await else {
                // What was read in vain is read again later each time, or it would keep every round from the rest.
                if self.reading.reads() > reads {
                    for doubtful in &sends {
                        self.deliver.looked_in_vain(doubtful).await?;
                    }
                }
                continue;
            };
            let outcome = self.settle_at(&place, &sends, &shown).await;
            self.survive("a message in doubt", outcome);
        }
        Ok(())
    }

    /// Settles what this proves, and leaves the rest for a later look.
    async fn settle_at(&mut self, place: &Place, sends: &[Send], shown: &[Shown]) -> Result<(), LedgerError> {
        let mut attempts = Vec::new();
        for doubtful in sends {
            let mut of_send = self.attempts(doubtful).await?;
            of_send.retain(|attempt| attempt.has_candidate(shown));
            attempts.push(of_send);
        }
        let first = attempts.iter().flatten().map(|attempt| attempt.claimed_at).min();
        let mut known = match first {
            Some(claimed_at) => self.known(place, claimed_at, shown).await?,
            None => None,
        };
        for (doubtful, attempts) in sends.iter().zip(attempts) {
            self.summary.looked_up += 1;
            let mut proof = None;
            for attempt in &attempts {
                if let (None, Some(known)) = (&proof, &known) {
                    proof = self.proof(doubtful, attempt, known, shown).await?;
                }
            }
            let settled = match &proof {
                Some(message_id) => self.settle(doubtful, message_id).await?,
                None => false,
            };
            if settled {
                self.summary.settled += 1;
                if let Some(known) = &mut known {
                    known.taken.extend(proof);
                }
            } else {
                self.deliver.looked_in_vain(doubtful).await?;
            }
        }
        Ok(())
    }

    /// What Instagram shows at a place. What is so young that a Send may have its id already without showing it in
    /// the index proves nothing yet.
    async fn look(&mut self, place: &Place) -> Option<Vec<Shown>> {
        let mut shown = match place {
            Place::Conversation(user) => {
                let token = self.reading.begin(self.now())?;
                let own = Own { id: &self.account.id, username: &self.account.username };
                let answer = self.reader.conversation(&token, own, user).await;
                let now = self.now();
                let (shown, _) = self.reading.end(answer, now)?;
                shown
            }
            Place::Comment(comment) => {
                let read = self.replies(comment, None, WHOLE).await;
                let own = Own { id: &self.account.id, username: &self.account.username };
                let shown = read.seen.iter().filter_map(|reply| reply.shown(own)).collect();
                // Whether there is another one that fits as well, only the whole thread tells.
                read.is_whole.then_some(shown)?
            }
        };
        let now = self.now();
        if !self.index_lag.is_zero() {
            let ripe = after(now, -self.index_lag);
            shown.retain(|message| message.at <= ripe);
        }
        Some(shown)
    }

    /// The attempts of a Send in doubt, those that a person released included: whichever arrived, it did. None where
    /// nobody knows any more what it said.
    async fn attempts(&self, doubtful: &Send) -> Result<Vec<Doubtful>, LedgerError> {
        let Some(text) = self.text_of(doubtful).await? else { return Ok(Vec::new()) };
        Ok(Doubtful::all_of(doubtful, &text))
    }

    /// What the account's Sends, of all its campaigns, say of what is shown at a place. `None`: the round has no time
    /// to look at all of them, so nothing is known.
    async fn known(
        &self,
        place: &Place,
        claimed_at: Timestamp,
        shown: &[Shown],
    ) -> Result<Option<Known>, LedgerError> {
        // A person's conversation shows what was sent to that person; a thread shows what answered others too.
        let user = match place {
            Place::Conversation(user) => Some(user),
            Place::Comment(_) => None,
        };
        let mut known = Known::default();
        let visit = |sends: Vec<Send>| {
            for send in sends {
                known.taken.extend(message_of(&send).filter(|id| shown.iter().any(|seen| seen.id == *id)));
                if Place::of(&send) == *place && !send.unknown_attempts().is_empty() {
                    known.rivals.push(send);
                }
            }
            !self.is_late()
        };
        let since = after(claimed_at, -SEEN_BEFORE);
        let saw_all = self.ledger().go_through(self.id(), since, user, visit).await?;
        Ok(saw_all.then_some(known))
    }

    /// The message that proves a Send in doubt, if one does.
    async fn proof(
        &self,
        doubtful: &Send,
        attempt: &Doubtful,
        known: &Known,
        shown: &[Shown],
    ) -> Result<Option<MessageId>, LedgerError> {
        let mut rivals = Vec::new();
        for other in known.rivals.iter().filter(|other| other.key != doubtful.key) {
            // Whose words cannot be had may have said anything: it is taken to have said the same.
            let text = self.text_of(other).await?.unwrap_or_else(|| attempt.text.clone());
            rivals.extend(Doubtful::all_of(other, &text));
        }
        Ok(proof(attempt, &rivals, shown, &known.taken).cloned())
    }

    async fn settle(&self, doubtful: &Send, message_id: &MessageId) -> Result<bool, LedgerError> {
        let content = self.content_of(doubtful).await?;
        self.deliver.settle_by_evidence(doubtful, message_id, content.as_deref()).await
    }

    async fn content_of(&self, send: &Send) -> Result<Option<Cow<'_, CampaignContent>>, LedgerError> {
        content_of(self.ledger(), self.id(), self.account.campaigns.iter(), send).await
    }

    pub(super) async fn text_of(&self, send: &Send) -> Result<Option<String>, LedgerError> {
        let content = self.content_of(send).await?;
        Ok(text_of(&self.account, content.as_deref(), send, self.deliver.tracked()))
    }
}

pub(super) fn message_of(send: &Send) -> Option<MessageId> {
    match &send.state {
        State::Sent { message_id } => message_id.clone(),
        State::Open { .. } | State::Claimed { .. } | State::Failed { .. } | State::Skipped { .. } => None,
    }
}
