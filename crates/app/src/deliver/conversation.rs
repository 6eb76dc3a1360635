//! What a person says or taps in a conversation, and what it starts: at most one flow.
//!
//! Guarantees:
//! - An opt-out word comes first, then the newest opening that waits, then the keywords of campaigns that listen
//!   to direct messages. Which of them it was is decided once: a copy of the message goes on with the same one.
//! - The first reveal of an opening is one Send, kept under the opening's trigger. An answer, a tap and a re-check
//!   share it, so that none repeats another.
//! - A tap that came after that was sent may reveal again, once for each tap, for ever. Words never do.

use super::words::root_of;
use super::{Back, Deliver, Turn};
use crate::accounts::PreparedAccount;
use crate::contended::MAX_ROUNDS;
use crate::ports::{Host, Ledger, Written};
use openreply_domain::campaign::OptOut;
use openreply_domain::contact::Contact;
use openreply_domain::ids::UserId;
use openreply_domain::matched::Matched;
use openreply_domain::matching::is_just;
use openreply_domain::send::{Conversation, Expect, Leg, Send, SendKey, State, ask_again};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::{Message, Tap, TriggerKey};

/// What a message starts.
enum Flow {
    /// Nothing.
    Nothing,
    /// The confirmation that its writer is opted out.
    Goodbye,
    /// The reveal of the opening that began with this trigger.
    Answer(TriggerKey),
    /// The reveal of a campaign that one of its keywords meets.
    Keyword(Matched),
    /// What it started when it came before.
    GoesOn(Box<Send>),
}

/// Who asks for a reveal, and when.
struct Asking<'a> {
    by: &'a TriggerKey,
    user: &'a UserId,
    /// When they tapped, by Instagram's clock. `None`: they wrote, and words reveal once.
    tapped_at: Option<Timestamp>,
}

impl<H: Host> Deliver<H> {
    pub(super) async fn message(
        &self,
        message: &Message,
        received_at: Timestamp,
        turn: &Turn,
    ) -> Result<(), Back> {
        let key = message.key();
        let Some(account) = self.accounts.get(self.host.ledger(), &message.account, self.now()).await? else {
            tracing::info!(trigger = %key, "no account of this id is set up here");
            return Ok(());
        };
        let at = message.at.unwrap_or(received_at);
        let read = self.host.ledger().read(&key, &[Leg::Reveal], &message.from).await?;
        let (stored, mut contact) = (read.sends.into_iter().next(), read.standing.contact);
        for _ in 0..MAX_ROUNDS {
            let mut next = contact.clone();
            next.hear(at, received_at);
            let flow = self.decide(message, at, &account, stored.clone(), &mut next).await?;
            match self.keep(&key, &message.from, &contact, next).await? {
                None => return self.start(flow, message, &account, received_at, turn).await,
                Some(stands) => contact = stands,
            }
        }
        Err(Back::Crowded)
    }

    pub(super) async fn tap(&self, tap: &Tap, received_at: Timestamp, turn: &Turn) -> Result<(), Back> {
        let key = tap.key();
        let Some(account) = self.accounts.get(self.host.ledger(), &tap.account, self.now()).await? else {
            tracing::info!(trigger = %key, "no account of this id is set up here");
            return Ok(());
        };
        // A button that is not ours, or another account's, starts nothing; that somebody tapped opens the window.
        let root = root_of(&tap.payload).filter(|root| root.account == tap.account);
        let at = tap.at.unwrap_or(received_at);
        let mut contact = self.host.ledger().read(&key, &[], &tap.from).await?.standing.contact;
        for _ in 0..MAX_ROUNDS {
            let mut next = contact.clone();
            next.hear(at, received_at);
            if let Some(root) = &root
                && next.answered_by(&tap.id).is_none()
            {
                next.answer(root, &tap.id);
            }
            if let Some(stands) = self.keep(&key, &tap.from, &contact, next).await? {
                contact = stands;
                continue;
            }
            let Some(root) = &root else {
                tracing::info!(trigger = %key, "a tap on a button that is not ours");
                return Ok(());
            };
            // Without Instagram's time nobody knows whether it came after the reveal: it reveals nothing again.
            let tapped_at = Some(tap.at.unwrap_or(Timestamp::MIN));
            return self.ask(root, &Asking { by: &key, user: &tap.from, tapped_at }, &account, turn).await;
        }
        Err(Back::Crowded)
    }

