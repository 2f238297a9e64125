//! The TLS handshake, within a few seconds.

mod replayed;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pergola_config::Fingerprint;
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use pergola_outside::surroundings::Connection;
use pergola_outside::tls::fingerprint;
use replayed::Replayed;

/// Time for a handshake, or for the answer to a client that does not use TLS.
const PATIENCE: Duration = Duration::from_secs(10);
/// The answer to plain HTTP.
const SPEAK_TLS: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\n\
    connection: close\r\ncontent-length: 117\r\n\r\n\
    {\"type\":\"about:blank\",\"status\":400,\"title\":\"TLS is spoken here\",\
    \"detail\":\"use an address that begins with https://\"}\n";

/// Why a handshake failed.
pub(super) enum Failed {
    /// The client sent plain HTTP.
    Plain,
    /// It took too long.
    TooSlow,
    /// The sides did not agree, or one did not trust the other.
    Refused(std::io::Error),
}

/// The TLS connection, and the client's certificate if it presented one that we trust.
pub(super) async fn handshake(
    mut stream: Connection,
    config: Arc<ServerConfig>,
) -> Result<(TlsStream<Replayed>, Option<Fingerprint>), Failed> {
    let shake = async {
        let mut first = [0];
        stream.read_exact(&mut first).await.map_err(Failed::Refused)?;
        // A handshake begins with the byte 22, a request with the name of a method.
        if first[0].is_ascii_uppercase() {
            let told = tell_to_speak_tls(&mut stream).await;
            return Err(told.map_or_else(Failed::Refused, |()| Failed::Plain));
        }
        TlsAcceptor::from(config)
            .accept(Replayed::new(first[0], stream))
            .await
            .map_err(Failed::Refused)
    };
    let stream = tokio::time::timeout(PATIENCE, shake).await.map_err(|_| Failed::TooSlow)??;
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).map(fingerprint);
    Ok((stream, shown))
}

/// Reads the request first, or the connection would be reset before the answer arrives.
async fn tell_to_speak_tls(stream: &mut Connection) -> std::io::Result<()> {
    let _asked = stream.read(&mut [0; 8 << 10]).await?;
    stream.write_all(SPEAK_TLS.as_bytes()).await?;
    stream.shutdown().await
}

impl Failed {
    /// Logs the failure; at a higher level if a certificate was the reason, because somebody will ask why.
    pub(super) fn tell(&self, caller: SocketAddr) {
        let error = match self {
            Self::Plain => "plain HTTP was spoken to a secured port".to_owned(),
            Self::TooSlow => "the handshake took too long".to_owned(),
            Self::Refused(error) => error.to_string(),
        };
        let reason = match self {
            Self::Refused(error) => error.get_ref().and_then(|e| e.downcast_ref()),
            _ => None,
        };
        use rustls::Error::{InvalidCertificate, NoCertificatesPresented};
        match reason {
            Some(InvalidCertificate(_) | NoCertificatesPresented) => {
                tracing::info!(%caller, error, "a client was refused for its certificate");
            }
            _ => tracing::debug!(%caller, error, "a handshake failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_in_the_clear_is_as_long_as_it_says() {
        let (head, body) = SPEAK_TLS.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{}", body.len());
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["status"], 400);
    }
}
