//! The settings of the fetcher.

use std::path::PathBuf;
use std::time::Duration;

use pergola_config::Hosts;
use url::Url;

use super::{DecodeLimits, FetchError};
use crate::credentials::Credentials;
use crate::guard::Guard;
use crate::surroundings::Outside;

/// The settings of the fetcher.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// Where site owners can read who we are.
    pub contact: String,
    /// Which private addresses may be reached.
    pub guard: Guard,
    /// Names, HTTP and connections.
    pub outside: Outside,
    /// Files with certificates (PEM) that are trusted besides the public ones.
    pub extra_ca: Vec<PathBuf>,
    /// Credentials for single hosts, and whom we trust there.
    pub hosts: Hosts,
    /// A proxy for all fetches. It resolves names itself, so it has to protect private networks; its own
    /// name must be allowed if its address is private.
    pub proxy: Option<Url>,
    /// Whether `HTTP_PROXY` and similar variables count if no proxy is named.
    pub proxy_from_environment: bool,
    /// From resolving the name to an open connection.
    pub connect_timeout: Duration,
    /// From the first byte sent to the last byte received, redirects included.
    pub total_timeout: Duration,
    /// The longest body, as received.
    pub max_body: usize,
    /// How far a body may decompress.
    pub decode: DecodeLimits,
    /// The longest chain of redirects.
    pub max_redirects: usize,
    /// Idle connections to one host that are kept.
    pub idle_per_host: usize,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            contact: "https://localhost/about".to_owned(),
            guard: Guard::default(),
            outside: Outside::real(),
            extra_ca: Vec::new(),
            hosts: Hosts::default(),
            proxy: None,
            proxy_from_environment: false,
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            max_body: 10 * 1024 * 1024,
            decode: DecodeLimits::default(),
            max_redirects: 5,
            idle_per_host: 2,
        }
    }
}

impl FetchSettings {
    /// The start of the user agent; the number of subscribers follows.
    pub fn product(&self) -> String {
        let contact: String = self.contact.chars().filter(char::is_ascii_graphic).collect();
        format!("Pergola/{} (+{contact}", env!("CARGO_PKG_VERSION"))
    }

    /// Credentials for single hosts, and whom we trust there.
    pub fn credentials(&self) -> Result<Credentials, FetchError> {
        Ok(Credentials::read(&self.extra_ca, &self.hosts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let settings =
            FetchSettings { extra_ca: vec![file.path().into()], ..FetchSettings::default() };
        let error = settings.credentials().unwrap_err().to_string();
        assert!(error.contains(&file.path().display().to_string()), "{error}");
        let missing =
            FetchSettings { extra_ca: vec!["/nowhere/ca.pem".into()], ..FetchSettings::default() };
        assert!(missing.credentials().unwrap_err().to_string().contains("/nowhere/ca.pem"));
    }

    #[test]
    fn http_2_is_offered() {
        let credentials = FetchSettings::default().credentials().unwrap();
        assert_eq!(credentials.usual().alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }
}
