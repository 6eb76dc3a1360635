//! Sends: compare-and-set, and consistent reads.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]
#![expect(clippy::panic, reason = "a case fails by panicking")]

use super::samples::{at, campaign_id, claim, claimed, matched, reference, reply, trigger};
use futures_util::future::join_all;
use openreply_app::ports::{Ledger, Written};
use openreply_domain::campaign::CampaignRef;
use openreply_domain::ids::{CampaignId, MessageId};
use openreply_domain::matched::{Matched, PublicReply};
use openreply_domain::send::{Conversation, Expect, Leg, Says, Send, Skip, State, WaitingFor};

/// Reads one Send.
async fn stored(ledger: &impl Ledger, like: &Send) -> Option<Send> {
    let found = ledger.sends(&like.key.trigger, std::slice::from_ref(&like.key.leg)).await.unwrap();
    assert!(found.len() <= 1, "one leg was asked for");
    found.into_iter().next()
}

async fn done(ledger: &impl Ledger, send: &Send, expect: &Expect) {
    assert_eq!(ledger.put_send(send, expect).await.unwrap(), Written::Done, "{:?}", send.state);
}

/// Every state that a Send may be in.
fn states() -> Vec<State> {
    let reason = "because".to_owned();
    vec![
        State::Open { waiting_for: WaitingFor::Retry, due_at: at(300), reason: reason.clone() },
        State::Open { waiting_for: WaitingFor::Slot, due_at: at(300), reason: reason.clone() },
        State::Open { waiting_for: WaitingFor::Hold, due_at: at(300), reason: reason.clone() },
        State::Open { waiting_for: WaitingFor::Pause, due_at: at(300), reason: reason.clone() },
        State::Claimed { doubt: None },
        State::Claimed { doubt: Some("Instagram did not answer in time".to_owned()) },
        State::Sent { message_id: MessageId::parse("mid.1").ok() },
        State::Failed { reason: reason.clone() },
        State::Skipped { skip: Skip::Dedup, reason: reason.clone() },
        State::Skipped { skip: Skip::Quota, reason: reason.clone() },
        State::Skipped { skip: Skip::Window, reason },
    ]
}

/// Of any number of claims of the same Send, one wins, and all others see the winner's.
pub async fn exactly_one_of_fifty_claims_wins(ledger: &impl Ledger) {
    let claims: Vec<Send> = (0..50).map(|n| claimed(trigger(1), Leg::Dm, n)).collect();
    let answers = join_all(claims.iter().map(|send| ledger.put_send(send, &Expect::Absent))).await;
    let mut winners = Vec::new();
    let mut shown = Vec::new();
    for (send, answer) in claims.iter().zip(answers) {
        match answer.unwrap() {
            Written::Done => winners.push(send.clone()),
            Written::Refused(stands) => shown.push(*stands.unwrap()),
            Written::Moved => panic!("a plain write relies on nothing beside its Send"),
        }
    }
    assert_eq!((winners.len(), shown.len()), (1, 49));
    assert!(shown.iter().all(|stands| *stands == winners[0]));
    assert_eq!(stored(ledger, &winners[0]).await.as_ref(), Some(&winners[0]));
}

/// Every state against everything that a write may rely on: absent, OPEN with this or another wake, CLAIMED by
/// this or another claim. What is refused changes nothing and is told what stands there.
pub async fn a_write_happens_exactly_when_what_it_relies_on_holds(ledger: &impl Ledger) {
    let expects = [
        Expect::Absent,
        Expect::Open { wake: 3 },
        Expect::Open { wake: 2 },
        Expect::Claimed(claim(1).id),
        Expect::Claimed(claim(2).id),
    ];
    let stands = std::iter::once(None).chain(states().into_iter().map(Some));
    let mut n = 0;
    for state in stands {
        for expect in &expects {
            n += 1;
            let next = claimed(trigger(n), Leg::Dm, 99);
            let before =
                state.clone().map(|state| Send { state, wake: 3, claim: Some(claim(1)), ..next.clone() });
            if let Some(before) = &before {
                done(ledger, before, &Expect::Absent).await;
            }
            let answer = ledger.put_send(&next, expect).await.unwrap();
            let (expected, after) = if expect.holds(before.as_ref()) {
                (Written::Done, Some(next.clone()))
            } else {
                (Written::Refused(before.clone().map(Box::new)), before.clone())
            };
            assert_eq!(answer, expected, "{state:?}, relying on {expect:?}");
            assert_eq!(stored(ledger, &next).await, after, "{state:?}, relying on {expect:?}");
        }
    }
    assert_eq!(n, 60);
}

/// After an answer that was lost, the same write is refused and its own claim stands there. A claim of another
/// id is told apart.
pub async fn a_write_that_is_repeated_finds_itself(ledger: &impl Ledger) {
    let mine = claimed(trigger(1), Leg::Dm, 1);
    done(ledger, &mine, &Expect::Absent).await;
    let Written::Refused(Some(stands)) = ledger.put_send(&mine, &Expect::Absent).await.unwrap() else {
        panic!("the claim was written twice");
    };
    assert!(stands.carries(&claim(1).id) && !stands.carries(&claim(2).id));

    let sent = Send { state: State::Sent { message_id: MessageId::parse("mid.1").ok() }, ..mine };
    let settle = Expect::Claimed(claim(1).id);
    done(ledger, &sent, &settle).await;
    let Written::Refused(Some(stands)) = ledger.put_send(&sent, &settle).await.unwrap() else {
        panic!("the settle was written twice");
    };
    assert_eq!(*stands, sent);
}

