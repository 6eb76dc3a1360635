//! Functions: how they are built, called, set up and logged.

use super::{keys, resources, target, template};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// A function's property, or what `Globals` sets for all.
fn property<'a>(template: &'a Value, function: &'a Value, name: &str) -> &'a Value {
    function["Properties"].get(name).unwrap_or(&template["Globals"]["Function"][name])
}

#[test]
fn functions_are_native_executables_on_arm64_unless_told_otherwise() {
    let template = template();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        assert_eq!(property(&template, function, "Runtime"), "provided.al2023", "{name}");
        assert_eq!(property(&template, function, "Handler"), "bootstrap", "{name}");
        assert_eq!(
            property(&template, function, "Architectures"),
            &json!([{ "Ref": "Architecture" }]),
            "{name}"
        );
    }
    assert_eq!(template["Parameters"]["Architecture"]["Default"], "arm64");
}

#[test]
fn every_function_is_built_from_a_crate_of_the_workspace() {
    let template = template();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        assert_eq!(function["Metadata"]["BuildMethod"], "makefile", "{name}");
        let context = function["Metadata"]["ContextPath"].as_str().expect("where the Makefile is");
        let makefile =
            std::fs::read_to_string(root.join(context).join("Makefile")).expect("the Makefile can be read");
        assert!(makefile.contains(&format!("build-{name}:")), "the Makefile does not build {name}");
        let code = function["Properties"]["CodeUri"].as_str().expect("a folder");
        assert!(root.join(code).join("Cargo.toml").is_file(), "{code} is no crate");
    }
}

#[test]
fn no_function_reserves_concurrency() {
    let template = template();
    assert!(
        !keys(&template).contains(&"ReservedConcurrentExecutions"),
        "a new account has ten concurrent executions in all, and reserving any can fail the deployment"
    );
}

#[test]
fn every_function_logs_json_to_a_group_that_forgets() {
    let template = template();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        let logging = &function["Properties"]["LoggingConfig"];
        assert_eq!(logging["LogFormat"], "JSON", "{name}");
        let group = &template["Resources"][target(&logging["LogGroup"])];
        assert_eq!(group["Type"], "AWS::Logs::LogGroup", "{name}");
        assert_eq!(group["Properties"]["RetentionInDays"], json!({ "Ref": "LogRetentionDays" }), "{name}");
    }
    assert!(template["Parameters"]["LogRetentionDays"]["Default"].as_i64().is_some_and(|days| days > 0));
}

#[test]
fn the_log_level_is_a_setting_of_the_code_and_lambda_keeps_what_it_writes() {
    let template = template();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        // A metric is a line without a say in its level: Lambda has to let it through at any.
        assert_eq!(function["Properties"]["LoggingConfig"]["ApplicationLogLevel"], "TRACE", "{name}");
    }
    let level = &template["Globals"]["Function"]["Environment"]["Variables"]["RUST_LOG"];
    assert_eq!(level, &json!({ "Ref": "LogLevel" }));
}

/// The settings that some source asks for by name.
fn asked_for(source: &str) -> BTreeSet<String> {
    let names = ["variable(\"", "number(\"", "count(\""].into_iter().flat_map(|call| {
        source.split(call).skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name.to_owned())
    });
    names.filter(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')).collect()
}

/// What a function's crate asks for, with what the wiring asks for that it shares with others.
fn settings_of(code: &Path) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let main = std::fs::read_to_string(root.join(code).join("src/main.rs")).expect("main.rs can be read");
    let host = std::fs::read_to_string(root.join("crates/aws/src/host.rs")).expect("host.rs can be read");
    let mut names = asked_for(&main);
    if main.contains("aws_host(") {
        names.extend(asked_for(&host));
    }
    names
}

#[test]
fn each_function_gets_the_settings_it_reads_and_of_its_own_no_others() {
    let template = template();
    let set = |environment: &Value| -> BTreeSet<String> {
        environment["Variables"].as_object().map(|set| set.keys().cloned().collect()).unwrap_or_default()
    };
    let common = set(&template["Globals"]["Function"]["Environment"]);
    let mut read_by_any = BTreeSet::from(["RUST_LOG".to_owned()]);
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        let read = settings_of(Path::new(function["Properties"]["CodeUri"].as_str().expect("a folder")));
        assert!(read.contains("TABLE_NAME"), "every function reads the ledger; {name} reads {read:?}");
        let own = set(&function["Properties"]["Environment"]);
        let missing: Vec<_> = read.difference(&common).filter(|setting| !own.contains(*setting)).collect();
        assert!(missing.is_empty(), "{name} reads {missing:?}, and the template does not set it");
        let idle: Vec<_> = own.difference(&read).collect();
        assert!(idle.is_empty(), "{name} is given {idle:?} and does not read it");
        read_by_any.extend(read);
    }
    let idle: Vec<_> = common.difference(&read_by_any).collect();
    assert!(idle.is_empty(), "nobody reads {idle:?}");
}

#[test]
fn the_api_is_on_the_default_stage() {
    let template = template();
    for (name, api) in resources(&template, "AWS::Serverless::HttpApi") {
        assert_eq!(api["Properties"]["StageName"], "$default", "{name}: another stage leaks into the path");
    }
}

#[test]
fn each_path_is_answered_by_its_function_and_nothing_else_is() {
    let template = template();
    let mut routes = Vec::new();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        for event in function["Properties"]["Events"].as_object().expect("events").values() {
            if event["Type"] == "HttpApi" {
                let route = &event["Properties"];
                assert_eq!(route["PayloadFormatVersion"], "2.0", "{name}");
                // Asking for health takes nothing of what the webhook may be asked, and counts among no one's errors.
                let api = if name == "HealthFunction" { "HealthApi" } else { "HttpApi" };
                assert_eq!(route["ApiId"], json!({ "Ref": api }), "{name}");
                let timeout = function["Properties"]["Timeout"].as_i64().expect("a timeout of its own");
                assert!(timeout < 30, "{name}: the API itself gives up after 30 s");
                routes.push((name, route["Method"].as_str(), route["Path"].as_str()));
            }
        }
    }
    routes.sort();
    let expected = [
        ("HealthFunction", "GET", "/api/health"),
        ("HealthFunction", "GET", "/status"),
        ("HealthFunction", "HEAD", "/api/health"),
        ("HealthFunction", "HEAD", "/status"),
        ("LinksFunction", "GET", "/r/{slug}"),
        ("LinksFunction", "HEAD", "/r/{slug}"),
        ("WebhookFunction", "GET", "/api/webhook"),
        ("WebhookFunction", "POST", "/api/webhook"),
    ];
    assert_eq!(routes, expected.map(|(function, method, path)| (function, Some(method), Some(path))));
}

#[test]
fn whoever_asks_for_health_is_let_through_at_a_modest_rate() {
    let template = template();
    let settings = &template["Resources"]["HealthApi"]["Properties"]["DefaultRouteSettings"];
    assert_eq!(settings, &json!({ "ThrottlingBurstLimit": 10, "ThrottlingRateLimit": 5 }));
}
