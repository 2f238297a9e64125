//! A node under overload: every kind of trouble at once, beside the same node while it is idle.
//!
//! Seven processes: the node; the sites that it crawls; a normal reader; the crowd (connections that are kept, slow
//! clients, a storm of readers); watchers over gRPC; subscribers at the hub; and this one, which leads them. All
//! but the node and the normal reader stand for other machines, so they give way to both: they run at a lower
//! priority.
//!
//! The node is as usual but for what so many need: places for all connections, a document of so many items, a
//! budget and a spacing by which the crawl fits into the time. It has an operator's token, so that its clients are
//! strangers and all limits hold. They come from many addresses of the loopback network. Such connections have
//! no share of their own to keep to, only the total, as if they came through a proxy: so all connections
//! are within the limits and nobody may be told to come back, while slow clients must lose their place in
//! time. `node/tests/it/overload` shows what happens beyond the limits.
//!
//! The document has all its items at once: `crawl.max_items` and `crawl.max_body` are raised for it. Watchers and
//! subscribers follow a feed of news that changes all the time; were they to follow the feed of everything, they
//! would take a hundred million items. The operator has the news refreshed, which costs no budget: the scheduler
//! would first spend it on the sources that were never seen.

mod callbacks;
mod conditions;
mod crowd;
mod line;
mod manners;
mod memory;
mod node;
mod origin;
mod reader;
mod truth;
mod watchers;

use std::fmt;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use serde::Serialize;

use super::roles::{self, Part};
use super::scale::load;
pub use callbacks::Told;
pub use conditions::{Bound, Condition};
pub use crowd::Level;
pub use manners::Manners;
pub use node::State;
use origin::{FIRST_NEWS, ITEMS_EACH, Places};
pub use reader::Latency;
pub use truth::Kept;
pub use watchers::Seen;

/// The feeds: what is watched, what comes at once, and everything.
const FEED: &str = "News";
const FLOOD: &str = "Flood";
const ALL: &str = "Everything";
/// Seconds between two decisions of the node.
const CYCLE: f64 = 0.25;
/// Between two looks at how it stands.
const GLANCE: Duration = Duration::from_millis(500);
/// Seconds until something that does not come is given up.
const PATIENCE: f64 = 120.0;

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Connections that are kept open.
    #[arg(long, default_value_t = 10_000)]
    pub connections: usize,
    /// Slow clients among them.
    #[arg(long, default_value_t = 1_000)]
    pub slow: usize,
    /// Readers of the storm in a second, each on a new connection.
    #[arg(long, default_value_t = 1_000.0)]
    pub storm: f64,
    /// New items in one refresh.
    #[arg(long, default_value_t = 100_000)]
    pub items: usize,
    /// Bytes of text in each of them.
    #[arg(long, default_value_t = 200)]
    pub text: usize,
    /// Sources of one host.
    #[arg(long, default_value_t = 5_000)]
    pub sources: usize,
    /// Milliseconds between two requests to that host.
    #[arg(long, default_value_t = 5.0)]
    pub spacing: f64,
    /// Refreshes per minute.
    #[arg(long, default_value_t = 6_000.0)]
    pub budget: f64,
    /// Watchers over gRPC.
    #[arg(long, default_value_t = 1_000)]
    pub watchers: usize,
    /// Callbacks at the hub, ten to a host; every other host hangs.
    #[arg(long, default_value_t = 1_000)]
    pub callbacks: usize,
    /// Seconds between two items of news.
    #[arg(long, default_value_t = 1.0)]
    pub news_every: f64,
    /// Requests of the normal reader in a second.
    #[arg(long, default_value_t = 50.0)]
    pub rate: f64,
    /// Seconds that it reads while the node is idle.
    #[arg(long, default_value_t = 20.0)]
    pub idle: f64,
    /// Seconds of overload at least; it takes as long as the crawl.
    #[arg(long, default_value_t = 60.0)]
    pub seconds: f64,
}

#[cfg(test)]
impl Args {
    /// A small one.
    fn small() -> Self {
        Self {
            connections: 100,
            slow: 10,
            storm: 50.0,
            items: 1_000,
            text: 200,
            sources: 50,
            spacing: 5.0,
            budget: 6_000.0,
            watchers: 20,
            callbacks: 20,
            news_every: 0.5,
            rate: 50.0,
            idle: 1.0,
            seconds: 2.0,
        }
    }
}

