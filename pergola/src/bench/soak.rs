//! A long run with faults: does the node stay as it is?
//!
//! `pergola run` crawls a newsroom at 600 times real time, so an hour is 25 days. Sources fail in many ways and come
//! back, items are edited, feeds are read all the time over HTTP and gRPC, sources and feeds come and go. Memory,
//! descriptors, disk, τ and requests are measured from outside, and every item that a source has shown is looked for.

mod edits;
mod faults;
mod guests;
mod household;
mod judge;
mod press;
mod readers;
mod sample;

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args as ClapArgs;
use pergola_api::client::Client;
use pergola_api::feed::QueryRequest;
use pergola_api::operation::ImportRequest;
use pergola_feed::opml::{Opml, Outline};
use pergola_outside::clock::Clock;
use pergola_store::{Backend, Table};
use serde::Serialize;

use super::client::plain;
use super::roles::{self, Part};
use super::scale::load;
use guests::Guests;
use household::Household;
pub use judge::{Condition, Third};
use press::Account;
use readers::{EVERYTHING, Readers};
pub use sample::Sample;

/// How long and how large the run is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Minutes of real time.
    #[arg(long, default_value_t = 60.0)]
    pub minutes: f64,
    /// Times as fast as real time.
    #[arg(long, default_value_t = 600.0)]
    pub speed: f64,
    /// Sources that stay.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub sources: u16,
    /// The storage engine, redb or sled.
    #[arg(long, default_value_t = Backend::default())]
    pub store: Backend,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A folder for the node's data, its log and all samples (samples.csv); it stays. Left out, nothing does.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Seconds between two samples, at most.
const SAMPLE_EVERY: f64 = 10.0;
/// Samples at least.
const SAMPLES: f64 = 30.0;
/// Hours of the node's time between two guests, at most, and guests at least.
const GUEST_EVERY: f64 = 4.0;
const GUESTS: f64 = 8.0;
/// Seconds that the last items may take to their reader.
const PATIENCE: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(50);

/// What the node publishes all the time.
const FEEDS: [(&str, &str); 5] = [
    (EVERYTHING, ""),
    ("Volcanoes", " WHERE ITEM CONTAINS \"volcano*\""),
    ("Sports", " WHERE ITEM CONTAINS \"football\" OR \"cycling\" OR \"chess\""),
    ("World", " WHERE ITEM CONTAINS \"elections\" OR \"economy\""),
    ("Long", " WINDOW 200"),
];

impl Args {
    fn seconds(&self) -> f64 {
        60.0 * self.minutes
    }

    /// A refresh an hour for each source.
    fn per_minute(&self) -> f64 {
        f64::from(self.sources) / 60.0
    }

    /// Real seconds between two guests.
    fn guest_every(&self) -> f64 {
        (GUEST_EVERY * 3_600.0 / self.speed).min(self.seconds() / GUESTS)
    }

    /// Guests that may come.
    fn guests(&self) -> usize {
        (self.seconds() / self.guest_every()).ceil() as usize + 1
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Minutes of real time.
    pub minutes: f64,
    /// Times as fast as real time.
    pub speed: f64,
    /// Sources that stayed.
    pub sources: u16,
    /// Sources that came and went, each with a feed.
    pub guests: usize,
    /// The storage engine.
    pub store: Backend,
    /// Refreshes per minute that the budget allowed.
    pub budget: f64,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// The thirds of the run.
    pub thirds: [Third; 3],
    /// What came of the items.
    pub items: Items,
    /// What readers did.
    pub readers: Reading,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// Everything that was measured.
    pub samples: Vec<Sample>,
}

/// What came of the items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Items {
    /// Requests of the node that met a fault.
    pub faults: u64,
    /// Items that the sources published, from the first one shown on.
    pub published: u64,
    /// Items that came to a reader of all of them.
    pub came: u64,
    /// Edits that came.
    pub edits: u64,
    /// Items that a source had shown to the node and that never came.
    pub lost: u64,
    /// Items that came more than once.
    pub doubled: u64,
}

/// What readers did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// Documents over HTTP.
    pub documents: u64,
    /// Of these, how many had not changed.
    pub unchanged: u64,
    /// Calls over gRPC.
    pub questions: u64,
    /// Messages of `Watch` streams.
    pub messages: u64,
    /// Answers that were wrong or missing.
    pub troubles: u64,
    /// The first of them.
    pub trouble: Vec<String>,
}

