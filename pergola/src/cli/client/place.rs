//! Where the node is: at an address that was given, where `node.json` says, or nowhere.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use pergola_config::{Config, Secret};
use pergola_node::node::StartError;
use pergola_node::tls::{self, TlsError};
use pergola_store::StoreError;
use rustls::ClientConfig;
use url::{Host, Url};

use super::Network;
use crate::cli::failure::Failure;
use crate::cli::presence::Whereabouts;
use crate::cli::settings::Settings;

/// Time for a node to say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the node is.
pub(in crate::cli) enum Place {
    /// At an address.
    At {
        /// The beginning of its addresses.
        base: Url,
        /// What it wants to see.
        token: Option<Secret>,
        /// The way there.
        network: Network,
    },
    /// No node runs; this configuration names its folder.
    Folder(Box<Config>),
}

impl Place {
    /// Finds the node that is meant.
    pub(in crate::cli) async fn find(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(base) = settings.options.node.clone() {
            let token = token_for(&base, settings);
            let network = Network::new(tls_for(&base, settings)?)?;
            return Ok(Self::At { base, token, network });
        }
        let config = settings.load()?;
        let Some(found) = find_running(&config.node.data) else {
            return Ok(Self::Folder(Box::new(config)));
        };
        let scheme = if found.secure { "https" } else { "http" };
        let base = Url::parse(&format!("{scheme}://{}/", found.address))?;
        let own = config.tls.as_ref().filter(|_| found.secure);
        let network = Network::new(tls::client_of_own_node(own, &given_ca(settings))?)?;
        network.probe(&base, "healthz", PATIENCE).await.with_context(|| {
            let data = config.node.data.display();
            let what = format!("{data} is used by process {} that does not answer", found.pid);
            Failure::new(what).hint("it may be starting or stopping: try again, or look at its log")
        })?;
        Ok(Self::At { base, token: config.api.token, network })
    }
}

/// The token for a node that was named: the configured one is for this machine's node only.
fn token_for(base: &Url, settings: &Settings) -> Option<Secret> {
    let configured = || settings.load().ok().and_then(|config| config.api.token);
    settings.given_token().or_else(|| if is_local(base) { configured() } else { None })
}

/// How a node that was named is spoken to: as its own node on this machine, as the configuration says
/// of its host elsewhere.
fn tls_for(base: &Url, settings: &Settings) -> Result<ClientConfig, TlsError> {
    let mut trusted = given_ca(settings);
    let config = settings.load().ok().filter(|_| base.scheme() == "https");
    let Some(config) = config else { return tls::client(&trusted, None) };
    let rule = base.host_str().and_then(|host| config.hosts.named.get(host));
    let given = rule.map(|rule| &rule.credentials);
    trusted.extend(config.crawl.extra_ca.iter().map(PathBuf::as_path));
    trusted.extend(given.and_then(|given| given.ca.as_deref()));
    if let Some(own) = config.tls.as_ref().filter(|_| is_local(base)) {
        return tls::client_of_own_node(Some(own), &trusted);
    }
    let identity = given.and_then(|given| given.identity.as_ref());
    tls::client(&trusted, identity.map(|(chain, key)| (chain.as_path(), key.as_path())))
}

fn given_ca(settings: &Settings) -> Vec<&Path> {
    settings.options.ca.as_deref().into_iter().collect()
}

fn is_local(base: &Url) -> bool {
    match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The node that uses a folder now. What a node left behind when it died does not count.
fn find_running(data: &Path) -> Option<Whereabouts> {
    let found = Whereabouts::read(data)?;
    let lock = File::options().write(true).open(data.join("lock")).ok()?;
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock)).then_some(found)
}

/// Why a command that needs the folder for itself is refused.
pub(in crate::cli) fn in_use(data: &Path) -> Failure {
    let folder = data.display();
    match find_running(data) {
        Some(found) => Failure::new(format!(
            "{folder} is used by a running node (process {}, at {})",
            found.pid, found.address
        ))
        .hint(format!("stop it first: kill {}", found.pid)),
        None => Failure::new(format!("{folder} is used by another pergola that cannot be reached"))
            .hint("a node that is starting or stopping, or another command: try again"),
    }
}

/// Why a folder could not be opened; what uses it is named.
pub(super) fn not_opened(error: StartError, data: &Path) -> anyhow::Error {
    match error {
        StartError::Store(StoreError::Locked { .. }) => in_use(data).into(),
        error => error.into(),
    }
}
