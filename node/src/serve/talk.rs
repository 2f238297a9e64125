//! One connection, spoken with until it ends: every request is told who it comes from.

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

/// Time for the head of a request, and for the silence before it.
const HEAD: Duration = Duration::from_secs(75);
/// How often a silent connection of HTTP/2 is asked whether it is still there,
const ALIVE_EVERY: Duration = Duration::from_secs(20);
/// and how long it may take to say so.
const ALIVE_WITHIN: Duration = Duration::from_secs(10);
/// Requests and streams of one connection of HTTP/2 at the same time.
const STREAMS: u32 = 1_024;

/// Speaks with one client until it goes, or until told to stop and it has its answers.
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

/// Ends when a client has asked for nothing at all in its time.
async fn silence(begun: &AtomicBool) {
    tokio::time::sleep(HEAD).await;
    if begun.load(Relaxed) {
        std::future::pending().await
    }
}

/// The router, and who it answers.
struct Answering {
    router: Router,
    caller: SocketAddr,
    certificate: Option<Fingerprint>,
    /// Whether anything was asked.
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
