//! What the project must have, and that its documents point to things that exist.

use crate::workspace::{files, read, root};

const REQUIRED: [&str; 8] = [
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "docs/ARCHITECTURE.md",
    "docs/SEMANTICS.md",
    ".ci/run",
    "samconfig.toml",
    "template.yaml",
];

fn documents() -> Vec<String> {
    let mut documents = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned()];
    documents.extend(files("docs", ".md"));
    documents
}

/// A document's lines without its blocks of code.
fn prose(text: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push(line);
        }
    }
    lines
}

/// Where a document's links go.
fn links(text: &str) -> Vec<&str> {
    let after_openings = prose(text).into_iter().flat_map(|line| line.split("](").skip(1));
    after_openings.filter_map(|rest| rest.split_once(')').map(|(link, _)| link)).collect()
}

/// What a heading is called in a link, as GitHub makes it.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let kept = line.trim_start_matches('#').trim().to_lowercase();
            let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// The tests that a document names, as `path/to/file.rs::name_of_the_test` between backticks.
fn tests_named(text: &str) -> Vec<(String, &str)> {
    let spans = prose(text).into_iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    spans
        .filter_map(|span| span.split_once(".rs::"))
        .map(|(path, name)| (format!("{path}.rs"), name))
        .collect()
}

#[test]
fn the_project_has_what_every_project_has() {
    for path in REQUIRED {
        assert!(root().join(path).is_file(), "{path} is missing");
    }
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    for document in documents() {
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = read(&document);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { root().join(&document) } else { root().join(folder).join(path) };
            assert!(target.exists(), "{document} links to {link}, and there is no such file");
            if !anchor.is_empty() {
                let found = anchors(&read(&target));
                assert!(found.iter().any(|known| known == anchor), "{document} links to {link}: {found:?}");
            }
        }
    }
}

#[test]
fn every_promise_names_tests_that_exist() {
    let semantics = read("docs/SEMANTICS.md");
    let named = tests_named(&semantics);
    assert!(named.len() > 20, "SEMANTICS.md names only {} tests", named.len());
    for (file, test) in named {
        assert!(root().join(&file).is_file(), "SEMANTICS.md names {file}, and there is no such file");
        assert!(read(&file).contains(&format!("fn {test}(")), "SEMANTICS.md: there is no {test} in {file}");
    }
}

#[test]
fn links_anchors_and_tests_are_read_from_markdown() {
    let text = "# A title: with `code`!\nSee [one](a.md), [two](b.md#x) and `f.rs`.\n```\n[no](c.md)\n# no\n```\n## Second\n`x/y.rs::it_works` and `z`\n";
    assert_eq!(links(text), ["a.md", "b.md#x"]);
    assert_eq!(anchors(text), ["a-title-with-code", "second"]);
    assert_eq!(tests_named(text), [("x/y.rs".to_owned(), "it_works")]);
}
