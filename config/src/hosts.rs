//! `[hosts."example.org"]`: other manners for single hosts and domains.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use super::crawl::{HOUR, MONTH, MOST_PER_DOMAIN};
use super::problem::Problem;
use super::raw::Fields;
use super::reader::Reader;
use super::secret::MASK;
use super::show::{Entry, quoted};
use super::units::{duration, written_duration};
use super::values::{count, flag, text};
use super::{Crawl, Secret};

/// How one host is treated; complete, whether it was named or not.
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
    /// Whether another node of the mesh lives there.
    pub peer: bool,
    /// What exactly this host is shown, and whom we trust there.
    pub credentials: HostCredentials,
}

/// What exactly one host is shown, and whom we trust there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCredentials {
    /// Sent with every request.
    pub token: Option<Secret>,
    /// A file of certificates (PEM) that are trusted there besides the usual ones.
    pub ca: Option<PathBuf>,
    /// Our certificate for it (PEM), and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// The hosts and domains that the configuration names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// By name, in lower case.
    pub named: BTreeMap<String, HostRule>,
}

impl Hosts {
    /// How a host is treated: as itself, as the nearest domain above it that is named, or as anybody.
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

impl Hosts {
    pub(super) fn read(
        tables: &[(String, Fields)],
        crawl: &Crawl,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut named = BTreeMap::new();
        for (name, fields) in tables {
            let mut reader = Reader::new(fields, problems);
            let rule = HostRule::read(&mut reader, crawl);
            match host_name(name) {
                None => {
                    reader.refuse_table("must be a host or domain, without scheme, port or path")
                }
                Some(host) if named.contains_key(&host) => {
                    reader.refuse_table(&format!("must be there once, but `{host}` already is"));
                }
                Some(host) => {
                    named.insert(host, rule);
                }
            }
        }
        Self { named }
    }
}

impl HostRule {
    fn read(reader: &mut Reader<'_>, crawl: &Crawl) -> Self {
        let usual = Self::usual(crawl);
        let floor = reader.optional("floor", duration(Duration::ZERO..=MONTH));
        let spacing = reader.optional("spacing", duration(Duration::ZERO..=HOUR));
        Self {
            spacing: spacing.unwrap_or(usual.spacing),
            per_domain: reader
                .optional("per_domain", count(MOST_PER_DOMAIN))
                .unwrap_or(usual.per_domain),
            floor: floor.unwrap_or(usual.floor),
            floor_known: floor.unwrap_or(usual.floor_known),
            private: reader.required("private", flag),
            group: reader.optional("group", text),
            peer: reader.required("peer", flag),
            credentials: HostCredentials::read(reader),
        }
    }

    /// Only what differs from anybody's rule.
    pub(super) fn entries(&self, crawl: &Crawl) -> Vec<Entry> {
        let usual = Self::usual(crawl);
        let time =
            |own: Duration, usual: Duration| (own != usual).then(|| quoted(written_duration(own)));
        let floor = if self.floor == self.floor_known && usual.floor != usual.floor_known {
            Some(quoted(written_duration(self.floor)))
        } else {
            time(self.floor, usual.floor)
        };
        let identity = self.credentials.identity.as_ref();
        vec![
            ("spacing", time(self.spacing, usual.spacing)),
            (
                "per_domain",
                (self.per_domain != usual.per_domain).then(|| self.per_domain.to_string()),
            ),
            ("floor", floor),
            ("private", Some(self.private.to_string())),
            ("group", self.group.as_ref().map(quoted)),
            ("peer", Some(self.peer.to_string())),
            ("token", self.credentials.token.as_ref().map(|_| quoted(MASK))),
            ("ca", self.credentials.ca.as_ref().map(|file| quoted(file.display()))),
            ("certificate", identity.map(|(certificate, _)| quoted(certificate.display()))),
            ("key", identity.map(|(_, key)| quoted(key.display()))),
        ]
    }

    /// The rule for a host that nobody named.
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
}

impl HostCredentials {
    fn read(reader: &mut Reader<'_>) -> Self {
        let token = Secret::read_sendable(reader);
        let mut file = |key| reader.optional(key, text).map(|path| reader.path(key, &path));
        let (ca, certificate, key) = (file("ca"), file("certificate"), file("key"));
        if certificate.is_some() != key.is_some() {
            reader.refuse("certificate", "must be set together with `key`");
            reader.refuse("key", "must be set together with `certificate`");
        }
        Self { token, ca, identity: certificate.zip(key) }
    }
}

/// A host or domain as the addresses of requests spell it, if the text is nothing else.
pub(super) fn host_name(text: &str) -> Option<String> {
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<Ipv6Addr>() {
        return Some(format!("[{address}]"));
    }
    let plain = !text.is_empty() && !text.contains(|c: char| "/:@?#".contains(c));
    let host = url::Host::parse(text.trim_end_matches('.')).ok().filter(|_| plain)?;
    Some(host.to_string())
}
