//! Advice about a configuration that is allowed and may not be meant.

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
        warnings.extend(self.declared.iter().flat_map(DeclaredFeed::warnings));
        warnings
    }
}
