//! Full-text search over many items: how long searches take, how large the index is, and what indexing costs.
//!
//! Items with a natural distribution of words are stored as a node stores them, indexed as a node indexes them, and
//! searched in every way there is. Nothing runs beside it, so the CPU time is that of the index.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use pergola_outside::clock::Clock;
use pergola_store::archive::{Archive, Asked, Find, SourceId};
use pergola_store::{Backend, open};
use serde::Serialize;

use super::scale::load;
use super::stock::texts::{Random, Texts};
use super::stock::{self, Spread};
use super::usage::Usage;

/// The longest that a search may take at the 95th percentile, in milliseconds.
const LONGEST: f64 = 100.0;
/// The largest that the index may be, relative to the stored text.
const LARGEST: f64 = 0.4;
/// Items on a page.
const PAGE: usize = 20;
/// Bytes of the store's cache.
const CACHE: u64 = 256 << 20;
/// When the items are delivered: one a second.
const SPREAD: Spread = Spread { start: 1_750_000_000.0, step: 1.0 };

/// How large the benchmark is.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Items.
    #[arg(long, default_value_t = 1_000_000)]
    pub items: u64,
    /// Sources that deliver them.
    #[arg(long, default_value_t = 2_000)]
    pub sources: u32,
    /// Words that occur in texts.
    #[arg(long, default_value_t = 500_000)]
    pub vocabulary: usize,
    /// Searches of each kind.
    #[arg(long, default_value_t = 200)]
    pub searches: usize,
    /// The store: redb or sled.
    #[arg(long, default_value_t = Backend::Redb)]
    pub store: Backend,
    /// The seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The folder of the store; removed at the end unless it is given.
    #[arg(long)]
    pub data: Option<PathBuf>,
}

/// How one kind of search did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    /// What is searched for.
    pub what: &'static str,
    /// Milliseconds at the median …
    pub median: f64,
    /// … at the 95th percentile …
    pub p95: f64,
    /// … and at most.
    pub longest: f64,
    /// Items on a page, on average.
    pub found: f64,
    /// Items that were looked at for a page, on average.
    pub looked_at: f64,
    /// The 95th percentile relative to what is allowed.
    pub ratio: f64,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Items.
    pub items: u64,
    /// The machine's load before and after (one minute).
    pub load: [f64; 2],
    /// Bytes of titles, summaries and contents.
    pub text: u64,
    /// Bytes of the chunks that hold them, packed.
    pub packed: u64,
    /// Bytes of the index.
    pub index: u64,
    /// Segments of the index.
    pub segments: usize,
    /// The index relative to the stored text.
    pub size: f64,
    /// … relative to what is allowed.
    pub size_ratio: f64,
    /// … relative to the packed chunks.
    pub size_of_packed: f64,
    /// Bytes that the store has grown by on the disk while indexing.
    pub grown: u64,
    /// CPU microseconds for each item that was indexed, merging included.
    pub cpu: f64,
    /// Seconds that indexing took.
    pub seconds: f64,
    /// Milliseconds of the longest step of the work on the index, without its commit.
    pub longest_step: f64,
    /// The searches.
    pub kinds: Vec<Kind>,
    /// What the process had used at the end.
    pub usage: Usage,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Report> {
    let own = std::env::temp_dir().join(format!("pergola-search-{}", std::process::id()));
    let folder = args.data.clone().unwrap_or_else(|| own.clone());
    let report = measure(args, &folder);
    if args.data.is_none() && own.exists() {
        std::fs::remove_dir_all(&own)?;
    }
    report
}

fn measure(args: &Args, folder: &Path) -> Result<Report> {
    let before = load();
    let opened = open(folder, Some(args.store), CACHE)?;
    let archive = Archive::new(opened.store);
    let mut texts = Texts::new(args.vocabulary, args.seed);
    let sources: Vec<_> = (0..args.sources).map(SourceId).collect();
    let stored = stock::fill(&archive, args.items, &sources, &mut texts, SPREAD)?;
    let on_disk = archive.store().bytes_on_disk();
    let indexing = stock::index(&archive, args.items)?;
    let size = archive.index_size()?;
    let kinds = search(&archive, args, &mut texts)?;
    Ok(Report {
        items: args.items,
        load: [before, load()],
        text: stored.text,
        packed: stored.packed,
        index: size.bytes,
        segments: size.segments,
        size: size.bytes as f64 / stored.text as f64,
        size_ratio: size.bytes as f64 / stored.text as f64 / LARGEST,
        size_of_packed: size.bytes as f64 / stored.packed as f64,
        grown: archive.store().bytes_on_disk().saturating_sub(on_disk),
        cpu: indexing.cpu * 1e6 / args.items as f64,
        seconds: indexing.seconds,
        longest_step: indexing.longest_step,
        kinds,
        usage: Usage::now(),
    })
}

