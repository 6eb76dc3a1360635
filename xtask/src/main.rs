//! `cargo xtask …`: what CI runs, each step of it alone, and the packages that are deployed.
//!
//! Guarantees: `cargo xtask test` needs Rust, Python 3 and a C compiler, and brings the rest itself; it stops at the
//! first step that fails and says which; what it started has ended when it ends.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task tells a person what it does")]

mod dependencies;
mod emulator;
mod licences;
mod package;
mod process;
mod python;
mod steps;
mod workspace;

use clap::{Parser, Subcommand};
use emulator::Emulator;
use package::Architecture;
use std::process::ExitCode;
use steps::Step;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Tasks of the project")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything that CI runs, in order; stops at the first step that fails
    Test,
    /// Is the code formatted?
    Fmt,
    /// May the dependencies be used: licences, sources, bans?
    Deps,
    /// Clippy over all targets, warnings denied
    Clippy,
    /// Make the Python environments of the emulator and of SAM
    Python,
    /// `sam validate --lint` and cfn-lint
    Template,
    /// Build the release executables that the stack test deploys
    Executables,
    /// `sam build` with those executables
    SamBuild,
    /// Deploy the whole stack on a fresh emulator and send it a comment
    Stack,
    /// All tests of the workspace beside a fresh emulator; build what the stack test deploys first
    Suites {
        /// Arguments for `cargo test` instead of `--workspace`, after `--`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// An AWS emulator until it is interrupted
    Emulator {
        #[arg(long, default_value_t = 4566)]
        port: u16,
    },
    /// Build what is deployed, with the `lambda` profile, into `.aws-sam`
    Package {
        #[arg(long, value_enum, default_value_t = Architecture::Arm64)]
        architecture: Architecture,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Test => steps::run(&Step::ALL),
        Task::Fmt => steps::run(&[Step::Format]),
        Task::Deps => steps::run(&[Step::Dependencies]),
        Task::Clippy => steps::run(&[Step::Clippy]),
        Task::Python => steps::run(&[Step::Python]),
        Task::Template => steps::run(&[Step::Template]),
        Task::Executables => steps::run(&[Step::Executables]),
        Task::SamBuild => steps::run(&[Step::Executables, Step::SamBuild]),
        Task::Stack => steps::stack(),
        Task::Suites { arguments } => steps::suites(&arguments),
        Task::Emulator { port } => Emulator::start(port).and_then(Emulator::wait),
        Task::Package { architecture } => package::package(architecture),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}
