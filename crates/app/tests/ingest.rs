//! A webhook's body goes onto the queue whole, or Meta is told to come back.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod log;

use openreply_app::ingest::{Ingest, Ingested};
use openreply_app::job::Job;
use openreply_app::ports::{
    Authenticity, Clock, EventBodies, EventReader, EventStatus, ParsedEvent, Unreadable,
};
use openreply_domain::ids::{AccountId, CommentId, UserId};
use openreply_domain::trigger::{Comment, QueueIdentity, Trigger};
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{
    ManualClock, MemoryHost, MemoryLedger, MemoryMessenger, MemoryQueue, SeededRandom, memory_host,
};
use std::collections::BTreeMap;

const BODY: &[u8] = br#"{"object":"instagram"}"#;
const SIGNATURE: &str = "sha256=51a7e";
const TEXT: &str = "words that are nobody's business";
const PERSON: &str = "1234509876";

/// Reads one event out of any body.
struct Reader {
    authentic: Authenticity,
    event: Result<ParsedEvent, Unreadable>,
}

impl Reader {
    fn of(triggers: Vec<Trigger>) -> Self {
        let passed_over = BTreeMap::from([("echo", 2)]);
        Self { authentic: Authenticity::Authentic, event: Ok(ParsedEvent { triggers, passed_over }) }
    }
}

impl EventReader for Reader {
    fn authenticate(&self, signature: Option<&str>, body: &[u8]) -> Authenticity {
        assert_eq!((signature, body), (Some(SIGNATURE), BODY));
        self.authentic
    }

    fn knows_verify_token(&self, _: &str) -> bool {
        false
    }
}

impl EventBodies for Reader {
    fn parse(&self, body: &[u8]) -> Result<ParsedEvent, Unreadable> {
        assert_eq!((self.authentic, body), (Authenticity::Authentic, BODY), "read before it was trusted");
        self.event.clone()
    }
}

fn comments(count: usize) -> Vec<Trigger> {
    let comment = |nth: usize| Comment {
        account: AccountId::parse("17841400000000001").unwrap(),
        id: CommentId::parse(format!("179{nth}")).unwrap(),
        from: UserId::parse(format!("{PERSON}{}", nth % 7)).unwrap(),
        username: Some("anna.writes".to_owned()),
        media: None,
        original_media: None,
        parent: None,
        text: TEXT.to_owned(),
    };
    (0..count).map(|nth| Trigger::Comment(comment(nth))).collect()
}

struct Stage {
    memory: MemoryHost,
    plan: FaultPlan,
}

impl Stage {
    fn new(faults: impl IntoIterator<Item = (usize, Fault)>) -> Self {
        log::listen();
        Self { memory: memory_host(1, MemoryMessenger::default()), plan: FaultPlan::new(faults) }
    }

    async fn ingest(&self, reader: &Reader) -> Ingested {
        let ingest: Ingest<Faulty<MemoryLedger>, Faulty<MemoryQueue>, ManualClock, SeededRandom> = Ingest {
            ledger: Faulty { port: self.memory.ledger.clone(), plan: self.plan.clone() },
            queue: Faulty { port: self.memory.queue.clone(), plan: self.plan.clone() },
            clock: self.memory.clock.clone(),
            random: self.memory.random.clone(),
        };
        ingest.ingest(reader, Some(SIGNATURE), BODY).await
    }

    /// Where the one event stands.
    fn status(&self) -> EventStatus {
        let events = self.memory.ledger.all_events();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].body, BODY, "the raw bytes");
        assert_eq!(events[0].key.received_at, self.memory.clock.now());
        events[0].status.clone()
    }

    /// Why the one event FAILED.
    fn why(&self) -> String {
        match self.status() {
            EventStatus::Failed { why } => why,
            status @ (EventStatus::Pending | EventStatus::Processed) => unreachable!("{status:?}"),
        }
    }
}

#[tokio::test]
async fn an_event_is_recorded_before_it_is_enqueued_and_marked_after() {
    let stage = Stage::new([]);
    let triggers = comments(3);
    assert_eq!(stage.ingest(&Reader::of(triggers.clone())).await, Ingested::Accepted { triggers: 3 });
    assert_eq!(stage.plan.calls(), ["record_event", "enqueue", "mark_event"]);
    assert_eq!(stage.status(), EventStatus::Processed);
    let taken = stage.memory.queue.taken();
    assert_eq!(taken.len(), 3);
    for (entry, trigger) in taken.iter().zip(triggers) {
        assert_eq!(entry.identity, QueueIdentity::of(&trigger));
        assert_eq!(entry.job, Job::Ingested { trigger, received_at: stage.memory.clock.now() });
    }
}

#[tokio::test]
async fn an_event_that_was_cut_off_before_the_queue_had_it_reads_pending() {
    for fault in [Fault::CrashBefore, Fault::CrashAfter] {
        let stage = Stage::new([(1, fault)]);
        assert_eq!(stage.plan.run(stage.ingest(&Reader::of(comments(1)))).await, None);
        assert_eq!(stage.status(), EventStatus::Pending, "{fault:?}");
    }
}

#[tokio::test]
async fn a_thousand_comments_of_one_body_are_all_enqueued() {
    let stage = Stage::new([]);
    let triggers = comments(1000);
    assert_eq!(stage.ingest(&Reader::of(triggers.clone())).await, Ingested::Accepted { triggers: 1000 });
    let jobs = stage.memory.queue.taken().into_iter().map(|entry| match entry.job {
        Job::Ingested { trigger, .. } => trigger,
        job @ (Job::Missed { .. } | Job::Wake { .. } | Job::Settle { .. } | Job::Beat { .. }) => {
            panic!("{job:?}")
        }
    });
    assert_eq!(jobs.collect::<Vec<_>>(), triggers);
    assert_eq!(stage.plan.calls().len(), 3);
}