/// Runs the soak. Nothing is returned by a part of it.
pub fn run(args: &Args) -> Result<Option<Report>> {
    ensure!(args.minutes > 0.0, "--minutes is {}; give a number above 0", args.minutes);
    ensure!(args.speed > 0.0, "--speed is {}; give a number above 0", args.speed);
    match roles::mine().as_deref() {
        Some("newsroom") => press::serve(args).map(|()| None),
        Some(other) => bail!("there is no part `{other}` in this benchmark"),
        None => tokio::runtime::Runtime::new()?.block_on(async {
            tokio::select! {
                played = play(args) => played.map(Some),
                // The node must not outlive it.
                stopped = crate::signals::stop(None) => {
                    stopped?;
                    bail!("stopped before its end")
                }
            }
        }),
    }
}

async fn play(args: &Args) -> Result<Report> {
    let temporary = tempfile::tempdir()?;
    let folder = args.folder.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder)?;
    // The node takes a relative path as one beside its configuration.
    let folder = &folder.canonicalize()?;
    ensure!(
        !folder.join("data").exists(),
        "{} holds the data of an earlier run; remove it or give another --folder",
        folder.display()
    );
    let first = load();
    let start = Clock::real().now();
    let mut newsroom = Part::start("newsroom")?;
    let addresses: Vec<String> = newsroom.ask(&start.to_string())?;
    let household = Household::start(args, folder, start).await?;
    let client = Client::new(plain()?, household.url().parse()?, None)?;
    settle(args, &client, &addresses).await?;
    let readers = Readers::new(household.url(), FEEDS.map(|(name, _)| name).to_vec());
    let tasks = readers.start();
    let mut guests = Guests::new(addresses);
    let samples = observe(args, folder, &household, &client, &mut newsroom, &mut guests).await?;
    let mut account: Account = newsroom.ask("account")?;
    // What a guest has shown last may have gone with it.
    account.shown.retain(|name, _| name.starts_with(press::RESIDENT));
    let came = async {
        while readers.tally().lost(&account.shown) > 0 {
            tokio::time::sleep(GLANCE).await;
        }
    };
    // What has not come by then is lost, and is told below.
    let _ = tokio::time::timeout(PATIENCE, came).await;
    readers.stop();
    for task in tasks {
        task.await?;
    }
    household.stop().await?;
    Ok(report(args, samples, &account, &readers, guests.came, [first, load()]))
}

/// Creates the feeds and adds the sources.
async fn settle(args: &Args, client: &Client, addresses: &[String]) -> Result<()> {
    let script: String = FEEDS
        .iter()
        .map(|(name, condition)| format!("CREATE FEED {name} AS RETURN OPML \"all\"{condition};\n"))
        .collect();
    client.run_statements(&QueryRequest::new(script)).await?;
    let outlines = (0..usize::from(args.sources)).map(|number| {
        let name = press::resident(number);
        let feed = Some(press::url(addresses, number, &name));
        Outline { text: name, feed, ..Outline::default() }
    });
    let list = Opml { title: None, outlines: outlines.collect() };
    let request = ImportRequest { opml: list.write(), feed: None, only_new: false };
    client.import_opml(&request).await?;
    Ok(())
}

/// Takes samples until the end, and lets guests come and go meanwhile.
async fn observe(
    args: &Args,
    folder: &Path,
    household: &Household,
    client: &Client,
    newsroom: &mut Part,
    guests: &mut Guests,
) -> Result<Vec<Sample>> {
    let (watch, every) = (Clock::real(), SAMPLE_EVERY.min(args.seconds() / SAMPLES));
    let start = watch.now();
    let seconds = || watch.now() - start;
    let mut table = std::fs::File::create(folder.join("samples.csv"))?;
    table.write_all(Sample::columns().as_bytes())?;
    let mut samples: Vec<Sample> = Vec::new();
    let (mut next_sample, mut next_guest) = (0.0, args.guest_every());
    while seconds() < args.seconds() {
        if seconds() >= next_guest {
            guests.next(client).await?;
            next_guest += args.guest_every();
        }
        if seconds() >= next_sample {
            let requests = newsroom.ask("requests")?;
            let times = [seconds(), start + seconds() * args.speed];
            let sample = Sample::take(household, client, requests, times).await;
            let sample = sample.with_context(|| format!("after {:.0} s", seconds()))?;
            table.write_all(sample.row().as_bytes())?;
            samples.push(sample);
            next_sample += every;
        }
        let next = next_sample.min(next_guest).min(args.seconds());
        watch.sleep_until(start + next).await;
    }
    Ok(samples)
}

