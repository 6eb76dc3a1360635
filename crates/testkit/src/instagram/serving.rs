//! A fake Instagram on a port of its own.

use super::fake::FakeInstagram;
use openreply_app::ports::Clock;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server on the loopback interface. It stops when this is dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Serving {
    /// The base URL, without a version and without a slash at the end.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<C: Clock + 'static> FakeInstagram<C> {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn serve(self: &Arc<Self>) -> io::Result<Serving> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let router = self.router();
        // Axum never gives up on its listener, so there is no outcome to look at.
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap_or_default() });
        Ok(Serving { address, task })
    }
}