#[tokio::test]
async fn what_the_queue_refuses_makes_meta_come_back_and_the_record_says_why() {
    let stage = Stage::new([]);
    stage.memory.queue.refuse(|entry| match entry.identity.dedup.as_str() {
        dedup if dedup.ends_with("_1791") => Some("InternalError".to_owned()),
        dedup if dedup.ends_with("_1793") || dedup.ends_with("_1794") => Some("Throttled".to_owned()),
        _ => None,
    });
    assert_eq!(stage.ingest(&Reader::of(comments(5))).await, Ingested::ComeBack);
    let why = stage.why();
    for part in ["refused 3 of 5 jobs", "InternalError × 1", "Throttled × 2"] {
        assert!(why.contains(part), "{why}");
    }
    assert_eq!(stage.memory.queue.taken().len(), 2);
    // Meta comes back within five minutes: what the queue has is not put there twice.
    stage.memory.queue.refuse(|_| None);
    assert_eq!(stage.ingest(&Reader::of(comments(5))).await, Ingested::Accepted { triggers: 5 });
    assert_eq!(stage.memory.queue.taken().len(), 5);
}

#[tokio::test]
async fn a_queue_that_does_not_answer_makes_meta_come_back() {
    for fault in [Fault::Refuse, Fault::LoseAnswer] {
        let stage = Stage::new([(1, fault)]);
        assert_eq!(stage.ingest(&Reader::of(comments(2))).await, Ingested::ComeBack);
        assert!(stage.why().contains("the queue could not be reached"), "{}", stage.why());
        assert_eq!(stage.plan.calls(), ["record_event", "enqueue", "mark_event"]);
    }
}

#[tokio::test]
async fn what_could_not_be_recorded_is_not_enqueued() {
    for fault in [Fault::Refuse, Fault::LoseAnswer] {
        let stage = Stage::new([(0, fault)]);
        assert_eq!(stage.ingest(&Reader::of(comments(2))).await, Ingested::ComeBack);
        assert_eq!(stage.plan.calls(), ["record_event"]);
        assert!(stage.memory.queue.taken().is_empty());
    }
}

#[tokio::test]
async fn a_mark_that_fails_does_not_make_meta_bring_again_what_the_queue_has() {
    let stage = Stage::new([(2, Fault::Refuse)]);
    assert_eq!(stage.ingest(&Reader::of(comments(2))).await, Ingested::Accepted { triggers: 2 });
    assert_eq!(stage.status(), EventStatus::Pending);
    assert_eq!(stage.memory.queue.taken().len(), 2);
}

#[tokio::test]
async fn a_mark_that_fails_does_not_hide_what_the_queue_refused() {
    let stage = Stage::new([(1, Fault::Refuse), (2, Fault::Refuse)]);
    assert_eq!(stage.ingest(&Reader::of(comments(2))).await, Ingested::ComeBack);
    assert_eq!(stage.status(), EventStatus::Pending);
}

#[tokio::test]
async fn what_starts_nothing_or_is_not_metas_touches_no_port() {
    let unreadable = Unreadable { line: 1, column: 7 };
    let reader = |authentic, event| Reader { authentic, event };
    let event = || Ok(ParsedEvent { triggers: comments(2), passed_over: BTreeMap::new() });
    let table = [
        (Reader::of(Vec::new()), Ingested::Accepted { triggers: 0 }),
        (reader(Authenticity::Wrong, event()), Ingested::NotAuthentic(Authenticity::Wrong)),
        (reader(Authenticity::Missing, event()), Ingested::NotAuthentic(Authenticity::Missing)),
        (reader(Authenticity::Authentic, Err(unreadable.clone())), Ingested::Unreadable(unreadable)),
    ];
    for (reader, expected) in table {
        let stage = Stage::new([]);
        assert_eq!(stage.ingest(&reader).await, expected);
        assert!(stage.plan.calls().is_empty(), "{expected:?}: {:?}", stage.plan.calls());
        assert!(stage.memory.ledger.all_events().is_empty() && stage.memory.queue.taken().is_empty());
    }
}

#[tokio::test]
async fn no_text_no_person_and_no_signature_is_logged() {
    let log = log::of(async {
        for faults in [vec![], vec![(0, Fault::Refuse)], vec![(1, Fault::Refuse)], vec![(2, Fault::Refuse)]] {
            let _ = Stage::new(faults).ingest(&Reader::of(comments(3))).await;
        }
        let refusing = Stage::new([(2, Fault::Refuse)]);
        refusing.memory.queue.refuse(|_| Some("InternalError".to_owned()));
        let _ = refusing.ingest(&Reader::of(comments(3))).await;
        for authentic in [Authenticity::Wrong, Authenticity::Missing, Authenticity::Authentic] {
            let event = Err(Unreadable { line: 1, column: 7 });
            let _ = Stage::new([]).ingest(&Reader { authentic, event }).await;
        }
    })
    .await;
    assert_eq!(log.matches("passed_over=\"echo=2\"").count(), 5, "every body is one line at least: {log}");
    assert!(log.contains("line 1, column 7") && log.contains("not signed by this app"), "{log}");
    for private in [TEXT, PERSON, "anna.writes", SIGNATURE, "51a7e", "\"object\""] {
        assert!(!log.contains(private), "{private} is logged: {log}");
    }
}
