//! The node's port: accepts connections with or without TLS and serves HTTP/1.1, HTTP/2 and gRPC on them.
//!
//! Why a loop of our own: certificates are replaced while the node runs, handlers learn the client certificate,
//! and everything is bounded: connections, the time for a handshake, the time for the head of a request, the
//! time that a dead connection is kept.
//!
//! Never: a connection that outlives the node; a response that is cut off while the node drains; a handshake
//! that holds up another.

mod handshake;
mod talk;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use handshake::handshake;
use pergola_outside::surroundings::{Connection, Listener};
use pergola_outside::tls::Shown;
use talk::talk;

/// The wait before the next try when the system is out of connections.
const BREATH: Duration = Duration::from_millis(200);

/// What a port serves, and its limits.
pub struct Port {
    pub router: Router,
    /// The certificates, if the port uses TLS.
    pub tls: Option<Arc<Shown>>,
    /// Connections at the same time; later ones wait in the system's queue.
    pub connections: usize,
    /// Handshakes that failed.
    pub failed_handshakes: Counter,
}

impl Port {
    /// Serves without TLS and without a limit of connections.
    pub fn plain(router: Router) -> Self {
        let connections = Semaphore::MAX_PERMITS;
        Self { router, tls: None, connections, failed_handshakes: Counter::default() }
    }

    /// Serves until `stop` is cancelled; then accepts no more connections and finishes the responses under way.
    pub async fn serve(self, listener: impl Into<Box<dyn Listener>>, stop: CancellationToken) {
        let listener = listener.into();
        let slots = Arc::new(Semaphore::new(self.connections));
        let port = Arc::new(self);
        let mut open = JoinSet::new();
        loop {
            let next = async {
                let slot = Arc::clone(&slots).acquire_owned().await;
                (slot, listener.accept().await)
            };
            let (slot, accepted) = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                next = next => next,
            };
            while let Some(ended) = open.try_join_next() {
                tell(ended);
            }
            match accepted {
                Ok((stream, caller)) => {
                    let (port, stop) = (Arc::clone(&port), stop.clone());
                    open.spawn(async move {
                        port.converse(stream, caller, stop).await;
                        drop(slot);
                    });
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be taken; raise the limit of open files");
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
        drop(listener);
        while let Some(ended) = open.join_next().await {
            tell(ended);
        }
    }

    async fn converse(&self, stream: Connection, caller: SocketAddr, stop: CancellationToken) {
        let Some(tls) = &self.tls else {
            return talk(stream, self.router.clone(), caller, None, stop).await;
        };
        let shaken = tokio::select! {
            biased;
            shaken = handshake(stream, tls.current()) => shaken,
            () = stop.cancelled() => return,
        };
        match shaken {
            Ok((stream, certificate)) => {
                talk(stream, self.router.clone(), caller, certificate, stop).await;
            }
            Err(failed) => {
                self.failed_handshakes.inc();
                failed.tell(caller);
            }
        }
    }
}

/// Whether an error concerns only the connection that was about to be accepted.
fn is_of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn tell(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection ended in a panic");
    }
}
