//! `[hosts."example.org"]`: other manners for single hosts and domains.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use super::Crawl;

/// How one host is treated; complete, whether it was named or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    /// Between two requests.
    pub spacing: Duration,
    /// Connections to its domain.
    pub per_domain: NonZeroUsize,
    /// Between two looks at a source of which nothing is known.
    pub floor: Duration,
    /// Between two looks at a source whose history or hints justify it.
    pub floor_known: Duration,
    /// Whether exactly this host may have private addresses.
    pub private: bool,
    /// Domains of one group share one lane; without it the domain has its own.
    pub group: Option<String>,
    /// Whether another node of the mesh lives there.
    pub peer: bool,
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
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if let Some(own) = self.named.get(&host) {
            return own.clone();
        }
        let mut domain = host.as_str();
        while let Some((_, above)) = domain.split_once('.') {
            if let Some(rule) = self.named.get(above) {
                return HostRule { private: false, ..rule.clone() };
            }
            domain = above;
        }
        HostRule::usual(crawl)
    }
}

impl HostRule {
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
        }
    }
}

/// A host or domain in lower case, if the text is nothing else.
pub(super) fn host_name(text: &str) -> Option<String> {
    let plain = !text.is_empty() && !text.contains(|c: char| "/:@?#".contains(c));
    let host = url::Host::parse(text.trim_end_matches('.')).ok().filter(|_| plain)?;
    Some(host.to_string())
}
