//! The functions over one embedded DynamoDB, each with a client of its own that is listened to.

use super::recorder::Recorder;
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use dynoxide::Database;
use lambda_http::{Body, Request};
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::ingest::Ingest;
use openreply_app::ports::{Clock, Enqueue, Ports, Queue};
use openreply_app::resume::resume_all;
use openreply_app::sweep::{Summary, Sweep, SweepOrder};
use openreply_aws::{DynamoLedger, LEDGER_CALL, OsRandom, create_table};
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::links::LinksBase;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, after};
use openreply_graph::{AppSecrets, Graph, GraphConfig, MetaWebhook, WebhookBodies};
use openreply_testkit::instagram::{CallKind, FakeInstagram, Fault, NewComment, Serving, webhook};
use openreply_testkit::lambda::sqs_event;
use openreply_testkit::memory::{ManualClock, MemoryFacts, MemoryQueue, MemoryTimers, MemoryVault};
use secrecy::SecretString;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::net::TcpListener;

pub(super) const ACCOUNT: &str = "17841400000000001";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const TOKEN: &str = "played-token";
const TABLE: &str = "played-ledger";
/// Everything passes the month's gate, as it does where a limit is set.
const POLICY: Policy = Policy { max_attempts: 3, hourly_limit: 750, monthly_limit: 1_000 };

/// The ports of one function.
type PlayedHost =
    Ports<DynamoLedger, Graph, MemoryQueue, MemoryTimers, MemoryVault, ManualClock, OsRandom, MemoryFacts>;

/// All of them, and Instagram.
pub(super) struct World {
    pub(super) clock: ManualClock,
    pub(super) instagram: Arc<FakeInstagram<ManualClock>>,
    pub(super) queue: MemoryQueue,
    pub(super) timers: MemoryTimers,
    pub(super) facts: MemoryFacts,
    /// What a person does is nobody's function.
    pub(super) person: DynamoLedger,
    pub(super) recorders: BTreeMap<&'static str, Recorder>,
    graph: Graph,
    address: String,
    deliver: Deliver<PlayedHost>,
    vault: MemoryVault,
    _serving: Serving,
}

impl World {
    pub(super) async fn new(campaigns: &str) -> Self {
        let clock = ManualClock::default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(dynoxide::server::serve_on(listener, Database::memory().unwrap()));
        let client = Client::from_conf(config(&address).build());
        create_table(&client, TABLE).await.unwrap();

        let instagram = FakeInstagram::new(Arc::new(clock.clone()));
        let account = AccountId::parse(ACCOUNT).unwrap();
        instagram.name_account(&account, "bakery");
        instagram.set_token(&account, SecretString::from(TOKEN));
        let serving = instagram.serve().await.unwrap();
        let graph = Graph::new(GraphConfig { base: serving.base(), ..GraphConfig::default() }).unwrap();
        let names =
            ["WebhookFunction", "ConsumerFunction", "ReconcilerFunction", "HealthFunction", "LinksFunction"];
        let recorders: BTreeMap<_, _> = names.into_iter().map(|name| (name, Recorder::default())).collect();
        let (queue, timers) = (MemoryQueue::new(clock.clone()), MemoryTimers::default());
        let host: PlayedHost = Ports {
            ledger: listened_to(&address, &recorders["ConsumerFunction"]),
            messenger: graph.clone(),
            queue: queue.clone(),
            timers: timers.clone(),
            vault: MemoryVault::new("played"),
            clock: clock.clone(),
            random: OsRandom,
            facts: MemoryFacts::default(),
        };
        let (vault, facts) = (host.vault.clone(), host.facts.clone());
        let deliver = Deliver::new(host, POLICY, budget()).with_tracked_links(Some(base()));
        let person = DynamoLedger::new(client, TABLE);
        let world = Self {
            clock,
            instagram,
            queue,
            timers,
            facts,
            person,
            recorders,
            graph,
            address,
            deliver,
            vault,
            _serving: serving,
        };
        world.apply(campaigns).await;
        world.clock.advance(SignedDuration::from_mins(1));
        world
    }

    /// The ledger as this function has it.
    pub(super) fn ledger_of(&self, function: &str) -> DynamoLedger {
        listened_to(&self.address, &self.recorders[function])
    }

    /// A person applies a campaign file.
    pub(super) async fn apply(&self, campaigns: &str) {
        let file = campaign_file::parse(campaigns).unwrap();
        let now = self.clock.now();
        apply(&self.person, &self.vault, &file, now, |_| None).await.unwrap();
        resume_all(&self.person, &self.queue, &self.facts, now).await.unwrap();
        // What the consumer has cached is older then.
        self.clock.advance(SignedDuration::from_secs(10));
    }

