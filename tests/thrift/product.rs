//! The product, wired as on AWS, with a meter in each way out.

use crate::meter::{MeteredQueue, Spent};
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use dynoxide::Database;
use lambda_http::{Body, Request};
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::ingest::Ingest;
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Enqueue, EventBodies, Ports, Pulse, Queue};
use openreply_app::resume::resume_all;
use openreply_app::sweep::{Sweep, SweepOrder};
use openreply_aws::{AesVault, DynamoLedger, LEDGER_CALL, OsRandom, SealingKey, create_table};
use openreply_domain::ids::{AccountId, CampaignId, MediaId, UserId};
use openreply_domain::links::{PATH, Slug};
use openreply_domain::pulse::Heartbeat;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, after};
use openreply_domain::trigger::{QueueIdentity, Trigger};
use openreply_graph::{AppSecrets, Graph, GraphConfig, MetaWebhook, WebhookBodies};
use openreply_health::Health;
use openreply_links::Redirects;
use openreply_testkit::fifo::Received;
use openreply_testkit::instagram::webhook::{self, CommentUpdate, Conversation, Media};
use openreply_testkit::instagram::{FakeInstagram, NewComment, Serving};
use openreply_testkit::lambda::sqs_event;
use openreply_testkit::memory::{ManualClock, MemoryDepths, MemoryFacts, MemoryQueue, MemoryTimers};
use openreply_tests::meter::Meter;
use secrecy::SecretString;
use serde_json::Value;
use std::sync::Arc;
use tokio::net::TcpListener;

const ACCOUNT: &str = "17841400000000001";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const TABLE: &str = "thrift-ledger";

/// As plain as a campaign gets: a keyword, a direct message with a link, and nothing in public.
const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "thrift-token" }]
campaigns:
  - id: guide
    account: "17841400000000001"
    keywords: [LINK]
    dm: "Hi {username}! Here it is: {link}"
    links: [{ url: "https://example.com/guide" }]
"#;

/// As on AWS, with a meter in each way out.
type MeteredHost = Ports<
    DynamoLedger,
    Graph,
    MeteredQueue<MemoryQueue>,
    MemoryTimers,
    AesVault,
    ManualClock,
    OsRandom,
    MemoryFacts,
>;

/// Both functions in a fresh environment: nothing was loaded yet.
pub(crate) struct Product {
    ingest: Ingest<DynamoLedger, MeteredQueue<MemoryQueue>, ManualClock, OsRandom>,
    reader: MetaWebhook,
    deliver: Deliver<MeteredHost>,
    host: MeteredHost,
    queue: MeteredQueue<MemoryQueue>,
    clock: ManualClock,
    meter: Meter,
    instagram: Arc<FakeInstagram<ManualClock>>,
    _serving: Serving,
}

impl Product {
    pub(crate) async fn start() -> Self {
        let (clock, meter) = (ManualClock::default(), Meter::default());
        let vault = AesVault::new(&SealingKey::generate());
        let ledger = ledger(&meter, &vault).await;
        let instagram = FakeInstagram::new(Arc::new(clock.clone()));
        let serving = instagram.serve().await.unwrap();
        let graph = Graph::new(GraphConfig { base: serving.base(), ..GraphConfig::default() }).unwrap();
        let queue = MeteredQueue { queue: MemoryQueue::new(clock.clone()), meter: meter.clone() };
        let secret = SecretString::from(SECRET);
        let secrets = AppSecrets { instagram: Some(secret.clone()), facebook: None, verify_token: secret };
        let ingest =
            Ingest { ledger: ledger.clone(), queue: queue.clone(), clock: clock.clone(), random: OsRandom };
        let budget = Budget { ledger_call: LEDGER_CALL, send: SignedDuration::from_secs(10) };
        let host = Ports {
            ledger,
            messenger: graph,
            queue: queue.clone(),
            timers: MemoryTimers::default(),
            vault,
            clock: clock.clone(),
            random: OsRandom,
            facts: MemoryFacts::default(),
        };
        Self {
            ingest,
            reader: MetaWebhook::new(secrets).unwrap(),
            deliver: Deliver::new(host.clone(), Policy::default(), budget),
            host,
            queue,
            clock,
            meter,
            instagram,
            _serving: serving,
        }
    }

