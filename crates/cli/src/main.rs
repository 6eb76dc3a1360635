//! `openreply`: what a person does with a deployed stack.
//!
//! Guarantees: no command prints a secret or a token; none overwrites a secret; and every error says what to do.

mod apply;
mod dead_letters;
mod deliveries;
mod init;
mod links;
mod switches;

use clap::{Parser, Subcommand};
use openreply_aws::settings;
use std::path::PathBuf;
use std::process::ExitCode;

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
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Checks a campaign file and puts its accounts and campaigns into the stack's ledger.
    Apply {
        /// The campaign file (YAML or JSON).
        #[arg(short = 'f', long = "file")]
        file: PathBuf,
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Stops all sending of the stack. Deliveries wait until it is started again.
    Stop {
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Starts sending again; what waited goes out, paced by the limits.
    Start {
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Shows deliveries, and lets a person decide what is in doubt.
    #[command(subcommand)]
    Deliveries(deliveries::Deliveries),
    /// What nobody could deal with.
    #[command(subcommand, name = "dead-letters")]
    DeadLetters(dead_letters::DeadLetters),
    /// Shows what the last sweep of each account came to.
    Sweeps {
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Says how often the links of each campaign were clicked, beside how many messages went out.
    Links {
        /// The last so many days (UTC), today included.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=links::MAX_DAYS))]
        days: u32,
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
    /// Lifts the hold of an account, or with `app` that of the whole app.
    Lift {
        /// The account's id, or `app`.
        account: String,
        /// The stack's name.
        #[arg(long)]
        stack: String,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = Args::parse();
    let result = match args.command {
        Command::Init { stack } => init::init(&settings::sdk_config().await, &stack).await,
        Command::Apply { file, stack } => apply::apply(&file, &stack).await,
        Command::Stop { stack } => switches::stop(&stack).await,
        Command::Start { stack } => switches::start(&stack).await,
        Command::Deliveries(command) => deliveries::run(command).await,
        Command::DeadLetters(command) => dead_letters::run(command).await,
        Command::Sweeps { stack } => deliveries::sweeps(&stack).await,
        Command::Links { days, stack } => links::links(&stack, days).await,
        Command::Lift { account, stack } => switches::lift(&account, &stack).await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
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
