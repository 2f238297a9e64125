//! What a new configuration changes in a running node, and what it can only change at the next start.

use std::time::Duration;

use crate::config::Config;
use crate::document::Form;
use crate::hosts::HostRule;

/// The differences between the configuration in use and a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// `[[source]]` changed.
    pub sources: bool,
    /// `[[feed]]` changed.
    pub feeds: bool,
    /// `[budget]` changed.
    pub budget: bool,
    /// How often a source is asked at most changed, for all hosts or for some.
    pub floors: bool,
    /// `crawl.allow_private` changed.
    pub allow_private: bool,
    /// `[[reader]]` changed, or the limits in `[peers]`.
    pub readers: bool,
    /// `schedule.completeness` or `schedule.equity` changed.
    pub taste: bool,
    /// `store.keep` changed.
    pub keep: bool,
    /// `[tls]` names other files or other clients.
    pub tls: bool,
    /// Keys and tables whose new values hold after a restart only.
    pub restart: Vec<String>,
}

impl Config {
    /// What changes if `new` replaces this configuration.
    pub fn reloadable_changes(&self, new: &Self) -> Reload {
        let mut restart = Vec::new();
        let sections = self.compared_with(new);
        for section in sections.iter().filter(|section| section.form == Form::Once) {
            let values = section.tables.iter().flat_map(|table| &table.values);
            let changed = section.keys.iter().zip(values).filter(|(_, value)| value.differs);
            let late = changed.filter(|(key, _)| !key.reloads);
            restart.extend(late.map(|(key, _)| format!("{}.{}", section.name, key.name)));
        }
        if self.without_floors() != new.without_floors() {
            restart.push("hosts".to_owned());
        }
        if self.tls.is_some() != new.tls.is_some() {
            restart.push("tls".to_owned());
        }
        let statements = |config: &Self| -> Vec<(String, Option<Vec<String>>)> {
            let feeds = config.declared.iter();
            feeds.map(|feed| (feed.statement.clone(), feed.readers.clone())).collect()
        };
        Reload {
            sources: self.sources != new.sources,
            feeds: statements(self) != statements(new),
            budget: self.budget != new.budget,
            floors: self.floors() != new.floors(),
            allow_private: self.crawl.allow_private != new.crawl.allow_private,
            readers: self.readers != new.readers || self.peers.limits != new.peers.limits,
            taste: self.schedule.taste != new.schedule.taste,
            keep: self.store.keep != new.store.keep,
            tls: self.tls != new.tls,
            restart,
        }
    }
    /// The usual floors, and those of single hosts.
    fn floors(&self) -> Vec<(Option<&str>, Duration, Duration)> {
        let usual = (None, self.crawl.floor, self.crawl.floor_known);
        let hosts = self.hosts.named.iter();
        let hosts = hosts.map(|(name, rule)| (Some(name.as_str()), rule.floor, rule.floor_known));
        let different = hosts.filter(|(_, floor, known)| (None, *floor, *known) != usual);
        std::iter::once(usual).chain(different).collect()
    }

    /// The rules for single hosts, as far as they differ from the usual ones by more than their floors, which
    /// hold at once.
    fn without_floors(&self) -> Vec<(&str, HostRule)> {
        let floor = Duration::ZERO;
        let apart = |rule: HostRule| HostRule { floor, floor_known: floor, ..rule };
        let usual = apart(HostRule::usual(&self.crawl));
        let hosts = self.hosts.named.iter();
        let hosts = hosts.map(|(name, rule)| (name.as_str(), apart(rule.clone())));
        hosts.filter(|(_, rule)| *rule != usual).collect()
    }
}
