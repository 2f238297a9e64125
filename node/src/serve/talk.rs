//! Serves one connection until it ends; every request carries the address and certificate of its client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::response::Response;
use axum::routing::future::RouteFuture;
use http::Request;
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use pergola_config::Fingerprint;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::access::ClientCertificate;

/// Time for the head of a request, and for the idle time before it.
const HEAD: Duration = Duration::from_secs(75);
/// The interval of pings on an idle HTTP/2 connection,
const ALIVE_EVERY: Duration = Duration::from_secs(20);
/// and the time for their answer.
const ALIVE_WITHIN: Duration = Duration::from_secs(10);
/// Concurrent streams on one HTTP/2 connection.
const STREAMS: u32 = 1_024;

/// Serves one client until it disconnects, or until `stop` is cancelled and its responses are sent.
pub(super) async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    caller: SocketAddr,
    certificate: Option<Fingerprint>,
    stop: CancellationToken,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ALIVE_EVERY)
        .keep_alive_timeout(ALIVE_WITHIN)
        .max_concurrent_streams(STREAMS);
    let begun = Arc::new(AtomicBool::new(false));
    let answering = Answering { router, caller, certificate, begun: Arc::clone(&begun) };
    let connection = builder.serve_connection(TokioIo::new(stream), answering);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = silence(&begun) => return,
    };
    if let Err(error) = ended {
        tracing::trace!(%caller, %error, "a connection was broken off");
    }
}

/// Ends when a client has sent no request in time.
async fn silence(begun: &AtomicBool) {
    tokio::time::sleep(HEAD).await;
    if begun.load(Relaxed) {
        std::future::pending().await
    }
}

/// The router, and the client it answers.
struct Answering {
    router: Router,
    caller: SocketAddr,
    certificate: Option<Fingerprint>,
    /// Whether the client has sent a request.
    begun: Arc<AtomicBool>,
}

impl Service<Request<Incoming>> for Answering {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = RouteFuture<Self::Error>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        self.begun.store(true, Relaxed);
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(self.caller));
        if let Some(certificate) = self.certificate {
            extensions.insert(ClientCertificate(certificate));
        }
        // A router is always ready, and cheap to clone.
        self.router.clone().call(request)
    }
}