    /// What a message starts. Writes into `contact` what follows from it.
    async fn decide(
        &self,
        message: &Message,
        at: Timestamp,
        account: &PreparedAccount,
        stored: Option<Send>,
        contact: &mut Contact,
    ) -> Result<Flow, Back> {
        let text = message.text.as_deref().unwrap_or("");
        if let Some(out) = wish(text, &account.account.opt_out) {
            let is_news = contact.wishes(out, at, &message.id);
            return Ok(if out && is_news { Flow::Goodbye } else { Flow::Nothing });
        }
        if let Some(opening) = contact.answered_by(&message.id) {
            return Ok(Flow::Answer(opening.root.clone()));
        }
        if let Some(stored) = stored {
            return Ok(Flow::GoesOn(Box::new(stored)));
        }
        // Whoever is opted out answers nothing; their keywords are seen to be skipped.
        if !contact.is_out() {
            let waiting: Vec<TriggerKey> = contact.waiting(at).map(|one| one.root.clone()).collect();
            for root in waiting {
                if self.waits_for_answer(&root).await? {
                    contact.answer(&root, &message.id);
                    return Ok(Flow::Answer(root));
                }
            }
        }
        let matched = Matched::find_for_message(&account.campaigns, text);
        Ok(matched.map_or(Flow::Nothing, Flow::Keyword))
    }

    async fn start(
        &self,
        flow: Flow,
        message: &Message,
        account: &PreparedAccount,
        received_at: Timestamp,
        turn: &Turn,
    ) -> Result<(), Back> {
        let key = message.key();
        match flow {
            Flow::Nothing => {
                tracing::info!(trigger = %key, "a message that starts nothing");
                Ok(())
            }
            Flow::Goodbye => {
                tracing::info!(trigger = %key, "the person opted out");
                self.begin_or_go_on(own(message, Leg::Acknowledgement, None, received_at), turn).await
            }
            Flow::Answer(root) => {
                let asking = Asking { by: &key, user: &message.from, tapped_at: None };
                self.ask(&root, &asking, account, turn).await
            }
            Flow::Keyword(matched) => {
                let send = own(message, Leg::Reveal, Some(matched), received_at);
                self.new_leg(send, None, turn).await.map(drop)
            }
            Flow::GoesOn(stored) => self.leg(Some(*stored), None, None, turn).await,
        }
    }

    /// Whether an opening reached the person, as far as anybody knows, and its reveal is still owed.
    async fn waits_for_answer(&self, root: &TriggerKey) -> Result<bool, Back> {
        let sends = self.host.ledger().sends(root, &[Leg::Dm, Leg::FollowPrompt, Leg::Reveal]).await?;
        let asked = sends.iter().any(|send| send.asks() && may_have_arrived(send));
        let reveal = sends.iter().find(|send| send.key.leg == Leg::Reveal);
        Ok(asked && reveal.is_none_or(|reveal| matches!(reveal.state, State::Open { .. })))
    }

