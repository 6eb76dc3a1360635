//! A stack on the emulator, set up as a person sets one up: `openreply init`, `sam deploy`, `openreply apply`.
//!
//! What runs there is the project's template and its release executables. Three things stand in for AWS: the
//! webhook function is invoked with the event that the HTTP API would make (the emulator's API answers 404), the
//! emulator tells the functions where AWS is, and event sources are told their concurrency again as a number (the
//! emulator keeps a parameter's text, which its own poller cannot compare).

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use openreply_app::ports::{Pulse, Random};
use openreply_aws::OsRandom;
use serde_json::{Value, json};
use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The region that the emulator gives its functions.
const REGION: &str = "us-east-1";
const POLL: Duration = Duration::from_millis(200);
/// How many polls the queue may take to become empty.
const POLLS: u32 = 300;

/// A deployed stack. It lives as long as the emulator.
pub(crate) struct Stack {
    name: String,
    emulator: String,
    http: reqwest::Client,
    aws: SdkConfig,
}

/// What the webhook function answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u64,
    pub(crate) body: String,
}

impl Stack {
    /// Deploys a stack that sends to the Graph API at `graph`. `None`, said aloud: there is no emulator.
    pub(crate) async fn deploy(graph: &str, app_secret: &str) -> Option<Self> {
        let Some(emulator) = env::var("OPENREPLY_EMULATOR_URL").ok().filter(|url| !url.is_empty()) else {
            // Written past the test harness, which shows the output of failures only.
            drop(writeln!(
                std::io::stderr(),
                "\nskipped: the stack on an AWS emulator (`cargo xtask stack` runs it)"
            ));
            return None;
        };
        let stack = Self {
            name: format!("stack-{:016x}", OsRandom.number()),
            http: reqwest::Client::new(),
            aws: aws(&emulator).await,
            emulator,
        };
        // The app's secret, and none of Facebook's.
        stack.run(stack.openreply().args(["init", "--stack", &stack.name]), &format!("{app_secret}\n\n"));
        stack.run(&mut stack.sam_deploy(graph), "");
        stack.tell_concurrency().await;
        Some(stack)
    }

    /// Tells each event source of the stack its concurrency as a number, as CloudFormation does.
    async fn tell_concurrency(&self) {
        let url = format!("{}/2015-03-31/event-source-mappings/", self.emulator);
        let listed: Value = self.http.get(&url).send().await.unwrap().json().await.unwrap();
        let mut told = 0;
        for mapping in listed["EventSourceMappings"].as_array().unwrap() {
            let most = &mapping["ScalingConfig"]["MaximumConcurrency"];
            let Some(most) = most.as_str().and_then(|text| text.parse::<u32>().ok()) else { continue };
            if !mapping["FunctionArn"].as_str().is_some_and(|arn| arn.contains(&self.name)) {
                continue;
            }
            let id = mapping["UUID"].as_str().unwrap();
            let update = json!({ "ScalingConfig": { "MaximumConcurrency": most } });
            let answer = self.http.put(format!("{url}{id}")).json(&update).send().await.unwrap();
            answer.error_for_status().unwrap();
            told += 1;
        }
        assert!(told > 0, "no event source of {} has a concurrency from a parameter: {listed}", self.name);
    }

    /// Puts a campaign file into the stack's ledger.
    pub(crate) fn apply(&self, campaigns: &str) {
        let file = env::temp_dir().join(format!("{}.yaml", self.name));
        std::fs::write(&file, campaigns).unwrap();
        self.run(self.openreply().args(["apply", "--stack", &self.name, "-f"]).arg(&file), "");
        std::fs::remove_file(file).unwrap();
    }

    /// What `openreply` says, and whether it did what it was asked for. `--stack` is added.
    pub(crate) fn ask(&self, args: &[&str]) -> (bool, String) {
        self.ask_of(&self.name, args)
    }