/// The result.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// Seconds of overload.
    pub seconds: f64,
    /// The normal reader while the node was idle.
    pub idle: Latency,
    /// … and under overload.
    pub loaded: Latency,
    /// The most connections that were open at once.
    pub most_open: i64,
    /// The fewest while the sources were crawled; slow clients are cut off and come back.
    pub least_open: i64,
    /// What happened to the crowd.
    pub crowd: Level,
    /// How the node treated the sites.
    pub manners: Manners,
    /// What the watchers saw.
    pub watchers: Seen,
    /// What the callbacks got.
    pub callbacks: Told,
    /// News that were published.
    pub news: usize,
    /// Whether everything is in the feed.
    pub kept: Kept,
    /// Resident bytes of the node while it was idle, and when all clients had come.
    pub resident: [u64; 2],
    /// How the node stood at the end.
    pub state: State,
    /// CPU seconds of the node under overload.
    pub cpu: f64,
    /// Bytes of memory that the service may take.
    pub memory: u64,
    /// What had to hold.
    pub conditions: Vec<Condition>,
}

/// Runs the benchmark, or the part of it that this process is.
pub fn run(args: &Args) -> Result<Option<Report>> {
    match roles::mine().as_deref() {
        Some("node") => node::run(args).map(|()| None),
        Some("origin") => origin::run(args).map(|()| None),
        Some("reader") => reader::run(args).map(|()| None),
        Some("crowd") => crowd::run(args).map(|()| None),
        Some("watchers") => watchers::run(args).map(|()| None),
        Some("callbacks") => callbacks::run(args).map(|()| None),
        Some(other) => bail!("there is no part `{other}` in this benchmark"),
        None => tokio::runtime::Runtime::new()?.block_on(measure(args)).map(Some),
    }
}

/// Stands for another machine: the node and the normal reader go first.
fn give_way() {
    // Where that is refused, the parts disturb each other more.
    let _ = rustix::process::nice(19);
}

/// Everybody who takes part.
struct Cast {
    origin: Part,
    node: Part,
    reader: Part,
    crowd: Part,
    watchers: Part,
    callbacks: Part,
    address: String,
}

async fn measure(args: &Args) -> Result<Report> {
    let before = load();
    let mut origin = Part::start("origin")?;
    let places: Places = origin.ask("where")?;
    let mut node = Part::start("node")?;
    let address: String = node.ask(&serde_json::to_string(&places)?)?;
    let mut cast = Cast {
        origin,
        node,
        reader: Part::start("reader")?,
        crowd: Part::start("crowd")?,
        watchers: Part::start("watchers")?,
        callbacks: Part::start("callbacks")?,
        address,
    };
    let mut report = Report { memory: memory::allowed()?, ..Report::default() };
    cast.until("the first news", |cast| Ok(cast.state()?.news >= FIRST_NEWS as u64)).await?;
    let begin = format!("begin {}", cast.address);
    cast.reader.ask::<()>(&begin)?;
    tokio::time::sleep(Duration::from_secs_f64(args.idle)).await;
    report.idle = cast.reader.ask("end")?;
    cast.overload(args, &mut report).await?;
    report.load = [before, load()];
    report.conditions = conditions::conditions(args, &report);
    Ok(report)
}

impl Cast {
    fn state(&mut self) -> Result<State> {
        self.node.ask("state")
    }