    /// The webhook function takes a body that Meta signed.
    pub(crate) async fn webhook(&self, event: &Value) -> Spent {
        self.webhook_signed_with(SECRET, event).await
    }

    /// The same with a signature that may be somebody else's.
    pub(crate) async fn webhook_signed_with(&self, secret: &str, event: &Value) -> Spent {
        let before = self.instagram.calls().len();
        let body = event.to_string().into_bytes();
        for trigger in self.reader.parse(&body).unwrap().triggers {
            // Instagram knows of its comments before it tells.
            if let Trigger::Comment(comment) = trigger {
                self.instagram.adopt(&comment);
            }
        }
        let signature = webhook::sign(secret, &body);
        let mut request = Request::new(Body::Binary(body));
        *request.method_mut() = lambda_http::http::Method::POST;
        let header = openreply_webhook::SIGNATURE_HEADER;
        request.headers_mut().insert(header, signature.parse().unwrap());
        let response = openreply_webhook::handle(&self.ingest, &self.reader, &request).await;
        assert_eq!(response.status().is_success(), secret == SECRET, "{}", response.status());
        self.spent(before)
    }

    /// People comment under one post, and no webhook tells of it.
    pub(crate) fn unheard(&self, count: usize) {
        for n in 0..count {
            self.instagram.comment(NewComment {
                account: AccountId::parse(ACCOUNT).unwrap(),
                media: MediaId::parse("18000000000000055").unwrap(),
                from: UserId::parse(format!("{}", 5_000 + n)).unwrap(),
                username: None,
                text: "LINK".to_owned(),
                parent: None,
            });
        }
    }

    /// A sweep of the account, beside a consumer that lives.
    pub(crate) async fn sweep(&self) -> Spent {
        let beat = Heartbeat::echo(self.clock.now(), "thrift");
        self.host.ledger.beat(&beat).await.unwrap();
        drop(self.meter.take());
        let before = self.instagram.calls().len();
        let budget = Budget { ledger_call: LEDGER_CALL, send: SignedDuration::from_secs(10) };
        let sweep = Sweep {
            deliver: Deliver::new(self.host.clone(), Policy::default(), budget),
            reader: self.host.messenger.clone(),
            bodies: WebhookBodies,
            index_lag: SignedDuration::ZERO,
        };
        let account = AccountId::parse(ACCOUNT).ok();
        let order = SweepOrder { account, round: self.clock.now() };
        let deadline = after(self.clock.now(), SignedDuration::from_mins(4));
        assert_eq!(sweep.carry_out(&order, deadline).await.unwrap().errors, 0);
        self.spent(before)
    }

    /// The schedule puts a beat on the queue.
    pub(crate) async fn beat(&self) {
        let job = Job::Beat { id: "run".to_owned(), due_at: Some(self.clock.now()), echo: false };
        let beat = Enqueue { identity: QueueIdentity::of_beat("run"), job };
        assert_eq!(self.queue.queue.enqueue(&[beat]).await.unwrap(), []);
    }

    /// Somebody asks for health, and the minute is measured.
    pub(crate) async fn look(&self) -> (Spent, Spent) {
        let depths = MemoryDepths {
            queue: self.queue.queue.clone(),
            timers: MemoryTimers::default(),
            clock: self.clock.clone(),
        };
        let ledger = self.ingest.ledger.clone();
        let health = Health::new(ledger, depths, self.clock.clone(), MemoryFacts::default());
        let calls = self.instagram.calls().len();
        assert_eq!(health.answer("GET", "/api/health").await.status, 200);
        let asked = self.spent(calls);
        health.measure().await;
        (asked, self.spent(calls))
    }

    /// The links function in a fresh environment, and the address of the guide's link.
    pub(crate) fn links(&self) -> (Redirects<DynamoLedger, ManualClock, OsRandom>, String) {
        let (account, campaign) = (AccountId::parse(ACCOUNT).unwrap(), CampaignId::parse("guide").unwrap());
        let slug = Slug::of(&account, &campaign, "https://example.com/guide");
        (Redirects::new(self.ingest.ledger.clone(), self.clock.clone(), OsRandom), format!("{PATH}{slug}"))
    }

