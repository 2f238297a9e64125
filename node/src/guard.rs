//! Keeps strangers from turning a node against its own network.
//!
//! Strangers name feeds, and a redirect can lead anywhere. The guard refuses addresses of private, local
//! and special networks at the moment of the connection: every address that a name resolves to, and the
//! literal address of every hop, because a client connects to a literal without asking a resolver.
//!
//! Never: a check by name only, a check before the resolution that is used for the connection, a public
//! resolver that nobody configured.

mod resolver;

use std::net::IpAddr;

use pergola_manners::networks::{PrivateException, Reach};
use thiserror::Error;
use url::{Host, Url};

pub use resolver::{GuardedResolver, ResolveError};

/// Decides which addresses a node may connect to.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    exceptions: Vec<PrivateException>,
}

/// An address that the node must not connect to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{host} is at {address}, which is {reach}: if the node may reach it, add it to \
     crawl.allow_private in the configuration"
)]
pub struct Forbidden {
    /// The host as it stands in the URL.
    pub host: String,
    /// The address it resolves to.
    pub address: IpAddr,
    /// Why the address is refused.
    pub reach: Reach,
}

impl Guard {
    /// A guard with the exceptions that the configuration makes.
    pub fn allowing(exceptions: impl IntoIterator<Item = PrivateException>) -> Self {
        Self { exceptions: exceptions.into_iter().collect() }
    }

    /// Whether the node may connect to `host` at `address`.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), Forbidden> {
        let reach = Reach::of(address);
        let allowed = |exception: &PrivateException| exception.allows(host, address);
        if reach == Reach::Public || self.exceptions.iter().any(allowed) {
            return Ok(());
        }
        Err(Forbidden { host: host.to_owned(), address, reach })
    }

    /// Whether an exception covers the host of a URL: its name, or its literal address.
    pub fn is_exception(&self, url: &Url) -> bool {
        let mut exceptions = self.exceptions.iter();
        match url.host() {
            Some(Host::Domain(name)) => exceptions.any(|exception| exception.names(name)),
            Some(Host::Ipv4(address)) => {
                exceptions.any(|exception| exception.holds(address.into()))
            }
            Some(Host::Ipv6(address)) => {
                exceptions.any(|exception| exception.holds(address.into()))
            }
            None => false,
        }
    }

    /// Checks the address in a URL if it is a literal one. The resolver checks names.
    pub fn check_literal(&self, url: &Url) -> Result<(), Forbidden> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check(&address.to_string(), address.into()),
            Some(Host::Ipv6(address)) => self.check(&address.to_string(), address.into()),
            _ => Ok(()),
        }
    }
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
        let exceptions = ["node-b", "127.0.0.1", "10.1.0.0/16", "fd00::/8"];
        let guard = Guard::allowing(exceptions.map(|text| text.parse().unwrap()));
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
    fn the_exceptions_of_a_configuration_reach_the_guard_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pergola.toml");
        let text = "[crawl]\nallow_private = [\"[::1]\", \"10.1.0.0/16\", \"Node-B.\"]\n\
                    [hosts.\"fd00::7\"]\nprivate = true\n[hosts.\"office\"]\nprivate = true\n\
                    [hosts.\"10.2.0.1\"]\npeer = true\n";
        std::fs::write(&file, text).unwrap();
        let config = pergola_config::Config::load(Some(&file), []).unwrap();
        let guard = Guard::allowing(config.private_exceptions());
        for url in ["http://[::1]/", "http://10.1.2.3/", "http://[fd00::7]/"] {
            assert!(literal(&guard, url).is_ok(), "{url}");
            assert!(guard.is_exception(&Url::parse(url).unwrap()), "{url}");
        }
        assert!(literal(&guard, "http://10.2.0.1/").is_err(), "a peer need not be private");
        let private = "192.168.0.9".parse().unwrap();
        assert!(guard.check("node-b", private).is_ok());
        assert!(guard.check("OFFICE.", private).is_ok());
        assert!(guard.check("www.office", private).is_err());
    }

    #[test]
    fn a_refusal_says_what_the_address_is() {
        let refused = literal(&Guard::default(), "http://169.254.169.254/").unwrap_err();
        assert_eq!(refused.reach, Reach::LinkLocal);
        assert!(refused.to_string().contains("which is link-local: "), "{refused}");
    }
}