    /// Waits until something holds, but not for ever; whether it holds is for the report to say.
    async fn until(
        &mut self,
        what: &str,
        mut holds: impl FnMut(&mut Self) -> Result<bool>,
    ) -> Result<()> {
        let start = tokio::time::Instant::now();
        while !holds(self)? {
            if start.elapsed().as_secs_f64() > PATIENCE {
                eprintln!("waited {PATIENCE} s for {what}");
                return Ok(());
            }
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    }

    async fn overload(&mut self, args: &Args, report: &mut Report) -> Result<()> {
        let start = tokio::time::Instant::now();
        let before = self.state()?.usage;
        self.gather(args, report).await?;
        report.resident = [before.resident, self.state()?.usage.resident];
        self.crawl(args, report).await?;
        let end = report.news;
        self.until("the last news", |cast| {
            let seen: Seen = cast.watchers.ask("seen")?;
            let told = cast.told(end)?;
            Ok(seen.everybody >= end as u64
                && told.complete >= callbacks::answering(args.callbacks))
        })
        .await?;
        report.seconds = start.elapsed().as_secs_f64();
        report.loaded = self.reader.ask("end")?;
        report.crowd = self.crowd.ask("level")?;
        report.watchers = self.watchers.ask("seen")?;
        report.callbacks = self.told(end)?;
        report.state = self.state()?;
        report.cpu = report.state.usage.cpu_since(&before);
        self.crowd.ask::<Level>("end")?;
        report.manners = self.origin.ask("judge")?;
        let address = format!("http://{}", self.address);
        report.kept = truth::compare(args, &address, end).await?;
        Ok(())
    }

    /// What the callbacks have of the news since the beginning until before a number.
    fn told(&mut self, end: usize) -> Result<Told> {
        self.callbacks.ask(&format!("got {FIRST_NEWS} {end}"))
    }

    /// Everybody comes.
    async fn gather(&mut self, args: &Args, report: &mut Report) -> Result<()> {
        let begin = format!("begin {}", self.address);
        self.reader.ask::<()>(&begin)?;
        self.crowd.ask::<Level>(&begin)?;
        self.watchers.ask::<Seen>(&begin)?;
        self.callbacks.ask::<()>(&begin)?;
        self.until("everybody to come", |cast| {
            let level: Level = cast.crowd.ask("level")?;
            report.most_open = report.most_open.max(level.open);
            let seen: Seen = cast.watchers.ask("seen")?;
            let told = cast.told(FIRST_NEWS)?;
            Ok(report.most_open >= args.connections as i64
                && seen.open >= args.watchers as u64
                && told.confirmed >= args.callbacks)
        })
        .await
    }

    /// The sources come, too, and are crawled while the crowd stays.
    async fn crawl(&mut self, args: &Args, report: &mut Report) -> Result<()> {
        let start = tokio::time::Instant::now();
        report.least_open = i64::MAX;
        self.origin.ask::<()>("publish")?;
        self.node.ask::<()>("crawl")?;
        let all = (args.items + args.sources * ITEMS_EACH) as u64;
        self.until("the crawl", |cast| {
            let level: Level = cast.crowd.ask("level")?;
            report.most_open = report.most_open.max(level.open);
            report.least_open = report.least_open.min(level.open);
            let State { all: entries, news, .. } = cast.state()?;
            Ok(start.elapsed().as_secs_f64() >= args.seconds && entries >= all + news)
        })
        .await?;
        report.news = self.origin.ask("stop")?;
        Ok(())
    }
}

impl Report {
    /// An error if something was missed.
    ///
    /// # Errors
    /// When a condition did not hold.
    pub fn verdict(&self) -> Result<()> {
        match self.conditions.iter().filter(|condition| !condition.kept).count() {
            0 => Ok(()),
            missed => bail!("{missed} of {} conditions did not hold", self.conditions.len()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { load, seconds, idle, loaded, crowd, watchers, callbacks, .. } = self;
        writeln!(f, "overload for {seconds:.0} s; {:.0} s of CPU in the node", self.cpu)?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        for (when, latency) in [("idle", idle), ("overload", loaded)] {
            let Latency { asked, median_ms, p99_ms, worst_ms, .. } = latency;
            writeln!(
                f,
                "a normal reader, {when}: {asked} requests, median {median_ms:.2} ms, p99 {p99_ms:.2} ms, \
                 worst {worst_ms:.2} ms"
            )?;
        }
        writeln!(
            f,
            "crowd: {} answers, {} slow clients cut off; storm: {} readers, {} answered",
            crowd.answered, crowd.cut, crowd.stormed, crowd.storm_answered
        )?;
        writeln!(
            f,
            "watchers: {} entries, {} fetches told to come later, {} streams ended",
            watchers.entries, watchers.delayed, watchers.broken
        )?;
        writeln!(
            f,
            "hub: {} deliveries answered, {} left hanging",
            callbacks.delivered, callbacks.hanging
        )?;
        writeln!(
            f,
            "crawl: {:.0} requests a minute on average; {} requests for news in all",
            self.manners.per_minute, self.manners.news_requests
        )?;
        let [idle, with_all] = self.resident.map(|bytes| bytes as f64 / 1e6);
        writeln!(f, "memory of the node: {idle:.0} MB idle, {with_all:.0} MB with all clients")?;
        self.conditions.iter().try_for_each(|condition| condition.fmt(f))
    }
}
