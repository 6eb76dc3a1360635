//! What a person does with a stack: `openreply` beside the running functions.

use super::stack::Stack;
use super::{ACCOUNT, APP_SECRET};
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{Clock, Ledger};
use openreply_aws::SystemClock;
use openreply_domain::gate::{Hold, HoldReason};
use openreply_domain::ids::{AccountId, MediaId, UserId};
use openreply_domain::trigger::{Comment, Trigger};
use openreply_testkit::instagram::webhook::sign;
use openreply_testkit::instagram::{CallKind, FakeInstagram, Fault, NewComment};
use std::time::Duration;

/// What somebody wrote, which nobody but the two may read anywhere.
const WORDS: &str = "LINK, it is for my sister";

/// The person and the stack.
pub(crate) struct Person<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) instagram: &'a FakeInstagram<SystemClock>,
    pub(crate) graph: String,
}

/// A comment, and who wrote it.
pub(crate) struct Written {
    user: UserId,
    trigger: String,
    job: Job,
}

impl Person<'_> {
    /// Somebody comments, and the webhook tells of it or not.
    async fn comment(&self, user: &str, is_told: bool) -> Written {
        let (account, media) =
            (AccountId::parse(ACCOUNT).unwrap(), MediaId::parse("17900000000000001").unwrap());
        let from = UserId::parse(user).unwrap();
        let id = self.instagram.comment(NewComment {
            account: account.clone(),
            media: media.clone(),
            from: from.clone(),
            username: Some("dora".to_owned()),
            text: WORDS.to_owned(),
            parent: None,
        });
        if is_told {
            let body = self.instagram.comment_event(&id).unwrap().to_string();
            assert_eq!(self.stack.post(&body, &sign(APP_SECRET, body.as_bytes())).await.status, 200);
            self.stack.drain().await;
        }
        let comment = Comment {
            account,
            id,
            from: from.clone(),
            username: Some("dora".to_owned()),
            media: Some(media),
            original_media: None,
            parent: None,
            text: WORDS.to_owned(),
        };
        let trigger = comment.key().to_string();
        let job = Job::Ingested { trigger: Trigger::Comment(comment), received_at: SystemClock.now() };
        Written { user: from, trigger, job }
    }

    fn got(&self, comment: &Written) -> usize {
        self.instagram.inbox(&AccountId::parse(ACCOUNT).unwrap(), &comment.user).len()
    }

    /// Asks, and holds the answer to saying nothing that is not for everybody who sees the terminal's output.
    fn ask(&self, args: &[&str]) -> (bool, String) {
        let (done, told) = self.stack.ask(args);
        for private in ["sister", "IGAA", "dora", "Here it is"] {
            assert!(!told.contains(private), "{args:?} tells {private}: {told}");
        }
        (done, told)
    }

    #[track_caller]
    fn does(&self, args: &[&str], says: &[&str]) {
        let (done, told) = self.ask(args);
        assert!(done && says.iter().all(|says| told.contains(says)), "{args:?} says {told}");
    }

    #[track_caller]
    fn refuses(&self, args: &[&str], says: &[&str]) {
        let (done, told) = self.ask(args);
        assert!(!done && says.iter().all(|says| told.contains(says)), "{args:?} says {told}");
    }

    /// Two messages that nobody knows of: too young for a decision.
    pub(crate) async fn doubts(&self) -> [Written; 2] {
        self.instagram.fail_next_of(CallKind::PrivateReply, 2, &Fault::html(502));
        let doubts = [self.comment("557", true).await, self.comment("558", true).await];
        for doubt in &doubts {
            self.does(
                &["deliveries", "show", &doubt.trigger, "--graph-url", &self.graph],
                &["UNCONFIRMED", "proves nothing"],
            );
            self.refuses(
                &["deliveries", "resolve", &doubt.trigger, "reveal", "--sent", "--yes"],
                &["no such message"],
            );
            self.refuses(
                &[
                    "deliveries",
                    "resolve",
                    &doubt.trigger,
                    "dm",
                    "--release",
                    "--yes",
                    "--graph-url",
                    &self.graph,
                ],
                &["still"],
            );
        }
        self.does(&["deliveries", "list", "--status", "UNCONFIRMED"], &[&doubts[0].trigger, "2 deliveries"]);
        doubts
    }

    /// A stop, a hold, dead letters: each is the ledger's to decide again.
    pub(crate) async fn switches(&self, sent: &Job) {
        // Whatever is wrong with SQS, sending can be stopped.
        let (done, told) = self.stack.ask_without_sqs(&["stop"]);
        assert!(done && told.contains("openreply start --stack"), "{told}");
        self.does(&["stop"], &["nothing is sent", "openreply start --stack"]);
        let stopped = self.comment("559", true).await;
        self.does(&["deliveries", "list", "--status", "PENDING"], &[&stopped.trigger, "waits for hold"]);
        assert_eq!(self.got(&stopped), 0);
        self.does(&["start"], &["go on"]);
        self.stack.drain().await;
        assert_eq!(self.got(&stopped), 1);

        let (account, ledger) = (AccountId::parse(ACCOUNT).unwrap(), self.stack.ledger());
        let (mut gate, _) = ledger.gates(&account).await.unwrap();
        gate.revision += 1;
        gate.hold = Some(Hold { reason: HoldReason::Permission, since: SystemClock.now(), until: None });
        assert_eq!(ledger.put_gate(&account, &gate).await.unwrap(), None);
        let held = self.comment("560", true).await;
        assert_eq!(self.got(&held), 0);
        self.does(&["lift", ACCOUNT], &["go on"]);
        self.stack.drain().await;
        assert_eq!(self.got(&held), 1);
        let (_, mut app) = ledger.gates(&account).await.unwrap();
        app.revision += 1;
        app.app_hold = Some(Hold { reason: HoldReason::AppUnusable, since: SystemClock.now(), until: None });
        assert_eq!(ledger.put_stop(&app).await.unwrap(), None);
        let refused = self.comment("562", true).await;
        assert_eq!(self.got(&refused), 0);
        self.does(&["lift", "app"], &["lifted: 2 deliveries that waited go on"]);
        self.stack.drain().await;
        assert_eq!(self.got(&refused), 1);

        let calls = self.instagram.count(CallKind::PrivateReply);
        let unheard = self.comment("561", false).await;
        for job in [sent, &unheard.job] {
            self.stack.die(&serde_json::to_string(job).unwrap(), Some("dead")).await;
        }
        let delayed = self.comment("563", false).await;
        let envelope = Delayed {
            group: format!("{ACCOUNT}:563"),
            dedup: "of-long-ago".to_owned(),
            job: delayed.job.clone(),
        };
        self.stack.die(&serde_json::to_string(&envelope).unwrap(), None).await;
        self.does(&["dead-letters", "list"], &[&unheard.trigger, &delayed.trigger, "3 dead letters"]);
        // What was looked at is hidden for a moment.
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.does(&["dead-letters", "redrive"], &["3 are on the queue again"]);
        self.stack.drain().await;
        assert_eq!((self.got(&unheard), self.got(&delayed)), (1, 1));
        assert_eq!(self.instagram.count(CallKind::PrivateReply), calls + 2);
        self.does(&["dead-letters", "list"], &["0 dead letters"]);
    }

    /// Minutes later whoever was sending cannot come back: a person decides.
    pub(crate) async fn decides(&self, [released, seen]: &[Written; 2]) {
        let resolve = |doubt: &Written, verdict| -> Vec<String> {
            let words = [
                "deliveries",
                "resolve",
                &doubt.trigger,
                "dm",
                verdict,
                "--by",
                "mia",
                "--graph-url",
                &self.graph,
            ];
            words.map(str::to_owned).to_vec()
        };
        let asked: Vec<String> = resolve(released, "--release");
        self.refuses(&asked.iter().map(String::as_str).collect::<Vec<_>>(), &["--yes"]);
        let calls = self.instagram.count(CallKind::PrivateReply);
        for (doubt, verdict, says) in [(released, "--release", "PENDING"), (seen, "--sent", "SENT")] {
            let mut words = resolve(doubt, verdict);
            words.push("--yes".to_owned());
            self.does(&words.iter().map(String::as_str).collect::<Vec<_>>(), &[says]);
        }
        self.stack.drain().await;
        assert_eq!((self.got(released), self.got(seen)), (1, 0));
        assert_eq!(self.instagram.count(CallKind::PrivateReply), calls + 1);
        self.does(
            &["deliveries", "show", &released.trigger],
            &["SENT", "mia called it not sent, and released it"],
        );
        self.does(&["deliveries", "list", "--status", "UNCONFIRMED"], &["0 deliveries"]);
    }

    /// What there is to read, and what is said where there is nothing.
    pub(crate) fn reads(&self) {
        self.does(&["deliveries", "list"], &["SENT", "public_reply"]);
        self.does(&["sweeps"], &["the stack", ACCOUNT]);
        self.does(&["links"], &["guide"]);
        self.does(&["deliveries", "list", "--account", ACCOUNT, "--status", "sent"], &["SENT", ACCOUNT]);
        self.refuses(&["deliveries", "list", "--account", "bakery"], &["has no account bakery"]);
        self.refuses(&["lift", "bakery"], &["has no account bakery", "nothing was changed"]);
        self.refuses(&["deliveries", "show", "comment:1:2"], &["knows nothing of comment:1:2"]);
        self.refuses(&["deliveries", "show", "comment"], &["comment:<account>:<id>"]);
        self.refuses(
            &["deliveries", "resolve", "comment:1:2", "dm", "--sent", "--yes"],
            &["no such message"],
        );
        for command in
            [["stop"].as_slice(), &["deliveries", "list"], &["dead-letters", "list"], &["sweeps"], &["links"]]
        {
            let (done, told) = self.stack.ask_of("no-such-stack", command);
            assert!(!done && told.contains("check the stack's name"), "{command:?} says {told}");
        }
    }
}
