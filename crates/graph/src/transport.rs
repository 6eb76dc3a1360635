//! What a call that got no answer proves.
//!
//! The connector resolves the name, connects and shakes hands for TLS before the request is handed to the
//! connection, so an error of the connector means that no request byte left. Every other error may have come
//! after one, and is doubt.

use openreply_domain::outcome::{Doubt, NotSent, SendOutcome};
use std::error::Error;
use std::io;

/// The outcome of a call that failed before there was an answer.
pub(crate) fn without_answer(error: &reqwest::Error) -> SendOutcome {
    if error.is_connect() {
        SendOutcome::NotSent(stage(error))
    } else {
        SendOutcome::Unconfirmed(broken(error))
    }
}

/// The outcome of a call whose answer broke off. Its beginning proves nothing.
pub(crate) fn within_answer(status: u16, error: &reqwest::Error) -> SendOutcome {
    SendOutcome::Unconfirmed(if error.is_timeout() { Doubt::Timeout } else { Doubt::Unreadable { status } })
}

fn broken(error: &reqwest::Error) -> Doubt {
    if error.is_timeout() { Doubt::Timeout } else { Doubt::Broken }
}

/// How far the connector came. Only for people to read: no stage proves more than another.
fn stage(error: &reqwest::Error) -> NotSent {
    if error.is_dns() {
        NotSent::Dns
    } else if error.url().is_some_and(|url| url.scheme() == "https") && broke_in_handshake(error) {
        NotSent::Tls
    } else {
        NotSent::Connect
    }
}

/// Whether an I/O error in the chain is of a kind that a handshake ends with, and a TCP connect does not.
fn broke_in_handshake(error: &reqwest::Error) -> bool {
    let mut next = error.source();
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if let Some(
            io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe,
        ) = io.map(io::Error::kind)
        {
            return true;
        }
        // An I/O error does not count what it wraps as its source.
        next = match io.and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}
