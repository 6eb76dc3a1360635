use super::{Doubtful, Shown, proof};
use crate::ids::MessageId;
use crate::time::{SignedDuration, Timestamp, after, from_millis};
use proptest::prelude::*;
use std::collections::HashSet;

const CLAIMED: i64 = 10_000;

fn second(second: i64) -> Timestamp {
    after(from_millis(1_796_054_400_000), SignedDuration::from_secs(second))
}

fn id(n: usize) -> MessageId {
    MessageId::parse(format!("mid.{n}")).unwrap()
}

fn attempt(claimed: i64, text: &str) -> Doubtful {
    Doubtful { claimed_at: second(claimed), text: text.to_owned() }
}

fn shown(n: usize, at: i64, text: &str, ours: bool) -> Shown {
    Shown { id: id(n), at: second(at), text: text.to_owned(), ours }
}

#[test]
fn only_our_own_text_around_the_claim_proves() {
    for (offset, text, ours, proves, why) in [
        (0, "Hi", true, true, "at the claim"),
        (-60, "Hi", true, true, "a clock that goes a minute ahead"),
        (-61, "Hi", true, false, "before anything was sent"),
        (600, "Hi", true, true, "ten minutes later"),
        (601, "Hi", true, false, "too late to be it"),
        (1, " Hi\n", true, true, "white space at the ends, which Instagram may drop"),
        (1, "Hi!", true, false, "another text"),
        (1, "hi", true, false, "another case"),
        (1, "Hi", false, false, "the person wrote the same"),
    ] {
        let shown = [shown(1, CLAIMED + offset, text, ours)];
        let found = proof(&attempt(CLAIMED, "Hi"), &[], &shown, &HashSet::new());
        assert_eq!(found, proves.then_some(&shown[0].id), "{why}");
    }
    assert_eq!(proof(&attempt(CLAIMED, "Hi"), &[], &[], &HashSet::new()), None, "absence");
}

#[test]
fn what_is_ambiguous_proves_nothing() {
    let own = attempt(CLAIMED, "Hi");
    let one = [shown(1, CLAIMED + 1, "Hi", true)];
    let two = [shown(1, CLAIMED + 1, "Hi", true), shown(2, CLAIMED + 2, "Hi", true)];
    let none = HashSet::new();
    let first_taken = HashSet::from([id(1)]);
    for (rivals, shown, taken, wanted, why) in [
        (vec![], &one[..], &none, Some(id(1)), "one message, one attempt"),
        (vec![attempt(CLAIMED + 30, "Hi")], &one, &none, None, "another attempt may have made it"),
        (vec![attempt(CLAIMED + 30, "Hello")], &one, &none, Some(id(1)), "the other said something else"),
        (vec![attempt(CLAIMED + 62, "Hi")], &one, &none, Some(id(1)), "the other came later"),
        (vec![], &two, &none, None, "two messages fit"),
        (vec![], &two, &first_taken, Some(id(2)), "one of the two is another Send's"),
        (vec![], &one, &first_taken, None, "the only one is another Send's"),
    ] {
        assert_eq!(proof(&own, &rivals, shown, taken), wanted.as_ref(), "{why}");
    }
}

/// When it was claimed or written, and whether it says the second text; of a message, whether it is ours and taken.
type Inbox = (Vec<(i64, bool)>, Vec<(i64, bool, bool, bool)>);

/// A person with up to four attempts of two texts, and what their inbox shows.
fn inboxes() -> impl Strategy<Value = Inbox> {
    let attempts = prop::collection::vec((0_i64..900, any::<bool>()), 1..5);
    let messages =
        prop::collection::vec((-120_i64..1_600, any::<bool>(), any::<bool>(), any::<bool>()), 0..7);
    (attempts, messages)
}

fn text(second: bool) -> &'static str {
    if second { "The prices" } else { "The guide" }
}

proptest! {
    /// Over all attempts: no message proves two, none proves what it cannot have been, and what is missing of the
    /// inbox never makes a proof of something that was none.
    #[test]
    fn a_message_proves_one_attempt_at_most((attempts, messages) in inboxes()) {
        let attempts: Vec<Doubtful> =
            attempts.iter().map(|(at, second)| attempt(CLAIMED + at, text(*second))).collect();
        let inbox: Vec<Shown> = messages
            .iter()
            .enumerate()
            .map(|(n, (at, second, ours, _))| shown(n, CLAIMED + at, text(*second), *ours))
            .collect();
        let taken: HashSet<MessageId> =
            messages.iter().enumerate().filter(|(_, (.., taken))| *taken).map(|(n, _)| id(n)).collect();
        let mut proven: HashSet<&MessageId> = HashSet::new();
        for (n, own) in attempts.iter().enumerate() {
            let rivals: Vec<Doubtful> =
                attempts.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, rival)| rival.clone()).collect();
            let Some(found) = proof(own, &rivals, &inbox, &taken) else { continue };
            prop_assert!(proven.insert(found), "{found} proves two");
            prop_assert!(!taken.contains(found));
            let message = inbox.iter().find(|message| message.id == *found).unwrap();
            prop_assert!(own.fits(message) && message.ours);
            prop_assert!(rivals.iter().all(|rival| !rival.fits(message)));
        }
    }

    /// However the clocks differ within a minute, a single delivery is found.
    #[test]
    fn a_single_delivery_is_found(delay in 0_i64..540, skew in -60_i64..=60) {
        let inbox = [shown(1, CLAIMED + delay + skew, "Hi", true), shown(2, CLAIMED + delay, "Hello", true)];
        let none = HashSet::new();
        prop_assert_eq!(proof(&attempt(CLAIMED, "Hi"), &[], &inbox, &none), Some(&inbox[0].id));
    }
}