    /// Somebody, or something, follows a link.
    pub(crate) async fn follow(
        &self,
        links: &Redirects<DynamoLedger, ManualClock, OsRandom>,
        path: &str,
        agent: &str,
    ) -> Spent {
        let mut request = Request::new(Body::Empty);
        *request.uri_mut() = path.parse().unwrap();
        request.headers_mut().insert("user-agent", agent.parse().unwrap());
        let answer = links.answer(&request, "203.0.113.7").await;
        assert_eq!(answer.headers()["location"], "https://example.com/guide");
        self.spent(self.instagram.calls().len())
    }

    /// What the consumer function would be handed now.
    pub(crate) fn receive(&self) -> Vec<Received> {
        let batch = self.queue.queue.receive();
        assert!(!batch.is_empty(), "nothing is on the queue");
        batch
    }

    /// The consumer function handles a batch.
    pub(crate) async fn invoke(&self, batch: Vec<Received>) -> Spent {
        let before = self.instagram.calls().len();
        let deadline = after(self.clock.now(), SignedDuration::from_secs(120));
        let turn = Turn { holder: "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned(), deadline };
        let response = openreply_consumer::handle(&self.deliver, &self.queue, sqs_event(batch), &turn).await;
        assert!(response.batch_item_failures.is_empty(), "{:?}", response.batch_item_failures);
        self.spent(before)
    }

    /// The consumer function handles what is on the queue.
    pub(crate) async fn consumer(&self) -> Spent {
        let batch = self.receive();
        let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
        let spent = self.invoke(batch).await;
        assert!(receipts.iter().all(|receipt| self.queue.queue.delete(receipt)));
        spent
    }

    /// Time passes, more of it than anything is cached for.
    pub(crate) fn let_caches_go_stale(&self) {
        self.clock.advance(SignedDuration::from_mins(1));
    }

    /// How many messages whoever wrote a comment got for it.
    pub(crate) fn messages_of(&self, comment: &str) -> usize {
        let (account, user) = (AccountId::parse(ACCOUNT).unwrap(), UserId::parse(user(comment)).unwrap());
        self.instagram.inbox(&account, &user).len()
    }

    fn spent(&self, graph_before: usize) -> Spent {
        Spent::of(self.meter.take(), self.instagram.calls().len() - graph_before)
    }
}

/// A ledger with the campaigns in it, whose every request is metered from now on.
async fn ledger(meter: &Meter, vault: &AesVault) -> DynamoLedger {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(dynoxide::server::serve_on(listener, Database::memory().unwrap()));
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("thrift", "thrift", None, None, "thrift"))
        .endpoint_url(format!("http://{address}"));
    // What setting up takes is another matter.
    let client = Client::from_conf(config.clone().build());
    create_table(&client, TABLE).await.unwrap();
    let file = campaign_file::parse(CAMPAIGNS).unwrap();
    let (person, clock) = (DynamoLedger::new(client, TABLE), ManualClock::default());
    apply(&person, vault, &file, clock.now(), |_| None).await.unwrap();
    let queue = MemoryQueue::new(clock.clone());
    resume_all(&person, &queue, &MemoryFacts::default(), clock.now()).await.unwrap();
    DynamoLedger::new(Client::from_conf(config.interceptor(meter.clone()).build()), TABLE)
}

/// Each comment has an author of its own.
fn user(comment: &str) -> String {
    format!("90000000000{comment}")
}

/// What Meta posts when somebody comments, with ids as long as Instagram's.
pub(crate) fn comment(id: &str, text: &str) -> Value {
    webhook::comment_event(&CommentUpdate {
        account: ACCOUNT,
        at: ManualClock::default().now(),
        id: &format!("1791234567890{id}"),
        text,
        from: &user(id),
        username: Some("somebody.with.a_longer_name"),
        media: Media::Post("17900000000000001"),
        parent: None,
    })
}

/// What Meta posts when the account itself writes.
pub(crate) fn echo() -> Value {
    let between = Conversation { account: ACCOUNT, user: "900", at: ManualClock::default().now() };
    webhook::echo_event(&between, "mid.1", "Hi!")
}
