//! Shares of the places: callers from addresses of the test's choice.

use std::io;
use std::net::{IpAddr, SocketAddr};

use pergola_node::node::{Node, Running};
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::{Connection, Listener, Pending};
use tokio::io::DuplexStream;
use tokio::sync::mpsc;

use super::*;

/// Accepts connections that say where they come from.
struct Door(tokio::sync::Mutex<mpsc::UnboundedReceiver<(DuplexStream, SocketAddr)>>);

impl Listener for Door {
    fn local_address(&self) -> io::Result<SocketAddr> {
        Ok(([198, 51, 100, 1], 80).into())
    }

    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>> {
        Box::pin(async move {
            match self.0.lock().await.recv().await {
                Some((stream, from)) => Ok((Box::new(stream) as Connection, from)),
                None => std::future::pending().await,
            }
        })
    }
}

/// A node with 32 places, of which an address may take 4 and a network 8.
struct Port {
    door: mpsc::UnboundedSender<(DuplexStream, SocketAddr)>,
    _running: Running,
    _folder: TempDir,
}

impl Port {
    async fn open(change: impl FnOnce(&mut Config)) -> Self {
        let folder = TempDir::new().unwrap();
        let mut config = quick_config(&folder);
        (config.node.connections, config.node.connections_per_address) = (32, 4);
        change(&mut config);
        let (door, inbox) = mpsc::unbounded_channel();
        let listener: Box<dyn Listener> = Box::new(Door(tokio::sync::Mutex::new(inbox)));
        let node = Node::open_here(config, Clock::real()).await.unwrap();
        Self { door, _running: node.start(listener).unwrap(), _folder: folder }
    }

    fn connect(&self, from: &str) -> DuplexStream {
        let (here, there) = tokio::io::duplex(64 << 10);
        let from: IpAddr = from.parse().unwrap();
        self.door.send((there, SocketAddr::new(from, 4711))).unwrap();
        here
    }

    /// Takes so many places from an address and keeps them.
    async fn hold(&self, from: &str, count: usize) -> Vec<DuplexStream> {
        let mut held = Vec::new();
        for _ in 0..count {
            let mut stream = self.connect(from);
            stream.write_all(HEAD_ONLY).await.unwrap();
            held.push(stream);
        }
        held
    }

    /// The first line of an answer, and its body.
    async fn ask(&self, from: &str, path: &str) -> (String, String) {
        let mut stream = self.connect(from);
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_cannot_keep_the_others_out() {
    let port = Port::open(|_| {}).await;
    let _held = port.hold("203.0.113.7", 200).await;
    let (status, body) = port.ask("203.0.113.7", "/").await;
    assert_eq!(status, "HTTP/1.1 503 Service Unavailable");
    assert!(body.contains("your address has too many connections"), "{body}");
    assert_eq!(port.ask("203.0.113.7", "/healthz").await.1, "ok\n");
    for other in ["203.0.113.8", "2001:db8::1", "127.0.0.1"] {
        assert_eq!(port.ask(other, "/").await.0, "HTTP/1.1 200 OK", "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_can_one_network() {
    let port = Port::open(|_| {}).await;
    let mut held = Vec::new();
    for host in 0..50 {
        held.extend(port.hold(&format!("2001:db8:7:{host}::1"), 4).await);
    }
    let (_, body) = port.ask("2001:db8:7:ffff::1", "/").await;
    assert!(body.contains("your network has too many connections"), "{body}");
    assert_eq!(port.ask("2001:db8:8::1", "/").await.0, "HTTP/1.1 200 OK");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_has_no_share_because_it_comes_for_many() {
    let port =
        Port::open(|config| config.node.proxies = vec!["203.0.113.7".parse().unwrap()]).await;
    let _held = port.hold("203.0.113.7", 20).await;
    assert_eq!(port.ask("203.0.113.7", "/").await.0, "HTTP/1.1 200 OK");
}
