//! A client of HTTP/1.1 on one connection, from an address of its choice.

use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;
/// The longest head of an answer.
const LONGEST_HEAD: usize = 64 << 10;

/// Connects from an address of this machine's loopback network: a port can be used again on each of them.
pub(super) async fn connect(from: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    open(TcpSocket::new_v4()?, from, to).await
}

/// The same with as little room for what arrives as the system gives.
pub(super) async fn connect_narrow(from: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(1)?;
    open(socket, from, to).await
}

async fn open(socket: TcpSocket, from: Ipv4Addr, to: SocketAddr) -> Result<TcpStream> {
    socket.bind(SocketAddr::from((from, 0)))?;
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The address of the client with this number: two thousand of them take turns.
pub(super) fn client(number: usize) -> Ipv4Addr {
    let (net, host) = (number / 250 % 8, number % 250 + 1);
    Ipv4Addr::new(127, 1, net as u8, host as u8)
}

/// The request for a path.
pub(super) fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// An answer; its body was read and dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The connection can be used no more.
    pub(super) closes: bool,
}

/// Sends a request and takes the answer.
pub(super) async fn ask(stream: &mut TcpStream, request: &[u8]) -> Result<Answer> {
    stream.write_all(request).await?;
    let mut bytes = Vec::with_capacity(PIECE);
    let head = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(end) = bytes.windows(4).position(|some| some == b"\r\n\r\n") {
            break end + 4;
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(Error::new(ErrorKind::InvalidData, "the head of the answer has no end"));
        }
    };
    let (answer, length) = read_head(&bytes[..head])?;
    let mut missing = length.saturating_sub(bytes.len() - head);
    while missing > 0 {
        bytes.clear();
        match stream.read_buf(&mut bytes).await? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            some => missing = missing.saturating_sub(some),
        }
    }
    Ok(answer)
}

/// What a head says, and the length of the body.
fn read_head(head: &[u8]) -> Result<(Answer, usize)> {
    let odd = || Error::new(ErrorKind::InvalidData, "the answer is not HTTP/1.1 with a length");
    let head = std::str::from_utf8(head).map_err(|_| odd())?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let (mut length, mut closes) = (None, false);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok(),
            "connection" => closes = value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let status = status.ok_or_else(odd)?;
    Ok((Answer { status, closes }, length.ok_or_else(odd)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_status_length_and_whether_the_connection_ends() {
        let head =
            b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 12\r\nconnection: close\r\n\r\n";
        let (answer, length) = read_head(head).unwrap();
        assert_eq!((answer, length), (Answer { status: 503, closes: true }, 12));
        assert!(read_head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn clients_have_many_addresses() {
        assert_eq!(client(0), Ipv4Addr::new(127, 1, 0, 1));
        assert_eq!(client(250), Ipv4Addr::new(127, 1, 1, 1));
        assert_eq!(client(2_000), client(0));
    }
}
