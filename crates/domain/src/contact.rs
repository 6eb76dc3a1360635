//! What is known of one person in one account's conversations.
//!
//! Guarantees:
//! - The 24 hours in which Instagram lets us write count from the person's last message or tap, by Instagram's
//!   clock, and never from the future.
//! - The newest word counts: an opt-out that arrives again after an opt-in changes nothing.
//! - One inbound message answers at most one opening, however often it is delivered, and an answer closes the
//!   older openings of the same campaign.
//! - At most [`FUSE`] messages an hour; another try at the same message is not another message.
//!
//! Source of the 24 hours: Instagram's messaging window.

use crate::campaign::CampaignRef;
use crate::ids::MessageId;
use crate::send::SendKey;
use crate::time::{SignedDuration, Timestamp, after};
use crate::trigger::TriggerKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How long after a person's last message or tap Instagram lets us write to them.
pub const OPEN_FOR: SignedDuration = SignedDuration::from_hours(24);
/// How long an opening waits for an answer in words.
pub const ANSWERS_FOR: SignedDuration = SignedDuration::from_hours(24);
/// The most automated messages that one person gets from one account within [`FUSE_WITHIN`].
pub const FUSE: usize = 5;
/// The time in which they are counted.
pub const FUSE_WITHIN: SignedDuration = SignedDuration::from_hours(1);

/// By how much Instagram's clock and ours may differ.
const CLOCKS_DISAGREE: SignedDuration = SignedDuration::from_secs(10);

/// A copy of a message may still arrive for so long: 36 hours of Meta's retries, then 14 days on the queue.
const REMEMBERED_FOR: SignedDuration = SignedDuration::from_hours(16 * 24);
/// Openings that are remembered of one person, and answers of one opening.
const MOST_OPENINGS: usize = 30;
const MOST_ANSWERS: usize = 10;

/// The last word of a person on whether they want automated messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// Whether they opted out.
    pub out: bool,
    /// When they said so, by Instagram's clock.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
    /// In which message.
    pub by: MessageId,
}

/// A message of ours that asks for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The trigger whose first message began the flow.
    pub root: TriggerKey,
    /// The campaign that it promised.
    pub campaign: CampaignRef,
    /// When it was last claimed to be sent.
    #[serde(with = "crate::time::millis")]
    pub at: Timestamp,
    /// Whether a newer opening of the campaign was answered instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// The messages that answered it, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<MessageId>,
}

/// A direct message that was claimed lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Went {
    /// Which message: the beginning of its key's hash.
    what: String,
    #[serde(with = "crate::time::millis")]
    at: Timestamp,
}

/// A person, as one account knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// Rises with every write.
    #[serde(default)]
    pub revision: u64,
    /// Their user name, where a comment told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// When they last wrote or tapped, by Instagram's clock.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub last_inbound_at: Option<Timestamp>,
    /// Their last word on automated messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<Wish>,
    /// In the order in which they were claimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    invitations: Vec<Invitation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    went: Vec<Went>,
}

impl Contact {
    /// Whether they want nothing automated.
    #[must_use]
    pub fn is_out(&self) -> bool {
        self.wish.as_ref().is_some_and(|wish| wish.out)
    }

    /// When the 24 hours end. `None`: they never wrote or tapped, as far as is known.
    #[must_use]
    pub fn closes_at(&self) -> Option<Timestamp> {
        self.last_inbound_at.map(|at| after(at, OPEN_FOR))
    }

