//! `pergola run`: a node from its start to its end.
//!
//! The socket is taken before the data folder is touched, and the configuration is read again with the
//! address that the system chose, so that the node never hands out an address with port 0. The first
//! signal drains, the second ends at once: the store survives that, only refreshes on the way are lost.

use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use pergola_config::Config;
use pergola_node::clock::Clock;
use pergola_node::node::{Node, Running, StartError};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::failure::Failure;
use super::presence::Presence;
use super::settings::Settings;
use super::{log, service};

/// How long a drain may take.
const GRACE: Duration = Duration::from_secs(30);

/// Crawl, select and publish, until stopped.
///
/// SIGTERM and Ctrl-C finish what is on the way and end; a second one ends at once. SIGHUP reads the
/// configuration and the certificates again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola run\n  pergola run --data /var/lib/pergola --listen \
                        0.0.0.0:8080\n  pergola run --listen 127.0.0.1:0 --port-file /tmp/port")]
pub(super) struct Args {
    /// Where to listen, instead of node.listen; port 0 lets the system choose
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Write the address to this file once the node answers; it is removed at the end
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,
}

pub(super) async fn run(args: Args, mut settings: Settings) -> anyhow::Result<()> {
    if let Some(listen) = args.listen {
        settings.set("PERGOLA_NODE__LISTEN", &listen.to_string());
    }
    let mut config = settings.load()?;
    log::start(&config.log, &settings)?;
    let listener = Node::listen(config.node.listen).await?;
    if config.node.listen.port() == 0 {
        let chosen = listener.local_addr().context("the socket has no address")?;
        settings.set("PERGOLA_NODE__LISTEN", &chosen.to_string());
        config = settings.load()?;
    }
    config.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
    let data = config.node.data.clone();
    let clock = Clock::configured(&config.clock);
    let node = Node::open(config, clock).await?;
    node.notices().iter().for_each(|notice| tracing::warn!("{notice}"));
    let mut signals = Signals::new().context("signals cannot be handled")?;
    let running = node.start(listener)?;
    let secure = running.node.config().tls.is_some();
    let port_file = args.port_file.as_deref();
    let presence = Presence::announce(&data, port_file, running.address(), secure);
    let presence = match presence {
        Ok(presence) => presence,
        Err(error) => {
            running.stop(GRACE).await;
            return Err(error.into());
        }
    };
    tracing::info!(address = %running.address(), data = %data.display(), "node ready");
    service::ready();

    let (running, end) = watch(running, &mut signals, &settings).await;
    service::stopping();
    // While the folder is still ours.
    drop(presence);
    tokio::select! {
        () = running.stop(GRACE) => {}
        () = signals.asked_to_end() => {
            let what = "ended at once by a second signal";
            let hint = "what was on the way is fetched again after the next start";
            return Err(Failure::new(what).hint(hint).into());
        }
    }
    tracing::info!("node stopped");
    match end {
        End::Asked => Ok(()),
        End::Failed(why) => Err(Failure::new(format!("the node has failed: {why}"))
            .hint("the log says more; start it again, and report it if it comes back")
            .into()),
    }
}

/// Why a node ends.
enum End {
    Asked,
    Failed(String),
}

/// Waits for the end, reading the configuration again whenever asked to.
async fn watch(mut running: Running, signals: &mut Signals, settings: &Settings) -> (Running, End) {
    let mut heartbeat = service::heartbeat().map(|every| {
        let mut heartbeat = interval(every);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat
    });
    loop {
        tokio::select! {
            asked = signals.next() => match asked {
                Asked::ToEnd => {
                    tracing::info!("finishing what is on the way; a second signal ends at once");
                    return (running, End::Asked);
                }
                Asked::ToReload => {
                    service::reloading();
                    reload(&running.node, settings.load()).await;
                    service::ready();
                }
            },
            why = running.failed() => {
                tracing::error!(why, "the node has failed");
                return (running, End::Failed(why));
            }
            () = beat(heartbeat.as_mut()) => service::alive(),
        }
    }
}

/// Takes over what the configuration says now; a wrong one changes nothing.
async fn reload(node: &Node, config: Result<Config, pergola_config::ConfigError>) {
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            tracing::error!(%error, "the configuration is not taken over, the old one stays");
            return;
        }
    };
    let warnings = config.warnings();
    match node.reload(config).await {
        Ok(reloaded) => {
            warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
            let (changed, restart) = (reloaded.changed.join(", "), reloaded.restart.join(", "));
            tracing::info!(changed, restart, "the configuration was read again");
        }
        Err(error @ StartError::Tls(_)) => {
            tracing::error!(%error, "the configuration is not taken over, the old one stays");
        }
        Err(error) => tracing::error!(%error, "the configuration was taken over in part only"),
    }
}

async fn beat(heartbeat: Option<&mut Interval>) {
    match heartbeat {
        Some(heartbeat) => drop(heartbeat.tick().await),
        None => pending().await,
    }
}

/// What the outside asks of the process.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

enum Asked {
    ToEnd,
    ToReload,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::ToEnd,
            _ = self.interrupt.recv() => Asked::ToEnd,
            _ = self.hangup.recv() => Asked::ToReload,
        }
    }

    async fn asked_to_end(&mut self) {
        while let Asked::ToReload = self.next().await {}
    }
}
