//! Which node a command talks to: the one at the given URL, the one that uses the data folder, or none. The one that
//! uses the folder is asked by the socket there, which needs no token, or else at the address in `node.json`.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use pergola_config::{Config, Secret};
use pergola_node::node::StartError;
use pergola_outside::surroundings::WayToSocket;
use pergola_outside::tls::{self, TlsError};
use pergola_store::StoreError;
use rustls::ClientConfig;
use url::{Host, Url};

use super::network;
use crate::cli::failure::{self, Failure};
use crate::cli::presence::Whereabouts;
use crate::cli::settings::Settings;

/// Time for a running node to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The node that a command talks to.
pub(in crate::cli) enum Target {
    /// A running node.
    Running(pergola_api::Client),
    /// No node runs; the configuration names the data folder.
    Folder(Box<Config>),
}

impl Target {
    /// Finds the node that is meant.
    pub(in crate::cli) async fn find(settings: &Settings) -> anyhow::Result<Self> {
        if let Some(base) = settings.options.node.clone() {
            let token = token_for(&base, settings);
            let network = network::client(tls_for(&base, settings)?)?;
            return running(network, base, token);
        }
        let config = settings.load()?;
        config.earlier_place().iter().for_each(|warning| failure::advise(warning, settings));
        let Some(found) = find_running(&config.node.data) else {
            return Ok(Self::Folder(Box::new(config)));
        };
        if let Some(api) = by_socket(&config.node.data).await? {
            return Ok(Self::Running(api));
        }
        let scheme = if found.secure { "https" } else { "http" };
        let base = Url::parse(&format!("{scheme}://{}/", found.address))?;
        let own = config.tls.as_ref().filter(|_| found.secure);
        let network = network::client(tls::client_of_own_node(own, &given_ca(settings))?)?;
        let silent = || {
            let data = config.node.data.display();
            let what = format!("process {} uses {data} and does not answer", found.pid);
            Failure::new(what)
                .code("unreachable")
                .hint("it may be starting or stopping: try again, or read its log")
        };
        let probe = pergola_api::Client::new(network.clone(), base.clone(), None)?;
        let alive = tokio::time::timeout(PATIENCE, probe.alive()).await;
        alive.map_err(|_| silent())?.with_context(silent)?;
        running(network, base, config.api.token)
    }
}

/// The running node by the socket in its data folder, if it answers there.
async fn by_socket(data: &Path) -> anyhow::Result<Option<pergola_api::Client>> {
    let Ok(way) = WayToSocket::of(data) else { return Ok(None) };
    if !way.path().exists() {
        return Ok(None);
    }
    let socket = network::BySocket::new(way, tls::client(&[], None)?)?;
    let api = pergola_api::Client::new(socket, Url::parse("http://localhost/")?, None)?;
    let alive = tokio::time::timeout(PATIENCE, api.alive()).await;
    Ok(matches!(alive, Ok(Ok(()))).then_some(api))
}

fn running(network: reqwest::Client, base: Url, token: Option<Secret>) -> anyhow::Result<Target> {
    let token = token.as_ref().map(|token| token.reveal());
    Ok(Target::Running(pergola_api::Client::new(network, base, token)?))
}

/// The token for the node at a given URL. The configured token goes only to a node on this machine.
fn token_for(base: &Url, settings: &Settings) -> Option<Secret> {
    let configured = || settings.load().ok().and_then(|config| config.api.token);
    settings.given_token().or_else(|| if is_local(base) { configured() } else { None })
}

/// The TLS settings for the node at a given URL: on this machine those of the own node, elsewhere those that the
/// configuration gives for the host.
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

/// The node that uses a folder now. What a dead node left behind does not count.
fn find_running(data: &Path) -> Option<Whereabouts> {
    let found = Whereabouts::read(data)?;
    let lock = File::options().write(true).open(data.join("lock")).ok()?;
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock)).then_some(found)
}

/// The failure of a command that needs the folder for itself.
pub(in crate::cli) fn in_use(data: &Path) -> Failure {
    let folder = data.display();
    match find_running(data) {
        Some(found) => Failure::new(format!(
            "{folder} is used by a running node (process {}, at {})",
            found.pid, found.address
        ))
        .code("in-use")
        .hint(format!("stop it first: kill {}", found.pid)),
        None => {
            Failure::new(format!("another pergola process uses {folder} and cannot be reached"))
                .code("in-use")
                .hint("it may be a node that starts or stops, or another command: try again")
        }
    }
}

/// The failure of a command that finds neither a node nor data.
pub(super) fn nothing_there(data: &Path) -> Failure {
    let folder = data.display();
    Failure::new(format!("no node is running, and there is no data in {folder}"))
        .code("no-node")
        .hint("`pergola run` starts a node; --node says where another one is, --data where its data is")
}

/// Why a folder could not be opened; names the process that uses it.
pub(super) fn not_opened(error: StartError, data: &Path) -> anyhow::Error {
    match error {
        StartError::Store(StoreError::Locked { .. }) => in_use(data).into(),
        error => error.into(),
    }
}