    /// Whether Instagram lets us write to them.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.closes_at().is_some_and(|closes| now < closes)
    }

    /// When anything last happened between them and the account.
    #[must_use]
    pub fn last_seen_at(&self) -> Option<Timestamp> {
        let invited = self.invitations.last().map(|one| one.at);
        let went = self.went.last().map(|went| went.at);
        [self.last_inbound_at, invited, went].into_iter().flatten().max()
    }

    /// Learns that they wrote or tapped at `at`, of which we heard at `heard_at`.
    pub fn hear(&mut self, at: Timestamp, heard_at: Timestamp) {
        let at = at.min(heard_at);
        self.last_inbound_at = Some(self.last_inbound_at.map_or(at, |last| last.max(at)));
    }

    /// Learns what they wish. Returns whether this very message is the one that made it so, now or earlier.
    pub fn wishes(&mut self, out: bool, at: Timestamp, by: &MessageId) -> bool {
        match &mut self.wish {
            Some(wish) if wish.at > at => wish.by == *by && wish.out == out,
            // The same again: it stands since the first, and until something newer than the last.
            Some(wish) if wish.out == out => {
                wish.at = at;
                wish.by == *by
            }
            Some(_) | None => {
                self.wish = Some(Wish { out, at, by: by.clone() });
                true
            }
        }
    }

    /// Remembers a message of ours that asks for an answer.
    pub fn invite(&mut self, root: &TriggerKey, campaign: &CampaignRef, now: Timestamp) {
        self.invitations.retain(|one| now.duration_since(one.at) < REMEMBERED_FOR);
        let again = self.invitations.iter().position(|one| one.root == *root);
        let answers = again.map(|place| self.invitations.remove(place).answers).unwrap_or_default();
        let (root, campaign) = (root.clone(), campaign.clone());
        self.invitations.push(Invitation { root, campaign, at: now, closed: false, answers });
        let too_many = self.invitations.len().saturating_sub(MOST_OPENINGS);
        self.invitations.drain(..too_many);
    }

    /// The opening that this message answered before: it is a copy.
    #[must_use]
    pub fn answered_by(&self, message: &MessageId) -> Option<&Invitation> {
        self.invitations.iter().find(|one| one.answers.contains(message))
    }

    /// The openings that a message of `at` may answer, the newest first. What was written before an opening went out
    /// is no answer to it, whichever arrives first.
    pub fn waiting(&self, at: Timestamp) -> impl Iterator<Item = &Invitation> {
        self.invitations.iter().rev().filter(move |one| {
            let since = at.duration_since(one.at);
            !one.closed && -CLOCKS_DISAGREE <= since && since < ANSWERS_FOR
        })
    }

    /// Takes a message as the answer to an opening, and closes that campaign's older ones.
    pub fn answer(&mut self, root: &TriggerKey, message: &MessageId) {
        let Some(place) = self.invitations.iter().position(|one| one.root == *root) else { return };
        let (older, rest) = self.invitations.split_at_mut(place);
        let Some(answered) = rest.first_mut() else { return };
        answered.answers.push(message.clone());
        let too_many = answered.answers.len().saturating_sub(MOST_ANSWERS);
        answered.answers.drain(..too_many);
        for older in older.iter_mut().filter(|older| older.campaign.id == answered.campaign.id) {
            older.closed = true;
        }
    }

    /// How many direct messages were claimed for them within the last hour, `next` itself left out.
    #[must_use]
    pub fn went_lately(&self, next: &SendKey, now: Timestamp) -> usize {
        let next = name(next);
        let lately = self.went.iter().filter(|went| now.duration_since(went.at) < FUSE_WITHIN);
        lately.filter(|went| went.what != next).count()
    }

    /// Remembers that a direct message is claimed.
    pub fn goes(&mut self, message: &SendKey, now: Timestamp) {
        let what = name(message);
        self.went.retain(|went| now.duration_since(went.at) < FUSE_WITHIN && went.what != what);
        self.went.push(Went { what, at: now });
    }
}

