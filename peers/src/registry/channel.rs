//! Connections to peers: one for each origin, shared by all its sources, and dropped when it has not been
//! used for a while.
//!
//! The crawler's guard resolves names and checks addresses for every connection. Certificates and tokens are
//! those of the crawler. Pings reveal a connection that has died silently.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Request, Status};
use url::{Host, Url};

use pergola_outside::credentials::Credentials;
use pergola_outside::fetch::{FetchError, FetchSettings, Stage};
use pergola_outside::guard::{Guard, GuardedResolver};
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::{Connection, Network};

/// How often a connection is pinged …
const PING_EVERY: Duration = Duration::from_secs(20);
/// … and how long the answer may take.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Seconds that an unused connection is kept.
const IDLE: f64 = 300.0;

/// A connection on which every call carries the token for its host.
pub type Line = InterceptedService<Channel, Token>;

/// The token for a host, if there is one.
#[derive(Clone, Debug)]
pub struct Token(Option<MetadataValue<Ascii>>);

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// The connections to peers.
pub struct Channels {
    door: Door,
    agent: String,
    open: Mutex<BTreeMap<String, Open>>,
}

struct Open {
    channel: Channel,
    used_at: f64,
}

/// How a connection is made.
#[derive(Clone)]
struct Door {
    guard: Guard,
    resolver: GuardedResolver,
    network: Arc<dyn Network>,
    credentials: Credentials,
    timeout: Duration,
}

/// Why there is no connection.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NoConnection {
    /// The host cannot be reached, by whatever protocol.
    #[error(transparent)]
    Unreachable(FetchError),
    /// The host answers, but not over HTTP/2.
    #[error("{0} does not speak HTTP/2")]
    NotHttp2(String),
}

impl NoConnection {
    /// Looks for this error among the causes of another.
    pub fn in_chain(error: &(dyn StdError + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(cause) = next {
            if let Some(found) = cause.downcast_ref::<Self>() {
                return Some(found.clone());
            }
            next = cause.source();
        }
        None
    }
}

impl Channels {
    /// No connection yet; they are made with the crawler's settings.
    pub fn new(settings: &FetchSettings) -> Result<Self, FetchError> {
        let door = Door {
            guard: settings.guard.clone(),
            resolver: GuardedResolver::new(
                settings.guard.clone(),
                Arc::clone(&settings.outside.names),
            ),
            network: Arc::clone(&settings.outside.network),
            credentials: settings.credentials()?,
            timeout: settings.connect_timeout,
        };
        let agent = format!("{})", settings.product());
        Ok(Self { door, agent, open: Mutex::default() })
    }

    /// The connection to the origin of an address. It is opened by the first call.
    pub fn to(&self, url: &Url, now: f64) -> Result<Line, FetchError> {
        Ok(InterceptedService::new(self.channel(url, now)?, self.token(url)))
    }

    /// The token for the host of an address.
    fn token(&self, url: &Url) -> Token {
        let token = self.door.credentials.shown_to(url).token;
        Token(token.and_then(|token| {
            let mut value = MetadataValue::try_from(token.as_bytes()).ok()?;
            value.set_sensitive(true);
            Some(value)
        }))
    }

    fn channel(&self, url: &Url, now: f64) -> Result<Channel, FetchError> {
        let origin = url.origin().ascii_serialization();
        let mut open = self.open.lock();
        // Calls in progress hold their connection, which closes after the last of them.
        open.retain(|_, open| now - open.used_at < IDLE);
        if let Some(open) = open.get_mut(&origin) {
            open.used_at = now;
            return Ok(open.channel.clone());
        }
        let channel = self.connect(url, &origin)?;
        open.insert(origin, Open { channel: channel.clone(), used_at: now });
        Ok(channel)
    }

