//! The AWS emulator as a child process: its own port, its own state, gone when it is dropped.

use crate::python::Environment;
use crate::workspace;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(100);
/// How many polls a start may take: it takes about two seconds on a slow machine.
const START_POLLS: u32 = 600;
/// How many polls an end may take before it is forced.
const STOP_POLLS: u32 = 50;
/// How much of its log is shown when it does not start.
const LOG_LINES: usize = 20;

/// Runs the emulator until its standard input ends. That is a pipe from this process, so the emulator ends with
/// it, however it ends; told by a signal it knows, it ends its functions first.
const PROGRAM: &str = "
import os, signal, sys, threading
from ministack.app import main

def end_with_parent():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=end_with_parent, daemon=True).start()
sys.argv = ['ministack']
main()
";

/// A running emulator.
pub(crate) struct Emulator {
    process: Child,
    port: u16,
    folder: PathBuf,
}

impl Emulator {
    /// Starts one on a port that nobody uses.
    pub(crate) fn start_anywhere() -> Result<Self, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        Self::start(listener.map_err(|error| format!("no free port: {error}"))?.port())
    }

    /// Starts one and waits until it answers.
    pub(crate) fn start(port: u16) -> Result<Self, String> {
        if health(port).is_some() {
            return Err(format!("something answers on port {port} already: choose another with --port"));
        }
        let python = Environment::Emulator.program("python")?;
        let place = workspace::target()?.join("xtask");
        let (folder, log) = (place.join(format!("emulator-{port}")), place.join("emulator.log"));
        // An interrupted one leaves its state.
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let process = command(&python, port, &folder, &log)
            .and_then(|mut command| command.spawn().map_err(|error| format!("{}: {error}", python.display())))
            .inspect_err(|_| drop(fs::remove_dir_all(&folder)))?;
        let mut emulator = Self { process, port, folder };
        emulator.await_health(&log)?;
        println!("emulator: {}, its log: {}", emulator.url(), log.display());
        Ok(emulator)
    }

    /// Where AWS clients find it.
    pub(crate) fn url(&self) -> String {
        url(self.port)
    }

    /// Lets it run until this process is interrupted, or it ends by itself.
    pub(crate) fn wait(mut self) -> Result<(), String> {
        // `Child::wait` would close its standard input first, and so end it.
        loop {
            match self.process.try_wait() {
                Ok(None) => sleep(POLL),
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("the emulator ended ({status})")),
                Err(error) => return Err(format!("the emulator: {error}")),
            }
        }
    }

    fn await_health(&mut self, log: &Path) -> Result<(), String> {
        for _ in 0..START_POLLS {
            if health(self.port).is_some_and(|answer| answer.contains(" 200 ")) {
                return Ok(());
            }
            if let Ok(Some(status)) = self.process.try_wait() {
                return Err(format!("the emulator ended at once ({status}):\n{}", last_lines(log)));
            }
            sleep(POLL);
        }
        Err(format!("the emulator does not answer on port {}:\n{}", self.port, last_lines(log)))
    }

    fn has_ended(&mut self) -> bool {
        for _ in 0..STOP_POLLS {
            match self.process.try_wait() {
                Ok(None) => sleep(POLL),
                Ok(Some(_)) | Err(_) => return true,
            }
        }
        false
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if !self.has_ended() {
            drop(self.process.kill());
            drop(self.process.wait());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// The functions inherit the emulator's environment: it gets what it needs and nothing of the host's.
fn command(python: &Path, port: u16, folder: &Path, log: &Path) -> Result<Command, String> {
    let output = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let errors = output.try_clone().map_err(|error| format!("{}: {error}", log.display()))?;
    let mut command = Command::new(python);
    command.arg("-c").arg(PROGRAM).env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", folder).env("TMPDIR", folder).env("STATE_DIR", folder.join("state"));
    // With a number for a host name, the names that it makes for APIs are none, and `lambda_http` ends.
    command.env("BIND_HOST", "127.0.0.1").env("MINISTACK_HOST", "localhost");
    // It hands this on to the functions, whose AWS it is.
    command.env("AWS_ENDPOINT_URL", url(port));
    command
        .env("GATEWAY_PORT", port.to_string())
        .env("LAMBDA_EXECUTOR", "local")
        .env("PYTHONUNBUFFERED", "1");
    command.current_dir(folder).stdin(Stdio::piped()).stdout(output).stderr(errors);
    Ok(command)
}

fn last_lines(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

/// The first bytes of what it answers about its health.
fn health(port: u16) -> Option<String> {
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    socket
        .write_all(b"GET /_ministack/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .ok()?;
    let mut answer = [0; 64];
    let read = socket.read(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer[..read]).into_owned())
}
