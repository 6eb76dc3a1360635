//! What only sweeps ask of the ledger.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, at, campaign, campaign_id, claim, claimed, reply, trigger, update, user};
use futures_util::future::join_all;
use openreply_app::ports::{AdMedia, Also, Progress, SweepLedger, SweepRecord, Written};
use openreply_app::sweep::Summary;
use openreply_domain::campaign::{Campaign, Post};
use openreply_domain::ids::{MediaId, MessageId, UserId};
use openreply_domain::send::{Expect, Leg, Looked, Send, SendKey, State, WaitingFor};
use std::collections::HashSet;

fn media(n: u32) -> MediaId {
    MediaId::parse(format!("1800000000000{n}")).unwrap()
}

fn message(n: u32) -> MessageId {
    MessageId::parse(format!("mid.{n}")).unwrap()
}

fn doubtful(n: u32, updated: i64) -> Send {
    let doubt = Some("no answer".to_owned());
    Send { state: State::Claimed { doubt }, updated_at: at(updated), ..claimed(trigger(n), Leg::Dm, n) }
}

/// Taken and past their time, or in doubt and to be looked for; in that order, and nothing that is not due yet.
pub async fn what_nobody_settled_comes_when_it_should_be_looked_at(ledger: &impl SweepLedger) {
    // The claim ends at 121 and is young until 181.
    let in_the_air = claimed(trigger(1), Leg::Dm, 1);
    let in_doubt = doubtful(2, 40);
    let looked = Send { looked: Some(Looked { times: 1, last_at: at(100) }), ..doubtful(3, 41) };
    let reason = "because".to_owned();
    let waits = State::Open { waiting_for: WaitingFor::Retry, due_at: at(1), reason };
    let waits = Send { state: waits, claim: None, ..claimed(trigger(4), Leg::Dm, 4) };
    let mut theirs = doubtful(5, 1);
    theirs.key.trigger.account = account(11);
    for send in [&in_the_air, &in_doubt, &looked, &waits, &theirs] {
        assert_eq!(ledger.put_send(send, &Expect::Absent).await.unwrap(), Written::Done);
    }
    for (until, wanted) in [
        (39, vec![]),
        (40, vec![&in_doubt]),
        (180, vec![&in_doubt]),
        (181, vec![&in_doubt, &in_the_air]),
        (400, vec![&in_doubt, &in_the_air, &looked]),
    ] {
        let found = ledger.unsettled(&account(1), at(until)).await.unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "until {until}");
    }
    let arrived = State::Sent { message_id: Some(message(1)) };
    let settled = Send { state: arrived, ..in_doubt };
    assert_eq!(ledger.put_send(&settled, &Expect::Claimed(claim(2).id)).await.unwrap(), Written::Done);
    assert_eq!(ledger.unsettled(&account(1), at(400)).await.unwrap(), [in_the_air, looked]);
}

/// Those that exist of many, and of each trigger only what was asked for.
pub async fn many_messages_are_read_at_once(ledger: &impl SweepLedger) {
    assert_eq!(ledger.known(&[]).await.unwrap(), []);
    let sends: Vec<Send> = (0..120)
        .map(|n| claimed(trigger(n), if n.is_multiple_of(10) { reply(1) } else { Leg::Dm }, n))
        .collect();
    for some in sends.chunks(30) {
        for written in join_all(some.iter().map(|send| ledger.put_send(send, &Expect::Absent))).await {
            assert_eq!(written.unwrap(), Written::Done);
        }
    }
    for leg in [Leg::Dm, reply(1)] {
        let key = |n| SendKey { trigger: trigger(n), leg: leg.clone() };
        let asked: Vec<SendKey> = (0..150).rev().chain([5, 6, 10]).map(key).collect();
        let wanted: Vec<&Send> = sends.iter().filter(|send| send.key.leg == leg).collect();
        assert_eq!(ledger.known(&asked).await.unwrap().iter().collect::<Vec<_>>(), wanted);
    }
}

/// All that is not older, to whomever or to one person, of one account; and no more than somebody wants.
pub async fn what_was_sent_to_somebody_is_gone_through_until_nobody_asks_for_more(ledger: &impl SweepLedger) {
    let other = UserId::parse("901").unwrap();
    let mut sends: Vec<Send> = (0..130)
        .map(|n: u32| {
            let user = if n.is_multiple_of(3) { other.clone() } else { user() };
            Send { user, first_seen_at: at(i64::from(n)), ..claimed(trigger(n), Leg::Dm, n) }
        })
        .collect();
    let mut theirs = claimed(trigger(900), Leg::Dm, 900);
    theirs.key.trigger.account = account(11);
    sends.push(theirs);
    for some in sends.chunks(30) {
        for written in join_all(some.iter().map(|send| ledger.put_send(send, &Expect::Absent))).await {
            assert_eq!(written.unwrap(), Written::Done);
        }
    }
    sends.pop();
    for (since, to) in [(0, None), (100, None), (0, Some(&other)), (31, Some(&other)), (200, None)] {
        let mut found = Vec::new();
        let visit = |some: Vec<Send>| {
            found.extend(some);
            true
        };
        assert!(ledger.go_through(&account(1), at(since), to, visit).await.unwrap());
        found.sort_by_key(|send| send.first_seen_at);
        let wanted = sends.iter().filter(|send| at(since) <= send.first_seen_at);
        let wanted: Vec<&Send> = wanted.filter(|send| to.is_none_or(|to| send.user == *to)).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "since {since} to {to:?}");
    }
    let mut visits = 0;
    let once = |_: Vec<Send>| {
        visits += 1;
        false
    };
    assert!(!ledger.go_through(&account(1), at(0), None, once).await.unwrap());
    assert_eq!(visits, 1);
}

