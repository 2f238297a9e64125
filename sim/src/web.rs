//! HTTP in the simulated world: sources answer by themselves, nodes over simulated connections.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{DATE, HOST, HeaderValue};
use hyper::body::{Body, Frame};
use hyper_util::rt::TokioIo;
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::{
    ClientSetup, ExchangeError, Http, HttpClient, Network, Pending, SetupError,
};
use reqwest::dns::{Name, Resolve};
use reqwest::{Request, Response};

use crate::net::Way;
use crate::origin::Origin;
use crate::promises::politeness::Conduct;
use crate::trace::Trace;

/// What the clocks of the world show when it begins, in Unix seconds.
pub const DAWN: f64 = 1_700_000_000.0;

/// The sources, by the names of their hosts.
pub type Origins = Arc<BTreeMap<String, Arc<Origin>>>;

/// Makes the clients of one life of a node.
#[derive(Clone)]
pub struct Web {
    pub way: Way,
    pub origins: Origins,
    pub conduct: Arc<Conduct>,
    pub trace: Trace,
    /// The node's own.
    pub clock: Clock,
}

impl Http for Web {
    fn client(&self, setup: ClientSetup) -> Result<Arc<dyn HttpClient>, SetupError> {
        let ClientSetup { resolver, connect_timeout, .. } = setup;
        Ok(Arc::new(Client { web: self.clone(), resolver, connect_timeout }))
    }
}

struct Client {
    web: Web,
    resolver: Arc<dyn Resolve>,
    connect_timeout: Duration,
}

impl HttpClient for Client {
    fn execute(&self, request: Request) -> Pending<'static, Result<Response, ExchangeError>> {
        let (web, resolver) = (self.web.clone(), Arc::clone(&self.resolver));
        let patience = self.connect_timeout;
        Box::pin(async move { web.exchange(request, &*resolver, patience).await })
    }
}

impl Web {
    async fn exchange(
        self,
        request: Request,
        resolver: &dyn Resolve,
        patience: Duration,
    ) -> Result<Response, ExchangeError> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let lost = |why: &dyn std::fmt::Display| {
            ExchangeError::NoConnection(format!("{host} is not there: {why}"))
        };
        let name = Name::from_str(&host).map_err(|error| lost(&error))?;
        let mut found = resolver.resolve(name).await.map_err(|error| lost(&error))?;
        let address = found.next().ok_or_else(|| lost(&"it has no address"))?.ip();
        if !self.way.life.survives() {
            return std::future::pending().await;
        }
        if let Some(origin) = self.origins.get(&host) {
            self.way.net.reachable(&self.way.life.host.name, address);
            return self.ask(&Arc::clone(origin), &request).await;
        }
        self.conduct.asks_a_peer();
        let address = std::net::SocketAddr::new(address, 80);
        let connecting = tokio::time::timeout(patience, self.way.connect(address));
        let stream = connecting.await.map_err(|late| lost(&late))?.map_err(|error| lost(&error))?;
        call(stream, request, &host, self.clock.now()).await.map_err(|error| lost(&error))
    }

    /// Asks a source.
    async fn ask(
        &self,
        origin: &Arc<Origin>,
        request: &Request,
    ) -> Result<Response, ExchangeError> {
        let (number, site) = (origin.number, origin.plan.site);
        let (node, now) = (&self.way.life.host.name, self.trace.now());
        let visit = self.conduct.begins(number, site, now, self.clock.now());
        tokio::time::sleep(self.way.net.delay()).await;
        let answer = origin.answer(request.headers(), self.trace.now(), DAWN);
        tokio::time::sleep(answer.after + self.way.net.delay()).await;
        if !self.way.life.survives() {
            return std::future::pending().await;
        }
        let status = answer.response.status();
        self.trace.tell(format_args!("{node} asks s{number}: {status}"));
        visit.answered(self.trace.now(), self.clock.now(), answer.wish);
        let (head, body) = answer.response.into_parts();
        Ok(http::Response::from_parts(head, reqwest::Body::wrap(body)).into())
    }
}

/// One request over a connection of its own.
pub async fn call(
    stream: pergola_outside::surroundings::Connection,
    request: Request,
    host: &str,
    now: f64,
) -> Result<Response, hyper::Error> {
    let stream = TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    tokio::spawn(connection);
    let url = request.url();
    let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
    let bytes = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
    let mut sent = http::Request::new(Whole(Some(Bytes::copy_from_slice(bytes))));
    *sent.method_mut() = request.method().clone();
    *sent.uri_mut() = path.parse().unwrap_or_default();
    *sent.headers_mut() = request.headers().clone();
    if let Ok(host) = HeaderValue::from_str(host) {
        sent.headers_mut().insert(HOST, host);
    }
    let (mut head, body) = sender.send_request(sent).await?.into_parts();
    // The server of hyper takes this from the machine's clock, which this world must not see.
    let shown = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs_f64(now.max(0.0)));
    if let Ok(date) = HeaderValue::from_str(&shown) {
        head.headers.insert(DATE, date);
    }
    Ok(http::Response::from_parts(head, reqwest::Body::wrap(Held { body, _sender: sender })).into())
}

/// A body whose connection is open as long as it is read.
struct Held {
    body: hyper::body::Incoming,
    _sender: hyper::client::conn::http1::SendRequest<Whole>,
}

impl Body for Held {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        std::pin::Pin::new(&mut self.body).poll_frame(context)
    }
}

/// A body that is sent at once.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let bytes = self.0.take().filter(|bytes| !bytes.is_empty());
        std::task::Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