    /// The same of a stack of another name.
    pub(crate) fn ask_of(&self, stack: &str, args: &[&str]) -> (bool, String) {
        told(self.openreply().args(args).args(["--stack", stack]))
    }

    /// The same while SQS cannot be reached.
    pub(crate) fn ask_without_sqs(&self, args: &[&str]) -> (bool, String) {
        let mut command = self.openreply();
        command.env("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:9");
        told(command.args(args).args(["--stack", &self.name]))
    }

    /// Puts a message on the dead letters of the deliveries queue, or without a group on those of the delay queue, as
    /// SQS does after its last receive.
    pub(crate) async fn die(&self, body: &str, group: Option<&str>) {
        let sqs = aws_sdk_sqs::Client::new(&self.aws);
        let queue = if group.is_some() { "deliveries-dead.fifo" } else { "delay-dead" };
        let found = sqs.get_queue_url().queue_name(format!("{}-{queue}", self.name)).send().await.unwrap();
        let id = group.map(|_| format!("{:016x}", OsRandom.number()));
        let send = sqs.send_message().queue_url(found.queue_url.unwrap()).message_body(body);
        send.set_message_group_id(group.map(str::to_owned))
            .set_message_deduplication_id(id)
            .send()
            .await
            .unwrap();
    }

    /// `POST /api/webhook` with these very bytes.
    pub(crate) async fn post(&self, body: &str, signature: &str) -> Answer {
        let mut event = event("POST", "/api/webhook", "");
        event["headers"]["content-type"] = json!("application/json");
        event["headers"]["x-hub-signature-256"] = json!(signature);
        event["body"] = json!(body);
        self.invoke("webhook", &event).await
    }

    /// `GET /api/webhook` with this query.
    pub(crate) async fn get(&self, query: &str) -> Answer {
        self.invoke("webhook", &event("GET", "/api/webhook", query)).await
    }

    /// `GET` of a path that the health function answers.
    pub(crate) async fn health(&self, path: &str) -> Answer {
        self.invoke("health", &event("GET", path, "")).await
    }

    /// Where `GET` of a tracked link sends a person.
    pub(crate) async fn follow(&self, path: &str) -> Option<String> {
        let mut event = event("GET", path, "");
        event["headers"]["user-agent"] = json!("Mozilla/5.0 (iPhone) Instagram 350.0");
        let answer = self.call("links", &event).await;
        assert_eq!(answer["statusCode"], 302, "{answer}");
        answer["headers"]["location"].as_str().map(str::to_owned)
    }

