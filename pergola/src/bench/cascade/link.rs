//! A link between two nodes: bare, or one that takes its time.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Bytes that are carried at once, and how many such loads may be on the way.
const LOAD: usize = 64 << 10;
const ON_THE_WAY: usize = 256;

/// Listens, and carries everything to `target` and back, each way with a delay. Runs in `tasks`.
pub(super) async fn slow(
    target: SocketAddr,
    delay: Duration,
    tasks: &mut JoinSet<()>,
) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((near, _)) = listener.accept().await {
            connections.spawn(join(near, target, delay));
            while connections.try_join_next().is_some() {}
        }
    });
    Ok(address)
}

/// One connection, until either end has closed it.
async fn join(near: TcpStream, target: SocketAddr, delay: Duration) {
    let Ok(far) = TcpStream::connect(target).await else { return };
    // Small messages must not wait for each other.
    if near.set_nodelay(true).and(far.set_nodelay(true)).is_err() {
        return;
    }
    let (near_read, near_write) = near.into_split();
    let (far_read, far_write) = far.into_split();
    tokio::select! {
        () = carry(near_read, far_write, delay) => {}
        () = carry(far_read, near_write, delay) => {}
    }
}

/// Carries what is read to where it is written, each load as long after it came as the delay says.
async fn carry(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    delay: Duration,
) {
    let (sender, mut loads) = mpsc::channel::<(Instant, Vec<u8>)>(ON_THE_WAY);
    let read = async {
        let mut buffer = vec![0; LOAD];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let due = Instant::now() + delay;
            if sender.send((due, buffer[..length].to_vec())).await.is_err() {
                break;
            }
        }
        drop(sender);
    };
    let write = async {
        while let Some((due, load)) = loads.recv().await {
            tokio::time::sleep_until(due).await;
            if to.write_all(&load).await.is_err() {
                break;
            }
        }
    };
    tokio::join!(read, write);
}
