//! Advice about a configuration that is allowed and may not be meant.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pergola_refresh::StrategyKind;

use super::{Choice, Config, DeclaredFeed};

/// Shorter tokens can be guessed.
const TOKEN_LENGTH: usize = 16;

impl Config {
    /// What is allowed and may not be meant, and what to do about it.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let listen = self.node.listen;
        let beyond = !listen.ip().is_loopback();
        if beyond && self.api.token.is_none() {
            warnings.push(format!(
                "the node listens on {listen}, beyond this machine, without `api.token`: its API \
                 refuses all changes; set PERGOLA_API__TOKEN_FILE to allow them"
            ));
        }
        let local = match self.node.public_url.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if beyond && local {
            warnings.push(format!(
                "the node listens on {listen}, but its feeds say they are at {}, where no other \
                 machine finds them; set `node.public_url`",
                self.node.public_url
            ));
        }
        if self.api.token.as_ref().is_some_and(|token| token.reveal().len() < TOKEN_LENGTH) {
            warnings.push(format!(
                "`api.token` is short enough to be guessed; use at least {TOKEN_LENGTH} characters"
            ));
        }
        warnings.extend(self.warnings_of_trust());
        if self.crawl.proxy.is_some() {
            warnings.push(
                "with `crawl.proxy` it is the proxy that looks up addresses, so it must refuse \
                 private ones itself"
                    .to_owned(),
            );
        }
        if self.schedule.strategy == Choice::Fixed(StrategyKind::Reference) {
            warnings.push(
                "the strategy Reference refreshes everything always, whatever `budget` says; it is \
                 for experiments"
                    .to_owned(),
            );
        }
        warnings.extend(self.clock.warnings());
        warnings.extend(self.declared.iter().flat_map(DeclaredFeed::warnings));
        warnings
    }

    /// About certificates, keys and those who are known by them.
    fn warnings_of_trust(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let hosts = self.hosts.named.values().filter_map(|rule| rule.credentials.identity.as_ref());
        let keys = self.tls.iter().map(|tls| &tls.key).chain(hosts.map(|(_, key)| key));
        for key in keys.filter(|key| is_open_to_all(key)) {
            let file = key.display();
            warnings.push(format!(
                "everybody on this machine can read the key {file}; chmod 600 {file}"
            ));
        }
        if self.tls.is_some() && self.node.public_url.scheme() == "http" {
            warnings.push(format!(
                "the node speaks TLS, but its feeds say they are at {}; let `node.public_url` begin \
                 with https://",
                self.node.public_url
            ));
        }
        for reader in &self.readers {
            let name = &reader.name;
            if !reader.is_known() {
                warnings.push(format!(
                    "nobody can be the reader `{name}`; give it a `token` or a `certificate`"
                ));
            }
            if reader.token.as_ref().is_some_and(|token| token.reveal().len() < TOKEN_LENGTH) {
                warnings.push(format!(
                    "the token of the reader `{name}` is short enough to be guessed; use at least \
                     {TOKEN_LENGTH} characters"
                ));
            }
            let asked = self.tls.as_ref().is_some_and(|tls| tls.client_ca.is_some());
            if !reader.certificates.is_empty() && !asked {
                warnings.push(format!(
                    "the certificate of the reader `{name}` is never asked for; set `tls.client_ca`"
                ));
            }
            let exposed = !self.node.listen.ip().is_loopback() && self.tls.is_none();
            if reader.token.is_some() && exposed && self.node.public_url.scheme() == "http" {
                warnings.push(format!(
                    "the token of the reader `{name}` crosses the network in the clear; set \
                     `tls.certificate`, or a `node.public_url` with https:// if a proxy speaks TLS"
                ));
            }
        }
        if !self.readers.is_empty() && self.api.token.is_none() {
            warnings.push(
                "without `api.token` every program on this machine reads all feeds, and so does \
                 everybody behind a proxy here that does not say for whom it asks; set \
                 PERGOLA_API__TOKEN_FILE"
                    .to_owned(),
            );
        }
        warnings
    }
}

/// Whether a file can be read by whoever has an account.
fn is_open_to_all(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o004 != 0)
}