fn name(message: &SendKey) -> String {
    let hash = Sha256::digest(format!("{} {}", message.trigger, message.leg));
    hex::encode(&hash[..6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::CampaignId;
    use crate::send::Leg;
    use crate::time::from_millis;

    fn at(seconds: i64) -> Timestamp {
        from_millis(1_796_054_400_000 + seconds * 1000)
    }

    fn root(n: u32) -> TriggerKey {
        format!("comment:1:{n}").parse().unwrap()
    }

    fn campaign(id: &str) -> CampaignRef {
        CampaignRef { id: CampaignId::parse(id).unwrap(), version: 1 }
    }

    fn mid(id: &str) -> MessageId {
        MessageId::parse(id).unwrap()
    }

    #[test]
    fn the_window_counts_from_the_last_inbound_and_never_from_the_future() {
        let mut contact = Contact::default();
        assert!(!contact.is_open(at(0)));
        contact.hear(at(0), at(1));
        contact.hear(at(-50), at(2));
        assert!(contact.is_open(at(86_399)) && !contact.is_open(at(86_400)));
        contact.hear(at(900_000), at(10));
        assert_eq!(contact.closes_at(), Some(at(86_410)));
    }

    #[test]
    fn the_newest_wish_counts_and_one_message_confirms_it() {
        let mut contact = Contact::default();
        assert!(contact.wishes(false, at(0), &mid("start")) && !contact.is_out());
        assert!(
            !contact.wishes(true, at(-1), &mid("stop0")) && !contact.is_out(),
            "START was the newer word"
        );
        assert!(contact.wishes(true, at(1), &mid("stop")) && contact.is_out());
        assert!(contact.wishes(true, at(1), &mid("stop")), "a copy is the same message");
        assert!(!contact.wishes(true, at(2), &mid("stop2")), "one confirmation");
        assert!(contact.wishes(false, at(3), &mid("start2")) && !contact.is_out());
        assert!(!contact.wishes(true, at(1), &mid("stop")) && !contact.is_out(), "a late copy");
        // STOP, START and STOP again, of which the START comes last.
        assert!(contact.wishes(true, at(4), &mid("stop3")));
        assert!(!contact.wishes(true, at(6), &mid("stop4")));
        assert!(!contact.wishes(false, at(5), &mid("start4")) && contact.is_out(), "STOP was the last word");
    }

    #[test]
    fn the_newest_opening_waits_first_and_an_answer_closes_older_ones_of_its_campaign() {
        let mut contact = Contact::default();
        for (n, id) in [(1, "a"), (2, "b"), (3, "a")] {
            contact.invite(&root(n), &campaign(id), at(n.into()));
        }
        let waiting = |contact: &Contact, now| -> Vec<TriggerKey> {
            contact.waiting(now).map(|one| one.root.clone()).collect()
        };
        assert_eq!(waiting(&contact, at(10)), [root(3), root(2), root(1)]);
        contact.answer(&root(3), &mid("yes"));
        assert_eq!(waiting(&contact, at(10)), [root(3), root(2)]);
        assert_eq!(contact.answered_by(&mid("yes")).map(|one| &one.root), Some(&root(3)));
        assert_eq!(contact.answered_by(&mid("no")), None);
        assert_eq!(waiting(&contact, at(86_402)), [root(3)], "24 hours for words");
        assert_eq!(waiting(&contact, at(-8)), [root(2)], "our clock may be ahead by a little");
        assert_eq!(waiting(&contact, at(-70)), [], "written before they went out");
        contact.invite(&root(1), &campaign("a"), at(20));
        assert_eq!(waiting(&contact, at(21)), [root(1), root(3), root(2)], "asked again, it waits again");
    }

    #[test]
    fn what_is_remembered_of_a_person_is_bounded() {
        let mut contact = Contact::default();
        for n in 0..200 {
            contact.invite(&root(n), &campaign("a"), at(n.into()));
            contact.answer(&root(199), &mid(&format!("m{n}")));
        }
        for n in 0..50 {
            contact.answer(&root(199), &mid(&format!("n{n}")));
        }
        let bytes = serde_json::to_string(&contact).unwrap().len();
        assert!(bytes < 6_000, "{bytes}");
        contact.invite(&root(500), &campaign("a"), at(17 * 86_400));
        assert_eq!(contact.waiting(at(17 * 86_400)).count(), 1);
    }

    #[test]
    fn a_second_try_is_not_a_second_message() {
        let mut contact = Contact::default();
        let key = |n| SendKey { trigger: root(n), leg: Leg::Reveal };
        for n in 0..4 {
            contact.goes(&key(n), at(i64::from(n)));
            contact.goes(&key(n), at(i64::from(n)));
        }
        assert_eq!(contact.went_lately(&key(9), at(10)), 4);
        assert_eq!(contact.went_lately(&key(1), at(10)), 3);
        assert_eq!(contact.went_lately(&key(9), at(3601)), 2);
    }

    #[test]
    fn a_contact_reads_back_and_an_empty_one_takes_no_room() {
        let mut contact = Contact { username: Some("ana".to_owned()), ..Contact::default() };
        contact.hear(at(0), at(0));
        contact.wishes(true, at(0), &mid("stop"));
        contact.invite(&root(1), &campaign("a"), at(0));
        contact.answer(&root(1), &mid("yes"));
        contact.goes(&SendKey { trigger: root(1), leg: Leg::Dm }, at(0));
        let json = serde_json::to_string(&contact).unwrap();
        assert_eq!(serde_json::from_str::<Contact>(&json).unwrap(), contact);
        assert_eq!(serde_json::to_string(&Contact::default()).unwrap(), r#"{"revision":0}"#);
    }
}
