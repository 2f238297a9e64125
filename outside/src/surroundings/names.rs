//! Name resolution.
//!
//! The system's: the hosts file is read first, then the servers of `/etc/resolv.conf` are asked. Without
//! servers, names in the hosts file still work and every other name is an error that says so: a node never
//! asks a public resolver that nobody chose.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::system_conf::parse_resolv_conf;
use thiserror::Error;

use super::Pending;

/// Resolves names to addresses.
pub trait Names: Send + Sync {
    /// Every address of a host. None of them is checked.
    fn addresses<'a>(&'a self, host: &'a str) -> Pending<'a, Result<Vec<IpAddr>, NameError>>;
}

/// Why a name could not be resolved.
#[derive(Debug, Error)]
pub enum NameError {
    /// The servers could not say.
    #[error(
        "cannot resolve {host}: check the spelling, or the name servers if other hosts fail too"
    )]
    Lookup {
        host: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is nobody to ask.
    #[error("cannot resolve {host}: {why}; name a server in it, or add the host to {hosts}")]
    NoServers {
        host: String,
        /// What is wrong with the configuration.
        why: Arc<str>,
        /// The file in which names with fixed addresses are kept.
        hosts: String,
    },
}

/// Where the system keeps what a resolver needs to know.
#[derive(Clone, Debug)]
pub struct ResolverFiles {
    /// Names with fixed addresses.
    pub hosts: PathBuf,
    /// Which servers to ask for all others.
    pub resolv_conf: PathBuf,
}

impl Default for ResolverFiles {
    fn default() -> Self {
        Self { hosts: "/etc/hosts".into(), resolv_conf: "/etc/resolv.conf".into() }
    }
}

/// Resolves names as the system's files say.
pub struct SystemNames {
    fixed: HashMap<String, Vec<IpAddr>>,
    servers: Result<TokioResolver, Arc<str>>,
    hosts_file: String,
}

impl SystemNames {
    /// Reads the system's files once. A missing hosts file counts as an empty one.
    pub fn read(files: &ResolverFiles) -> Self {
        let hosts = std::fs::read_to_string(&files.hosts).unwrap_or_else(|error| {
            if error.kind() != std::io::ErrorKind::NotFound {
                tracing::warn!(file = %files.hosts.display(), %error, "the hosts file is not used");
            }
            String::new()
        });
        let servers =
            servers(files).map_err(|why| format!("{}: {why}", files.resolv_conf.display()).into());
        let hosts_file = files.hosts.display().to_string();
        Self { fixed: fixed_addresses(&hosts), servers, hosts_file }
    }

    async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, NameError> {
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        if let Some(addresses) = self.fixed.get(&name) {
            return Ok(addresses.clone());
        }
        let servers = self.servers.as_ref().map_err(|why| NameError::NoServers {
            host: host.to_owned(),
            why: Arc::clone(why),
            hosts: self.hosts_file.clone(),
        })?;
        match servers.lookup_ip(host).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(source) => {
                Err(NameError::Lookup { host: host.to_owned(), source: Box::new(source) })
            }
        }
    }
}

impl Names for SystemNames {
    fn addresses<'a>(&'a self, host: &'a str) -> Pending<'a, Result<Vec<IpAddr>, NameError>> {
        Box::pin(self.lookup(host))
    }
}

fn servers(files: &ResolverFiles) -> Result<TokioResolver, NetError> {
    let (config, mut options) = parse_resolv_conf(std::fs::read(&files.resolv_conf)?)?;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        .with_options(options)
        .build()
}

/// Reads a hosts file: an address and its names on each line, `#` begins a comment.
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
