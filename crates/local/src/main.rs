//! The local runner: the whole product in one process, for trying it, for demos and for driving it from outside.

mod args;
mod clock;
mod data;
mod facts;
mod host;
mod pump;
mod queue;
mod routes;
mod runner;
mod schedules;
mod store;
mod sweeper;

use args::{Args, Secrets};
use clap::Parser;
use runner::Runner;
use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    log_to_stderr();
    match run(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), String> {
    if !args.listen.ip().is_loopback() {
        return Err(format!(
            "--listen {}: the local runner listens on this machine only (127.0.0.1 or [::1]); to receive Meta's webhooks here, put a tunnel before it",
            args.listen
        ));
    }
    let secrets = Secrets::read(|name| std::env::var(name).ok())?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        format!("cannot listen on {}: {error}; choose another port with --listen", args.listen)
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let runner = Runner::start(args, secrets, address).await?;
    announce(args, &runner.secrets, address);
    let serving = axum::serve(listener, routes::router(runner));
    tokio::select! {
        served = serving.into_future() => served.map_err(|error| error.to_string()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,openreply=info,dynoxide=error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// Tells where to look. That nobody reads it is no reason to stop.
fn announce(args: &Args, secrets: &Secrets, address: SocketAddr) {
    let mut lines = vec![
        "OpenReply is running. Open the page, type a comment, watch the message arrive.".to_owned(),
        format!("  Page       http://{address}/"),
        format!("  Webhook    http://{address}/api/webhook"),
    ];
    lines.push(match args.data_dir() {
        Some(dir) => format!("  Data       {} (kept over a restart)", dir.display()),
        None => "  Data       in memory (gone with this process)".to_owned(),
    });
    let graph = args.graph_url.as_deref().unwrap_or("a fake one, in this process");
    lines.push(format!("  Instagram  {graph}"));
    for (name, value) in &secrets.demo {
        lines.push(format!("  {name} is not set: using the demo value {value}"));
    }
    lines.push(String::new());
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(lines.join("\n").as_bytes()).and_then(|()| out.flush());
}

#[expect(clippy::print_stderr, reason = "why it did not start")]
fn complain(error: &str) {
    eprintln!("openreply-local: {error}");
}
