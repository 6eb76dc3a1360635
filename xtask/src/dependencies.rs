//! Dependencies: from crates.io only, under accepted licences, and none that the project decided against.

use crate::{licences, workspace};
use serde_json::Value;
use std::collections::BTreeMap;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// May not be used by anything, at whatever distance.
const BANNED: [(&str, &str); 6] = [
    ("openssl", "TLS is rustls with aws-lc"),
    ("openssl-sys", "TLS is rustls with aws-lc"),
    ("native-tls", "TLS is rustls with aws-lc"),
    ("backoff", "it is not maintained, and retries are the ledger's"),
    ("mockall", "it scripts calls; write an in-memory port and hold it with the contract suite"),
    ("serde_yaml", "it is not maintained"),
];

/// May not be used by the project itself; what others do with them is theirs.
const BANNED_HERE: [(&str, &str); 4] = [
    ("anyhow", "errors are one enum a crate"),
    ("async-trait", "ports return `impl Future + Send`"),
    ("chrono", "time is jiff"),
    ("time", "time is jiff"),
];

/// Two versions of one of these would not fit together, or would ship the same thing twice.
const ONE_VERSION: [&str; 6] = ["aws-lc-rs", "http", "hyper", "rustls", "serde_json", "tokio"];

/// A package of `cargo metadata`, as far as it is checked.
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    licence: Option<&'a str>,
    /// `None` for a package of the workspace.
    source: Option<&'a str>,
    dependencies: Vec<&'a str>,
}

/// Checks what `Cargo.lock` holds.
pub(crate) fn check() -> Result<(), String> {
    let metadata = workspace::metadata()?;
    let packages = packages(&metadata)?;
    let problems = problems(&packages);
    if problems.is_empty() {
        println!("{} packages checked", packages.len());
        return Ok(());
    }
    Err(format!("{} problem(s)\n  {}", problems.len(), problems.join("\n  ")))
}

fn packages(metadata: &Value) -> Result<Vec<Package<'_>>, String> {
    let packages = metadata["packages"].as_array().ok_or("`cargo metadata` lists no packages")?;
    packages
        .iter()
        .map(|package| {
            let text = |key: &str| package[key].as_str();
            Ok(Package {
                name: text("name").ok_or("a package without a name")?,
                version: text("version").ok_or("a package without a version")?,
                licence: text("license"),
                source: text("source"),
                dependencies: package["dependencies"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|dependency| dependency["name"].as_str())
                    .collect(),
            })
        })
        .collect()
}

fn problems(packages: &[Package<'_>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, licence, source, dependencies } = package;
        versions.entry(name).or_default().push(version);
        match licence.map(licences::accepted) {
            Some(Ok(true)) => {}
            Some(Ok(false)) => {
                problems.push(format!("{name} {version}: {} is not accepted", licence.unwrap_or_default()));
            }
            Some(Err(problem)) => problems.push(format!("{name} {version}: {problem}")),
            None => problems.push(format!("{name} {version} names no licence")),
        }
        if let Some((_, why)) = BANNED.iter().find(|(banned, _)| banned == name) {
            problems
                .push(format!("{name} {version}: {why} (`cargo tree --invert {name}` says who wants it)"));
        }
        match source {
            None => {
                let banned = BANNED_HERE.iter().filter(|(banned, _)| dependencies.contains(banned));
                problems.extend(banned.map(|(banned, why)| format!("{name} depends on {banned}: {why}")));
            }
            Some(CRATES_IO) => {}
            Some(other) => problems.push(format!("{name} {version} comes from {other}, not from crates.io")),
        }
    }
    for name in ONE_VERSION {
        if let Some(several) = versions.get(name).filter(|versions| versions.len() > 1) {
            problems.push(format!("{name} is there more than once: {}", several.join(", ")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{CRATES_IO, Package, packages, problems};
    use serde_json::json;

    fn package(name: &'static str) -> Package<'static> {
        Package {
            name,
            version: "1.0.0",
            licence: Some("MIT"),
            source: Some(CRATES_IO),
            dependencies: vec![],
        }
    }

    fn ours(dependencies: Vec<&'static str>) -> Package<'static> {
        Package { source: None, dependencies, ..package("openreply-domain") }
    }

    #[test]
    fn each_rule_finds_its_problem() {
        let git = "git+https://example.com/x";
        let cases = [
            (
                vec![Package { licence: Some("GPL-3.0-only"), ..package("x") }],
                "x 1.0.0: GPL-3.0-only is not accepted",
            ),
            (vec![Package { licence: None, ..package("x") }], "x 1.0.0 names no licence"),
            (
                vec![Package { source: Some(git), ..package("x") }],
                "x 1.0.0 comes from git+https://example.com/x",
            ),
            (vec![package("openssl-sys")], "openssl-sys 1.0.0: TLS is rustls"),
            (vec![ours(vec!["chrono"])], "openreply-domain depends on chrono: time is jiff"),
            (
                vec![package("tokio"), Package { version: "2.0.0", ..package("tokio") }],
                "tokio is there more than once",
            ),
        ];
        for (packages, expected) in cases {
            let found = problems(&packages);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{expected}: {found:?}");
        }
    }

    #[test]
    fn what_others_use_is_theirs() {
        let packages = [
            ours(vec!["serde"]),
            Package { dependencies: vec!["chrono"], ..package("serde") },
            package("chrono"),
        ];
        assert!(problems(&packages).is_empty());
    }

    #[test]
    fn packages_are_read_from_metadata() {
        let metadata = json!({ "packages": [{
            "name": "x", "version": "1.0.0", "license": "MIT", "source": null,
            "dependencies": [{ "name": "chrono", "kind": "dev" }],
        }] });
        let read = packages(&metadata).expect("packages");
        assert_eq!(problems(&read), ["x depends on chrono: time is jiff"]);
        assert!(packages(&json!({})).is_err());
    }
}
