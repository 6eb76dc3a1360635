//! A scripted HTTP server on a real socket: it does what a well-behaved server never does.
//!
//! Every request plays exactly one [`Script`], in the order in which requests (or the connections that were
//! to carry them) arrive; the last script repeats. What was read whole is on record before the script plays
//! on, with the connection it came over, so a test sees how often and over how many connections it was called.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// An HTTP answer as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Header fields. `Content-Length` is added unless it, or a `Transfer-Encoding`, is among them.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

/// What happens to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// Reads the request and answers; the connection stays open for another.
    Respond(Reply),
    /// Reads the request, sends interim answers (100, 103), then the reply; the connection stays open.
    Interim {
        /// The interim status codes.
        statuses: Vec<u16>,
        /// The final answer.
        reply: Reply,
    },
    /// Reads the request, promises the whole body, sends only the beginning of it and closes.
    CutOff {
        /// What is promised.
        reply: Reply,
        /// How many bytes of the body are sent.
        sent: usize,
    },
    /// Reads the request, sends the head at once and the body one byte at a time.
    Trickle {
        /// What is sent so slowly.
        reply: Reply,
        /// The pause before each byte.
        gap: Duration,
    },
    /// Reads the request, sends these bytes as they are and closes.
    Raw(Vec<u8>),
    /// Resets the connection at once when it is accepted; the client may not even have seen it connected.
    ResetAtAccept,
    /// Resets the connection once the request's first byte is there, without reading it.
    ResetBeforeRead,
    /// Reads the request, then resets the connection.
    ResetAfterRead,
    /// Closes the connection in order once it is accepted, before reading a byte.
    CloseBeforeRead,
    /// Reads the request, then closes the connection in order.
    CloseAfterRead,
    /// Reads the request and never answers.
    Silence,
    /// Accepts the connection and neither reads nor answers.
    SilenceBeforeRead,
    /// Sends these bytes once the connection is accepted, whatever the client says, and closes.
    RawBeforeRead(Vec<u8>),
}

/// A request that was read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Which connection it came over, counted from 0.
    pub connection: usize,
    /// `POST`, say.
    pub method: String,
    /// The target as it was written: the path and, where there is one, the query.
    pub path: String,
    /// The header fields, names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

/// The server. It stops when it is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    stage: Arc<Stage>,
    accepting: JoinHandle<()>,
}

impl ScriptedServer {
    /// Listens on a free port of the loopback interface. The n-th request plays the n-th script; the last one
    /// repeats, and with none at all every request meets [`Script::CloseAfterRead`].
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(scripts: Vec<Script>) -> io::Result<Self> {
        Self::start_with(move |nth| {
            scripts.get(nth).or_else(|| scripts.last()).cloned().unwrap_or(Script::CloseAfterRead)
        })
        .await
    }

    /// The same with a function from a request's number, counted from 0, to its script.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start_with(script: impl Fn(usize) -> Script + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let stage = Arc::new(Stage {
            script: Box::new(script),
            played: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            received: Mutex::new(Vec::new()),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&stage)));
        Ok(Self { address, stage, accepting })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:<port>`, without a slash at the end.
    #[must_use]
    pub fn http(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The same place addressed as `https`, which this server does not speak.
    #[must_use]
    pub fn https(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Every request that was read whole, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.stage.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many connections were accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.stage.connections.load(Ordering::SeqCst)
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Reply {
    /// An answer with a body and no header fields of its own.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    /// An answer whose body is JSON.
    #[must_use]
    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self::new(status, body.into()).header("Content-Type", "application/json; charset=UTF-8")
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    fn head(&self) -> Vec<u8> {
        let names = |wanted: &str| self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !names("Content-Length") && !names("Transfer-Encoding") {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }
}

impl Received {
    /// The first header field of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

struct Stage {
    script: Box<dyn Fn(usize) -> Script + Send + Sync>,
    played: AtomicUsize,
    connections: AtomicUsize,
    received: Mutex<Vec<Received>>,
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").field("played", &self.played).finish_non_exhaustive()
    }
}

async fn accept(listener: TcpListener, stage: Arc<Stage>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let number = stage.connections.fetch_add(1, Ordering::SeqCst);
        let stage = Arc::clone(&stage);
        // A client that leaves early ends its connection; nobody else is concerned.
        connections.spawn(async move { converse(stream, number, &stage).await.unwrap_or_default() });
        while connections.try_join_next().is_some() {}
    }
}

/// Plays scripts over one connection until one of them, or the client, closes it.
async fn converse(mut stream: TcpStream, connection: usize, stage: &Stage) -> io::Result<()> {
    loop {
        let script = (stage.script)(stage.played.fetch_add(1, Ordering::SeqCst));
        match script {
            Script::ResetAtAccept => return stream.set_zero_linger(),
            Script::ResetBeforeRead => {
                stream.peek(&mut [0]).await?;
                return stream.set_zero_linger();
            }
            Script::CloseBeforeRead => return hang_up(stream).await,
            Script::SilenceBeforeRead => return pending().await,
            Script::RawBeforeRead(bytes) => {
                stream.write_all(&bytes).await?;
                return hang_up(stream).await;
            }
            Script::Respond(_)
            | Script::Interim { .. }
            | Script::CutOff { .. }
            | Script::Trickle { .. }
            | Script::Raw(_)
            | Script::ResetAfterRead
            | Script::CloseAfterRead
            | Script::Silence => {}
        }
        let request = read_request(&mut stream, connection).await?;
        stage.received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        match script {
            Script::Respond(reply) => write_reply(&mut stream, &reply).await?,
            Script::Interim { statuses, reply } => {
                for status in statuses {
                    stream.write_all(format!("HTTP/1.1 {status} Interim\r\n\r\n").as_bytes()).await?;
                }
                write_reply(&mut stream, &reply).await?;
            }
            Script::CutOff { reply, sent } => {
                stream.write_all(&reply.head()).await?;
                stream.write_all(&reply.body[..sent.min(reply.body.len())]).await?;
                return hang_up(stream).await;
            }
            Script::Trickle { reply, gap } => {
                stream.write_all(&reply.head()).await?;
                for byte in reply.body {
                    tokio::time::sleep(gap).await;
                    stream.write_all(&[byte]).await?;
                }
            }
            Script::Raw(bytes) => {
                stream.write_all(&bytes).await?;
                return hang_up(stream).await;
            }
            Script::ResetAfterRead => return stream.set_zero_linger(),
            Script::CloseAfterRead => return hang_up(stream).await,
            Script::Silence => return drain(&mut stream).await,
            Script::ResetAtAccept
            | Script::ResetBeforeRead
            | Script::CloseBeforeRead
            | Script::SilenceBeforeRead
            | Script::RawBeforeRead(_) => return Ok(()),
        }
        // The next script belongs to the next request, and only if there is one on this connection.
        if stream.peek(&mut [0]).await? == 0 {
            return Ok(());
        }
    }
}

async fn write_reply(stream: &mut TcpStream, reply: &Reply) -> io::Result<()> {
    stream.write_all(&reply.head()).await?;
    stream.write_all(&reply.body).await
}

/// Closes in order: what the client still sends is read, since closing over unread bytes is a reset.
async fn hang_up(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    drain(&mut stream).await
}

async fn drain(stream: &mut TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4096];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn read_request(stream: &mut TcpStream, connection: usize) -> io::Result<Received> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(END.len()).position(|window| window == END) {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let mut request = Received {
        connection,
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        headers: lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: bytes.split_off(head + END.len()),
    };
    let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    while request.body.len() < length {
        if stream.read_buf(&mut request.body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(request)
}
