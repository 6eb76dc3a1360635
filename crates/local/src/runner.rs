//! The runner: every part of the product, wired together in one process.

use crate::args::{Args, Secrets};
use crate::clock::LocalClock;
use crate::data::DataDir;
use crate::facts::LocalFacts;
use crate::host::LocalHost;
use crate::pump::Pump;
use crate::queue::LocalQueue;
use crate::store::{LEDGER_TABLE, Store};
use crate::sweeper::Sweeper;
use openreply_app::apply::apply;
use openreply_app::campaign_file::{self, CampaignFile};
use openreply_app::deliver::{Budget, Deliver};
use openreply_app::ingest::Ingest;
use openreply_app::ports::{Clock, Ports, Pulse, Random};
use openreply_app::resume::resume_all;
use openreply_app::sweep::Sweep;
use openreply_aws::{AesVault, DynamoLedger, OsRandom, SealingKey};
use openreply_domain::send::Policy;
use openreply_domain::time::SignedDuration;
use openreply_graph::{AppSecrets, ConfigError, Graph, GraphConfig, MetaWebhook, WebhookBodies};
use openreply_health::Health;
use openreply_links::Redirects;
use openreply_testkit::instagram::{FakeInstagram, Serving, World};
use secrecy::SecretString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// What the demo runs when no campaign file is given.
const DEMO_CAMPAIGNS: &str = include_str!("../../../examples/campaigns.yaml");
/// How often the first heartbeat is looked for, and how often at most.
const FIRST_BEAT_EVERY: Duration = Duration::from_millis(10);
const FIRST_BEAT_LOOKS: u32 = 300;
/// How often the clock's lead is written down, at the latest.
const KEEP_CLOCK_EVERY: Duration = Duration::from_millis(200);

/// The product, running.
pub(crate) struct Runner {
    pub(crate) ingest: Ingest<DynamoLedger, LocalQueue, LocalClock, OsRandom>,
    pub(crate) reader: MetaWebhook,
    pub(crate) ledger: DynamoLedger,
    pub(crate) queue: LocalQueue,
    pub(crate) clock: LocalClock,
    pub(crate) pump: Arc<Pump>,
    pub(crate) sweeper: Arc<Sweeper>,
    pub(crate) instagram: Arc<FakeInstagram<LocalClock>>,
    pub(crate) redirects: Redirects<DynamoLedger, LocalClock, OsRandom>,
    /// The Graph API that messages go to, if it is not the fake one.
    pub(crate) graph_url: Option<String>,
    pub(crate) secrets: Secrets,
    pub(crate) policy: Policy,
    pub(crate) facts: LocalFacts,
    pub(crate) health: Health<DynamoLedger, LocalQueue, LocalClock, LocalFacts>,
    /// Held: the fake Graph API and the data folder's lock live as long as this.
    _held: (Serving, Option<DataDir>),
}

