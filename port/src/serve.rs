//! The node's port: accepts connections with or without TLS and serves HTTP/1.1, HTTP/2 and gRPC on them.
//!
//! Why a loop of our own: certificates are replaced while the node runs, handlers learn the client certificate,
//! and everything is bounded: connections in all, of an address and of a network ([`pergola_manners::seats`]), and
//! the time that a client may take ([`pergola_outside::pace`]). When the port is
//! crowded, it still answers health checks and the operator, and tells everybody else to come back later.
//!
//! Never: a connection that outlives the node; a response that is cut off while the node drains, as long as its
//! client takes it; a connection that holds up another.

mod crowd;
mod handshake;
mod talk;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use pergola_manners::seats::Places;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::access::ListensOn;
use crate::counts::PortMetrics;
use crowd::{Crowds, Found, Place};
use handshake::handshake;
use pergola_outside::pace::{Late, Pace, Patience};
use pergola_outside::surroundings::{Connection, Listener, Neighbour};
use pergola_outside::tls::Shown;
use talk::{Client, Ended, talk};

/// The wait before the next try when the system is out of connections.
const BREATH: Duration = Duration::from_millis(200);

/// The number of the connection that a request came on. In a request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionNumber(pub u64);

/// A request that is answered even if the port is crowded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favoured {
    /// A check of the node's health.
    Health,
    /// Whatever the operator asks.
    Operator,
}

/// Judges a request by its head and its connection.
pub type Favour = Arc<dyn Fn(&Request<Incoming>) -> Option<Favoured> + Send + Sync>;

/// What a port serves, and its limits.
pub struct Port {
    pub router: Router,
    /// Its address, by which a program on this machine is told from a proxy.
    pub listens_on: Option<ListensOn>,
    /// The certificates, if the port uses TLS.
    pub tls: Option<Arc<Shown>>,
    /// Connections at the same time.
    pub places: Places,
    pub patience: Patience,
    /// Which requests are answered even if the port is crowded.
    pub favour: Favour,
    pub metrics: PortMetrics,
}

impl Port {
    /// Serves without TLS and without a limit of connections.
    pub fn plain(router: Router) -> Self {
        let long = Duration::from_secs(75);
        Self {
            router,
            listens_on: None,
            tls: None,
            places: Places::unlimited(),
            patience: Patience { head: long, stall: long, idle: long },
            favour: Arc::new(|_| None),
            metrics: PortMetrics::default(),
        }
    }

    /// Serves until `stop` is cancelled; then accepts no more connections and finishes the responses under way.
    pub async fn serve(self, listener: impl Into<Box<dyn Listener>>, stop: CancellationToken) {
        let listener = listener.into();
        let crowds = Crowds::new(self.places.clone(), self.metrics.clone());
        let doorman = Arc::new(Doorman { port: self, crowds, next: AtomicU64::new(0) });
        let mut open = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            while let Some(ended) = open.try_join_next() {
                tell(ended);
            }
            match accepted {
                Ok((stream, caller)) => {
                    let (doorman, stop) = (Arc::clone(&doorman), stop.clone());
                    let guest = doorman.admit(caller);
                    open.spawn(async move { doorman.receive(stream, guest, stop).await });
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
}

/// Somebody who has connected.
struct Guest {
    caller: SocketAddr,
    number: u64,
    place: Found,
}

/// A port at work: who is connected, and what becomes of them.
struct Doorman {
    port: Port,
    crowds: Arc<Crowds>,
    next: AtomicU64,
}

impl Doorman {
    fn admit(&self, caller: SocketAddr) -> Guest {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Guest { caller, number, place: self.crowds.admit(number, caller.ip()) }
    }

    async fn receive(&self, mut stream: Connection, guest: Guest, stop: CancellationToken) {
        let Guest { caller, number, place } = guest;
        match place {
            Found::Seat(place) => self.converse(stream, caller, number, place, stop).await,
            Found::Standing { place, leave, why } => tokio::select! {
                biased;
                () = self.converse(stream, caller, number, place, stop) => {}
                () = leave.cancelled() => self.crowds.shed(caller, why, "unanswered"),
            },
            Found::None(why) => {
                self.crowds.shed(caller, why, why.name());
                if self.port.tls.is_none() {
                    crowd::turn_away(&mut stream).await;
                }
            }
        }
    }

    /// Serves a connection with or without TLS.
    async fn converse(
        &self,
        stream: Connection,
        caller: SocketAddr,
        number: u64,
        place: Place,
        stop: CancellationToken,
    ) {
        let place = Arc::new(place);
        let patience = place.patience(self.port.patience);
        let client = |certificate| Client {
            router: self.port.router.clone(),
            listens_on: self.port.listens_on,
            caller,
            neighbour: Neighbour::default(),
            certificate,
            number: ConnectionNumber(number),
            pace: Pace::new(patience, self.crowds.crowded()),
            usual: self.port.patience,
            place: Arc::clone(&place),
            favour: Arc::clone(&self.port.favour),
            metrics: self.port.metrics.clone(),
        };
        let Some(tls) = &self.port.tls else {
            return self.note(caller, talk(stream, client(None), stop).await);
        };
        let shaken = tokio::select! {
            biased;
            shaken = handshake(stream, tls.current()) => shaken,
            () = stop.cancelled() => return,
        };
        match shaken {
            Ok((stream, certificate)) => {
                self.note(caller, talk(stream, client(certificate), stop).await);
            }
            Err(failed) => {
                self.port.metrics.failed_handshakes.inc();
                failed.tell(caller);
            }
        }
    }

    /// Notes why a connection has ended.
    fn note(&self, caller: SocketAddr, ended: Ended) {
        match ended {
            Ended::Late(Late::Idle) | Ended::Closed => {}
            Ended::Late(late) => {
                self.port.metrics.cut(late.name());
                tracing::debug!(%caller, late = late.name(), "a client was too slow");
            }
            Ended::Broken(error) => {
                tracing::trace!(%caller, %error, "a connection was broken off");
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
