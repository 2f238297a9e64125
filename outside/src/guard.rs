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
use std::sync::Arc;

use pergola_manners::networks::{PrivateException, Reach};
use thiserror::Error;
use url::{Host, Url};

use crate::locks::RwLock;
pub use resolver::{GuardedResolver, ResolveError};

/// Decides which addresses a node may connect to. Its clones decide alike, also after a change.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    exceptions: Arc<RwLock<Exceptions>>,
    /// Whether it is for requests that were led somewhere by strangers: no exception counts for them.
    led: bool,
    /// The proxy that all requests pass; it counts for everybody.
    proxy: Option<Arc<str>>,
}

/// The private addresses that may be reached.
#[derive(Debug, Default)]
struct Exceptions {
    /// By `crawl.allow_private`.
    listed: Vec<PrivateException>,
    /// By the tables of single hosts.
    hosts: Vec<PrivateException>,
}

impl Exceptions {
    fn iter(&self) -> impl Iterator<Item = &PrivateException> {
        self.listed.iter().chain(&self.hosts)
    }
}

/// An address that the node must not connect to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {}", whereabouts(.host, .address, .reach), advice(.allowing.as_deref()))]
pub struct Forbidden {
    /// The host as it stands in the URL.
    pub host: String,
    /// The address it resolves to.
    pub address: IpAddr,
    /// Why the address is refused.
    pub reach: Reach,
    /// What `crawl.allow_private` would hold if it were allowed; nothing if only the source itself may name it.
    pub allowing: Option<Vec<String>>,
}

/// What to do about it.
fn advice(allowing: Option<&[String]>) -> String {
    let Some(allowing) = allowing else { return NOT_NAMED.to_owned() };
    format!(
        "if the node may reach it, run `pergola config set crawl.allow_private {}`, or write \
         `allow_private = [\"{}\"]` below [crawl] in the configuration file and reload it; neither needs a restart",
        allowing.join(" "),
        allowing.join("\", \"")
    )
}

/// What to do about a private address that a source leads to.
pub(crate) const NOT_NAMED: &str = "a source can reach a private host only by its own address, not by leading \
    there; if that is meant, add the address it leads to with `pergola source add`";

fn whereabouts(host: &str, address: &IpAddr, reach: &Reach) -> String {
    match host == address.to_string() {
        true => format!("the address {address} is {reach}"),
        false => format!("{host} is at {address}, which is {reach}"),
    }
}

impl Guard {
    /// A guard with the exceptions that the configuration makes.
    pub fn allowing(exceptions: impl IntoIterator<Item = PrivateException>) -> Self {
        let guard = Self::default();
        guard.allow(exceptions, []);
        guard
    }

    /// Makes exceptions: those of `crawl.allow_private`, and those of single hosts.
    pub fn allow(
        &self,
        listed: impl IntoIterator<Item = PrivateException>,
        hosts: impl IntoIterator<Item = PrivateException>,
    ) {
        let (listed, hosts) = (listed.into_iter().collect(), hosts.into_iter().collect());
        *self.exceptions.write() = Exceptions { listed, hosts };
    }

    /// Changes what `crawl.allow_private` names, for all clones.
    pub fn list(&self, listed: impl IntoIterator<Item = PrivateException>) {
        self.exceptions.write().listed = listed.into_iter().collect();
    }

    /// The same guard for requests that were led somewhere by strangers: it lets them out of private networks, and
    /// in only to the proxy, if there is one.
    pub fn for_led(&self, proxy: Option<&Url>) -> Self {
        let proxy = proxy.and_then(Url::host_str).map(Arc::from);
        Self { exceptions: Arc::clone(&self.exceptions), led: true, proxy }
    }

    /// Whether the node may connect to `host` at `address`.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), Forbidden> {
        let reach = Reach::of(address);
        if reach == Reach::Public {
            return Ok(());
        }
        let exceptions = self.exceptions.read();
        let counts = !self.led || self.proxy.as_deref() == Some(host);
        if counts && exceptions.iter().any(|exception| exception.allows(host, address)) {
            return Ok(());
        }
        let listed = exceptions.listed.iter().map(ToString::to_string);
        let allowing = (!self.led).then(|| listed.chain([address.to_string()]).collect());
        Err(Forbidden { host: host.to_owned(), address, reach, allowing })
    }

    /// Whether an exception covers the host of a URL: its name, or its literal address.
    pub fn is_exception(&self, url: &Url) -> bool {
        let exceptions = self.exceptions.read();
        let mut exceptions = exceptions.iter();
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
            // It stands in the URL as it is written here.
            Some(Host::Ipv4(address)) => {
                self.check(url.host_str().unwrap_or_default(), address.into())
            }
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
    fn for_those_who_were_led_no_exception_counts_but_the_proxy() {
        let guard =
            Guard::allowing(["nas", "proxy", "10.0.0.0/8"].map(|text| text.parse().unwrap()));
        let proxy = Url::parse("http://proxy:3128/").unwrap();
        let led = guard.for_led(Some(&proxy));
        let private = "10.9.9.9".parse().unwrap();
        assert!(guard.check("nas", private).is_ok() && led.check("proxy", private).is_ok());
        assert!(led.check("nas", private).is_err());
        assert!(guard.for_led(None).check("proxy", private).is_err());
        assert!(led.check("www.example.org", "93.184.215.14".parse().unwrap()).is_ok());
        let refused = literal(&led, "http://10.0.0.1/").unwrap_err().to_string();
        assert!(refused.contains("10.0.0.1 is private"), "{refused}");
        assert!(refused.ends_with("with `pergola source add`"), "{refused}");
    }

    #[test]
    fn a_refusal_says_what_the_address_is() {
        let refused = literal(&Guard::default(), "http://169.254.169.254/").unwrap_err();
        assert_eq!(refused.reach, Reach::LinkLocal);
        assert!(refused.to_string().contains("169.254.169.254 is link-local: "), "{refused}");
    }

    #[test]
    fn a_refusal_says_which_line_or_command_allows_it_and_keeps_what_is_allowed() {
        let refused =
            literal(&Guard::default(), "http://192.168.1.10/feed").unwrap_err().to_string();
        assert!(
            refused.contains("`pergola config set crawl.allow_private 192.168.1.10`"),
            "{refused}"
        );
        assert!(
            refused.contains("`allow_private = [\"192.168.1.10\"]` below [crawl]"),
            "{refused}"
        );
        assert!(refused.ends_with("neither needs a restart"), "{refused}");
        let guard = Guard::default();
        guard.allow([PrivateException::for_host("nas")], [PrivateException::for_host("other")]);
        let refused = literal(&guard, "http://[fd00::7]/").unwrap_err().to_string();
        assert!(refused.contains("crawl.allow_private nas fd00::7`"), "{refused}");
        assert!(refused.contains("[\"nas\", \"fd00::7\"]"), "{refused}");
    }

    #[test]
    fn clones_of_a_guard_learn_what_may_be_reached_from_now_on() {
        let guard = Guard::default();
        let copy = guard.clone();
        assert!(literal(&copy, "http://10.0.0.1/").is_err());
        guard.list(["10.0.0.0/8".parse().unwrap()]);
        assert!(literal(&copy, "http://10.0.0.1/").is_ok());
        guard.list([]);
        assert!(literal(&copy, "http://10.0.0.1/").is_err());
    }
}