    /// Reveals what an opening promised: the one first reveal, now; or, for a tap that came after it, again.
    async fn ask(
        &self,
        root: &TriggerKey,
        asking: &Asking<'_>,
        account: &PreparedAccount,
        turn: &Turn,
    ) -> Result<(), Back> {
        let legs = [Leg::Dm, Leg::FollowPrompt, Leg::Reveal];
        let read = self.host.ledger().read(root, &legs, asking.user).await?;
        let mut sends = read.sends;
        let reveal =
            sends.iter().position(|send| send.key.leg == Leg::Reveal).map(|at| sends.swap_remove(at));
        let opening = sends.into_iter().find(|send| send.asks() && may_have_arrived(send));
        let runs_here = |send: &Send| {
            let id = send.campaign.as_ref().map(|campaign| &campaign.id);
            account.campaigns.iter().any(|known| Some(&known.campaign.id) == id)
        };
        let Some(opening) = opening.filter(|opening| opening.user == *asking.user && runs_here(opening))
        else {
            tracing::info!(trigger = %asking.by, "it asks for something that this person was never offered");
            return Ok(());
        };
        let closes_at = read.standing.contact.closes_at().unwrap_or_else(|| self.now());
        let Some(reveal) = reveal else {
            let send = revealed(&opening, root, asking, closes_at, self.now());
            return self.new_leg(send, Some(read.standing), turn).await.map(drop);
        };
        let is_copy = reveal.conversation.as_ref().is_some_and(|open| open.asked_by == *asking.by);
        match &reveal.state {
            State::Open { .. } if is_copy => self.leg(Some(reveal), None, None, turn).await,
            State::Open { .. } => {
                let next = ask_again(&reveal, asking.by, closes_at, self.now());
                let expect = Expect::Open { wake: reveal.wake };
                match self.host.ledger().put_send(&next, &expect).await? {
                    Written::Done => {
                        let expect = Expect::Open { wake: next.wake };
                        self.attempt(next, &expect, Some(read.standing), turn).await.map(drop)
                    }
                    Written::Refused(stands) => self.theirs(stands).await.map(drop),
                    Written::Moved => Err(Back::Moved),
                }
            }
            // In the air, or in doubt: nothing may repeat it.
            State::Claimed { .. } => Ok(()),
            State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
                if is_copy || asking.tapped_at.is_none_or(|tapped_at| tapped_at <= reveal.updated_at) {
                    tracing::info!(trigger = %asking.by, "what it asks for was dealt with before");
                    return Ok(());
                }
                // A flow of its own from here on: whoever is asked to follow first answers this one.
                let again = revealed(&opening, asking.by, asking, closes_at, self.now());
                self.begin_or_go_on(again, turn).await
            }
        }
    }

    /// Writes what is known of a person now, if it is news. Returns what stands there if somebody else wrote first.
    async fn keep(
        &self,
        trigger: &TriggerKey,
        user: &UserId,
        before: &Contact,
        mut next: Contact,
    ) -> Result<Option<Contact>, Back> {
        if next == *before {
            return Ok(None);
        }
        next.revision += 1;
        Ok(self.host.ledger().put_contact(&trigger.account, user, &next).await?)
    }
}

/// Sent, or in doubt: whoever answers it has seen it.
fn may_have_arrived(send: &Send) -> bool {
    match &send.state {
        State::Sent { .. } | State::Claimed { .. } => true,
        State::Open { .. } | State::Failed { .. } | State::Skipped { .. } => false,
    }
}

/// Whether a text is an opt-out word (`true`) or an opt-in word (`false`) and nothing else.
fn wish(text: &str, opt_out: &OptOut) -> Option<bool> {
    let is_one = |words: &[String]| words.iter().any(|word| is_just(text, word));
    if is_one(&opt_out.stop_words) {
        return Some(true);
    }
    is_one(&opt_out.start_words).then_some(false)
}

/// What a message starts by itself.
fn own(message: &Message, leg: Leg, matched: Option<Matched>, received_at: Timestamp) -> Send {
    let trigger = message.key();
    let conversation = Conversation {
        root: trigger.clone(),
        asked_by: trigger.clone(),
        is_first_contact: true,
        checks: 0,
        closes_at: received_at,
    };
    let campaign = matched.as_ref().map(|matched| matched.winner.clone());
    Send {
        keyword: matched.as_ref().and_then(|matched| matched.keyword),
        matched,
        conversation: Some(conversation),
        ..Send::new(SendKey { trigger, leg }, campaign, message.from.clone(), None, received_at)
    }
}

/// The reveal of an opening, kept under `root`.
fn revealed(
    opening: &Send,
    root: &TriggerKey,
    asking: &Asking<'_>,
    closes_at: Timestamp,
    now: Timestamp,
) -> Send {
    let key = SendKey { trigger: root.clone(), leg: Leg::Reveal };
    let (user, username) = (opening.user.clone(), opening.username.clone());
    let conversation = Conversation {
        root: root.clone(),
        asked_by: asking.by.clone(),
        is_first_contact: false,
        checks: 0,
        closes_at,
    };
    Send {
        keyword: opening.keyword,
        conversation: Some(conversation),
        ..Send::new(key, opening.campaign.clone(), user, username, now)
    }
}
