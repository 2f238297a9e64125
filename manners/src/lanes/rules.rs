//! Which addresses share a lane, and how fast a lane is.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use url::{Host, Url};

/// The id of a lane. Two sites share one only if a 64-bit hash collides, which does no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(u64);

impl LaneId {
    fn named(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Requests to one peer at once.
const PER_PEER: u32 = 8;

/// How fast lanes are.
#[derive(Clone, Debug)]
pub struct LaneRules {
    /// Seconds that a lane rests after a request has started, and again after it has ended.
    pub spacing: f64,
    /// Requests of one lane at once.
    pub parallel: u32,
    /// Requests of all lanes at once.
    pub in_flight: usize,
    /// Names that share a lane: see [`LaneRules::group`].
    pub groups: HashMap<String, LaneId>,
    /// Lanes with other limits: see [`LaneRules::treat`].
    pub overrides: HashMap<LaneId, LaneOverride>,
}

/// Other limits for one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneOverride {
    /// Seconds that it rests.
    pub spacing: Option<f64>,
    /// Requests at once.
    pub parallel: Option<u32>,
}

/// How fast one lane is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) spacing: f64,
    pub(super) parallel: u32,
}

impl Default for LaneRules {
    fn default() -> Self {
        Self {
            spacing: 2.0,
            parallel: 1,
            in_flight: 64,
            groups: HashMap::new(),
            overrides: HashMap::new(),
        }
    }
}

impl LaneRules {
    /// Lanes of `parallel` requests with `spacing` seconds between them, `in_flight` in all.
    pub fn new(spacing: f64, parallel: u32, in_flight: usize) -> Self {
        Self { spacing, parallel, in_flight, ..Self::default() }
    }

    /// Joins hosts or domains into one lane (one operator behind several names).
    pub fn group<'a>(&mut self, members: impl IntoIterator<Item = &'a str>) {
        let names: Vec<String> = members.into_iter().map(lane_name).collect();
        if let Some(first) = names.first() {
            let lane = self.groups.get(first).copied().unwrap_or_else(|| LaneId::named(first));
            self.groups.extend(names.into_iter().map(|name| (name, lane)));
        }
    }

    /// Gives the lane of `host` other limits. Call this after the groups are known, because they decide which
    /// lane it is.
    pub fn treat(&mut self, host: &str, different: LaneOverride) {
        let lane = self.named(&lane_name(host));
        self.overrides.insert(lane, different);
    }

    pub(super) fn lane_of(&self, url: &Url) -> LaneId {
        match url.host() {
            Some(Host::Domain(host)) => self.named(registrable(host)),
            Some(Host::Ipv4(address)) => self.named(&address.to_string()),
            Some(Host::Ipv6(address)) => self.named(&address.to_string()),
            None => self.named(""),
        }
    }

    pub(super) fn lane_of_peer(&mut self, origin: &str) -> LaneId {
        let lane = LaneId::named(&format!("peer {origin}"));
        let different = LaneOverride { spacing: Some(0.0), parallel: Some(PER_PEER) };
        self.overrides.insert(lane, different);
        lane
    }

    pub(super) fn limits(&self, lane: LaneId) -> Limits {
        let different = self.overrides.get(&lane).copied().unwrap_or_default();
        Limits {
            spacing: different.spacing.unwrap_or(self.spacing).max(0.0),
            parallel: different.parallel.unwrap_or(self.parallel).max(1),
        }
    }

    fn named(&self, name: &str) -> LaneId {
        if self.groups.is_empty() {
            return LaneId::named(name);
        }
        self.groups.get(name).copied().unwrap_or_else(|| LaneId::named(name))
    }
}

/// The name of the lane of a host, as written in the configuration.
fn lane_name(host: &str) -> String {
    let host = host.trim().to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_string(),
        Err(_) => registrable(&host).to_owned(),
    }
}

/// The registrable part of a name; all of it if the public suffix list knows none.
fn registrable(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(rules: &LaneRules, url: &str) -> LaneId {
        rules.lane_of(&Url::parse(url).unwrap())
    }

    #[test]
    fn rule_4_one_lane_per_registrable_domain() {
        let rules = LaneRules::default();
        let example = lane(&rules, "https://www.example.co.uk/a");
        assert_eq!(example, lane(&rules, "http://blog.example.co.uk:8080/b"));
        assert_eq!(example, lane(&rules, "https://EXAMPLE.co.uk./"));
        assert_ne!(example, lane(&rules, "https://other.co.uk/"));
        assert_ne!(lane(&rules, "https://a.github.io/"), lane(&rules, "https://b.github.io/"));
    }

    #[test]
    fn addresses_and_single_labels_are_their_own_lanes() {
        let rules = LaneRules::default();
        assert_eq!(lane(&rules, "http://10.0.0.1:1/"), lane(&rules, "http://10.0.0.1:2/"));
        assert_ne!(lane(&rules, "http://10.0.0.1/"), lane(&rules, "http://10.0.0.2/"));
        assert_ne!(lane(&rules, "http://node-a/"), lane(&rules, "http://node-b/"));
        assert_ne!(lane(&rules, "http://[::1]/"), lane(&rules, "http://[::2]/"));
    }

    #[test]
    fn grouped_domains_share_a_lane_and_its_limits() {
        let mut rules = LaneRules::default();
        rules.group(["example.com", "example.org", "[2001:DB8::1]"]);
        rules.treat("www.Example.org", LaneOverride { spacing: Some(9.0), parallel: None });
        let shared = lane(&rules, "https://a.example.com/");
        assert_eq!(shared, lane(&rules, "https://b.example.org/"));
        assert_eq!(shared, lane(&rules, "https://[2001:db8::1]/"));
        assert_eq!(rules.limits(shared).spacing, 9.0);
        assert_eq!(rules.limits(shared).parallel, 1);
    }
}
