//! Names for what was seen: plain, and each there once.

use std::collections::HashSet;

use url::Url;

/// The longest name.
const LONGEST: usize = 100;

/// A text with nothing but what a name may have.
pub(super) fn plain(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    name.truncate(LONGEST - 10);
    name.truncate(name.trim_end_matches('-').len());
    name
}

/// A name for an address: its host and its path.
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

/// The names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A name for a feed; with its node's if others are called the same.
    pub(super) fn feed(&mut self, name: &str, node: &str, ambiguous: bool) -> String {
        let name = plain(name);
        self.free(if ambiguous { format!("{node}.{name}") } else { name })
    }

    /// A name for a source.
    pub(super) fn source(&mut self, name: &str) -> String {
        self.free(plain(name))
    }

    fn free(&mut self, name: String) -> String {
        let name = if name.is_empty() { "unnamed".to_owned() } else { name };
        let name = name.chars().take(LONGEST - 10).collect::<String>();
        let others = (2_u32..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(others).find(|name| !self.0.contains(name));
        let free = free.unwrap_or(name);
        self.0.insert(free.clone());
        free
    }
}
