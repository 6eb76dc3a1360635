//! A comment and what it owes: one direct message of the winner, and public replies.

use super::leg::LegEnd;
use super::{Back, Deliver, Turn};
use crate::accounts::PreparedAccount;
use crate::ports::{Host, Ledger, Own, Random};
use openreply_domain::matched::Matched;
use openreply_domain::send::{Leg, Send, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::Comment;

impl<H: Host> Deliver<H> {
    /// `missed`: when it was written, of a comment that a sweep found.
    pub(super) async fn comment(
        &self,
        comment: &Comment,
        received_at: Timestamp,
        missed: Option<Timestamp>,
        turn: &Turn,
    ) -> Result<(), Back> {
        if missed.is_some() {
            // The sweep that found it may have bound its campaign to this very post a moment ago.
            self.accounts.forget(&comment.account);
        }
        let key = comment.key();
        let seen = Seen { at: received_at, missed: missed.is_some() };
        // Where the account is at hand, the match names the other Sends to read in the same call.
        let guess = self.accounts.fresh(&comment.account, self.now());
        let guess = guess.and_then(|account| self.find(&account, comment, missed));
        let read = self.host.ledger().read(&key, &legs(guess.as_ref()), &comment.from).await?;
        let (mut stored, standing) = (read.sends, Some(read.standing));

        let matched = match take(&mut stored, &Leg::Dm) {
            Some(dm) => {
                let matched = carried_match(&dm)?;
                self.leg(Some(dm), None, standing, turn).await?;
                matched
            }
            None => {
                let Some(account) =
                    self.accounts.get(self.host.ledger(), &comment.account, self.now()).await?
                else {
                    tracing::info!(trigger = %key, "no account of this id is set up here");
                    return Ok(());
                };
                let Some(matched) = guess.clone().or_else(|| self.find(&account, comment, missed)) else {
                    tracing::info!(trigger = %key, "no campaign matches");
                    return Ok(());
                };
                let dm = new_send(comment, Leg::Dm, &matched, seen);
                match self.new_leg(dm, standing, turn).await? {
                    LegEnd::Ours | LegEnd::Theirs(None) => matched,
                    // Whoever came first wrote the match that counts.
                    LegEnd::Theirs(Some(theirs)) => carried_match(&theirs)?,
                }
            }
        };
        self.public_replies(comment, seen, &matched, guess.as_ref(), stored, turn).await
    }

    /// The public replies of a match whose direct message is taken care of.
    async fn public_replies(
        &self,
        comment: &Comment,
        seen: Seen,
        matched: &Matched,
        guess: Option<&Matched>,
        mut stored: Vec<Send>,
        turn: &Turn,
    ) -> Result<(), Back> {
        if matched.public_replies.is_empty() {
            return Ok(());
        }
        let asked_for = legs(guess);
        let unread: Vec<Leg> =
            legs(Some(matched)).into_iter().filter(|leg| !asked_for.contains(leg)).collect();
        if !unread.is_empty() {
            stored.extend(self.host.ledger().sends(&comment.key(), &unread).await?);
        }
        let mut back = None;
        for reply in &matched.public_replies {
            let leg = Leg::PublicReply(reply.campaign.id.clone());
            let end = match take(&mut stored, &leg) {
                Some(send) => self.leg(Some(send), None, None, turn).await,
                None => self.new_leg(new_send(comment, leg, matched, seen), None, turn).await.map(drop),
            };
            // One reply that must come again does not keep the others from going out.
            back = back.or(end.err());
        }
        back.map_or(Ok(()), Err)
    }

    fn find(
        &self,
        account: &PreparedAccount,
        comment: &Comment,
        missed: Option<Timestamp>,
    ) -> Option<Matched> {
        let chance = self.host.random().number();
        // A webhook may name the account by another id than its own.
        let own = Own { id: &account.account.id, username: &account.account.username };
        if own.wrote(Some(&comment.from), comment.username.as_deref()) {
            return None;
        }
        match missed {
            None => Matched::find(&account.campaigns, comment, chance),
            Some(written_at) => Matched::find_missed(&account.campaigns, comment, written_at, chance),
        }
    }
}

/// The match that the first Send of a trigger carries.
fn carried_match(first: &Send) -> Result<Matched, Back> {
    first.matched.clone().ok_or(Back::Missing { what: "match on the first message of this trigger" })
}

/// The Sends that a match owes; without one, the Send that any match would begin with.
fn legs(matched: Option<&Matched>) -> Vec<Leg> {
    let replies = matched.into_iter().flat_map(|matched| &matched.public_replies);
    std::iter::once(Leg::Dm).chain(replies.map(|reply| Leg::PublicReply(reply.campaign.id.clone()))).collect()
}

fn take(stored: &mut Vec<Send>, leg: &Leg) -> Option<Send> {
    let place = stored.iter().position(|send| send.key.leg == *leg)?;
    Some(stored.swap_remove(place))
}

/// How a comment came to be known.
#[derive(Clone, Copy)]
struct Seen {
    /// When it was received, or written if it was missed.
    at: Timestamp,
    /// Whether a sweep found it.
    missed: bool,
}

/// A Send that is not in the ledger yet, before anything was taken for it.
fn new_send(comment: &Comment, leg: Leg, matched: &Matched, seen: Seen) -> Send {
    let (campaign, variation) = match &leg {
        Leg::PublicReply(id) => {
            let reply = matched.public_reply(id);
            (reply.map_or(&matched.winner, |reply| &reply.campaign), reply.map_or(0, |reply| reply.variation))
        }
        Leg::Dm | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => {
            (&matched.winner, 0)
        }
    };
    let key = SendKey { trigger: comment.key(), leg };
    Send {
        variation,
        keyword: matched.keyword.filter(|_| key.leg == Leg::Dm),
        matched: (key.leg == Leg::Dm).then(|| matched.clone()),
        missed: seen.missed,
        ..Send::new(key, Some(campaign.clone()), comment.from.clone(), comment.username.clone(), seen.at)
    }
}
