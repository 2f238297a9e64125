//! Names for observed sources and feeds: plain and unique.

use std::collections::HashSet;

use pergola_wiring::mesh::LONGEST_NAME;
use url::Url;

use crate::names::unused;

/// Leaves room for a number.
const LONGEST: usize = LONGEST_NAME - 10;

/// A text with characters that a name may not have replaced by hyphens.
pub(super) fn plain(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    name.truncate(LONGEST);
    name.truncate(name.trim_end_matches('-').len());
    name
}

/// A name for a URL: its host and its path.
pub(super) fn of_url(url: &str) -> String {
    let short = Url::parse(url).ok().map(|url| {
        let host = url.host_str().unwrap_or_default().trim_start_matches("www.").to_owned();
        format!("{host}{}", url.path().trim_end_matches('/'))
    });
    match plain(short.as_deref().unwrap_or(url)) {
        name if name.is_empty() => "source".to_owned(),
        name => name,
    }
}

/// The names in use.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A name for a feed. Contains the name of its node if other nodes have a feed of that name.
    pub(super) fn feed(&mut self, name: &str, node: &str, ambiguous: bool) -> String {
        let name = plain(name);
        self.free(if ambiguous { format!("{node}.{name}") } else { name })
    }

    /// A name for a source.
    pub(super) fn source(&mut self, name: &str) -> String {
        self.free(plain(name))
    }

    fn free(&mut self, mut name: String) -> String {
        if name.is_empty() {
            name.push_str("unnamed");
        }
        name.truncate(LONGEST);
        let free = unused(name, |name| self.0.contains(name));
        self.0.insert(free.clone());
        free
    }
}
