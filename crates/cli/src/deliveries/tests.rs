use super::{as_rows, days_back, details, evidence_lines, is_in, line, statuses};
use openreply_app::resolve::Evidence;
use openreply_domain::campaign::CampaignRef;
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{CampaignId, ClaimId, MessageId, UserId};
use openreply_domain::send::{Claim, Leg, Looked, Send, SendKey, State, release};
use openreply_domain::time::{SignedDuration, Timestamp, after};

fn at(seconds: i64) -> Timestamp {
    after("2026-11-30T16:00:00Z".parse().unwrap(), SignedDuration::from_secs(seconds))
}

fn in_doubt() -> Send {
    let campaign = CampaignRef { id: CampaignId::parse("guide").unwrap(), version: 1 };
    let trigger = "comment:17841400000000001:179".parse().unwrap();
    let key = SendKey { trigger, leg: Leg::Dm };
    let claim = Claim {
        id: ClaimId::parse("0123456789abcdef0123456789abcdef").unwrap(),
        at: at(1),
        holder: "request-7".to_owned(),
        expires_at: at(121),
        slot: None,
        month: None,
        token_version: 1,
    };
    Send {
        state: State::Claimed { doubt: Some("no answer".to_owned()) },
        claim: Some(claim),
        attempts: 1,
        updated_at: at(11),
        ..Send::new(key, Some(campaign), UserId::parse("900").unwrap(), None, at(0))
    }
}

#[test]
fn a_line_says_what_stands_and_why() {
    let send = in_doubt();
    let row = &as_rows(&send, at(60))[0];
    let shown = line(row, &send.key.leg);
    assert!(
        shown.starts_with(
            "2026-11-30T16:00:11Z  UNCONFIRMED     comment:17841400000000001:179 dm (guide)  no answer."
        ),
        "{shown}"
    );
}

#[test]
fn what_a_person_decided_is_told() {
    let send = Send { looked: Some(Looked { times: 9, last_at: at(900) }), ..in_doubt() };
    assert_eq!(details(&send).len(), 2);
    let told = details(&release(&send, "mia", at(1_000)).unwrap());
    assert_eq!(told[1], "an attempt of 2026-11-30T16:00:01Z was released");
    assert!(told[2].starts_with("mia called it not sent, and released it"), "{told:?}");
}

#[test]
fn texts_are_for_eyes_only() {
    let message = |n: i64, text: &str, ours| Shown {
        id: MessageId::parse(format!("mid.{n}")).unwrap(),
        at: at(n),
        text: text.to_owned(),
        ours,
    };
    let shown = vec![message(9, "thanks\nso much", false), message(2, "The guide", true)];
    let found = Evidence { text: Some("The guide".to_owned()), fitting: vec![shown[1].clone()], shown };
    let seen = evidence_lines(&found, true);
    assert_eq!(seen[1], "   2026-11-30T16:00:09Z  person  thanks so much");
    assert_eq!(seen[2], "=> 2026-11-30T16:00:02Z  account  The guide");
    let piped = evidence_lines(&found, false).join("\n");
    assert!(!piped.contains("guide") && !piped.contains("thanks"), "{piped}");
    assert!(seen[0].contains("one message that fits"));
}

#[test]
fn a_list_is_asked_for_by_what_a_row_says() {
    assert!(statuses().contains(&"UNCONFIRMED") && statuses().contains(&"SKIPPED_QUOTA"));
    for (row, asked, is) in [
        ("SENT", "sent", true),
        ("SKIPPED_QUOTA", "SKIPPED_QUOTA", true),
        ("SKIPPED_QUOTA", "skipped", true),
        ("SKIPPED_QUOTA", "SKIPPED_DEDUP", false),
        ("SENT", "SKIPPED", false),
    ] {
        assert_eq!(is_in(row, asked), is, "{row} {asked}");
    }
}

#[test]
fn what_is_in_doubt_or_waits_is_listed_however_old_it_is() {
    for (days, status, back) in [
        (None, None, Some(7)),
        (None, Some("SENT"), Some(7)),
        (None, Some("UNCONFIRMED"), None),
        (None, Some("pending"), None),
        (Some(2), Some("UNCONFIRMED"), Some(2)),
        (Some(30), None, Some(30)),
    ] {
        assert_eq!(days_back(days, status), back, "{days:?} {status:?}");
    }
}
