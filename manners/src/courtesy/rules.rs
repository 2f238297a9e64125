//! The numbers of politeness, and the hosts for which the operator has chosen others.

use std::collections::HashMap;

use url::Url;

/// Seconds in a day.
pub(super) const DAY: f64 = 86_400.0;

/// Seconds between two refreshes of a peer that the configuration does not name.
const PEER_FLOOR: f64 = 60.0;
/// Seconds to wait after a first failure of a peer that is read over gRPC.
const PEER_BACKOFF: f64 = 2.0;

/// The numbers by which one host is treated. All durations are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Between two refreshes of a source about which nothing is known.
    pub floor: f64,
    /// Between two refreshes once there is evidence that more are worth it (see
    /// [`Courtesy::has_evidence`](super::Courtesy::has_evidence)).
    pub floor_with_evidence: f64,
    /// The longest Retry-After that is believed.
    pub retry_after_cap: f64,
    /// The longest max-age, Expires, ttl or update period that is believed.
    pub hint_cap: f64,
    /// The pause after a first 429 or 503 without Retry-After; it doubles up to `pause_cap`.
    pub pause: f64,
    /// The longest pause that the source did not ask for.
    pub pause_cap: f64,
    /// The wait after a first failure; it doubles (for a 404 it grows fourfold) up to `backoff_cap`.
    pub backoff: f64,
    /// The longest wait after failures.
    pub backoff_cap: f64,
    /// How many 403 in a row are a burst.
    pub forbidden_burst: u32,
    /// How long a permanent redirect must name the same target before the target is adopted.
    pub adopt_after: f64,
    /// The longest random offset; it is never more than a tenth of the wait.
    pub offset_cap: f64,
    /// The host is a peer named in the configuration: a pause of one URL never spreads to others.
    pub peer: bool,
    /// The host or domain that the configuration gives them for; nothing if they are the usual ones.
    pub named: Option<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            floor: 3_600.0,
            floor_with_evidence: 900.0,
            retry_after_cap: 31.0 * DAY,
            hint_cap: 7.0 * DAY,
            pause: 3_600.0,
            pause_cap: DAY,
            backoff: 3_600.0,
            backoff_cap: 7.0 * DAY,
            forbidden_burst: 3,
            adopt_after: 7.0 * DAY,
            offset_cap: 300.0,
            peer: false,
            named: None,
        }
    }
}

impl Rules {
    /// The rules for a peer: no floor, because the peer says when to come back, and a retry a minute after a
    /// failure.
    pub fn for_peer() -> Self {
        Self {
            floor: 0.0,
            floor_with_evidence: 0.0,
            pause: 60.0,
            backoff: 60.0,
            backoff_cap: 3_600.0,
            peer: true,
            ..Self::default()
        }
    }
}

/// The rules of all hosts: the default ones, and those of hosts that the configuration names.
#[derive(Clone, Debug, Default)]
pub struct RuleBook {
    usual: Rules,
    hosts: HashMap<String, Rules>,
    /// Whether a host may be named with its port: only then is it looked for in that way.
    ports: bool,
}

impl RuleBook {
    /// The same rules for every host.
    pub fn new(usual: Rules) -> Self {
        Self { usual, ..Self::default() }
    }

    /// The rules for hosts that have no others.
    pub fn usual(&self) -> &Rules {
        &self.usual
    }

    /// Other rules for `host`: a name or an address, optionally with `:port`. A name covers its subdomains.
    pub fn set(&mut self, host: &str, rules: Rules) {
        let rules = Rules { named: Some(host.to_owned()), ..rules };
        self.ports |= host.contains(':');
        self.hosts.insert(host.to_ascii_lowercase().replace(['[', ']'], ""), rules);
    }

    /// The rules for this address: those of host and port, else of the host, else of the nearest parent
    /// domain that has some, else the default.
    pub fn rules_for(&self, url: &Url) -> &Rules {
        if self.hosts.is_empty() {
            return &self.usual;
        }
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches([']', '.']);
        if self.ports
            && let Some(port) = url.port_or_known_default()
            && let Some(rules) = self.hosts.get(&format!("{host}:{port}"))
        {
            return rules;
        }
        let mut names = std::iter::successors(Some(host), |name| Some(name.split_once('.')?.1));
        names.find_map(|name| self.hosts.get(name)).unwrap_or(&self.usual)
    }

    /// The rules for an address that is read from a peer over gRPC. Such a node limits its readers itself, so
    /// the floor is low where the configuration names none, and a peer that was away is retried soon.
    pub fn peer_rules_for(&self, url: &Url) -> Rules {
        let rules = self.rules_for(url);
        let named = rules.named.clone();
        let floor = if named.is_some() { rules.floor } else { PEER_FLOOR.min(rules.floor) };
        let floor_with_evidence = rules.floor_with_evidence.min(floor);
        Rules { floor, floor_with_evidence, backoff: PEER_BACKOFF, named, ..Rules::for_peer() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_precise_name_wins() {
        let mut book = RuleBook::new(Rules::default());
        book.set("Example.org", Rules { floor: 1.0, ..Rules::default() });
        book.set("example.org:8080", Rules::for_peer());
        book.set("[::1]", Rules::for_peer());
        let floor_of = |url: &str| book.rules_for(&Url::parse(url).unwrap()).floor;
        assert_eq!(floor_of("http://[::1]:81/feed"), 0.0);
        assert_eq!(floor_of("http://example.org/feed"), 1.0);
        assert_eq!(floor_of("http://example.org:8080/feed"), 0.0);
        assert_eq!(floor_of("http://www.example.org/feed"), 1.0);
        assert_eq!(floor_of("http://anexample.org/feed"), 3_600.0);
    }
}