/// The whole way: deferred, claimed, not sent, claimed again, sent.
pub async fn a_send_lives_from_waiting_to_sent(ledger: &impl Ledger) {
    let first = claimed(trigger(1), Leg::Dm, 1);
    let wait = |wake| Send {
        state: State::Open {
            waiting_for: WaitingFor::Retry,
            due_at: at(300 * i64::from(wake)),
            reason: "no".into(),
        },
        wake,
        ..first.clone()
    };
    let again = |wake, n| Send { wake, attempts: n, claim: Some(claim(n)), ..first.clone() };
    let sent = Send { state: State::Sent { message_id: MessageId::parse("mid.7").ok() }, ..again(2, 2) };
    let steps = [
        (Send { claim: None, attempts: 0, ..wait(1) }, Expect::Absent),
        (again(1, 1), Expect::Open { wake: 1 }),
        (wait(2), Expect::Claimed(claim(1).id)),
        (again(2, 2), Expect::Open { wake: 2 }),
        (sent, Expect::Claimed(claim(2).id)),
    ];
    for (next, expect) in &steps {
        done(ledger, next, expect).await;
        assert_eq!(stored(ledger, next).await.as_ref(), Some(next));
    }
}

/// Every state and every field, with what people call themselves.
pub async fn a_send_reads_back_as_it_was_written(ledger: &impl Ledger) {
    for (n, state) in (1_u32..).zip(states()) {
        let plain = Send { state, ..claimed(trigger(n), Leg::Dm, n) };
        let bare = Send { username: None, matched: None, claim: None, ..plain.clone() };
        let full = Send {
            username: Some("zoë_ça·va 🍞".to_owned()),
            campaign: None,
            keyword: Some(u32::MAX),
            says: Says::FollowPrompt,
            text_only: true,
            conversation: Some(Conversation {
                root: trigger(7),
                asked_by: trigger(8),
                is_first_contact: true,
                checks: u32::MAX,
                closes_at: at(86_400),
            }),
            variation: u32::MAX,
            attempts: 3,
            not_sent: u32::MAX,
            wake: u32::MAX,
            ..plain.clone()
        };
        for (leg, send) in [(Leg::Dm, plain), (reply(1), bare), (reply(2), full)] {
            let mut send = send;
            send.key.leg = leg;
            done(ledger, &send, &Expect::Absent).await;
            assert_eq!(stored(ledger, &send).await.as_ref(), Some(&send));
        }
    }
}

/// The first Send carries the whole match: 500 campaigns with the longest ids, each with a public reply.
pub async fn a_match_of_five_hundred_campaigns_fits(ledger: &impl Ledger) {
    let long = |n: u32| CampaignRef { id: CampaignId::parse(format!("{n:064}")).unwrap(), version: u32::MAX };
    let whole = Matched {
        winner: long(0),
        keyword: Some(u32::MAX),
        losers: (1..500).map(long).collect(),
        public_replies: (0..500).map(|n| PublicReply { campaign: long(n), variation: 9 }).collect(),
    };
    let claim_of_it = Send { matched: Some(whole.clone()), ..claimed(trigger(1), Leg::Dm, 1) };
    done(ledger, &claim_of_it, &Expect::Absent).await;
    assert_eq!(stored(ledger, &claim_of_it).await.and_then(|send| send.matched), Some(whole));
}

/// A read of more legs than DynamoDB gives at once, some of them twice, most of them not there.
pub async fn just_the_sends_that_exist_are_read(ledger: &impl Ledger) {
    assert_eq!(ledger.sends(&trigger(1), &[]).await.unwrap(), []);
    assert_eq!(ledger.sends(&trigger(1), &[Leg::Dm, reply(1)]).await.unwrap(), []);

    let mut written = vec![claimed(trigger(1), Leg::Dm, 1)];
    for n in [1, 99, 100, 101, 250] {
        written.push(Send { campaign: Some(reference(n)), ..claimed(trigger(1), reply(n), n) });
    }
    for send in &written {
        done(ledger, send, &Expect::Absent).await;
    }
    let mut legs: Vec<Leg> = (1..=260).map(reply).collect();
    legs.extend([Leg::Dm, Leg::Dm, reply(1)]);
    let mut read = ledger.sends(&trigger(1), &legs).await.unwrap();
    read.sort_by(|a, b| a.key.cmp(&b.key));
    written.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(read, written);
}

/// Neither another comment's nor another campaign's.
pub async fn sends_of_other_triggers_are_not_read(ledger: &impl Ledger) {
    let mine = claimed(trigger(1), Leg::Dm, 1);
    let theirs = Send { matched: Some(matched()), ..claimed(trigger(11), Leg::Dm, 2) };
    for send in [&mine, &theirs, &claimed(trigger(1), reply(2), 3)] {
        done(ledger, send, &Expect::Absent).await;
    }
    let legs = [Leg::Dm, Leg::PublicReply(campaign_id(22))];
    assert_eq!(ledger.sends(&trigger(1), &legs).await.unwrap(), [mine]);
    assert_eq!(ledger.sends(&trigger(11), &legs).await.unwrap(), [theirs]);
}
