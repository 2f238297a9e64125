//! Nobody can turn a node against its own network.
//!
//! Feeds are named by strangers, and a redirect can lead anywhere. Addresses of private, local and
//! special networks are refused when connecting: every address that a name resolves to, and every
//! literal address of every hop, because a client connects to literals without asking a resolver.
//!
//! Never: a check by name only, a check before the resolution that counts, a public resolver that
//! nobody configured.

mod resolver;

use std::net::IpAddr;

use pergola_manners::networks::{Network, special};
use thiserror::Error;
use url::{Host, Url};

pub use resolver::{GuardedResolver, ResolveError};

/// What may be reached although it is private.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    hosts: Vec<String>,
    networks: Vec<Network>,
}

/// An address that must not be reached.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{host} is at {address}, which is {what}: if the node may reach it, add it to \
     crawl.allow_private in the configuration"
)]
pub struct Forbidden {
    /// The host as it stands in the address.
    pub host: String,
    /// Where it is.
    pub address: IpAddr,
    /// Why that is refused.
    pub what: &'static str,
}

/// An exception that nobody can understand.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is neither a host name, an address nor a network: write for example node-b, 10.0.0.7 or \
     10.0.0.0/8"
)]
pub struct BadException(String);

impl Guard {
    /// A guard with the exceptions that the configuration names: hosts, addresses and networks (CIDR).
    pub fn allowing<'a>(
        exceptions: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, BadException> {
        let mut guard = Self::default();
        for exception in exceptions {
            if let Some(network) = Network::parse(exception) {
                guard.networks.push(network);
            } else if let Ok(Host::Domain(host)) = Host::parse(exception.trim()) {
                guard.hosts.push(host.trim_end_matches('.').to_owned());
            } else {
                return Err(BadException(exception.to_owned()));
            }
        }
        Ok(guard)
    }

    /// Whether `host`, which is at `address`, may be reached.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), Forbidden> {
        let Some(what) = special(address) else { return Ok(()) };
        let name = host.trim_end_matches('.');
        let named = self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
        if named || self.networks.iter().any(|network| network.contains(address)) {
            return Ok(());
        }
        Err(Forbidden { host: host.to_owned(), address, what })
    }

    /// Whether a host is named as an exception, by its name or by the network of its literal address.
    pub fn is_exception(&self, url: &Url) -> bool {
        let within = |address| self.networks.iter().any(|network| network.contains(address));
        match url.host() {
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
            }
            Some(Host::Ipv4(address)) => within(address.into()),
            Some(Host::Ipv6(address)) => within(address.into()),
            None => false,
        }
    }

    /// Whether the address in a URL may be reached, if it is a literal one. Names are checked when
    /// they are resolved.
    pub fn check_literal(&self, url: &Url) -> Result<(), Forbidden> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check(&address.to_string(), address.into()),
            Some(Host::Ipv6(address)) => self.check(&address.to_string(), address.into()),
            _ => Ok(()),
        }
    }
}

/// Whether an address is on this machine or in a private network.
pub(crate) fn is_private(address: IpAddr) -> bool {
    let what = special(address.to_canonical());
    what.is_some_and(|what| ["private", "this machine", "link-local"].contains(&what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(guard: &Guard, url: &str) -> Result<(), Forbidden> {
        guard.check_literal(&Url::parse(url).unwrap())
    }

    #[test]
    fn rule_13_private_addresses_are_refused_however_they_are_written() {
        let guard = Guard::default();
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://169.254.169.254/latest/meta-data",
        ] {
            assert!(literal(&guard, url).is_err(), "{url}");
        }
        assert!(literal(&guard, "http://93.184.215.14/").is_ok());
    }

    #[test]
    fn exactly_what_is_named_is_allowed() {
        let guard = Guard::allowing(["node-b", "127.0.0.1", "10.1.0.0/16", "fd00::/8"]).unwrap();
        assert!(literal(&guard, "http://127.0.0.1/").is_ok());
        assert!(literal(&guard, "http://127.0.0.2/").is_err());
        assert!(literal(&guard, "http://10.1.2.3/").is_ok());
        assert!(literal(&guard, "http://10.2.2.3/").is_err());
        assert!(literal(&guard, "http://[fd12::1]/").is_ok());
        let private = "10.9.9.9".parse().unwrap();
        assert!(guard.check("node-b", private).is_ok());
        assert!(guard.check("node-c", private).is_err());
        assert!(guard.check("node-b.example.org", private).is_err());
    }

    #[test]
    fn what_cannot_be_an_exception_is_said() {
        for wrong in ["", "10.0.0.0/33", "http://node-b/", "a b", "::1/200"] {
            let error = Guard::allowing([wrong]).unwrap_err();
            assert!(error.to_string().contains("neither a host name"), "{wrong}");
        }
    }
}
