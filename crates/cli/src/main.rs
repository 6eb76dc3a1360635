//! `openreply`: what a person does with a deployed stack.
//!
//! Guarantees: no command prints a secret or a token; none overwrites a secret; and every error says what to do.

mod apply;
mod dead_letters;
mod deliveries;
mod init;
mod links;
mod stack;
mod switches;

use clap::{Parser, Subcommand};
use stack::StackName;
use std::path::PathBuf;
use std::process::ExitCode;
use switches::Held;

/// Sets up and runs an OpenReply stack on AWS. Region and credentials come from the usual AWS settings.
#[derive(Debug, Parser)]
#[command(name = "openreply", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Stores the secrets that a stack needs, asking for or making each. Never overwrites one.
    Init {
        #[command(flatten)]
        stack: StackName,
    },
    /// Checks a campaign file and puts its accounts and campaigns into the stack's ledger.
    Apply {
        /// The campaign file (YAML or JSON).
        #[arg(short = 'f', long = "file")]
        file: PathBuf,
        #[command(flatten)]
        stack: StackName,
    },
    /// Stops all sending of the stack. Deliveries wait until it is started again.
    Stop {
        #[command(flatten)]
        stack: StackName,
    },
    /// Starts sending again; what waited goes out, paced by the limits.
    Start {
        #[command(flatten)]
        stack: StackName,
    },
    /// Shows deliveries, and lets a person decide what is in doubt.
    #[command(subcommand)]
    Deliveries(deliveries::Deliveries),
    /// What nobody could deal with.
    #[command(subcommand, name = "dead-letters")]
    DeadLetters(dead_letters::DeadLetters),
    /// Shows what the last sweep of each account came to.
    Sweeps {
        #[command(flatten)]
        stack: StackName,
    },
    /// Says how often the links of each campaign were clicked, beside how many messages went out.
    Links {
        /// The last so many days (UTC), today included.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=links::MAX_DAYS))]
        days: u32,
        #[command(flatten)]
        stack: StackName,
    },
    /// Lifts the hold of an account, or with `app` that of the whole app.
    Lift {
        /// The account's id, or `app`.
        account: Held,
        #[command(flatten)]
        stack: StackName,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = Args::parse();
    let result = run(args.command).await;
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Init { stack } => init::init(&stack.find().await?).await,
        Command::Apply { file, stack } => apply::apply(&file, stack).await,
        Command::Stop { stack } => switches::stop(&stack.find().await?).await,
        Command::Start { stack } => switches::start(&stack.find().await?).await,
        Command::Deliveries(command) => deliveries::run(command).await,
        Command::DeadLetters(command) => dead_letters::run(command).await,
        Command::Sweeps { stack } => deliveries::sweeps(&stack.find().await?).await,
        Command::Links { days, stack } => links::links(&stack.find().await?, days).await,
        Command::Lift { account, stack } => switches::lift(&account, &stack.find().await?).await,
    }
}

#[expect(clippy::print_stdout, reason = "what the person who asked wants to read")]
fn say(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "why it did not work")]
fn complain(error: &str) {
    eprintln!("openreply: {error}");
}
