//! What is allowed but probably not meant.

use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pergola_query::syntax::SourceRef;
use pergola_refresh::StrategyKind;

use crate::config::Config;
use crate::declared_feed::DeclaredFeed;
use crate::node::EARLIER;
use crate::origin::Origin;
use crate::readers::Reader;
use crate::schedule::Choice;

/// Shorter tokens can be guessed.
const TOKEN_LENGTH: usize = 16;

/// Something that is allowed but probably not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub what: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Warning {
    fn new(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what: what.into(), advice: Some(advice.into()) }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.what)?;
        self.advice.as_ref().map_or(Ok(()), |advice| write!(formatter, "; {advice}"))
    }
}

impl Config {
    /// What is allowed but probably not meant.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings_about_reach();
        warnings.extend(self.earlier_place());
        if self.api.token.as_ref().is_some_and(|token| token.reveal().len() < TOKEN_LENGTH) {
            warnings.push(Warning::new(
                "`api.token` is short enough to be guessed",
                format!("use at least {TOKEN_LENGTH} characters"),
            ));
        }
        warnings.extend(self.warnings_about_trust());
        warnings.extend(self.declared.iter().flat_map(|feed| self.warnings_about_leaks(feed)));
        if self.crawl.proxy.is_some() {
            warnings.push(Warning::new(
                "with `crawl.proxy` it is the proxy that resolves names",
                "make sure that the proxy itself refuses private addresses",
            ));
        }
        if self.schedule.strategy == Choice::Fixed(StrategyKind::Reference) {
            warnings.push(Warning::new(
                "the strategy Reference ignores `budget` and always refreshes every source",
                "use it for experiments only",
            ));
        }
        if self.clock.speed != 1.0 && self.clock.epoch.is_none() {
            warnings.push(Warning::new(
                "`clock.speed` without `clock.epoch`: after a restart the node is back at the real time, \
                 behind its own items",
                "set `clock.epoch`, the same for all nodes",
            ));
        }
        let about_queries = self.declared.iter().flat_map(|feed| feed.warnings());
        warnings.extend(about_queries.map(|what| Warning { what, advice: None }));
        warnings
    }

    /// About data that is still where an earlier version kept it.
    pub fn earlier_place(&self) -> Option<Warning> {
        let Some(Origin::Earlier { instead }) = self.origins.get("node.data") else { return None };
        Some(Warning::new(
            format!("the data is in ./{EARLIER}, where an earlier version kept it"),
            format!(
                "to find it from everywhere, stop the node and move the folder to {instead}; to keep it \
                 here, name it in `node.data`"
            ),
        ))
    }

    /// About a node that other machines can reach.
    fn warnings_about_reach(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let listen = self.node.listen;
        if listen.ip().is_loopback() {
            let url = &self.node.public_url;
            if self.api.token.is_none() && (self.node.behind_proxy || !is_here(url)) {
                warnings.push(Warning::new(
                    format!(
                        "the node is known as {url} and has no `api.token`: over the network it cannot be managed \
                         at all, only by commands that may read its data folder"
                    ),
                    "set PERGOLA_API__TOKEN_FILE to allow it",
                ));
            }
            return warnings;
        }
        if self.api.token.is_none() {
            warnings.push(Warning::new(
                format!(
                    "the node listens on {listen}, beyond this machine, without `api.token`: its API \
                     refuses all changes"
                ),
                "set PERGOLA_API__TOKEN_FILE to allow them",
            ));
        }
        if is_here(&self.node.public_url) {
            let url = &self.node.public_url;
            warnings.push(Warning::new(
                format!(
                    "the node listens on {listen}, but its feeds say they are at {url}, where no other \
                     machine finds them"
                ),
                "set `node.public_url`",
            ));
        }
        warnings
    }

    /// About a feed that more people may read than a feed that it reads.
    fn warnings_about_leaks(&self, feed: &DeclaredFeed) -> Vec<Warning> {
        let read = feed.body.sources.iter().filter_map(|clause| match &clause.source.value {
            SourceRef::Feed(name) => self.declared.iter().find(|other| other.name == *name),
            _ => None,
        });
        let closed = read.filter_map(|of| Some((of, of.readers.as_ref()?)));
        let leaks = closed.filter(|(_, may)| {
            let own = feed.readers.as_ref();
            own.is_none_or(|own| own.iter().any(|reader| !may.contains(reader)))
        });
        let warning = |(of, _): (&DeclaredFeed, _)| {
            let what = format!("feed {} reads {}, which is closed to others", feed.name, of.name);
            Warning::new(what, "give it the same readers")
        };
        leaks.map(warning).collect()
    }

    /// About certificates, keys and the readers who are known by them.
    fn warnings_about_trust(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let hosts = self.hosts.named.values().filter_map(|rule| rule.credentials.identity.as_ref());
        let keys = self.tls.iter().map(|tls| &tls.key).chain(hosts.map(|(_, key)| key));
        for key in keys.filter(|key| is_open_to_all(key)) {
            let file = key.display();
            warnings.push(Warning::new(
                format!("everybody on this machine can read the key {file}"),
                format!("chmod 600 {file}"),
            ));
        }
        if self.tls.is_some() && self.node.public_url.scheme() == "http" {
            let url = &self.node.public_url;
            warnings.push(Warning::new(
                format!("the node speaks TLS, but its feeds say they are at {url}"),
                "let `node.public_url` begin with https://",
            ));
        }
        warnings.extend(self.readers.iter().flat_map(|reader| self.warnings_about_reader(reader)));
        if !self.readers.is_empty() && self.api.token.is_none() {
            warnings.push(Warning::new(
                "without `api.token` every program that the node's user runs on this machine reads all feeds",
                "set PERGOLA_API__TOKEN_FILE",
            ));
        }
        warnings
    }

    fn warnings_about_reader(&self, reader: &Reader) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let name = &reader.name;
        if !reader.is_known() {
            warnings.push(Warning::new(
                format!("nobody can be the reader `{name}`"),
                "give it a `token` or a `certificate`",
            ));
        }
        if reader.token.as_ref().is_some_and(|token| token.reveal().len() < TOKEN_LENGTH) {
            warnings.push(Warning::new(
                format!("the token of the reader `{name}` is short enough to be guessed"),
                format!("use at least {TOKEN_LENGTH} characters"),
            ));
        }
        let asked = self.tls.as_ref().is_some_and(|tls| tls.client_ca.is_some());
        if !reader.certificates.is_empty() && !asked {
            warnings.push(Warning::new(
                format!("the certificate of the reader `{name}` is never asked for"),
                "set `tls.client_ca`",
            ));
        }
        let exposed = !self.node.listen.ip().is_loopback() && self.tls.is_none();
        if reader.token.is_some() && exposed && self.node.public_url.scheme() == "http" {
            warnings.push(Warning::new(
                format!("the token of the reader `{name}` crosses the network in the clear"),
                "set `tls.certificate`, or a `node.public_url` with https:// if a proxy speaks TLS",
            ));
        }
        warnings
    }
}

/// Whether an address leads nobody here from elsewhere.
fn is_here(url: &url::Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether everybody with an account can read a file.
fn is_open_to_all(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o004 != 0)
}
