//! The effective configuration as a file: what holds, and where it was said.
//!
//! What is printed can be read again and means the same, but for secrets: those are stars.

use std::fmt::{Display, Write};

use url::Url;

use super::keys::SECRET;
use super::problem::Place;
use super::secret::MASK;
use super::{Config, HostRule};

/// A key and its value as TOML, if it has one.
pub(super) type Entry = (&'static str, Option<String>);

impl Config {
    /// The effective configuration as TOML, with a comment where each value that is no default came
    /// from. Secrets are masked.
    pub fn show(&self) -> String {
        let defaults = Self::default();
        let mut shown = String::new();
        for ((name, entries), (_, defaults)) in self.sections().into_iter().zip(defaults.sections())
        {
            table(&mut shown, &format!("[{name}]"), "");
            for (entry, default) in entries.iter().zip(&defaults) {
                let own = if entry == default { String::new() } else { self.origin(name, entry.0) };
                line(&mut shown, entry, &own);
            }
        }
        for (name, rule) in &self.hosts.named {
            let title = format!("hosts.{}", quoted(name));
            table(&mut shown, &format!("[{title}]"), &self.table_origin(&title));
            lines(&mut shown, &HostRule::entries(rule, &self.crawl));
        }
        for (index, reader) in self.readers.iter().enumerate() {
            let title = format!("reader[{}]", index + 1);
            table(&mut shown, "[[reader]]", &self.table_origin(&title));
            lines(&mut shown, &reader.entries(&self.peers.limits));
        }
        for (index, source) in self.sources.iter().enumerate() {
            let title = format!("source[{}]", index + 1);
            table(&mut shown, "[[source]]", &self.table_origin(&title));
            lines(&mut shown, &source.entries());
        }
        for feed in &self.declared {
            table(&mut shown, "[[feed]]", &format!(" # from {}", feed.origin));
            let readers = feed.readers.as_ref().map(quoted_list);
            let query = ("query", Some(quoted(&feed.statement)));
            lines(&mut shown, &[query, ("readers", readers)]);
        }
        shown
    }

    /// Every table that is there once.
    pub(super) fn sections(&self) -> [(&'static str, Vec<Entry>); 12] {
        [
            ("node", self.node.entries()),
            ("store", self.store.entries()),
            ("budget", self.budget.entries()),
            ("schedule", self.schedule.entries()),
            ("crawl", self.crawl.entries()),
            ("feeds", self.feeds.entries()),
            ("websub", self.websub.entries()),
            ("api", self.api.entries()),
            ("tls", super::Tls::entries(self.tls.as_ref())),
            ("peers", self.peers.entries()),
            ("clock", self.clock.entries()),
            ("log", self.log.entries()),
        ]
    }

    /// The comment about where a key was set. A secret can also have come from a file.
    fn origin(&self, section: &str, key: &str) -> String {
        let name = format!("{section}.{key}");
        let or_file = format!("{name}_file");
        let places = [self.origins.get(&name), self.origins.get(&or_file)];
        places.into_iter().flatten().max().map_or(String::new(), comment)
    }

    fn table_origin(&self, title: &str) -> String {
        self.origins.get(title).map_or(String::new(), comment)
    }
}

fn comment(place: &Place) -> String {
    format!(" # from {place}")
}

fn table(shown: &mut String, header: &str, comment: &str) {
    let gap = if shown.is_empty() { "" } else { "\n" };
    let _ = writeln!(shown, "{gap}{header}{comment}");
}

/// The keys that have a value.
fn lines(shown: &mut String, entries: &[Entry]) {
    entries.iter().filter(|(_, value)| value.is_some()).for_each(|entry| line(shown, entry, ""));
}

fn line(shown: &mut String, (key, value): &Entry, comment: &str) {
    let _ = match value {
        Some(value) if *key == SECRET => writeln!(shown, "# {key} = {value}{comment}"),
        Some(value) => writeln!(shown, "{key} = {value}{comment}"),
        None => writeln!(shown, "# {key} is not set"),
    };
}

/// Text as TOML.
pub(super) fn quoted(text: impl Display) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// An address as TOML, without its password.
pub(super) fn quoted_url(url: &Url) -> String {
    let mut url = url.clone();
    if url.password().is_some() {
        // Only an address without a host can have no password, and such has none.
        let _ = url.set_password(Some(MASK));
    }
    quoted(url)
}

/// A list of texts as TOML.
pub(super) fn quoted_list<T: Display>(texts: impl IntoIterator<Item = T>) -> String {
    let members: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", members.join(", "))
}