    /// Somebody comments, and the webhook tells of it. The next private reply meets the fault.
    pub(super) async fn comments(&self, user: &str, text: &str, fault: Option<Fault>) -> CommentId {
        if let Some(fault) = fault {
            self.instagram.fail_next_of(CallKind::PrivateReply, 1, &fault);
        }
        let id = self.unheard(user, text, "18000000000000055");
        self.webhook(&self.instagram.comment_event(&id).unwrap()).await;
        self.work().await;
        id
    }

    /// Somebody comments, and no webhook tells of it.
    pub(super) fn unheard(&self, user: &str, text: &str, media: &str) -> CommentId {
        self.instagram.comment(NewComment {
            account: AccountId::parse(ACCOUNT).unwrap(),
            media: MediaId::parse(media).unwrap(),
            from: UserId::parse(user).unwrap(),
            username: Some(format!("name{user}")),
            text: text.to_owned(),
            parent: None,
        })
    }

    /// Somebody writes.
    pub(super) async fn writes(&self, user: &str, mid: &str, text: &str) {
        let (account, from) = (AccountId::parse(ACCOUNT).unwrap(), UserId::parse(user).unwrap());
        self.instagram.message(&account, &from, None, text);
        let between = webhook::Conversation { account: ACCOUNT, user, at: self.clock.now() };
        self.webhook(&webhook::message_event(&between, mid, text)).await;
        self.work().await;
    }

    /// The webhook function takes it.
    pub(super) async fn webhook(&self, event: &Value) {
        let secret = SecretString::from(SECRET);
        let secrets = AppSecrets { instagram: Some(secret.clone()), facebook: None, verify_token: secret };
        let reader = MetaWebhook::new(secrets).unwrap();
        let ingest = Ingest {
            ledger: self.ledger_of("WebhookFunction"),
            queue: self.queue.clone(),
            clock: self.clock.clone(),
            random: OsRandom,
        };
        let body = event.to_string().into_bytes();
        let signature = webhook::sign(SECRET, &body);
        let mut request = Request::new(Body::Binary(body));
        *request.method_mut() = lambda_http::http::Method::POST;
        request.headers_mut().insert(openreply_webhook::SIGNATURE_HEADER, signature.parse().unwrap());
        let answer = openreply_webhook::handle(&ingest, &reader, &request).await;
        assert_eq!(answer.status(), 200);
    }

    /// The consumer function works until nothing is left that can be done now.
    pub(super) async fn work(&self) {
        loop {
            for timer in self.timers.fire(self.clock.now()) {
                let entry = Enqueue { identity: timer.identity(), job: timer.job() };
                assert_eq!(self.queue.enqueue(&[entry]).await.unwrap(), []);
            }
            let batch = self.queue.receive();
            if batch.is_empty() {
                return;
            }
            let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
            let deadline = after(self.clock.now(), SignedDuration::from_secs(120));
            let turn = Turn { holder: "turn".to_owned(), deadline };
            let answer =
                openreply_consumer::handle(&self.deliver, &self.queue, sqs_event(batch), &turn).await;
            assert!(answer.batch_item_failures.is_empty(), "{:?}", answer.batch_item_failures);
            assert!(receipts.iter().all(|receipt| self.queue.delete(receipt)));
        }
    }

    /// The reconciler function carries out a round, and the consumer what follows from it.
    pub(super) async fn sweep(&self) -> Summary {
        let ledger = self.ledger_of("ReconcilerFunction");
        let host: PlayedHost = Ports { ledger, ..self.ports() };
        let sweep = Sweep {
            deliver: Deliver::new(host, POLICY, budget()).with_tracked_links(Some(base())),
            reader: self.graph.clone(),
            bodies: WebhookBodies,
            index_lag: SignedDuration::ZERO,
        };
        let mut sum = Summary::default();
        for account in [None, AccountId::parse(ACCOUNT).ok()] {
            let order = SweepOrder { account, round: self.clock.now() };
            let deadline = after(self.clock.now(), SignedDuration::from_mins(4));
            sum += &sweep.carry_out(&order, deadline).await.unwrap();
        }
        self.work().await;
        sum
    }

    fn ports(&self) -> PlayedHost {
        Ports {
            ledger: self.person.clone(),
            messenger: self.graph.clone(),
            queue: self.queue.clone(),
            timers: self.timers.clone(),
            vault: self.vault.clone(),
            clock: self.clock.clone(),
            random: OsRandom,
            facts: self.facts.clone(),
        }
    }
}

fn budget() -> Budget {
    Budget { ledger_call: LEDGER_CALL, send: SignedDuration::from_secs(10) }
}

fn base() -> LinksBase {
    LinksBase::parse("https://links.example.com").unwrap()
}

fn config(address: &str) -> aws_sdk_dynamodb::config::Builder {
    aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("played", "played", None, None, "played"))
        .endpoint_url(address)
}

fn listened_to(address: &str, recorder: &Recorder) -> DynamoLedger {
    DynamoLedger::new(Client::from_conf(config(address).interceptor(recorder.clone()).build()), TABLE)
}