/// Whoever is first; the other Send is left as it was.
pub async fn a_message_proves_one_send_at_most(ledger: &impl SweepLedger) {
    let also = [Also::Proof { message_id: message(7) }];
    let sent = |n| {
        let state = State::Sent { message_id: Some(message(7)) };
        Send { state, ..doubtful(n, 1) }
    };
    for n in [1, 2] {
        assert_eq!(ledger.put_send(&doubtful(n, 1), &Expect::Absent).await.unwrap(), Written::Done);
    }
    let write = async |n: u32| {
        let expect = Expect::Claimed(claim(n).id);
        ledger.put_send_with(&sent(n), &expect, &also).await.unwrap()
    };
    assert_eq!(write(1).await, Written::Done);
    assert_eq!(write(2).await, Written::Moved);
    assert_eq!(ledger.sends(&trigger(2), &[Leg::Dm]).await.unwrap(), [doubtful(2, 1)]);
    // Told again: what stands there is told first.
    assert!(matches!(write(1).await, Written::Refused(Some(stands)) if *stands == sent(1)));
    let other = [Also::Proof { message_id: message(8) }];
    let expect = Expect::Claimed(claim(2).id);
    assert_eq!(ledger.put_send_with(&sent(2), &expect, &other).await.unwrap(), Written::Done);
}

/// Exactly one of many binds, everybody learns which, and no change of the campaign undoes it.
pub async fn a_campaign_is_bound_to_one_reel_for_good(ledger: &impl SweepLedger) {
    ledger.put_account(&update(account(1))).await.unwrap();
    let mut waits = campaign(1, 0);
    waits.content.post = Post::NextReel;
    waits.reel_since = Some(at(5));
    ledger.put_campaign(&account(1), &waits, None).await.unwrap();
    let bind = |n: u32| async move {
        ledger.bind_reel(&account(1), &campaign_id(1), at(5), &media(n)).await.unwrap()
    };
    let bound: HashSet<MediaId> = join_all((0..20).map(bind)).await.into_iter().collect();
    assert_eq!(bound.len(), 1, "{bound:?}");
    let reel = bound.into_iter().next();
    let read = async || ledger.account(&account(1)).await.unwrap().unwrap().campaigns;
    assert_eq!(read().await, [Campaign { bound: reel.clone(), ..waits.clone() }]);
    // Applied again by somebody who did not know of the binding, with another text.
    waits.version = 2;
    waits.content.dm = "Another text".to_owned();
    ledger.put_campaign(&account(1), &waits, None).await.unwrap();
    assert_eq!(read().await, [Campaign { bound: reel, ..waits.clone() }]);
    // It waits for another one now.
    waits.reel_since = Some(at(6));
    ledger.put_campaign(&account(1), &waits, None).await.unwrap();
    assert_eq!(read().await, [waits]);
}

/// Each once, in the order of their names.
pub async fn ads_are_remembered_by_account(ledger: &impl SweepLedger) {
    assert_eq!(ledger.ads(&account(1)).await.unwrap(), []);
    let ad = |post, ad| AdMedia { post: media(post), ad: media(ad) };
    for known in [ad(2, 8), ad(1, 9), ad(1, 8), ad(1, 9)] {
        ledger.record_ad(&account(1), &known, at(90)).await.unwrap();
    }
    ledger.record_ad(&account(11), &ad(3, 3), at(90)).await.unwrap();
    assert_eq!(ledger.ads(&account(1)).await.unwrap(), [ad(1, 8), ad(1, 9), ad(2, 8)]);
}

/// The last of each, that of the stack first.
pub async fn the_last_sweep_of_each_account_reads_back(ledger: &impl SweepLedger) {
    assert_eq!(ledger.sweeps().await.unwrap(), []);
    let record = |account, seconds, found| SweepRecord {
        account,
        at: at(seconds),
        quiet_until: (found == 3).then(|| at(900)),
        progress: Progress {
            turn: found,
            unfinished: (0..found).map(|n| (media(n), format!("cursor{n}"))).collect(),
        },
        summary: Summary { found, notes: vec!["held".to_owned()], ..Summary::default() },
    };
    for kept in [record(Some(account(1)), 1, 2), record(None, 2, 0), record(Some(account(1)), 3, 3)] {
        ledger.put_sweep(&kept).await.unwrap();
    }
    assert_eq!(ledger.sweeps().await.unwrap(), [record(None, 2, 0), record(Some(account(1)), 3, 3)]);
    for (of, wanted) in [
        (None, Some(record(None, 2, 0))),
        (Some(account(1)), Some(record(Some(account(1)), 3, 3))),
        (Some(account(11)), None),
    ] {
        assert_eq!(ledger.last_sweep(of.as_ref()).await.unwrap(), wanted, "{of:?}");
    }
}

/// Nothing at first; then the last that was kept.
pub async fn how_far_events_were_checked_reads_back(ledger: &impl SweepLedger) {
    assert_eq!(ledger.events_checked().await.unwrap(), None);
    for seconds in [60, 120] {
        ledger.set_events_checked(at(seconds)).await.unwrap();
        assert_eq!(ledger.events_checked().await.unwrap(), Some(at(seconds)));
    }
}