impl Runner {
    /// Opens what was kept, applies the campaign file, and starts everything but the front door.
    pub(crate) async fn start(
        args: &Args,
        secrets: Secrets,
        address: SocketAddr,
    ) -> Result<Arc<Self>, String> {
        let file = read_campaigns(args)?;
        let data = args.data_dir().map(|dir| DataDir::open(dir)).transpose()?;
        let store =
            Store::open(data.as_ref().map(DataDir::database).as_deref()).map_err(|e| e.to_string())?;
        let client = store.serve().await.map_err(|error| error.to_string())?;
        let (clock, keep_clock) = keep_clock(&store)?;
        let ledger = DynamoLedger::new(client, LEDGER_TABLE);
        let key = data.as_ref().map_or_else(|| Ok(SealingKey::generate()), DataDir::sealing_key)?;
        let vault = AesVault::new(&key);
        apply(&ledger, &vault, &file, clock.now(), |name| std::env::var(name).ok())
            .await
            .map_err(|error| error.to_string())?;

        let world = data.as_ref().map_or_else(|| Ok(World::default()), DataDir::world)?;
        let instagram = FakeInstagram::restore(Arc::new(clock.clone()), world);
        if let Some(data) = &data {
            instagram.journal(data.journal()?);
        }
        for account in &file.accounts {
            instagram.name_account(&account.id, &account.username);
            let token = account.token.resolve(&account.id, |name| std::env::var(name).ok());
            instagram.know_token(&account.id, token.map_err(|error| error.to_string())?);
        }
        let serving =
            instagram.serve().await.map_err(|error| format!("the fake Instagram cannot listen: {error}"))?;

        let config = GraphConfig {
            base: args.graph_url.clone().unwrap_or_else(|| serving.base()),
            version: args.graph_version.clone(),
            ..GraphConfig::default()
        };
        let budget = Budget {
            ledger_call: openreply_aws::LEDGER_CALL,
            send: SignedDuration::try_from(config.total_timeout).unwrap_or(SignedDuration::MAX),
        };
        // A Graph API that is silent must not make an hour of the clock take an hour.
        let reads = GraphConfig {
            connect_timeout: Duration::from_secs(2),
            total_timeout: Duration::from_secs(4),
            ..config.clone()
        };
        let reads = Graph::new(reads).map_err(|error| unusable(&error))?;
        let graph = Graph::new(config).map_err(|error| unusable(&error))?;
        let queue = LocalQueue::open(store, clock.clone()).map_err(|error| error.to_string())?;
        let facts = LocalFacts;
        let host: LocalHost = Ports {
            ledger: ledger.clone(),
            messenger: graph,
            queue: queue.clone(),
            timers: queue.clone(),
            vault,
            clock: clock.clone(),
            random: OsRandom,
            facts: facts.clone(),
        };
        let boot = format!("local-{:08x}", OsRandom.number() as u32);
        let policy = Policy {
            hourly_limit: args.hourly_limit,
            monthly_limit: args.monthly_limit,
            ..Policy::default()
        };
        // Before anything is delivered: a new token may have lifted a hold, a campaign may be active again.
        resume_all(&ledger, &queue, &facts, clock.now()).await.map_err(|error| error.to_string())?;
        let reader = MetaWebhook::new(AppSecrets {
            instagram: Some(SecretString::from(secrets.instagram.clone())),
            facebook: secrets.facebook.clone().map(SecretString::from),
            verify_token: SecretString::from(secrets.verify_token.clone()),
        })
        .map_err(|error| error.to_string())?;
        let tracked = args.tracked_links(address)?;
        let sweep = Sweep {
            reader: reads,
            deliver: Deliver::new(host.clone(), policy, budget).with_tracked_links(tracked.clone()),
            bodies: WebhookBodies,
            index_lag: SignedDuration::ZERO,
        };
        let sweeper = Sweeper::new(sweep, ledger.clone(), clock.clone());
        let deliver = Deliver::new(host, policy, budget).with_tracked_links(tracked);
        let pump = Pump::new(queue.clone(), clock.clone(), deliver, Arc::clone(&sweeper), keep_clock, boot);
        pump.start().await;
        first_beat(&ledger, &clock).await;
        sweeper.start();
        let ingest =
            Ingest { ledger: ledger.clone(), queue: queue.clone(), clock: clock.clone(), random: OsRandom };
        let redirects = Redirects::new(ledger.clone(), clock.clone(), OsRandom);
        let health = Health::new(ledger.clone(), queue.clone(), clock.clone(), facts.clone());
        Ok(Arc::new(Self {
            ingest,
            reader,
            ledger,
            queue,
            clock,
            pump,
            sweeper,
            instagram,
            graph_url: args.graph_url.clone(),
            secrets,
            policy,
            health,
            redirects,
            facts,
            _held: (serving, data),
        }))
    }
}

/// What is wrong with the Graph API that was asked for, beside the argument that asked for it.
fn unusable(error: &ConfigError) -> String {
    match error {
        ConfigError::Version => format!("--graph-version: {error}"),
        ConfigError::Base | ConfigError::Timeouts | ConfigError::RootCertificates => {
            format!("--graph-url: {error}")
        }
    }
}

/// Waits for the first heartbeat, so that whoever asks for health or a sweep finds one. If it does not come, health
/// says so.
async fn first_beat(ledger: &DynamoLedger, clock: &LocalClock) {
    for _ in 0..FIRST_BEAT_LOOKS {
        let heartbeat = ledger.heartbeat().await;
        if heartbeat.is_ok_and(|beat| beat.is_some_and(|beat| beat.is_alive(clock.now()))) {
            return;
        }
        tokio::time::sleep(FIRST_BEAT_EVERY).await;
    }
}

fn read_campaigns(args: &Args) -> Result<CampaignFile, String> {
    let (name, text) = match &args.campaigns {
        None => ("the demo campaign file".to_owned(), DEMO_CAMPAIGNS.to_owned()),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("cannot read the campaign file {}: {error}", path.display()))?;
            (path.display().to_string(), text)
        }
    };
    let file = campaign_file::parse(&text).map_err(|errors| format!("{name} cannot be used:\n{errors}"))?;
    for warning in &file.warnings {
        tracing::warn!("{name}: {warning}");
    }
    Ok(file)
}

/// The clock as it was left, and what writes down how far it is ahead; a task does so too, as its own time goes on.
fn keep_clock(store: &Store) -> Result<(LocalClock, impl Fn() + Send + Sync + 'static), String> {
    const KIND: &str = "clock";
    let kept = store.all::<(i64, i64)>(KIND).map_err(|error| error.to_string())?;
    let (ahead, last) = kept.first().copied().unwrap_or((0, 0));
    let clock = LocalClock::ahead_by(ahead);
    // The machine's clock may have gone back while nothing ran.
    clock.forward_to(openreply_domain::time::from_millis(last));
    let (store, kept) = (store.clone(), clock.clone());
    let keep = move || {
        let ahead = kept.ahead();
        let written = store.put(KIND, "ahead", &(ahead, kept.now().as_millisecond()));
        written.inspect_err(|error| tracing::error!(%error, "the clock could not be written down")).is_ok()
    };
    let (now_and_then, moved) = (keep.clone(), clock.clone());
    tokio::spawn(async move {
        let mut written = None;
        loop {
            let ahead = moved.ahead();
            if written != Some(ahead) && now_and_then() {
                written = Some(ahead);
            }
            tokio::time::sleep(KEEP_CLOCK_EVERY).await;
        }
    });
    Ok((clock, move || {
        keep();
    }))
}
