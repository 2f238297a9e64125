//! Certificates: those the node presents, those it trusts, and how long they are valid.
//!
//! One provider (ring), the default versions and ciphers of rustls, and every chain is verified. Files are read
//! when a node starts and when it reloads. A file that cannot be used is an error that names it; the certificates
//! in use stay.
//!
//! Never: a connection with an unverified certificate; a key in a message or a log.

mod own;
mod validity;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pergola_config::{Clients, Fingerprint, Tls};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ClientConfig, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, ServerConfig, WebPkiClientVerifier};
use rustls::{RootCertStore, SupportedProtocolVersion};

pub use validity::Validity;

use crate::locks::RwLock;

/// HTTP/2 first, because gRPC needs it.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];
const VERSIONS: &[&SupportedProtocolVersion] = rustls::DEFAULT_VERSIONS;

/// Why certificates cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what} in {} cannot be used: {why}", file.display())]
pub struct TlsError {
    /// What was wanted.
    pub what: &'static str,
    /// Where.
    pub file: PathBuf,
    /// Why not.
    pub why: String,
}

/// The certificates that the node presents to clients. They are replaced as a whole, for new connections.
#[derive(Debug)]
pub struct Shown {
    config: RwLock<Arc<ServerConfig>>,
}

impl Shown {
    /// Reads the files of a configuration.
    pub fn read(tls: &Tls) -> Result<Self, TlsError> {
        Ok(Self { config: RwLock::new(server(tls)?) })
    }

    /// Reads the files again. If they cannot be used, nothing changes.
    pub fn reread(&self, tls: &Tls) -> Result<(), TlsError> {
        let fresh = server(tls)?;
        *self.config.write() = fresh;
        Ok(())
    }

    /// The certificates for a connection that begins now.
    pub fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read())
    }
}

/// TLS for the node's own port.
fn server(tls: &Tls) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(&tls.certificate)?;
    let builder = ServerConfig::builder_with_provider(provider());
    let wrong = wrong("the key of the certificate", &tls.key);
    let builder =
        builder.with_protocol_versions(VERSIONS).map_err(|error| wrong(error.to_string()))?;
    let builder = match &tls.client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            trust(&mut roots, file)?;
            let known = WebPkiClientVerifier::builder_with_provider(roots.into(), provider());
            let known = match tls.clients {
                Clients::Optional => known.allow_unauthenticated(),
                Clients::Required => known,
            };
            let unusable = self::wrong("certificates of those who sign for clients", file);
            let known = known.build().map_err(|error| unusable(error.to_string()))?;
            builder.with_client_cert_verifier(Arc::new(own::OrItself::new(&chain, known)))
        }
    };
    let config = builder.with_single_cert(chain, key(&tls.key)?);
    let mut config = config.map_err(|error| wrong(error.to_string()))?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    if tls.client_ca.is_some() {
        // Every connection verifies the client's certificate, so that an expired one is refused.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    Ok(Arc::new(config))
}

/// TLS for connections to others. Trusts the public authorities and those in `trusted`.
pub fn client(
    trusted: &[&Path],
    identity: Option<(&Path, &Path)>,
) -> Result<ClientConfig, TlsError> {
    with_verifier(usual_verifier(trusted)?, identity)
}

/// TLS for the commands of a node: also trusts exactly the certificate that the configuration names, whatever
/// host it is for, and presents it if its key can be read.
pub fn client_of_own_node(tls: Option<&Tls>, trusted: &[&Path]) -> Result<ClientConfig, TlsError> {
    let usual = usual_verifier(trusted)?;
    let Some(tls) = tls else { return with_verifier(usual, None) };
    let chain = certificates(&tls.certificate)?;
    let verifier = Arc::new(own::OrOwn::new(&chain, usual));
    let asked = tls.client_ca.is_some() && std::fs::File::open(&tls.key).is_ok();
    with_verifier(verifier, asked.then_some((tls.certificate.as_path(), tls.key.as_path())))
}

fn usual_verifier(trusted: &[&Path]) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for file in trusted {
        trust(&mut roots, file)?;
    }
    let built = WebPkiServerVerifier::builder_with_provider(roots.into(), provider()).build();
    let named = trusted.first().copied().unwrap_or(Path::new("(none)"));
    let unusable = wrong("certificates that are trusted", named);
    Ok(built.map_err(|error| unusable(error.to_string()))?)
}

fn with_verifier(
    verifier: Arc<dyn ServerCertVerifier>,
    identity: Option<(&Path, &Path)>,
) -> Result<ClientConfig, TlsError> {
    let named = identity.map_or(Path::new("(none)"), |(_, key)| key);
    let unusable = wrong("our certificate and its key", named);
    let builder = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)
        .map_err(|error| unusable(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match identity {
        None => builder.with_no_client_auth(),
        Some((chain, private)) => builder
            .with_client_auth_cert(certificates(chain)?, key(private)?)
            .map_err(|error| unusable(error.to_string()))?,
    };
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(config)
}

/// The certificates in a file; at least one.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = wrong("certificates", file);
    let found = CertificateDer::pem_file_iter(file).map_err(|error| wrong(error.to_string()))?;
    let found: Vec<_> =
        found.collect::<Result<_, _>>().map_err(|error| wrong(error.to_string()))?;
    if found.is_empty() {
        return Err(wrong("the file holds none".to_owned()));
    }
    Ok(found)
}

fn key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let wrong = wrong("the key", file);
    PrivateKeyDer::from_pem_file(file).map_err(|error| wrong(error.to_string()))
}

fn trust(roots: &mut RootCertStore, file: &Path) -> Result<(), TlsError> {
    let wrong = wrong("certificates", file);
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

/// The SHA-256 fingerprint of a certificate.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> Fingerprint {
    let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
    let mut print = [0; 32];
    print.copy_from_slice(digest.as_ref());
    Fingerprint(print)
}

/// The TLS error inside an error; the layers between wrap it in I/O errors.
pub fn cause<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    error.downcast_ref::<rustls::Error>().or_else(|| {
        let mut inner = error.downcast_ref::<std::io::Error>()?.get_ref()?;
        while let Some(io) = inner.downcast_ref::<std::io::Error>() {
            inner = io.get_ref()?;
        }
        inner.downcast_ref::<rustls::Error>()
    })
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn wrong(what: &'static str, file: &Path) -> impl Fn(String) -> TlsError {
    let file = file.to_owned();
    move |why| TlsError { what, file: file.clone(), why }
}