    /// Waits until a beat has taken the whole way from its schedule.
    pub(crate) async fn first_beat(&self) {
        for _ in 0..POLLS * 2 {
            if self.ledger().heartbeat().await.unwrap().is_some() {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("no beat came within two minutes; the emulator's log says why");
    }

    /// Puts a message on the queue under a deduplication id of its own, as a redrive would.
    pub(crate) async fn redeliver(&self, body: &str) {
        let (sqs, url) = self.queue().await;
        let send = sqs.send_message().queue_url(url).message_body(body).message_group_id("redelivered");
        send.message_deduplication_id(format!("{:016x}", OsRandom.number())).send().await.unwrap();
    }

    /// Waits until the queue is empty.
    pub(crate) async fn drain(&self) {
        use aws_sdk_sqs::types::QueueAttributeName::{
            ApproximateNumberOfMessages as Waiting, ApproximateNumberOfMessagesNotVisible as InFlight,
        };
        let (sqs, url) = self.queue().await;
        for _ in 0..POLLS {
            let ask =
                sqs.get_queue_attributes().queue_url(&url).attribute_names(Waiting).attribute_names(InFlight);
            let counts = ask.send().await.unwrap().attributes.unwrap_or_default();
            if counts.values().all(|count| count == "0") {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        panic!("the queue of {} does not become empty; the emulator's log says why", self.name);
    }

    /// The verify token that `openreply init` made.
    pub(crate) async fn verify_token(&self) -> String {
        let name = format!("/openreply/{}/webhook-verify-token", self.name);
        let ssm = aws_sdk_ssm::Client::new(&self.aws);
        let answer = ssm.get_parameter().name(name).with_decryption(true).send().await.unwrap();
        answer.parameter.and_then(|parameter| parameter.value).unwrap()
    }

    /// The stack's ledger.
    pub(crate) fn ledger(&self) -> openreply_aws::DynamoLedger {
        let client = aws_sdk_dynamodb::Client::new(&self.aws);
        openreply_aws::DynamoLedger::new(client, format!("{}-ledger", self.name))
    }

    async fn queue(&self) -> (aws_sdk_sqs::Client, String) {
        let sqs = aws_sdk_sqs::Client::new(&self.aws);
        let found =
            sqs.get_queue_url().queue_name(format!("{}-deliveries.fifo", self.name)).send().await.unwrap();
        (sqs, found.queue_url.unwrap())
    }

    async fn invoke(&self, function: &str, event: &Value) -> Answer {
        let answer = self.call(function, event).await;
        Answer {
            status: answer["statusCode"].as_u64().unwrap(),
            body: answer["body"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// Lambda's Invoke, waited for.
    async fn call(&self, function: &str, event: &Value) -> Value {
        let url = format!("{}/2015-03-31/functions/{}-{function}/invocations", self.emulator, self.name);
        let answer = self.http.post(url).json(event).send().await.unwrap().error_for_status().unwrap();
        let failed = answer.headers().get("x-amz-function-error").cloned();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(failed, None, "the function failed: {answer}");
        answer
    }

    fn openreply(&self) -> Command {
        self.command(path("OPENREPLY_EXECUTABLES").join("openreply"))
    }

    fn sam_deploy(&self, graph: &str) -> Command {
        let template = path("OPENREPLY_PACKAGE");
        assert!(template.is_file(), "no package at {}: run `cargo xtask stack`", template.display());
        let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x86_64" };
        let mut sam = self.command(path("OPENREPLY_SAM"));
        sam.env("SAM_CLI_TELEMETRY", "0").args(["deploy", "--config-env", "dev", "--config-file"]);
        sam.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../samconfig.toml"));
        sam.args(["--stack-name", &self.name, "--template-file"]).arg(template);
        sam.arg("--parameter-overrides");
        // The emulator knows no alarms on an expression, and no saved queries.
        let parameters = [format!("Architecture={architecture}"), format!("GraphApiBase={graph}")];
        sam.args(parameters).arg("Observability=false");
        sam
    }

    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command
            .env("AWS_ENDPOINT_URL", &self.emulator)
            .env("AWS_REGION", REGION)
            .env("AWS_DEFAULT_REGION", REGION);
        command
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            .env_remove("AWS_PROFILE");
        command
    }

    fn run(&self, command: &mut Command, input: &str) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&told));
    }
}

fn told(command: &mut Command) -> (bool, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

fn path(variable: &str) -> PathBuf {
    PathBuf::from(
        env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask stack`")),
    )
}

async fn aws(emulator: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .region(Region::from_static(REGION))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(emulator)
        .load()
        .await
}

/// What an HTTP API hands to its function, payload version 2.0.
fn event(method: &str, path: &str, query: &str) -> Value {
    json!({
        "version": "2.0",
        "routeKey": format!("{method} {path}"),
        "rawPath": path,
        "rawQueryString": query,
        "headers": { "host": "api.execute-api.us-east-1.amazonaws.com" },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "api",
            "domainName": "api.execute-api.us-east-1.amazonaws.com",
            "domainPrefix": "api",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "facebookexternalua",
            },
            "requestId": "request",
            "routeKey": format!("{method} /api/webhook"),
            "stage": "$default",
            "time": "01/Nov/2026:00:00:00 +0000",
            "timeEpoch": 1_793_491_200_000_u64,
        },
        "isBase64Encoded": false,
    })
}
