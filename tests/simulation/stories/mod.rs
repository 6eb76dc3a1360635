//! Conversations as stories: what each flow reads like, and that no order, copy or crash makes it say anything
//! twice.

mod flows;
mod script;

use flows::stories;
use openreply_testkit::faults::{FAULTS, Fault};
use script::{Bringing, Step, Story, Told};

#[tokio::test]
async fn every_flow_reads_as_its_story() {
    all_as_told(Bringing::Once).await;
}

#[tokio::test]
async fn copies_in_any_order_change_no_story() {
    all_as_told(Bringing::AgainAndAgain).await;
}

async fn all_as_told(bringing: Bringing) {
    let mut wrong = Vec::new();
    for story in stories() {
        let told = story.tell(bringing, &[]).await;
        let (transcript, rows) = (told.transcript.join("\n"), told.rows());
        if transcript != story.transcript || rows != story.rows {
            wrong.push(format!("{}\n{transcript}\n{rows:?}\n{:?}", story.name, told.sim.rows()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Whatever fails at any one call: nobody gets anything more often than in the story, and everything that is owed
/// is in sight.
#[tokio::test]
async fn no_failure_at_any_call_says_anything_twice() {
    let mut runs = 0;
    for story in stories() {
        let clean = story.tell(Bringing::AgainAndAgain, &[]).await;
        for fault in FAULTS {
            for call in 0..clean.sim.calls().len() {
                let told = story.tell(Bringing::AgainAndAgain, &[(call, fault)]).await;
                check(&story, &clean, &told, (call, fault));
                runs += 1;
            }
        }
    }
    crate::tell(&format!("{runs} stories with a failure, not one message too many"));
}

fn check(story: &Story, clean: &Told, told: &Told, fault: (usize, Fault)) {
    let play = || {
        let calls = told.sim.calls();
        format!(
            "{}, fault {fault:?} at {:?}\n{}\n{:?}",
            story.name,
            calls.get(fault.0),
            told.transcript.join("\n"),
            told.sim.rows()
        )
    };
    let most = clean.arrived();
    for (text, times) in told.arrived() {
        // What is handled later than in the story may be handled after an edit: once, then, in other words.
        let most = most.get(&text).copied().unwrap_or(1);
        // And after somebody unfollowed: each time that they ask, they are asked to follow once.
        let asked =
            story.steps.iter().filter(|step| matches!(step, Step::Writes(..) | Step::Taps(..))).count();
        let most = if text.starts_with("Follow first") { most.max(asked) } else { most };
        // And who taps after it arrived, which it may have done sooner, gets it again: once for each tap.
        let taps = story.steps.iter().filter(|step| matches!(step, Step::Taps(..))).count();
        let most = if text == "Here it is" { most.max(1 + taps) } else { most };
        assert!(times <= most, "{text}: {times} times; {}", play());
    }
    for row in told.sim.rows() {
        let in_sight = match row.status {
            "SENT" => row.message_id.is_some(),
            "PENDING" => false,
            _ => row.reason.is_some(),
        };
        assert!(in_sight, "{row:?}; {}", play());
    }
}
