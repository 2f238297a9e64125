//! Connections: those the node makes to peers, and those it accepts on its port.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::Pending;

/// Bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// An open connection.
pub type Connection = Box<dyn Stream>;

/// Makes connections.
pub trait Network: Send + Sync {
    /// Connects to an address.
    fn connect(&self, to: SocketAddr) -> Pending<'_, io::Result<Connection>>;
}

/// Accepts connections.
pub trait Listener: Send + Sync {
    /// The address that it listens on.
    fn local_address(&self) -> io::Result<SocketAddr>;

    /// Waits for a connection; with the address of whoever made it.
    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>>;
}

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;
/// Bytes that wait in the system for a client to take them. Left to itself a system keeps megabytes for a client that
/// takes nothing, and does not say whether one that is slow takes any.
const UNSENT: u32 = 256 << 10;

/// Listens on an address of this machine.
pub async fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    // What it accepts has the same.
    socket.set_send_buffer_size(UNSENT)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The system's sockets.
pub(super) struct Sockets;

impl Network for Sockets {
    fn connect(&self, to: SocketAddr) -> Pending<'_, io::Result<Connection>> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            // Small messages are sent at once; if that cannot be had, they only come later.
            let _ = stream.set_nodelay(true);
            Ok(Box::new(stream) as Connection)
        })
    }
}

impl Listener for TcpListener {
    fn local_address(&self) -> io::Result<SocketAddr> {
        self.local_addr()
    }

    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>> {
        Box::pin(async move {
            loop {
                let (stream, caller) = Self::accept(self).await?;
                // Answers are written whole; waiting for more to send would only delay them.
                match stream.set_nodelay(true) {
                    Ok(()) => return Ok((Box::new(stream) as Connection, caller)),
                    Err(error) => {
                        tracing::debug!(%caller, %error, "a connection was gone before it began");
                    }
                }
            }
        })
    }
}

impl From<TcpListener> for Box<dyn Listener> {
    fn from(listener: TcpListener) -> Self {
        Box::new(listener)
    }
}
