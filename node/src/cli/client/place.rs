//! Where the node is: at an address that was given, where `node.json` says, or nowhere.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use url::{Host, Url};

use super::Network;
use crate::cli::failure::Failure;
use crate::cli::presence::Whereabouts;
use crate::cli::settings::Settings;
use crate::config::{Config, Secret};
use crate::node::StartError;
use crate::store::StoreError;

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
            return Ok(Self::At { base, token, network: Network::new()? });
        }
        let config = settings.load()?;
        let Some(found) = find_running(&config.node.data) else {
            return Ok(Self::Folder(Box::new(config)));
        };
        let base = Url::parse(&format!("http://{}/", found.address))?;
        let network = Network::new()?;
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
    let local = match base.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let configured = || settings.load().ok().and_then(|config| config.api.token);
    settings.given_token().or_else(|| if local { configured() } else { None })
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
