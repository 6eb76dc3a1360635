use super::{Delivery, rows};
use crate::matched::Matched;
use crate::send::samples::{campaign, claim_id, minutes, open, send, sent};
use crate::send::{Leg, Send, Skip, State, WaitingFor};

fn row(state: State, alive: bool) -> Delivery {
    let mut rows = rows(&send(state), |_| alive);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[test]
fn every_state_is_a_status_that_says_why() {
    let claimed = |doubt: Option<&str>| State::Claimed { doubt: doubt.map(str::to_owned) };
    let failed = State::Failed { reason: "deleted".to_owned() };
    let skipped = |skip| State::Skipped { skip, reason: "a rule".to_owned() };
    // (state, whether its holder is alive) → status, how its reason begins.
    let table: [(State, bool, &str, Option<&str>); 9] = [
        (open(minutes(5)), false, "PENDING", Some("no connection")),
        (claimed(None), true, "PENDING", None),
        (claimed(None), false, "UNCONFIRMED", Some("the process that was sending it ended")),
        (claimed(Some("no answer")), true, "UNCONFIRMED", Some("no answer. It is never repeated")),
        (claimed(Some("no answer")), false, "UNCONFIRMED", Some("no answer. It is never repeated")),
        (sent(), false, "SENT", None),
        (failed, false, "FAILED", Some("deleted")),
        (skipped(Skip::Window), false, "SKIPPED_WINDOW", Some("a rule")),
        (skipped(Skip::Quota), false, "SKIPPED_QUOTA", Some("a rule")),
    ];
    for (state, alive, status, reason) in table {
        let row = row(state.clone(), alive);
        assert_eq!(row.status, status, "{state:?}");
        assert_eq!(row.reason.is_some(), reason.is_some(), "{row:?}");
        assert!(row.reason.as_deref().unwrap_or("").starts_with(reason.unwrap_or("")), "{row:?}");
        assert_eq!(row.message_id.as_deref(), (status == "SENT").then_some("mid.1"));
        assert_eq!(row.due_at, matches!(state, State::Open { .. }).then(|| minutes(5)));
        assert_eq!(row.waiting_for.is_some(), matches!(state, State::Open { .. }));
        assert_eq!((row.trigger.as_str(), row.leg), ("comment:17841400000000001:179", "dm"));
        assert_eq!(
            (row.campaign.as_ref().unwrap().as_str(), row.attempts, row.updated_at),
            ("guide", 1, minutes(0))
        );
    }
}

#[test]
fn doubt_says_what_a_person_should_do() {
    for doubt in [None, Some("no answer".to_owned())] {
        let reason = row(State::Claimed { doubt }, false).reason.unwrap();
        assert!(reason.contains("Look for it in the account's Instagram inbox"), "{reason}");
    }
}

#[test]
fn what_waits_says_for_what() {
    let waits = [
        WaitingFor::Slot,
        WaitingFor::Retry,
        WaitingFor::Hold,
        WaitingFor::Pause,
        WaitingFor::Follow,
        WaitingFor::Answer,
        WaitingFor::Delay,
    ];
    let shown = waits.map(|waiting_for| {
        row(State::Open { waiting_for, due_at: minutes(5), reason: String::new() }, false).waiting_for
    });
    let words = ["slot", "retry", "hold", "pause", "follow", "answer", "delay"];
    assert_eq!(shown, words.map(Some));
}

#[test]
fn whether_a_claim_is_alive_is_asked_of_that_claim() {
    let send = send(State::Claimed { doubt: None });
    assert_eq!(rows(&send, |claim| claim.id == claim_id(1))[0].status, "PENDING");
    assert_eq!(rows(&send, |claim| claim.id == claim_id(2))[0].status, "UNCONFIRMED");
    // Nobody holds what carries no claim.
    assert_eq!(rows(&Send { claim: None, ..send }, |_| true)[0].status, "UNCONFIRMED");
}

#[test]
fn losers_are_skipped_for_the_winner_whatever_becomes_of_it() {
    let matched = Matched {
        winner: campaign("guide", 1),
        keyword: None,
        losers: vec![campaign("second", 4), campaign("third", 1)],
        public_replies: Vec::new(),
    };
    for state in [open(minutes(5)), State::Claimed { doubt: None }, sent()] {
        let send = Send { matched: Some(matched.clone()), updated_at: minutes(9), ..send(state) };
        let rows = rows(&send, |_| true);
        let names: Vec<&str> = rows.iter().map(|row| row.campaign.as_ref().unwrap().as_str()).collect();
        assert_eq!(names, ["guide", "second", "third"]);
        for loser in &rows[1..] {
            assert_eq!((loser.status, loser.leg, loser.attempts), ("SKIPPED_DEDUP", "dm", 0));
            assert!(loser.reason.as_deref().unwrap().contains("campaign guide "), "{loser:?}");
            assert_eq!((loser.waiting_for, &loser.message_id, loser.due_at), (None, &None, None));
            assert_eq!((&loser.trigger, loser.updated_at), (&rows[0].trigger, minutes(0)));
        }
    }
}

#[test]
fn a_public_reply_is_a_row_of_its_own_campaign_and_has_no_losers() {
    let mut reply = send(sent());
    reply.key.leg = Leg::PublicReply(campaign("second", 1).id);
    reply.campaign = Some(campaign("second", 1));
    reply.matched = None;
    let rows = rows(&reply, |_| false);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].leg, rows[0].campaign.as_ref().unwrap().as_str()), ("public_reply", "second"));
}

#[test]
fn a_row_reads_as_its_interface_says() {
    let row = serde_json::to_value(row(open(minutes(5)), false)).unwrap();
    let expected = serde_json::json!({
        "trigger": "comment:17841400000000001:179", "campaign": "guide", "leg": "dm", "says": "link", "status": "PENDING",
        "waiting_for": "retry", "attempts": 1, "reason": "no connection", "message_id": null,
        "due_at": "2026-11-30T16:05:00Z", "updated_at": "2026-11-30T16:00:00Z",
    });
    assert_eq!(row, expected);
}
