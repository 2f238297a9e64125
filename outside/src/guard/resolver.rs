//! Names to addresses, with the forbidden ones left out.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use super::{Forbidden, Guard};
use crate::surroundings::{NameError, Names};

/// Why a name has no address that may be used.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// Every address is in a private network.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The name has no address at all.
    #[error("{host} has no address: check the spelling")]
    NoAddress { host: String },
    /// The name cannot be resolved.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// A resolver that never returns a forbidden address.
#[derive(Clone)]
pub struct GuardedResolver {
    guard: Guard,
    names: Arc<dyn Names>,
}

impl GuardedResolver {
    /// Lets through what `guard` allows of what `names` finds.
    pub fn new(guard: Guard, names: Arc<dyn Names>) -> Self {
        Self { guard, names }
    }

    /// The addresses of `host` that may be reached; at least one.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let mut found = self.names.addresses(host).await?;
        let mut refused = None;
        found.retain(|address| match self.guard.check(host, *address) {
            Ok(()) => true,
            Err(forbidden) => {
                refused.get_or_insert(forbidden);
                false
            }
        });
        match refused {
            Some(forbidden) if found.is_empty() => Err(forbidden.into()),
            None if found.is_empty() => Err(ResolveError::NoAddress { host: host.to_owned() }),
            _ => Ok(found),
        }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let found = resolver.addresses(name.as_str()).await?;
            // Port 0 stands for the port of the address that is asked for.
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::{ResolverFiles, SystemNames};

    fn resolver(allowed: &[&str]) -> (tempfile::TempDir, GuardedResolver) {
        let folder = tempfile::tempdir().unwrap();
        let hosts = folder.path().join("hosts");
        std::fs::write(
            &hosts,
            "10.0.0.7 node-b # a neighbour\n93.184.215.14\tpublic mixed\n10.0.0.8 mixed\nnonsense\n",
        )
        .unwrap();
        let files = ResolverFiles { hosts, resolv_conf: folder.path().join("missing") };
        let guard = Guard::allowing(allowed.iter().map(|text| text.parse().unwrap()));
        (folder, GuardedResolver::new(guard, Arc::new(SystemNames::read(&files))))
    }

    #[tokio::test]
    async fn a_name_with_only_private_addresses_is_refused_and_named() {
        let (_folder, resolver) = resolver(&[]);
        let error = resolver.addresses("node-b").await.unwrap_err().to_string();
        assert!(error.contains("node-b") && error.contains("10.0.0.7"), "{error}");
        assert!(error.contains("crawl.allow_private"), "{error}");
    }

    #[tokio::test]
    async fn a_named_host_may_be_private() {
        let (_folder, resolver) = resolver(&["node-b"]);
        assert_eq!(resolver.addresses("NODE-B.").await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn private_addresses_among_public_ones_are_left_out() {
        let (_folder, resolver) = resolver(&[]);
        let found = resolver.addresses("mixed").await.unwrap();
        assert_eq!(found, ["93.184.215.14".parse::<IpAddr>().unwrap()]);
    }

    #[tokio::test]
    async fn without_servers_other_names_fail_with_advice_and_no_public_resolver_is_asked() {
        let (_folder, resolver) = resolver(&[]);
        let error = resolver.addresses("example.org").await.unwrap_err().to_string();
        assert!(error.contains("example.org") && error.contains("missing"), "{error}");
        assert!(error.contains("name a server"), "{error}");
    }
}
