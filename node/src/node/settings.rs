//! What follows from the configuration: how sources are treated, which lanes there are, how to fetch.

use std::collections::HashMap;

use pergola_config::Config;
use pergola_feed::NodeId;
use pergola_manners::Manners;
use pergola_manners::courtesy::{RuleBook, Rules};
use pergola_manners::lanes::{LaneOverride, LaneRules};
use pergola_manners::seats::Places;

use pergola_outside::fetch::{DecodeLimits, FetchSettings};
use pergola_outside::guard::Guard;
use pergola_outside::open_files::OpenFiles;
use pergola_outside::pace::Patience;
use pergola_outside::surroundings::Outside;

/// How the hosts of sources are treated.
pub(super) fn rule_book(config: &Config) -> RuleBook {
    let usual = Rules {
        floor: config.crawl.floor.as_secs_f64(),
        floor_with_evidence: config.crawl.floor_known.as_secs_f64(),
        ..Rules::default()
    };
    let mut rules = RuleBook::new(usual.clone());
    for (host, rule) in &config.hosts.named {
        let base = if rule.peer { Rules::for_peer() } else { usual.clone() };
        let floor = rule.floor.as_secs_f64();
        let floor_with_evidence = rule.floor_known.as_secs_f64().min(floor);
        rules.set(host, Rules { floor, floor_with_evidence, ..base });
    }
    rules
}

pub(super) fn manners(config: &Config, node: NodeId) -> Manners {
    let limits = pergola_feed::Limits {
        items: config.crawl.max_items,
        bytes: config.crawl.max_body,
        ..Default::default()
    };
    let peers = config.peers.enabled && config.crawl.proxy.is_none();
    Manners { node, rules: rule_book(config), limits, peers }
}

pub(super) fn lane_rules(config: &Config) -> LaneRules {
    let parallel = u32::try_from(config.crawl.per_domain.get()).unwrap_or(u32::MAX);
    let spacing = config.crawl.spacing.as_secs_f64();
    let mut rules = LaneRules::new(spacing, parallel, config.crawl.parallel.get());
    let mut groups: HashMap<&str, Vec<&str>> = HashMap::new();
    for (host, rule) in &config.hosts.named {
        groups.entry(rule.group.as_deref().unwrap_or(host)).or_default().push(host);
    }
    groups.into_values().for_each(|members| rules.group(members));
    for (host, rule) in &config.hosts.named {
        let spacing = Some(rule.spacing.as_secs_f64());
        let parallel = u32::try_from(rule.per_domain.get()).ok();
        rules.treat(host, LaneOverride { spacing, parallel });
    }
    rules
}

/// Open files that a node needs besides those of its readers' connections: the store, names, logs.
const OTHER_FILES: usize = 128;

/// Open files that a node needs when everything is in use.
pub fn open_files_needed(config: &Config) -> usize {
    Places::files(config.node.connections) + files_besides(config)
}

fn files_besides(config: &Config) -> usize {
    // A source that is being fetched, and one connection that is kept for later.
    2 * config.crawl.parallel.get() + OTHER_FILES
}

/// The places at the port: as many as are configured, unless fewer files may be open.
pub(super) fn places(config: &Config, files: OpenFiles) -> Places {
    let (asked, needed) = (config.node.connections, open_files_needed(config));
    let allowed = files.soft.map_or(usize::MAX, |soft| usize::try_from(soft).unwrap_or(usize::MAX));
    let mut seats = asked;
    if allowed < needed {
        let room = allowed.saturating_sub(files_besides(config));
        seats = (room - room / 16).saturating_sub(16).clamp(16, asked);
        tracing::warn!(
            allowed,
            needed,
            connections = seats,
            "fewer connections are taken than node.connections allows: raise the limit on open files"
        );
    }
    let per_address = config.node.connections_per_address.min(seats);
    Places::new(seats, per_address, config.node.proxies.clone())
}

pub(super) fn patience(config: &Config) -> Patience {
    let node = &config.node;
    Patience { head: node.head_timeout, stall: node.stall_timeout, idle: node.idle_timeout }
}

fn guard(config: &Config) -> Guard {
    let guard = Guard::default();
    guard.allow(config.crawl.allow_private.clone(), config.private_hosts());
    guard
}

pub(super) fn fetch_settings(config: &Config, outside: Outside) -> FetchSettings {
    FetchSettings {
        outside,
        contact: config.node.contact.to_string(),
        guard: guard(config),
        extra_ca: config.crawl.extra_ca.clone(),
        hosts: config.hosts.clone(),
        proxy: config.crawl.proxy.clone(),
        connect_timeout: config.crawl.connect_timeout,
        total_timeout: config.crawl.timeout,
        max_body: config.crawl.max_body,
        decode: DecodeLimits { max_decoded: config.crawl.max_body, ..DecodeLimits::default() },
        max_redirects: config.crawl.max_redirects,
        idle_per_host: config.crawl.parallel.get().min(64),
        ..FetchSettings::default()
    }
}
