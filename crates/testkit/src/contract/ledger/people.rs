//! What is known of people, what goes out once per person, and Sends that begin with another's settle.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, campaign_id, claim, claimed, reference, trigger, user};
use openreply_app::ports::{Also, Ledger, Written};
use openreply_domain::contact::Contact;
use openreply_domain::ids::{MessageId, UserId};
use openreply_domain::send::{Expect, Leg, Send, SendKey, State, WaitingFor};

fn contact(revision: u64) -> Contact {
    let mut contact = Contact::default();
    contact.revision = revision;
    contact.username = Some("zoë 🍞".to_owned());
    contact.hear(at(5), at(6));
    contact.wishes(true, at(5), &MessageId::parse("mid.stop").unwrap());
    contact.invite(&trigger(3), &reference(1), at(7));
    contact.goes(&SendKey { trigger: trigger(3), leg: Leg::Reveal }, at(8));
    contact
}

fn somebody_else() -> UserId {
    UserId::parse("901").unwrap()
}

async fn known(ledger: &impl Ledger) -> Contact {
    ledger.read(&trigger(1), &[], &user()).await.unwrap().standing.contact
}

/// And is read with a trigger; what does not exist is as new; another person is another row.
pub async fn a_contact_is_written_one_revision_after_the_other(ledger: &impl Ledger) {
    assert_eq!(known(ledger).await, Contact::default());
    assert_eq!(ledger.put_contact(&account(1), &somebody_else(), &contact(1)).await.unwrap(), None);
    assert_eq!(ledger.put_contact(&account(11), &user(), &contact(1)).await.unwrap(), None);
    assert_eq!(known(ledger).await, Contact::default());

    let skipped = ledger.put_contact(&account(1), &user(), &contact(2)).await.unwrap();
    assert_eq!(skipped, Some(Contact::default()));
    for revision in [1, 2] {
        assert_eq!(ledger.put_contact(&account(1), &user(), &contact(revision)).await.unwrap(), None);
        assert_eq!(known(ledger).await, contact(revision));
    }
    let mut other = contact(2);
    other.username = None;
    assert_eq!(ledger.put_contact(&account(1), &user(), &other).await.unwrap(), Some(contact(2)));
    assert_eq!(known(ledger).await, contact(2));
}

/// All of it or nothing.
pub async fn a_contact_is_written_with_a_send(ledger: &impl Ledger) {
    let send = claimed(trigger(1), Leg::Reveal, 1);
    let late = [Also::Contact(Box::new(contact(2)))];
    assert_eq!(ledger.put_send_with(&send, &Expect::Absent, &late).await.unwrap(), Written::Moved);
    assert_eq!(ledger.sends(&trigger(1), &[Leg::Reveal]).await.unwrap(), []);
    let next = [Also::Contact(Box::new(contact(1)))];
    assert_eq!(ledger.put_send_with(&send, &Expect::Absent, &next).await.unwrap(), Written::Done);
    assert_eq!(known(ledger).await, contact(1));
    let again = ledger.put_send_with(&send, &Expect::Absent, &next).await.unwrap();
    assert_eq!(again, Written::Refused(Some(Box::new(send))), "the Send is told first");
}

/// By one trigger, as often as it likes, and by another only after the first freed it.
pub async fn what_goes_out_once_per_person_is_taken_by_one_trigger(ledger: &impl Ledger) {
    let once = async |user: UserId| ledger.once(&account(1), &campaign_id(1), &user).await.unwrap();
    let take = async |n: u32, wake: u32, also: Also| {
        let open = State::Open { waiting_for: WaitingFor::Retry, due_at: at(1), reason: "r".to_owned() };
        let next = Send { state: open, wake, ..claimed(trigger(n), Leg::Dm, n) };
        let expect = if wake == 0 { Expect::Absent } else { Expect::Open { wake: wake - 1 } };
        ledger.put_send_with(&next, &expect, &[also]).await.unwrap()
    };
    let (taken, freed) = (|| Also::TakeOnce(campaign_id(1)), || Also::FreeOnce(campaign_id(1)));
    assert_eq!(once(user()).await, None);
    assert_eq!(take(1, 0, freed()).await, Written::Done, "what nobody has is free");
    assert_eq!(take(1, 1, taken()).await, Written::Done);
    assert_eq!(take(1, 2, taken()).await, Written::Done);
    assert_eq!((once(user()).await, once(somebody_else()).await), (Some(trigger(1)), None));
    for also in [taken(), freed()] {
        assert_eq!(take(2, 0, also).await, Written::Moved);
    }
    assert_eq!(take(2, 0, Also::TakeOnce(campaign_id(2))).await, Written::Done, "another campaign's");
    assert_eq!(take(1, 3, freed()).await, Written::Done);
    assert_eq!(once(user()).await, None);
    assert_eq!(take(3, 0, taken()).await, Written::Done);
    assert_eq!(once(user()).await, Some(trigger(3)));
}

/// Once, and not at all where its own Send is not as expected.
pub async fn a_send_begins_with_the_settle_of_another(ledger: &impl Ledger) {
    let first = claimed(trigger(1), Leg::Dm, 1);
    assert_eq!(ledger.put_send(&first, &Expect::Absent).await.unwrap(), Written::Done);
    let waits = State::Open { waiting_for: WaitingFor::Delay, due_at: at(900), reason: "later".to_owned() };
    let later = Send { state: waits, claim: None, ..claimed(trigger(2), Leg::FollowUp, 1) };
    let begin = [Also::Begin(Box::new(later.clone()))];
    let sent = State::Sent { message_id: MessageId::parse("mid.1").ok() };
    let sent = Send { state: sent, ..first };
    let wrong = ledger.put_send_with(&sent, &Expect::Claimed(claim(9).id), &begin).await.unwrap();
    assert!(matches!(wrong, Written::Refused(Some(_))));
    let stored = async || ledger.sends(&trigger(2), &[Leg::FollowUp]).await.unwrap();
    assert_eq!(stored().await, []);
    let settle = Expect::Claimed(claim(1).id);
    assert_eq!(ledger.put_send_with(&sent, &settle, &begin).await.unwrap(), Written::Done);
    assert_eq!(stored().await, std::slice::from_ref(&later));
    let waiting = ledger.waiting(&account(1)).await.unwrap();
    assert!(waiting.contains(&later), "it is found among what waits");
    let other = claimed(trigger(5), Leg::Dm, 5);
    assert_eq!(ledger.put_send_with(&other, &Expect::Absent, &begin).await.unwrap(), Written::Moved);
}
