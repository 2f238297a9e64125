//! `[hosts."example.org"]`: other rules for single hosts and domains.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::codec::{count, flag, path, text};
use crate::crawl::{Crawl, HOUR, MONTH, MOST_PER_DOMAIN};
use crate::secret::{Secret, sendable_secret};
use crate::table::Table;
use crate::units::duration;

/// The rules for one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    /// Between two requests.
    pub spacing: Duration,
    /// Connections to its domain.
    pub per_domain: NonZeroUsize,
    /// Between two refreshes of a source of which nothing is known.
    pub floor: Duration,
    /// Between two refreshes of a source whose history or hints justify it.
    pub floor_known: Duration,
    /// Whether exactly this host may have private addresses.
    pub private: bool,
    /// Domains of one group share one lane; without it the domain has its own.
    pub group: Option<String>,
    /// Whether another node lives there.
    pub peer: bool,
    pub credentials: HostCredentials,
}

/// What the node presents to exactly one host, and whom it trusts there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCredentials {
    /// Sent with every request.
    pub token: Option<Secret>,
    /// A file of certificates (PEM) to trust there besides the public ones.
    pub ca: Option<PathBuf>,
    /// The files of our certificate and of its key (PEM).
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// The hosts and domains that the configuration names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// By name, in lower case.
    pub named: BTreeMap<String, HostRule>,
}

impl Hosts {
    /// The rules for a host: its own, those of the nearest domain above it that is named, or the usual
    /// ones.
    pub fn rule_for(&self, host: &str, crawl: &Crawl) -> HostRule {
        let host = host_name(host).unwrap_or_else(|| host.to_ascii_lowercase());
        if let Some(own) = self.named.get(&host) {
            return own.clone();
        }
        let mut domain = host.as_str();
        while let Some((_, above)) = domain.split_once('.') {
            if let Some(rule) = self.named.get(above) {
                let credentials = HostCredentials::default();
                return HostRule { private: false, credentials, ..rule.clone() };
            }
            domain = above;
        }
        HostRule::usual(crawl)
    }
}

impl HostRule {
    /// The rules for a host that the configuration does not name.
    pub fn usual(crawl: &Crawl) -> Self {
        Self {
            spacing: crawl.spacing,
            per_domain: crawl.per_domain,
            floor: crawl.floor,
            floor_known: crawl.floor_known,
            private: false,
            group: None,
            peer: false,
            credentials: HostCredentials::default(),
        }
    }

    /// The name and the rules of a host, if the name is one. Only what differs from the usual rules is
    /// shown.
    pub(crate) fn declare(table: &mut Table<'_, Self>, crawl: &Crawl) -> Option<(String, Self)> {
        table.about(
            "Other rules for a host, or for a domain and all hosts below it. What is left out is as in \
             [crawl].",
        );
        let usual = Self::usual(crawl);
        let spacing = table.key("spacing", "The shortest time between two requests.").optional(
            duration(Duration::ZERO..=HOUR),
            "500 ms",
            |rule| (rule.spacing != usual.spacing).then_some(rule.spacing),
        );
        let per_domain = table
            .key("per_domain", "The most connections at the same time.")
            .optional(count(MOST_PER_DOMAIN), 4, |rule| {
                (rule.per_domain != usual.per_domain).then_some(rule.per_domain)
            });
        let floor = table
            .key("floor", "The shortest time between two refreshes of a source there, new or not.")
            .reloads()
            .optional(duration(Duration::ZERO..=MONTH), "5 min", |rule| {
                let one = rule.floor == rule.floor_known && usual.floor != usual.floor_known;
                (one || rule.floor != usual.floor).then_some(rule.floor)
            });
        let rule = Self {
            spacing: spacing.unwrap_or(usual.spacing),
            per_domain: per_domain.unwrap_or(usual.per_domain),
            floor: floor.unwrap_or(usual.floor),
            floor_known: floor.unwrap_or(usual.floor_known),
            private: table
                .key("private", "Whether exactly this host may have a private address.")
                .required(flag(), false, |rule| rule.private),
            group: table
                .key(
                    "group",
                    "Domains of one group share one lane: the node sends them requests as if they were \
                     one domain.",
                )
                .optional(text(), "example", |rule| rule.group.clone()),
            peer: table
                .key(
                    "peer",
                    "Whether another node runs there. Its pauses then hold for one feed, not for the \
                     whole host.",
                )
                .required(flag(), false, |rule| rule.peer),
            credentials: HostCredentials::declare(table),
        };
        let name = host_name(table.name());
        if name.is_none() {
            table.refuse_table("must be a host or domain, without scheme, port or path");
        }
        Some((name?, rule))
    }
}

impl HostCredentials {
    fn declare(table: &mut Table<'_, HostRule>) -> Self {
        let token = table
            .key(
                "token",
                "A token that exactly this host gets as `Authorization: Bearer`. It is never sent over \
                 plain HTTP, unless the host is in a private network.",
            )
            .secret(sendable_secret(), "what its operator gave us", |rule| {
                rule.credentials.token.clone()
            });
        let ca = table
            .key(
                "ca",
                "A file of certificates (PEM) to trust at exactly this host, besides the public ones.",
            )
            .optional(path(), "example-ca.pem", |rule| rule.credentials.ca.clone());
        let certificate = table
            .key(
                "certificate",
                "The certificate that the node presents to exactly this host (PEM).",
            )
            .optional(path(), "our-cert.pem", |rule| {
                Some(rule.credentials.identity.as_ref()?.0.clone())
            });
        let key = table.key("key", "The private key of that certificate (PEM).").optional(
            path(),
            "our-key.pem",
            |rule| Some(rule.credentials.identity.as_ref()?.1.clone()),
        );
        if certificate.is_some() != key.is_some() {
            table.refuse("certificate", "must be set together with `key`");
            table.refuse("key", "must be set together with `certificate`");
        }
        Self { token, ca, identity: certificate.zip(key) }
    }
}

/// A host or domain as URLs spell it, if the text is nothing else.
fn host_name(text: &str) -> Option<String> {
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<Ipv6Addr>() {
        return Some(url::Host::<String>::Ipv6(address).to_string());
    }
    let plain = !text.is_empty() && !text.contains(|c: char| "/:@?#".contains(c));
    let host = url::Host::parse(text.trim_end_matches('.')).ok().filter(|_| plain)?;
    Some(host.to_string())
}
