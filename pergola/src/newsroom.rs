//! `pergola newsroom`: sources that publish, served by the same program that reads them.
//!
//! Why: a mesh can be tried out, tested and measured without any other host. What the sources publish is
//! made up, follows from the file and the seed alone, and `/truth` tells all of it, so whatever arrives at
//! the other end of a mesh can be compared with what should have. A newsroom that is started again goes on
//! as if it had never stopped.

mod file;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;

use pergola_api::Instant;
use pergola_api::operation::Readiness;
use pergola_config as config;
use pergola_outside::clock::Clock;

pub use file::{File, Opening};

/// Items of each source that `/truth` remembers at least: 32 bytes each.
const REMEMBER: usize = 50_000;

/// What the newsroom is asked to be.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  pergola newsroom newsroom.toml\n  \
                        pergola newsroom newsroom.toml --listen 127.0.0.1:8100 --speed 600\n\n\
                        A file:\n  seed = 1                          # of everything that is made up\n  \
                        opening = \"2026-01-01T00:00:00Z\"  # since when; left out, the start\n\n  \
                        [[source]]\n  name = \"volcano-news\"             # http://…/sources/volcano-news\n  \
                        keywords = [\"volcano\", \"ash\"]     # what its items are about …\n  \
                        share = 0.3                       # … each with this chance\n  \
                        items_per_day = 48\n  \
                        rhythm = \"waves\"                  # uniform, waves (people) or peaks (robots)\n  \
                        window = 20                       # items in its document\n  \
                        format = \"rss\"                    # rss, atom or json\n\n\
                        What was published: /truth, and /truth?source=NAME&after=NUMBER for the items.")]
pub struct Args {
    /// The file that names the sources
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to listen; port 0 lets the system choose
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8100")]
    pub listen: SocketAddr,
    /// The address that links in the documents begin with, if not the one it listens on
    #[arg(long, value_name = "URL")]
    pub public_url: Option<url::Url>,
    /// The seed, instead of the file's
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many times as fast as real time
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// When the accelerated clock showed the real time, in seconds since 1970, as `clock.epoch` of the nodes
    /// [default: the start]
    #[arg(long, value_name = "SECONDS")]
    pub epoch: Option<f64>,
    /// Remember in this file when the sources began, so that a newsroom that is started again goes on
    #[arg(long, value_name = "FILE", conflicts_with = "epoch")]
    pub opening_file: Option<PathBuf>,
    /// Write the address to this file once the newsroom answers; it is removed at the end
    #[arg(long, value_name = "FILE")]
    pub port_file: Option<PathBuf>,
    /// Print JSON.
    #[arg(skip)]
    pub json: bool,
}

/// Serves until it is stopped: by Ctrl-C or by SIGTERM.
///
/// # Errors
/// When the file makes no sense, or the address cannot be had.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let file = File::read(&args.file)?;
    anyhow::ensure!(
        args.speed > 0.0 && args.speed <= 100_000.0,
        "--speed is {}; give a number above 0, up to 100000",
        args.speed
    );
    if let Some(epoch) = args.epoch {
        anyhow::ensure!(
            epoch > 0.0 && epoch < 7_258_118_400.0,
            "--epoch is {epoch}; give an instant in seconds since 1970"
        );
    }
    let clock = Clock::configured(&config::Clock { speed: args.speed, epoch: args.epoch });
    let listener = TcpListener::bind(args.listen).await.with_context(|| {
        format!("cannot listen on {}; is another program there? --listen says where", args.listen)
    })?;
    let address = listener.local_addr().context("the socket has no address")?;
    let base = args.public_url.as_ref().map_or(format!("http://{address}"), url::Url::to_string);
    let begun = match &args.opening_file {
        Some(path) => Some(remembered(path, clock.now())?),
        None => args.epoch,
    };
    let newsroom = file.open(&clock, begun, args.seed)?.base_url(base).remember(REMEMBER);
    let newsroom = newsroom.build().with_context(|| args.file.display().to_string())?;
    let readiness = || Readiness { ready: true, reasons: Vec::new(), degraded: Vec::new() };
    let ready = || get(async move || axum::Json(readiness()));
    let router = newsroom.router().route("/readyz", ready()).route("/healthz", ready());
    let port_file = args.port_file.as_deref();
    if let Some(path) = port_file {
        write_whole(path, &format!("{address}\n"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    say(&args, address, newsroom.names().len(), &clock);
    let stop = async { drop(crate::signals::stop(None).await) };
    let served = axum::serve(listener, router).with_graceful_shutdown(stop).await;
    if let Some(path) = port_file {
        let _ = std::fs::remove_file(path); // somebody may have taken it away
    }
    Ok(served?)
}

/// The instant that a file holds; `now`, if it is not there yet.
fn remembered(path: &std::path::Path, now: f64) -> anyhow::Result<f64> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let instant = text.trim().parse().ok().filter(|at: &f64| at.is_finite());
            instant.with_context(|| {
                format!("{} holds no instant; remove it for a new beginning", path.display())
            })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // Whole seconds, so that what is written is what is meant.
            let now = now.floor();
            write_whole(path, &format!("{now}\n"))
                .with_context(|| format!("cannot write {}", path.display()))?;
            Ok(now)
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// A file that is there with all of its text or not at all.
fn write_whole(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, text)?;
    std::fs::rename(&part, path)
}

fn say(args: &Args, address: SocketAddr, sources: usize, clock: &Clock) {
    let said = match args.json {
        true => {
            let now = Instant::from_unix(clock.now());
            json!({ "address": address, "sources": sources, "now": now }).to_string()
        }
        false => format!("{sources} sources at http://{address}/, what they publish at /truth"),
    };
    use std::io::Write as _;
    // Nobody may be reading, and that is no reason to stop.
    let _ = writeln!(std::io::stdout(), "{said}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opening");
        assert_eq!(remembered(&path, 1_790_000_000.7).unwrap(), 1_790_000_000.0);
        assert_eq!(remembered(&path, 1_790_000_500.0).unwrap(), 1_790_000_000.0);
        std::fs::write(&path, "soon").unwrap();
        let error = remembered(&path, 1.0).unwrap_err().to_string();
        assert!(error.contains("holds no instant"), "{error}");
    }
}
