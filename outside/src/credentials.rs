//! The tokens and certificates that the node presents to other hosts, and the authorities it trusts
//! there. Fetches over HTTP and calls to a peer use the same ones.
//!
//! A token belongs to exactly one host. It is never sent over plain HTTP, unless the host is in a private network.
//! [`Mandate`](crate::mandate::Mandate) says who may have it sent: only a source whose own address is there.
//!
//! Never: a token or a certificate for a host that the configuration does not name for it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::HeaderValue;
use pergola_config::{HostRule, Hosts};
use pergola_manners::networks::Reach;
use rustls::ClientConfig;
use url::{Host as Named, Url};

use crate::tls::{self, TlsError};

/// The credentials for every host. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Credentials {
    usual: Arc<ClientConfig>,
    hosts: Arc<HashMap<String, Host>>,
}

#[derive(Debug)]
struct Host {
    /// How to secure connections to it, if not in the usual way.
    tls: Option<Arc<ClientConfig>>,
    /// The same without our certificate.
    anonymous: Option<Arc<ClientConfig>>,
    /// Whether it is shown a certificate of ours.
    identified: bool,
    /// The value of `Authorization`.
    token: Option<HeaderValue>,
    /// Whether the configuration says that it is in a private network.
    private: bool,
}

/// The credentials for one address.
#[derive(Clone, Debug)]
pub struct Shown<'c> {
    /// How to secure a connection to it.
    pub tls: &'c Arc<ClientConfig>,
    /// The value of `Authorization` for it.
    pub token: Option<&'c HeaderValue>,
}

impl Credentials {
    /// Reads the files of certificates and keys that the configuration names.
    pub fn read(extra_ca: &[PathBuf], hosts: &Hosts) -> Result<Self, TlsError> {
        let extra: Vec<&Path> = extra_ca.iter().map(PathBuf::as_path).collect();
        let usual = Arc::new(tls::client(&extra, None)?);
        let shown = |(name, rule): (&String, &HostRule)| {
            let given = &rule.credentials;
            let identity = given.identity.as_ref();
            let identity = identity.map(|(chain, key)| (chain.as_path(), key.as_path()));
            let trusted: Vec<&Path> = extra.iter().copied().chain(given.ca.as_deref()).collect();
            let secured = |identity| Ok::<_, TlsError>(Arc::new(tls::client(&trusted, identity)?));
            let anonymous = given.ca.as_ref().map(|_| secured(None)).transpose()?;
            let tls = match identity {
                Some(identity) => Some(secured(Some(identity))?),
                None => anonymous.clone(),
            };
            let identified = identity.is_some();
            let token = given.token.as_ref().and_then(|token| {
                let mut value =
                    HeaderValue::from_str(&format!("Bearer {}", token.reveal())).ok()?;
                value.set_sensitive(true);
                Some(value)
            });
            let private = rule.private;
            Ok((name.clone(), Host { tls, anonymous, identified, token, private }))
        };
        let hosts: Result<_, TlsError> = hosts.named.iter().map(shown).collect();
        Ok(Self { usual, hosts: Arc::new(hosts?) })
    }

    /// The credentials for an address.
    pub fn shown_to(&self, url: &Url) -> Shown<'_> {
        let Some(host) = self.host(url) else { return Shown { tls: &self.usual, token: None } };
        let token = host.token.as_ref().filter(|_| self.keeps_secrets(url));
        Shown { tls: host.tls.as_ref().unwrap_or(&self.usual), token }
    }

    /// Whether nobody on the way to an address can read what is sent there: it is sent over TLS, or within a
    /// private network.
    pub fn keeps_secrets(&self, url: &Url) -> bool {
        let private = || self.host(url).is_some_and(|host| host.private);
        url.scheme() == "https" || private() || is_local(url)
    }

    /// How to secure connections to all other hosts.
    pub fn usual(&self) -> &Arc<ClientConfig> {
        &self.usual
    }

    /// The hosts whose connections are not secured in the usual way: how they are, and how they are for
    /// whoever may not show our certificate.
    pub fn special(&self) -> impl Iterator<Item = (&str, &Arc<ClientConfig>, &Arc<ClientConfig>)> {
        self.hosts.iter().filter_map(|(name, host)| {
            let anonymous = host.anonymous.as_ref().unwrap_or(&self.usual);
            Some((name.as_str(), host.tls.as_ref()?, anonymous))
        })
    }

    /// Whether the configuration gives a token or a certificate for the host of an address.
    pub fn has_some_for(&self, url: &Url) -> bool {
        self.host(url).is_some_and(|host| host.token.is_some() || host.identified)
    }

    fn host(&self, url: &Url) -> Option<&Host> {
        self.hosts.get(url.host_str()?.trim_end_matches('.'))
    }
}

/// Whether a URL alone shows that its host is on this machine or in a private network.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Named::Ipv4(address)) => Reach::of(address.into()).is_local(),
        Some(Named::Ipv6(address)) => Reach::of(IpAddr::from(address).to_canonical()).is_local(),
        Some(Named::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use pergola_config::Config;

    use super::*;

    /// The token that is sent to an address, with these hosts configured.
    fn token(url: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pergola.toml");
        let hosts = "[hosts.\"peer.example\"]\ntoken = \"one\"\n[hosts.\"10.0.0.7\"]\ntoken = \"two\"\n\
                     [hosts.\"office\"]\nprivate = true\ntoken = \"four\"\n\
                     [hosts.\"203.0.113.9\"]\ntoken = \"five\"\n[hosts.\"::1\"]\ntoken = \"six\"\n\
                     [hosts.\"::ffff:10.0.0.7\"]\ntoken = \"seven\"\n\
                     [hosts.\"100.64.0.1\"]\ntoken = \"eight\"\n";
        std::fs::write(&file, hosts).unwrap();
        let config = Config::load(Some(&file), []).unwrap();
        let credentials = Credentials::read(&[], &config.hosts).unwrap();
        let shown = credentials.shown_to(&Url::parse(url).unwrap());
        shown.token.map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_token_is_shown_to_exactly_its_host() {
        assert_eq!(token("https://peer.example/feeds/a").as_deref(), Some("Bearer one"));
        assert_eq!(token("https://PEER.example.:8443/").as_deref(), Some("Bearer one"));
        for other in ["https://example/", "https://a.peer.example/", "https://peer.example.org/"] {
            assert_eq!(token(other), None, "{other}");
        }
    }

    #[test]
    fn in_the_clear_only_private_hosts_are_shown_a_token() {
        assert_eq!(token("http://peer.example/"), None);
        assert_eq!(token("http://203.0.113.9/"), None);
        assert_eq!(token("http://10.0.0.7/").as_deref(), Some("Bearer two"));
        assert_eq!(token("http://office:8080/").as_deref(), Some("Bearer four"));
        assert_eq!(token("http://[::1]:8080/").as_deref(), Some("Bearer six"));
        assert_eq!(token("http://[::ffff:10.0.0.7]/").as_deref(), Some("Bearer seven"));
        assert_eq!(token("http://100.64.0.1/"), None, "shared by a provider's customers");
    }
}
