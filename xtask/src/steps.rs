//! The steps of `cargo xtask test`.

use crate::emulator::Emulator;
use crate::package::{Architecture, Executables};
use crate::python::Environment;
use crate::{dependencies, package, process, python, workspace};
use std::time::{Duration, Instant};

/// The packages whose release executables the suites start: the functions, and what a person does with a stack.
const EXECUTABLES: [&str; 6] = [
    "openreply-webhook",
    "openreply-consumer",
    "openreply-reconciler",
    "openreply-health",
    "openreply-links",
    "openreply-cli",
];

/// Where `sam build` puts the package of the release executables, in the target folder.
const PACKAGE: &str = "xtask/sam";

/// One step.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Format,
    Dependencies,
    Clippy,
    Python,
    Template,
    Executables,
    SamBuild,
    Suites,
}

impl Step {
    /// All of them: what fails fast comes first.
    pub(crate) const ALL: [Self; 8] = [
        Self::Format,
        Self::Dependencies,
        Self::Python,
        Self::Template,
        Self::Clippy,
        Self::Executables,
        Self::SamBuild,
        Self::Suites,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Dependencies => "dependencies",
            Self::Clippy => "clippy",
            Self::Python => "python environments",
            Self::Template => "template",
            Self::Executables => "release executables",
            Self::SamBuild => "sam build",
            Self::Suites => "tests",
        }
    }

    fn run(self) -> Result<(), String> {
        match self {
            Self::Format => process::run(workspace::cargo()?.args(["fmt", "--all", "--", "--check"])),
            Self::Dependencies => dependencies::check(),
            Self::Clippy => process::run(workspace::cargo()?.args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "--deny",
                "warnings",
            ])),
            Self::Python => python::prepare(),
            Self::Template => package::validate(),
            Self::Executables => executables(),
            Self::SamBuild => sam_build(),
            Self::Suites => suites(&[]),
        }
    }
}

/// Runs steps in order and says how long each took; the first that fails is the last.
pub(crate) fn run(steps: &[Step]) -> Result<(), String> {
    let mut taken = Vec::new();
    for step in steps {
        println!("\n== {}", step.name());
        let (outcome, duration) = timed(|| step.run());
        taken.push((step.name(), duration));
        outcome.map_err(|problem| format!("the step \"{}\" failed: {problem}", step.name()))?;
    }
    println!();
    for (name, duration) in taken {
        println!("{name:<20} {:>7.1} s", duration.as_secs_f64());
    }
    Ok(())
}

/// Every test of the workspace, or those that the arguments choose, beside an emulator that starts empty.
pub(crate) fn suites(arguments: &[String]) -> Result<(), String> {
    let emulator = Emulator::start_anywhere()?;
    let mut tests = workspace::cargo()?;
    tests.args(["test", "--locked"]);
    if arguments.is_empty() {
        tests.arg("--workspace");
    } else {
        tests.args(arguments);
    }
    tests.env("OPENREPLY_EMULATOR_URL", emulator.url());
    // What the stack test deploys, and with what.
    let target = workspace::target()?;
    tests.env("OPENREPLY_EXECUTABLES", target.join("release"));
    tests.env("OPENREPLY_PACKAGE", target.join(PACKAGE).join("template.yaml"));
    tests.env("OPENREPLY_SAM", Environment::Sam.program("sam")?);
    process::run(&mut tests)
}

/// The suite that deploys the whole stack, and what it needs.
pub(crate) fn stack() -> Result<(), String> {
    run(&[Step::Executables, Step::SamBuild])?;
    suites(&["--package", "openreply-tests", "--test", "stack"].map(str::to_owned))
}

fn executables() -> Result<(), String> {
    let mut build = workspace::cargo()?;
    build.args(["build", "--release", "--locked", "--bins"]);
    build.args(EXECUTABLES.iter().flat_map(|package| ["--package", package]));
    process::run(&mut build)
}

fn sam_build() -> Result<(), String> {
    let Some(architecture) = Architecture::of_this_machine() else {
        println!("left out: what is built on this machine does not run on Lambda");
        return Ok(());
    };
    let target = workspace::target()?;
    let executables = Executables::Prebuilt(&target.join("release"));
    package::sam_build(architecture, &executables, &target.join(PACKAGE))
}

#[expect(clippy::disallowed_methods, reason = "how long a step took is told, nothing is decided by it")]
fn timed<T>(step: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let outcome = step();
    (outcome, start.elapsed())
}
