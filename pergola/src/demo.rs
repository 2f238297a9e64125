//! `pergola demo`: a newsroom and a mesh of five nodes in one process, in accelerated time, on loopback.
//!
//! It shows in a minute what nodes do: each polls its sources within its budget, feeds select items, and a node
//! that reads another one hears of its news at once. Beside it stands what the sources really published, which
//! only the newsroom knows. The demo never reaches beyond loopback, and removes everything when it stops.

mod ledger;
mod picture;
mod show;
mod tally;
mod watch;
mod wiring;
mod world;

use std::path::PathBuf;
use std::time::Duration;

pub use show::{NodePlace, Places};
pub use watch::{Arrival, LinkState, NodeState, State, Stop};

use show::Show;
use watch::Watch;
use wiring::FIRST;
use world::Stage;

/// Real time between two checks for arrivals.
const GLANCE: Duration = Duration::from_millis(500);
/// Items shown one by one in that time.
const SHOWN: usize = 2;
/// Checks between two summary lines.
const STATE_EVERY: u32 = 6;

/// What the demonstration is asked to do.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// How many times as fast as real time; by default a day passes in two minutes.
    #[arg(long, default_value_t = 720.0)]
    pub speed: f64,
    /// The port of the first page; a free one by default.
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Stop after this many seconds.
    #[arg(long)]
    pub seconds: Option<u64>,
    /// The seed of everything that the sources publish.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object per line.
    #[arg(skip)]
    pub json: bool,
}

impl Default for Args {
    fn default() -> Self {
        Self { speed: 720.0, port: 0, seconds: None, seed: 1, json: false }
    }
}

/// Shows until it is stopped: by Ctrl-C, by SIGTERM, or by its time.
///
/// # Errors
/// When the node or the newsroom cannot be started, or something cannot be removed at the end.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let show = Show::new(args.json);
    let mut demo = Demo::start(&args).await?;
    show.started(&demo.places(), args.speed);
    let shown = tokio::select! {
        shown = demo.show(show) => shown,
        stopped = crate::signals::stop(args.seconds) => stopped,
    };
    let summary = demo.state();
    demo.stop().await?;
    shown?;
    show.summary(&summary);
    Ok(())
}

/// A demonstration at work.
pub struct Demo {
    stage: Stage,
    watch: Watch,
}

impl Demo {
    /// Opens the newsroom, the nodes with their feeds and pages, and the picture.
    ///
    /// # Errors
    /// When one of them cannot be had.
    pub async fn start(args: &Args) -> anyhow::Result<Self> {
        anyhow::ensure!(
            (1.0..=50_000.0).contains(&args.speed),
            "the speed is {}; give a number from 1 to 50,000",
            args.speed
        );
        let stage = Stage::set(args).await?;
        let watch = Watch::new(&stage)?;
        Ok(Self { stage, watch })
    }

    /// Where everything is.
    pub fn places(&self) -> Places {
        let feeds = self.stage.wiring.mesh.feeds.iter().zip(self.stage.bases());
        let node = |(feed, page): (&pergola_wiring::mesh::Feed, String)| NodePlace {
            name: feed.name.clone(),
            feed: format!("{page}/feeds/{}", feed.name),
            page,
        };
        let nodes: Vec<NodePlace> = feeds.map(node).collect();
        Places {
            overview: nodes[FIRST].page.clone(),
            picture: format!("http://{}", self.stage.picture_address),
            newsroom: self.stage.newsroom_address.clone(),
            sources: self.stage.wiring.mesh.sources.len(),
            nodes,
        }
    }

    /// Where everything is kept as long as it lasts.
    pub fn folder(&self) -> PathBuf {
        self.stage.folder()
    }

    /// What has arrived since the last time, at one node after the other; the picture shows it, too.
    ///
    /// # Errors
    /// When a node's archive cannot be read.
    pub fn arrivals(&mut self) -> anyhow::Result<Vec<Arrival>> {
        let arrivals = self.watch.arrivals(&self.stage)?;
        let state = self.watch.state(&self.stage);
        self.stage.board.renew(&self.stage, &arrivals, &state);
        Ok(arrivals)
    }

    /// How everything stands now.
    pub fn state(&mut self) -> State {
        self.watch.state(&self.stage)
    }

    /// Stops everything and leaves nothing behind.
    ///
    /// # Errors
    /// When the folder cannot be removed.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stage.clear().await
    }

    async fn show(&mut self, show: Show) -> anyhow::Result<()> {
        let mut glances = 0u32;
        let mut unseen = 0;
        loop {
            tokio::select! {
                () = tokio::time::sleep(GLANCE) => {}
                ended = self.stage.failed() => anyhow::bail!(ended),
            }
            let arrivals = self.arrivals()?;
            // JSON is for programs, which can take all of it.
            let shown = if show.is_json() { arrivals.len() } else { SHOWN };
            // Those that have come farthest are the most interesting ones.
            let mut picked: Vec<&Arrival> = arrivals.iter().collect();
            picked.sort_by_key(|arrival| std::cmp::Reverse(arrival.way.len()));
            picked.truncate(shown);
            picked.sort_by_key(|item| item.at);
            picked.iter().for_each(|arrival| show.arrival(arrival));
            unseen += arrivals.len() - picked.len();
            glances += 1;
            if glances.is_multiple_of(STATE_EVERY) {
                show.more(std::mem::take(&mut unseen));
                show.state(&self.state());
            }
        }
    }
}
