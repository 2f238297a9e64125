//! Resolves names, without the addresses that the guard forbids.
//!
//! The resolver reads `/etc/hosts` first and then asks the servers of `/etc/resolv.conf`. Without servers,
//! names in the hosts file still work and every other name is an error that says so: a node never asks a
//! public resolver that nobody chose.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::system_conf::parse_resolv_conf;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use super::{Forbidden, Guard};

/// The files of the system that the resolver reads.
#[derive(Clone, Debug)]
pub struct ResolverFiles {
    /// Names with fixed addresses.
    pub hosts: PathBuf,
    /// The servers for all other names.
    pub resolv_conf: PathBuf,
}

impl Default for ResolverFiles {
    fn default() -> Self {
        Self { hosts: "/etc/hosts".into(), resolv_conf: "/etc/resolv.conf".into() }
    }
}

/// Why a name has no address that the node may use.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// Every address is in a private network.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    #[error("{host} has no address: check the spelling")]
    NoAddress {
        host: String,
    },
    /// The servers did not answer, or do not know the name.
    #[error(
        "cannot resolve {host}: check the spelling, or the name servers if other hosts fail too"
    )]
    Lookup {
        host: String,
        #[source]
        source: NetError,
    },
    /// There is no server to ask.
    #[error("cannot resolve {host}: {why}; name a server in it, or add the host to {hosts}")]
    NoServers {
        host: String,
        /// What is wrong with resolv.conf.
        why: Arc<str>,
        /// The path of the hosts file.
        hosts: String,
    },
}

/// A resolver that never returns a forbidden address.
#[derive(Clone)]
pub struct GuardedResolver {
    shared: Arc<Shared>,
}

struct Shared {
    guard: Guard,
    fixed: HashMap<String, Vec<IpAddr>>,
    servers: Result<TokioResolver, Arc<str>>,
    hosts_file: String,
}

impl GuardedResolver {
    /// Reads the files once. A missing hosts file counts as empty.
    pub fn new(guard: Guard, files: &ResolverFiles) -> Self {
        let hosts = std::fs::read_to_string(&files.hosts).unwrap_or_else(|error| {
            if error.kind() != std::io::ErrorKind::NotFound {
                tracing::warn!(file = %files.hosts.display(), %error, "the hosts file is not used");
            }
            String::new()
        });
        let servers =
            servers(files).map_err(|why| format!("{}: {why}", files.resolv_conf.display()).into());
        let hosts_file = files.hosts.display().to_string();
        let shared = Shared { guard, fixed: fixed_addresses(&hosts), servers, hosts_file };
        Self { shared: Arc::new(shared) }
    }

    /// The addresses of `host` that the node may reach; at least one.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let mut found = self.shared.lookup(host).await?;
        let mut refused = None;
        found.retain(|address| match self.shared.guard.check(host, *address) {
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
            // Port 0 stands for the port of the URL.
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

impl Shared {
    async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        if let Some(addresses) = self.fixed.get(&name) {
            return Ok(addresses.clone());
        }
        let servers = self.servers.as_ref().map_err(|why| ResolveError::NoServers {
            host: host.to_owned(),
            why: Arc::clone(why),
            hosts: self.hosts_file.clone(),
        })?;
        match servers.lookup_ip(host).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(source) => Err(ResolveError::Lookup { host: host.to_owned(), source }),
        }
    }
}

fn servers(files: &ResolverFiles) -> Result<TokioResolver, NetError> {
    let (config, mut options) = parse_resolv_conf(std::fs::read(&files.resolv_conf)?)?;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        .with_options(options)
        .build()
}

/// Parses a hosts file: an address and its names on each line; `#` begins a comment.
fn fixed_addresses(text: &str) -> HashMap<String, Vec<IpAddr>> {
    let mut fixed: HashMap<String, Vec<IpAddr>> = HashMap::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(address) = words.next().and_then(|word| word.parse().ok()) else { continue };
        for name in words {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            fixed.entry(name).or_default().push(address);
        }
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

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
        (folder, GuardedResolver::new(guard, &files))
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
