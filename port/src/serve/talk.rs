//! Serves one connection until it ends; every request carries the address and certificate of its client.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use http::header::CONNECTION;
use http::{Request, Version};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use pergola_config::Fingerprint;
use pergola_outside::pace::{Arriving, Late, Leaving, Pace, Paced, Patience};
use pergola_outside::surroundings::Neighbour;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::crowd::{Place, come_back, too_slow};
use super::{ConnectionNumber, Favour, Favoured};
use crate::access::{ClientCertificate, ListensOn};
use crate::counts::PortMetrics;

/// The interval of pings on an HTTP/2 connection: seldom, as another node that reads here pings more often itself,
const ALIVE_EVERY: Duration = Duration::from_secs(60);
/// and the time for their answer.
const ALIVE_WITHIN: Duration = Duration::from_secs(10);
/// Concurrent streams on one HTTP/2 connection.
const STREAMS: u32 = 1_024;

/// Who is at the other end, and what it is given.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) router: Router,
    pub(super) listens_on: Option<ListensOn>,
    pub(super) caller: SocketAddr,
    pub(super) neighbour: Neighbour,
    pub(super) certificate: Option<Fingerprint>,
    pub(super) number: ConnectionNumber,
    pub(super) pace: Arc<Pace>,
    /// How long a client with a seat is waited for.
    pub(super) usual: Patience,
    pub(super) place: Arc<Place>,
    pub(super) favour: Favour,
    pub(super) metrics: PortMetrics,
}

/// Why a connection has ended.
pub(super) enum Ended {
    Closed,
    Late(Late),
    Broken(Box<dyn std::error::Error + Send + Sync>),
}

/// Serves one client until it disconnects or is too slow, or until `stop` is cancelled and its responses are sent.
pub(super) async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    client: Client,
    stop: CancellationToken,
) -> Ended {
    let mut builder = Builder::new(TokioExecutor::new());
    // The pace takes care of the time for heads, too.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ALIVE_EVERY)
        .keep_alive_timeout(ALIVE_WITHIN)
        .max_concurrent_streams(STREAMS);
    let pace = Arc::clone(&client.pace);
    let once = client.place.crowd().is_some();
    let enough = CancellationToken::new();
    let stream = TokioIo::new(Paced::new(stream, Arc::clone(&pace)));
    let answering = Answering { client, enough: enough.clone() };
    let mut connection = std::pin::pin!(builder.serve_connection(stream, answering));
    let mut parting = false;
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => return match ended {
                Ok(()) => Ended::Closed,
                Err(error) => Ended::Broken(error),
            },
            () = stop.cancelled(), if !parting => {}
            () = enough.cancelled(), if once && !parting => {}
            late = pace.late() => match late {
                Late::Idle if !parting => {}
                late => return Ended::Late(late),
            },
        }
        parting = true;
        connection.as_mut().graceful_shutdown();
        pace.part();
    }
}

/// Answers the requests of one client.
struct Answering {
    client: Client,
    /// Cancelled when a client without a seat has asked.
    enough: CancellationToken,
}

impl Service<Request<Incoming>> for Answering {
    type Response = http::Response<Leaving<Body>>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let client = &self.client;
        let shares = request.version() == Version::HTTP_2;
        let exchange = client.pace.exchange(shares);
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(client.caller));
        extensions.insert(client.neighbour.clone());
        extensions.insert(client.number);
        if let Some(listens_on) = client.listens_on {
            extensions.insert(listens_on);
        }
        if let Some(certificate) = client.certificate {
            extensions.insert(ClientCertificate(certificate));
        }
        if let Some(refusal) = self.without_seat(&request) {
            let answer = finished(refusal, shares).map(|body| Leaving::new(body, exchange));
            return Box::pin(std::future::ready(Ok(answer)));
        }
        let request = request.map(|body| Arriving::new(body, &exchange));
        // A router is always ready, and cheap to clone.
        let answer = client.router.clone().call(request);
        let (metrics, stall) = (client.metrics.clone(), client.usual.stall);
        Box::pin(async move {
            let mut answer = answer.await?;
            if exchange.was_slow() {
                metrics.cut("body");
                answer = finished(too_slow(stall), shares);
            }
            Ok(answer.map(|body| Leaving::new(body, exchange)))
        })
    }
}

impl Answering {
    /// The refusal of a request for which there is no seat, unless it is answered all the same.
    fn without_seat(&self, request: &Request<Incoming>) -> Option<Response> {
        let client = &self.client;
        let why = client.place.crowd()?;
        self.enough.cancel();
        match (client.favour)(request) {
            Some(Favoured::Health) => None,
            Some(Favoured::Operator) => {
                client.place.keep();
                client.pace.set_patience(client.usual);
                None
            }
            None => {
                client.place.shed(client.caller);
                Some(come_back(why))
            }
        }
    }
}

/// An answer after which the connection ends. HTTP/2 has no header for that.
fn finished(mut answer: Response, shares: bool) -> Response {
    if shares {
        answer.headers_mut().remove(CONNECTION);
    }
    answer
}
