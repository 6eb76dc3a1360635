//! What the sources may not name, and how long they may be.

use crate::workspace::{files, packages, read};
use std::collections::BTreeSet;

/// How long a file may be. Split it before.
const MAX_LINES: usize = 400;
/// The adapters, which a function's library does not know: it takes ports, and `main.rs` gives it these.
const ADAPTERS: [&str; 3] = ["openreply_aws", "openreply_graph", "aws_sdk_"];
/// Time and chance, which are inputs of the core.
const CLOCKS_AND_DICE: [&str; 5] =
    ["SystemTime::now", "Instant::now", "Timestamp::now", "getrandom", "rand::"];

/// Those of `names` that the code of a file uses. Comments may speak of them.
fn named<'a>(text: &str, names: &[&'a str]) -> Vec<&'a str> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let begins_a_word = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let used = |name: &&&str| code.match_indices(**name).any(|(at, _)| begins_a_word(at));
    names.iter().filter(used).copied().collect()
}

/// The modules that a file declares without their body.
fn modules(text: &str) -> Vec<&str> {
    let declared = text.lines().filter_map(|line| {
        let line = line.trim().strip_suffix(';')?;
        let (before, name) = line.rsplit_once("mod ")?;
        (before.is_empty() || before.starts_with("pub")).then_some(name)
    });
    declared.collect()
}

/// The files of a library: its root and whatever it declares, at whatever depth.
fn library(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = vec![(format!("{folder}/src/lib.rs"), format!("{folder}/src"))];
    let all: BTreeSet<String> = files(folder, ".rs").into_iter().collect();
    while let Some((file, below)) = left.pop() {
        let text = read(&file);
        assert!(
            !text.contains("#[path"),
            "{file}: a module is where its name says, so that this test finds it"
        );
        for name in modules(&text) {
            let places = [format!("{below}/{name}.rs"), format!("{below}/{name}/mod.rs")];
            let place = places.into_iter().find(|place| all.contains(place));
            let place = place.unwrap_or_else(|| panic!("{file}: where is the module {name}?"));
            left.push((place, format!("{below}/{name}")));
        }
        found.insert(file);
    }
    found
}

#[test]
fn the_library_of_a_function_names_no_adapter() {
    for package in packages().iter().filter(|package| package.folder.starts_with("functions/")) {
        for file in library(&package.folder) {
            let named = named(&read(&file), &ADAPTERS);
            assert!(
                named.is_empty(),
                "{file} names {named:?}: take a port, and let main.rs bring what implements it"
            );
        }
    }
}

#[test]
fn the_core_names_no_clock_and_no_dice() {
    let core = [files("crates/domain/src", ".rs"), files("crates/app/src", ".rs")].concat();
    assert!(core.len() > 20, "{core:?}");
    for file in core {
        let named = named(&read(&file), &CLOCKS_AND_DICE);
        assert!(
            named.is_empty(),
            "{file} names {named:?}: take `now` as an argument, or ask the Clock or the Random port"
        );
    }
}

#[test]
fn no_file_is_too_long_to_have_one_subject() {
    let mut seen = 0;
    for package in packages() {
        // The folder `tests` is a package and holds nothing but tests.
        let sources = files(&format!("{}/src", package.folder), ".rs");
        seen += sources.len();
        for file in sources.iter().filter(|file| !file.contains("/tests/") && !file.ends_with("/tests.rs")) {
            let lines = read(file).lines().count();
            assert!(lines <= MAX_LINES, "{file} has {lines} lines: split it by subject before {MAX_LINES}");
        }
    }
    assert!(seen > 50, "only {seen} files were seen");
}

#[test]
fn a_name_in_code_is_found_and_one_in_a_comment_is_not() {
    let cases: [(&str, &[&str]); 6] = [
        ("let now = Timestamp::now();", &["Timestamp::now"]),
        ("let now = jiff::Timestamp::now();", &["Timestamp::now"]),
        ("    // Timestamp::now() is for adapters\n/// rand::rng\n", &[]),
        ("use rand::rng; getrandom::fill(&mut b);", &["getrandom", "rand::"]),
        ("Operand::new() + strand::x()", &[]),
        ("clock.now()", &[]),
    ];
    for (code, expected) in cases {
        assert_eq!(named(code, &CLOCKS_AND_DICE), expected, "{code}");
    }
}

#[test]
fn modules_are_found_however_they_are_declared() {
    let text = "mod a;\npub mod b;\npub(crate) mod c;\n#[cfg(test)]\nmod d;\nmod inline {\n    mod e;\n}\nlet modulus = 3;";
    assert_eq!(modules(text), ["a", "b", "c", "d", "e"]);
}

#[test]
fn the_library_of_a_function_is_found_whole_and_without_its_main() {
    let webhook = library("functions/webhook");
    assert!(
        webhook.contains("functions/webhook/src/lib.rs")
            && !webhook.contains("functions/webhook/src/main.rs")
    );
    // A library of several files, to see that declarations are followed.
    let domain = library("crates/domain");
    assert!(domain.contains("crates/domain/src/send.rs"), "{domain:?}");
    assert!(domain.contains("crates/domain/src/send/settlement.rs"), "{domain:?}");
    assert_eq!(domain.iter().cloned().collect::<Vec<_>>(), files("crates/domain/src", ".rs"));
}
