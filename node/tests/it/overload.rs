//! More clients than the node has places for, and clients that are in no hurry. As they would do it: over sockets.

mod crowded;
mod shares;
mod slow;

use std::time::Duration;

use pergola_config::{Config, Secret};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::house::{House, Scene, eventually, quick_config};

const TOKEN: &str = "the operator's token";
/// The head of a request whose body never comes.
const HEAD_ONLY: &[u8] =
    b"POST /hub HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
      Content-Length: 100\r\n\r\n";
/// Far longer than any answer takes, far shorter than the node waits for clients.
const PROMPT: Duration = Duration::from_secs(10);

/// A node with few places, to which everybody without its token is a stranger.
async fn small_house(change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.node.connections = 32;
    config.api.token = Some(Secret::new(TOKEN));
    change(&mut config);
    House::open(folder, config).await
}

/// So many connections that have each sent the same.
async fn connect(house: &House, count: usize, sent: &[u8]) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = TcpStream::connect(house.running.address()).await.unwrap();
        // Whoever is turned away at once may not get it sent.
        let _ = stream.write_all(sent).await;
        streams.push(stream);
    }
    streams
}

/// The status line and the headers of the answer on a new connection.
async fn ask(house: &House, path: &str, headers: &str) -> String {
    let asking = async {
        let mut stream = TcpStream::connect(house.running.address()).await?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
            match stream.read_buf(&mut answer).await? {
                0 => break,
                _ => continue,
            }
        }
        std::io::Result::Ok(String::from_utf8_lossy(&answer).to_ascii_lowercase())
    };
    match tokio::time::timeout(PROMPT, asking).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "silence".to_owned(),
    }
}

fn as_operator() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// Requests of which nobody reads the answers, more than fit into any buffer.
fn many_questions() -> Vec<u8> {
    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000)
}

/// A client was too slow, one holds the only place, and another was turned away.
pub(crate) async fn a_port_is_crowded() -> Scene {
    let house = small_house(|config| {
        config.node.connections = 1;
        config.node.head_timeout = Duration::from_millis(100);
    })
    .await;
    let mut silent = connect(&house, 1, b"").await.remove(0);
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0, "it is cut off");
    // On a busy machine a head may come too late and lose its place.
    let holding = eventually("a full port", async || {
        let holding = connect(&house, 1, HEAD_ONLY).await;
        let answer = ask(&house, "/", "").await;
        if answer.starts_with("http/1.1 503 ") { Ok(holding) } else { Err(answer) }
    })
    .await;
    (house, Box::new(holding))
}
