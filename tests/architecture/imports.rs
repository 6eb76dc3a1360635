//! Who may import whom.

use crate::workspace::{Package, packages, read};
use std::collections::{BTreeMap, BTreeSet};

const DOMAIN: &str = "openreply-domain";
const APP: &str = "openreply-app";
const GRAPH: &str = "openreply-graph";
const AWS: &str = "openreply-aws";
const TESTKIT: &str = "openreply-testkit";

/// What stands where, and what of ours it may import. A function is anything below `functions/`; its library
/// is held to less, see [`crate::sources`].
const CRATES: [(&str, &[&str]); 8] = [
    (DOMAIN, &[]),
    (APP, &[DOMAIN]),
    (GRAPH, &[DOMAIN, APP]),
    (AWS, &[DOMAIN, APP]),
    (TESTKIT, &[DOMAIN, APP]),
    ("openreply-cli", &[DOMAIN, APP, AWS, GRAPH]),
    ("openreply-tests", &[]),
    ("xtask", &[]),
];
const FUNCTION: &[&str] = &[DOMAIN, APP, AWS, GRAPH];
/// It may import these, and every function.
const LOCAL: (&str, &[&str]) = ("openreply-local", &[DOMAIN, APP, AWS, GRAPH, TESTKIT]);

/// The outside that the core knows nothing of, by how the names begin.
const OUTSIDE: [&str; 7] = ["aws-", "aws_", "lambda_", "tokio", "reqwest", "hyper", "dynoxide"];

fn is_function(package: &Package) -> bool {
    package.folder.starts_with("functions/")
}

/// What of ours a package may import. `None`: no rule knows it.
fn may_import<'a>(package: &Package, packages: &'a [Package]) -> Option<BTreeSet<&'a str>> {
    let functions = packages.iter().filter(|other| is_function(other)).map(|other| other.name.as_str());
    if is_function(package) {
        return Some(FUNCTION.iter().copied().collect());
    }
    if package.name == LOCAL.0 {
        return Some(LOCAL.1.iter().copied().chain(functions).collect());
    }
    let (_, allowed) = CRATES.iter().find(|(name, _)| *name == package.name)?;
    Some(allowed.iter().copied().collect())
}

fn problems(packages: &[Package]) -> Vec<String> {
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut problems = Vec::new();
    for package in packages {
        let Package { name, folder, needs } = package;
        let Some(allowed) = may_import(package, packages) else {
            problems.push(format!(
                "no rule knows {name} ({folder}): say in tests/architecture/imports.rs what of ours it may import, and in docs/ARCHITECTURE.md why"
            ));
            continue;
        };
        for need in needs {
            if ours.contains(need.as_str()) && !allowed.contains(need.as_str()) {
                problems.push(format!(
                    "{name} may not import {need}: of ours it may import {allowed:?} (docs/ARCHITECTURE.md, who imports whom)"
                ));
            }
            let core = [DOMAIN, APP].contains(&name.as_str());
            if core && OUTSIDE.iter().any(|outside| need.starts_with(outside)) {
                problems.push(format!("{name} may not need {need}: it is the outside's, behind a port"));
            }
        }
    }
    for package in packages.iter().filter(|package| is_function(package)) {
        if reaches(&package.name, packages).contains(TESTKIT) {
            problems.push(format!("{} runs on AWS and reaches {TESTKIT}", package.name));
        }
    }
    problems
}

/// Everything of ours that a package builds on, at whatever distance.
fn reaches<'a>(name: &'a str, packages: &'a [Package]) -> BTreeSet<&'a str> {
    let needs: BTreeMap<&str, &[String]> =
        packages.iter().map(|package| (package.name.as_str(), package.needs.as_slice())).collect();
    let mut reached = BTreeSet::new();
    let mut left = vec![name];
    while let Some(next) = left.pop() {
        for need in needs.get(next).into_iter().copied().flatten() {
            if reached.insert(need.as_str()) {
                left.push(need);
            }
        }
    }
    reached
}

#[test]
fn every_package_imports_only_what_it_may() {
    let problems = problems(&packages());
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn every_rule_is_of_a_package_that_exists() {
    let packages = packages();
    for name in CRATES.iter().map(|(name, _)| *name).chain([LOCAL.0]) {
        assert!(packages.iter().any(|package| package.name == name), "there is no package {name}");
    }
    assert!(packages.iter().filter(|package| is_function(package)).count() >= 2);
}

#[test]
fn every_package_takes_the_workspaces_lints() {
    for package in packages() {
        let manifest = read(format!("{}/Cargo.toml", package.folder));
        let lints: Vec<&str> = manifest.lines().skip_while(|line| line.trim() != "[lints]").take(2).collect();
        assert_eq!(lints, ["[lints]", "workspace = true"], "{}/Cargo.toml", package.folder);
    }
}

#[test]
fn each_rule_finds_what_breaks_it() {
    let package = |name: &str, folder: &str, needs: &[&str]| Package {
        name: name.into(),
        folder: folder.into(),
        needs: needs.iter().copied().map(String::from).collect(),
    };
    let good = [
        package(DOMAIN, "crates/domain", &["serde"]),
        package(APP, "crates/app", &[DOMAIN]),
        package(AWS, "crates/aws", &[APP, "aws-config"]),
        package(GRAPH, "crates/graph", &[APP]),
        package(TESTKIT, "crates/testkit", &[APP]),
        package("openreply-hook", "functions/hook", &[APP, AWS]),
        package(LOCAL.0, "crates/local", &["openreply-hook", TESTKIT]),
    ];
    assert_eq!(problems(&good), Vec::<String>::new());

    let cases = [
        (0, package(DOMAIN, "crates/domain", &[APP]), "openreply-domain may not import openreply-app"),
        (0, package(DOMAIN, "crates/domain", &["tokio"]), "openreply-domain may not need tokio"),
        (1, package(APP, "crates/app", &["aws-sdk-sqs"]), "openreply-app may not need aws-sdk-sqs"),
        (2, package(AWS, "crates/aws", &[GRAPH]), "openreply-aws may not import openreply-graph"),
        (3, package(GRAPH, "crates/graph", &[AWS]), "openreply-graph may not import openreply-aws"),
        (4, package(TESTKIT, "crates/testkit", &[AWS]), "openreply-testkit may not import openreply-aws"),
        (5, package("openreply-hook", "functions/hook", &[TESTKIT]), "openreply-hook may not import"),
        (6, package("openreply-new", "crates/new", &[]), "no rule knows openreply-new (crates/new)"),
    ];
    for (place, bad, expected) in cases {
        let mut packages = good.to_vec();
        packages[place] = bad;
        let found = problems(&packages);
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{expected}: {found:?}");
    }
}