/// A kind of search: its name, and a search of that kind.
type Make = (&'static str, fn(&mut Texts, &mut Random) -> (String, Option<u32>));

const KINDS: [Make; 9] = [
    ("a rare word", |texts, random| (texts.word(random, 5_000..100_000), None)),
    ("a common word", |texts, random| (texts.word(random, 20..500), None)),
    ("two common words", |texts, random| {
        (format!("{} {}", texts.word(random, 20..500), texts.word(random, 20..500)), None)
    }),
    ("three words that hardly meet", |texts, random| {
        let mut word = || texts.word(random, 500..5_000);
        (format!("{} {} {}", word(), word(), word()), None)
    }),
    ("a name of two words", |texts, random| (format!("\"{}\"", texts.name(random)), None)),
    ("two words that happen to be adjacent", |texts, random| {
        (format!("\"{}\"", texts.adjacent(random)), None)
    }),
    ("words that begin with three letters", |texts, random| {
        let word = texts.word(random, 500..50_000);
        (format!("{}*", word.chars().take(3).collect::<String>()), None)
    }),
    ("a common word without another", |texts, random| {
        (format!("{} -{}", texts.word(random, 20..500), texts.word(random, 0..50)), None)
    }),
    ("a word in one source", |texts, random| {
        (texts.word(random, 20..2_000), Some(random.below(1 << 32) as u32))
    }),
];

fn search(archive: &Archive, args: &Args, texts: &mut Texts) -> Result<Vec<Kind>> {
    let clock = Clock::real();
    let mut random = Random(args.seed ^ 0xa5ced);
    let mut kinds = Vec::new();
    for (what, make) in KINDS {
        let (mut times, mut found, mut looked_at) = (Vec::new(), 0, 0);
        for _ in 0..args.searches.max(1) {
            let (text, source) = make(texts, &mut random);
            let asked = Asked::parse(&text).with_context(|| text.clone())?;
            let sources = source.map(|source| [SourceId(source % args.sources.max(1))].into());
            let find = Find { asked, sources, after: None, limit: PAGE };
            let start = clock.now();
            let page = archive.find(&find)?;
            times.push(1e3 * (clock.now() - start));
            anyhow::ensure!(page.complete, "the search for {text} was not complete");
            found += page.found.len();
            looked_at += page.looked_at;
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        let (median, p95, longest) = (at(0.5), at(0.95), at(1.0));
        let each = |count: usize| count as f64 / times.len() as f64;
        let (found, looked_at, ratio) = (each(found), each(looked_at), p95 / LONGEST);
        kinds.push(Kind { what, median, p95, longest, found, looked_at, ratio });
    }
    Ok(kinds)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        writeln!(f, "{} items, {:.0} MB of text", self.items, megabytes(self.text))?;
        writeln!(f, "load of the machine: {:.1} before, {:.1} after", self.load[0], self.load[1])?;
        writeln!(
            f,
            "index: {:.0} MB in {} segments, {:.3} of the text (≤ {LARGEST}, ratio {:.2}), {:.2} of the packed \
             chunks; {:.0} MB more on the disk",
            megabytes(self.index),
            self.segments,
            self.size,
            self.size_ratio,
            self.size_of_packed,
            megabytes(self.grown),
        )?;
        writeln!(
            f,
            "indexing: {:.1} µs of CPU for each item, {:.1} s in all, the longest step {:.0} ms",
            self.cpu, self.seconds, self.longest_step
        )?;
        writeln!(f, "memory: {:.0} MB at most", megabytes(self.usage.peak))?;
        writeln!(
            f,
            "  {:40} {:>8} {:>8} {:>8} {:>7} {:>9} {:>6}",
            "search, in ms (p95 ≤ 100)", "median", "p95", "longest", "found", "looked at", "ratio"
        )?;
        for kind in &self.kinds {
            writeln!(
                f,
                "  {:40} {:>8.2} {:>8.2} {:>8.2} {:>7.1} {:>9.1} {:>6.2}",
                kind.what,
                kind.median,
                kind.p95,
                kind.longest,
                kind.found,
                kind.looked_at,
                kind.ratio
            )?;
        }
        Ok(())
    }
}
