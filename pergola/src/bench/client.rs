//! A client for answers that come from this machine: without certificates.

use std::sync::Arc;

use anyhow::Result;

/// A plain client.
pub fn plain() -> Result<reqwest::Client> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build()?)
}
