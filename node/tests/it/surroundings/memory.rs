//! A network in memory: names, connections and an HTTP client over them.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use http::header::HOST;
use hyper_util::rt::TokioIo;
use pergola_outside::surroundings::{
    ClientSetup, Connection, ExchangeError, Http, HttpClient, Listener, NameError, Names, Network,
    Outside, Pending, SetupError,
};
use reqwest::{Request, Response};
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use url::Url;

/// Bytes on the way between two ends.
const PIPE: usize = 64 << 10;
/// Bytes of an answer.
const ANSWER: usize = 1 << 20;

/// Hosts, each with a public address of its own that leads nowhere outside this process.
#[derive(Clone, Default)]
pub(super) struct World(Arc<Mutex<HashMap<String, Host>>>);

struct Host {
    address: IpAddr,
    door: mpsc::UnboundedSender<DuplexStream>,
    connections: usize,
}

/// Accepts the connections to one host.
struct Door {
    address: SocketAddr,
    inbox: tokio::sync::Mutex<mpsc::UnboundedReceiver<DuplexStream>>,
}

impl World {
    /// Opens a host.
    pub(super) fn listen(&self, name: &str) -> Box<dyn Listener> {
        let mut hosts = self.0.lock().unwrap();
        let number = u8::try_from(hosts.len() + 1).unwrap();
        let address = IpAddr::from(Ipv4Addr::new(93, 184, 215, number));
        let (door, inbox) = mpsc::unbounded_channel();
        hosts.insert(name.to_owned(), Host { address, door, connections: 0 });
        let inbox = tokio::sync::Mutex::new(inbox);
        Box::new(Door { address: SocketAddr::new(address, 80), inbox })
    }

    /// How often somebody connected to a host.
    pub(super) fn connections(&self, name: &str) -> usize {
        self.0.lock().unwrap()[name].connections
    }

    pub(super) fn outside(&self) -> Outside {
        let world = Arc::new(self.clone());
        Outside { names: world.clone(), http: world.clone(), network: world }
    }

    /// The body at an address.
    pub(super) async fn get(&self, url: &str) -> String {
        let request = Request::new(http::Method::GET, Url::parse(url).unwrap());
        self.exchange(request).await.unwrap().text().await.unwrap()
    }

    fn pipe_to(&self, address: SocketAddr) -> io::Result<DuplexStream> {
        let mut hosts = self.0.lock().unwrap();
        let nobody = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let host =
            hosts.values_mut().find(|host| host.address == address.ip()).ok_or_else(nobody)?;
        let (here, there) = tokio::io::duplex(PIPE);
        host.door.send(there).map_err(|_| nobody())?;
        host.connections += 1;
        Ok(here)
    }

    async fn exchange(&self, request: Request) -> Result<Response, ExchangeError> {
        let url = request.url().clone();
        let name = url.host_str().unwrap().to_owned();
        let lost = |error: &dyn std::fmt::Display| {
            ExchangeError::NoConnection(format!("{name} is not there: {error}"))
        };
        let found = self.addresses(&name).await.map_err(|error| lost(&error))?;
        let stream = self.pipe_to(SocketAddr::new(found[0], 80)).map_err(|error| lost(&error))?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let path = url[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
        let mut sent = http::Request::builder().method(request.method()).uri(path);
        sent.headers_mut().unwrap().extend(request.headers().clone());
        let sent = sent.header(HOST, &name).body(Body::empty()).unwrap();
        let (head, body) = sender.send_request(sent).await.unwrap().into_parts();
        let body = to_bytes(Body::new(body), ANSWER).await.unwrap();
        Ok(http::Response::from_parts(head, body).into())
    }
}

impl Names for World {
    fn addresses<'a>(&'a self, host: &'a str) -> Pending<'a, Result<Vec<IpAddr>, NameError>> {
        let found = self.0.lock().unwrap().get(host).map(|host| vec![host.address]);
        let unknown = || NameError::Lookup {
            host: host.to_owned(),
            source: "no such host in this world".into(),
        };
        Box::pin(std::future::ready(found.ok_or_else(unknown)))
    }
}

impl Network for World {
    fn connect(&self, to: SocketAddr) -> Pending<'_, io::Result<Connection>> {
        let stream = self.pipe_to(to).map(|stream| Box::new(stream) as Connection);
        Box::pin(std::future::ready(stream))
    }
}

impl Http for World {
    fn client(&self, _: ClientSetup) -> Result<Arc<dyn HttpClient>, SetupError> {
        Ok(Arc::new(self.clone()))
    }
}

impl HttpClient for World {
    fn execute(&self, request: Request) -> Pending<'static, Result<Response, ExchangeError>> {
        let world = self.clone();
        Box::pin(async move { world.exchange(request).await })
    }
}

impl Listener for Door {
    fn local_address(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }

    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>> {
        Box::pin(async move {
            match self.inbox.lock().await.recv().await {
                Some(stream) => Ok((Box::new(stream) as Connection, self.address)),
                None => std::future::pending().await,
            }
        })
    }
}
