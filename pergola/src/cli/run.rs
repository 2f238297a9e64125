//! `pergola run`: a node from its start to its end.
//!
//! The socket is bound before the data folder is opened. If the system chose the port, the configuration is read
//! again with it, so that the node never publishes a URL with port 0. The first signal stops the node gently, a
//! second one at once: the store survives that, and only refreshes under way are lost.

use std::future::pending;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use pergola_node::node::{Node, Running};
use pergola_outside::clock::Clock;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::failure::Failure;
use super::presence::Presence;
use super::settings::Settings;
use super::{log, service};

/// How long a gentle stop may take.
const GRACE: Duration = Duration::from_secs(30);

/// Crawl, select and publish until stopped
///
/// SIGTERM or Ctrl-C finishes the requests under way and stops; a second signal stops at once. SIGHUP reads the
/// configuration and the certificates again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola run\n  pergola run --data /var/lib/pergola --listen \
                        0.0.0.0:8080\n  pergola run --listen 127.0.0.1:0 --port-file /tmp/port")]
pub(super) struct Args {
    /// The address to listen on, instead of node.listen; port 0 lets the system choose a port
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Write the address to this file once the node is ready; removed when the node stops
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
    let node = Node::open_here(config, clock).await?;
    node.reread_by(move |stored| settings.load_with(stored));
    node.notices().iter().for_each(|notice| tracing::warn!("{notice}"));
    let mut signals = Signals::new().context("signals cannot be handled")?;
    let running = pergola_site::start(node, listener)?;
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

    let (running, end) = watch(running, &mut signals).await;
    service::stopping();
    // Before the folder is released.
    drop(presence);
    tokio::select! {
        () = running.stop(GRACE) => {}
        () = signals.stop() => {
            let what = "stopped at once by a second signal";
            let hint = "refreshes that were under way are repeated after the next start";
            return Err(Failure::new(what).hint(hint).into());
        }
    }
    tracing::info!("node stopped");
    match end {
        End::Stopped => Ok(()),
        End::Failed(why) => Err(Failure::new(format!("the node has failed: {why}"))
            .hint("the log says more; start it again, and report it if it happens again")
            .into()),
    }
}

/// Why the node stops.
enum End {
    Stopped,
    Failed(String),
}

/// Waits for the end, and reads the configuration again whenever a signal asks for it.
async fn watch(mut running: Running, signals: &mut Signals) -> (Running, End) {
    let mut heartbeat = service::heartbeat().map(|every| {
        let mut heartbeat = interval(every);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat
    });
    loop {
        tokio::select! {
            command = signals.next() => match command {
                SignalCommand::Stop => {
                    tracing::info!("stopping: finishing requests under way; a second signal stops at once");
                    return (running, End::Stopped);
                }
                SignalCommand::Reload => {
                    service::reloading();
                    // The node logs what came of it.
                    let _ = running.node.reread().await;
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

async fn beat(heartbeat: Option<&mut Interval>) {
    match heartbeat {
        Some(heartbeat) => drop(heartbeat.tick().await),
        None => pending().await,
    }
}

/// The signals that the process handles.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

/// What a signal tells the process to do.
enum SignalCommand {
    Stop,
    Reload,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> SignalCommand {
        tokio::select! {
            _ = self.terminate.recv() => SignalCommand::Stop,
            _ = self.interrupt.recv() => SignalCommand::Stop,
            _ = self.hangup.recv() => SignalCommand::Reload,
        }
    }

    async fn stop(&mut self) {
        while let SignalCommand::Reload = self.next().await {}
    }
}
