//! A wire to a node: a port that stays the same when the node restarts, and that can be cut.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// A TCP proxy; it ends on drop.
pub(super) struct Wire {
    address: SocketAddr,
    /// The address of the node; none while the wire is cut.
    target: Arc<watch::Sender<Option<SocketAddr>>>,
    led_to: SocketAddr,
    forwarding: JoinHandle<()>,
}

impl Wire {
    pub(super) async fn to(node: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let target = Arc::new(watch::Sender::new(Some(node)));
        let forwarding = tokio::spawn(forward(listener, Arc::clone(&target)));
        Self { address, target, led_to: node, forwarding }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The node has another address now.
    pub(super) fn lead_to(&mut self, node: SocketAddr) {
        self.led_to = node;
        self.target.send_replace(Some(node));
    }

    /// Ends every connection, and refuses new ones.
    pub(super) fn cut(&self) {
        self.target.send_replace(None);
    }

    pub(super) fn mend(&self) {
        self.target.send_replace(Some(self.led_to));
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.forwarding.abort();
    }
}

async fn forward(listener: TcpListener, target: Arc<watch::Sender<Option<SocketAddr>>>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((mut near, _)) = listener.accept().await else { continue };
        let mut changes = target.subscribe();
        let Some(node) = *changes.borrow_and_update() else { continue };
        connections.spawn(async move {
            let Ok(mut far) = TcpStream::connect(node).await else { return };
            // Small messages must not wait for more.
            let _ = (near.set_nodelay(true), far.set_nodelay(true));
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                _ = changes.changed() => {}
            }
        });
        while connections.try_join_next().is_some() {}
    }
}