    /// How many connections are kept.
    pub fn len(&self) -> usize {
        self.open.lock().len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn connect(&self, url: &Url, origin: &str) -> Result<Channel, FetchError> {
        let bad = || FetchError::BadUrl { url: url.to_string() };
        let uri: Uri = origin.parse().map_err(|_| bad())?;
        let endpoint = Endpoint::from(uri)
            .user_agent(self.agent.clone())
            .map_err(|_| bad())?
            .http2_keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_TIMEOUT)
            .keep_alive_while_idle(true);
        let (door, url) = (self.door.clone(), url.clone());
        let connector = tower::service_fn(move |_: Uri| {
            let (door, url) = (door.clone(), url.clone());
            async move { door.open(&url).await.map(TokioIo::new) }
        });
        Ok(endpoint.connect_with_connector_lazy(connector))
    }
}

impl Door {
    async fn open(&self, url: &Url) -> Result<Connection, NoConnection> {
        let too_slow = || NoConnection::Unreachable(FetchError::timeout(url, Stage::Connect));
        tokio::time::timeout(self.timeout, self.open_patiently(url))
            .await
            .unwrap_or_else(|_| Err(too_slow()))
    }

    async fn open_patiently(&self, url: &Url) -> Result<Connection, NoConnection> {
        let stream = self.tcp(url).await.map_err(NoConnection::Unreachable)?;
        if url.scheme() != "https" {
            return Ok(stream);
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let untrusted = |error: std::io::Error| {
            NoConnection::Unreachable(FetchError::of_handshake(&error, url))
        };
        let name = ServerName::try_from(host.clone())
            .map_err(|error| untrusted(std::io::Error::other(error)))?;
        let tls = Arc::clone(self.credentials.shown_to(url).tls);
        let secure = TlsConnector::from(tls).connect(name, stream).await.map_err(untrusted)?;
        match secure.get_ref().1.alpn_protocol() {
            Some(b"h2") => Ok(Box::new(secure)),
            _ => Err(NoConnection::NotHttp2(host)),
        }
    }

    /// Connects to the first of the host's addresses that answers; all of them were checked.
    async fn tcp(&self, url: &Url) -> Result<Connection, FetchError> {
        self.guard.check_literal(url)?;
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(host)) => self
                .resolver
                .addresses(host)
                .await
                .map_err(|error| FetchError::of_resolver(&error))?,
            None => return Err(FetchError::BadUrl { url: url.to_string() }),
        };
        let port = url.port_or_known_default().unwrap_or(80);
        let mut why = String::new();
        for address in addresses {
            match self.network.connect(SocketAddr::new(address, port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => why = error.to_string(),
            }
        }
        let host = url.host_str().unwrap_or_default();
        Err(FetchError::Connect { host: format!("{host}:{port}"), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(allowed: &[&str]) -> Channels {
        let guard = Guard::allowing(allowed.iter().map(|text| text.parse().unwrap()));
        Channels::new(&FetchSettings { guard, ..FetchSettings::default() }).unwrap()
    }

    async fn failure(channels: &Channels, url: &str) -> NoConnection {
        let channel = channels.to(&Url::parse(url).unwrap(), 0.0).unwrap();
        let mut client = pergola_proto::v1::syndication_client::SyndicationClient::new(channel);
        let status = client.fetch(pergola_proto::v1::FetchRequest::default()).await.unwrap_err();
        NoConnection::in_chain(&status).unwrap_or_else(|| panic!("{status:?}"))
    }

    #[tokio::test]
    async fn private_addresses_are_refused_like_the_crawlers() {
        let failed = failure(&channels(&[]), "http://127.0.0.1:9/feeds/F").await;
        assert!(
            matches!(&failed, NoConnection::Unreachable(FetchError::PrivateAddress(_))),
            "{failed:?}"
        );
    }

    #[tokio::test]
    async fn nobody_there_is_unreachable() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/feeds/F", listener.local_addr().unwrap());
        drop(listener);
        let failed = failure(&channels(&["127.0.0.1"]), &url).await;
        assert!(
            matches!(&failed, NoConnection::Unreachable(FetchError::Connect { .. })),
            "{failed:?}"
        );
    }

    #[tokio::test]
    async fn one_connection_for_each_origin_until_it_is_idle() {
        let channels = channels(&["127.0.0.1"]);
        for (url, at) in [
            ("http://127.0.0.1:1/feeds/A", 0.0),
            ("http://127.0.0.1:1/feeds/B", 1.0),
            ("http://127.0.0.1:2/feeds/A", 2.0),
        ] {
            channels.to(&Url::parse(url).unwrap(), at).unwrap();
        }
        assert_eq!(channels.len(), 2);
        channels.to(&Url::parse("http://127.0.0.1:3/").unwrap(), IDLE + 1.5).unwrap();
        assert_eq!(channels.len(), 2, "the first was not used for too long");
    }
}
