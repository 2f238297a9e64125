//! A connection to a node, plain or with TLS.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint, Uri};
use url::Url;

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// The certificates that are trusted.
#[derive(Clone, Debug)]
pub(super) struct Trust(Arc<ClientConfig>);

/// Why TLS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("{} holds no certificates (PEM): {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("cannot set up TLS: {0}")]
    Tls(rustls::Error),
}

impl Trust {
    /// Trusts the public certificate authorities and the certificates of a file.
    pub(super) fn new(more: Option<&Path>) -> Result<Self, TrustError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some(path) = more {
            let added = add(&mut roots, path);
            added.map_err(|reason| TrustError::File { path: path.to_owned(), reason })?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().map_err(TrustError::Tls)?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    /// A connection to an address. It is opened by the first request.
    pub(super) fn connect(&self, origin: &str) -> Result<Channel, String> {
        let url = Url::parse(origin).map_err(|error| error.to_string())?;
        let uri: Uri = url.origin().ascii_serialization().parse().map_err(|_| "not an address")?;
        let trust = self.0.clone();
        let connector = tower::service_fn(move |_: Uri| {
            let (trust, url) = (trust.clone(), url.clone());
            async move { open(trust, &url).await.map(TokioIo::new) }
        });
        Ok(Endpoint::from(uri).connect_with_connector_lazy(connector))
    }
}

/// Adds the certificates of a file.
fn add(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let before = roots.len();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    match roots.len() == before {
        true => Err("it is empty".to_owned()),
        false => Ok(()),
    }
}

async fn open(trust: Arc<ClientConfig>, url: &Url) -> io::Result<Box<dyn Duplex>> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    let stream = TcpStream::connect((host.as_str(), port)).await?;
    stream.set_nodelay(true)?;
    if url.scheme() != "https" {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(host).map_err(io::Error::other)?;
    Ok(Box::new(TlsConnector::from(trust).connect(name, stream).await?))
}
