//! What a new configuration changes in a running node, and what it can only change at the next start.

use super::Config;

/// The differences between the configuration in use and a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reload {
    /// `[[source]]` changed.
    pub sources: bool,
    /// `[[feed]]` changed.
    pub feeds: bool,
    /// `[budget]` changed.
    pub budget: bool,
    /// `[[reader]]`, or what `[peers]` allows them, changed.
    pub readers: bool,
    /// `[tls]` names other files or other clients.
    pub tls: bool,
    /// Keys and tables whose new values hold after a restart only.
    pub restart: Vec<String>,
}

impl Config {
    /// What changes if `new` takes the place of this configuration.
    pub fn reloadable_changes(&self, new: &Self) -> Reload {
        let mut restart = Vec::new();
        for ((section, old), (_, new)) in self.sections().into_iter().zip(new.sections()) {
            let changed = old.iter().zip(&new).filter(|(old, new)| old != new);
            let at_once = |key: &str| match section {
                "budget" | "tls" => true,
                "peers" => ["streams", "requests_per_minute", "max_message"].contains(&key),
                _ => false,
            };
            let keys = changed.map(|((key, _), _)| *key).filter(|key| !at_once(key));
            restart.extend(keys.map(|key| format!("{section}.{key}")));
        }
        // Entries show no secrets, so these two can differ where their entries do not.
        let hidden = [
            ("api.token", self.api.token != new.api.token),
            ("crawl.proxy", self.crawl.proxy != new.crawl.proxy),
        ];
        for (key, changed) in hidden {
            if changed && !restart.iter().any(|other| other == key) {
                restart.push(key.to_owned());
            }
        }
        if self.hosts != new.hosts {
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
            readers: self.readers != new.readers || self.peers.limits != new.peers.limits,
            tls: self.tls != new.tls,
            restart,
        }
    }
}