fn report(
    args: &Args,
    samples: Vec<Sample>,
    account: &Account,
    readers: &Readers,
    guests: usize,
    load: [f64; 2],
) -> Report {
    let tally = readers.tally();
    let lost = tally.lost(&account.shown);
    let thirds = judge::thirds(&samples);
    let mut conditions = judge::conditions(&thirds, &samples, args.store, args.per_minute());
    conditions.extend([
        Condition::at_most("items lost", lost as f64, 0.0),
        Condition::at_most("items doubled", tally.doubled as f64, 0.0),
        Condition::at_most(
            "answers to readers that were wrong or missing",
            tally.troubles as f64,
            0.0,
        ),
    ]);
    Report {
        minutes: args.minutes,
        speed: args.speed,
        sources: args.sources,
        guests,
        store: args.store,
        budget: args.per_minute(),
        load,
        thirds,
        items: Items {
            faults: account.faults,
            published: account.published,
            came: tally.items(),
            edits: tally.edits,
            lost,
            doubled: tally.doubled,
        },
        readers: Reading {
            documents: tally.documents,
            unchanged: tally.unchanged,
            questions: tally.questions,
            messages: tally.messages,
            troubles: tally.troubles,
            trouble: tally.trouble.clone(),
        },
        conditions,
        samples,
    }
}

impl Report {
    /// The tables that hold more than a hundredth of everything at the end.
    fn large_tables(&self) -> Vec<Table> {
        let [_, _, Third { tables, live, .. }] = self.thirds;
        let large = |table: &Table| tables.0[*table as usize] as f64 > live / 100.0;
        Table::ALL.into_iter().filter(large).collect()
    }

    /// An error if a condition is not met.
    pub fn verdict(&self) -> Result<()> {
        let unmet: Vec<&str> =
            self.conditions.iter().filter(|c| !c.met).map(|condition| condition.what).collect();
        ensure!(unmet.is_empty(), "not met: {}", unmet.join("; "));
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { minutes, speed, sources, guests, store, budget, load, items, readers, .. } =
            self;
        writeln!(
            f,
            "{minutes} minutes at {speed} × real time on {store}: {sources} sources that stay, {guests} that came \
             and went, {budget:.2} refreshes a minute"
        )?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", load[0], load[1])?;
        writeln!(
            f,
            "  {:34} {:>10} {:>10} {:>10}",
            "means of each third", "first", "second", "last"
        )?;
        let mut row = |what: &str, figure: &dyn Fn(&Third) -> String| {
            let [first, second, last] = &self.thirds;
            writeln!(
                f,
                "  {what:34} {:>10} {:>10} {:>10}",
                figure(first),
                figure(second),
                figure(last)
            )
        };
        row("memory, MB", &|t| format!("{:.1}", t.resident / 1e6))?;
        row("descriptors", &|t| format!("{:.1}", t.descriptors))?;
        row("disk, MB", &|t| format!("{:.2}", t.disk / 1e6))?;
        row("stored keys and values, MB", &|t| format!("{:.2}", t.live / 1e6))?;
        for table in self.large_tables() {
            let bytes = |t: &Third| t.tables.0[table as usize] as f64 / 1e6;
            row(&format!("… {}", sample::name(table)), &|t| format!("{:.2}", bytes(t)))?;
        }
        row("disk for each byte stored", &|t| format!("{:.2}", t.disk / t.live))?;
        row("… at worst", &|t| format!("{:.2}", t.worst_ratio))?;
        row("τ", &|t| format!("{:.3e}", t.threshold))?;
        row("… spread of its eighths", &|t| format!("{:.1e}", t.threshold_spread))?;
        row("requests per minute", &|t| format!("{:.2}", t.requests_per_minute))?;
        row("share of a processor", &|t| format!("{:.3}", t.cpu))?;
        writeln!(
            f,
            "{} items of {} published came, {} edits; {} requests met a fault",
            items.came, items.published, items.edits, items.faults
        )?;
        writeln!(
            f,
            "readers: {} documents ({} unchanged), {} calls, {} messages of streams",
            readers.documents, readers.unchanged, readers.questions, readers.messages
        )?;
        readers.trouble.iter().try_for_each(|trouble| writeln!(f, "  trouble: {trouble}"))?;
        for Condition { what, measured, at_most, met } in &self.conditions {
            let mark = if *met { '✓' } else { '✗' };
            writeln!(f, "{mark} {what}: {measured:.3} (at most {at_most:.3})")?;
        }
        Ok(())
    }
}
