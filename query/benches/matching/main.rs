//! How the cost of an item grows with the number of standing queries.
//!
//! Prints a table, because ratios within one run matter: between numbers of queries, compared with
//! evaluating each query by itself, and compared with automata over characters that only find the same
//! phrases in the same text.
#![expect(clippy::unwrap_used, reason = "a benchmark stops if it cannot be set up")]

mod workload;

use std::hint::black_box;
use std::time::Instant;

use pergola_query::text::normalise;
use pergola_query::{FeedFilter, ItemView, Matcher, PreparedItem, QueryId, Scratch, SourceId};
use workload::{Query, Setting, Workload};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const ITEMS: usize = 1_000;
const ROUNDS: usize = 10;

/// Microseconds per item and counts, for one number of queries.
#[derive(Default)]
struct Row {
    queries: usize,
    phrases: usize,
    matching: f64,
    scan: f64,
    aho_corasick: f64,
    daachorse: f64,
    alone: Option<f64>,
    matches: f64,
    add: f64,
    worst_add: f64,
    remove: f64,
    build_own: f64,
    build_daachorse: f64,
}

const SETTINGS: [(&str, Setting); 3] = [
    ("queries read 20 of 1,000 sources each", Setting { reads: 20, from_rank: 500 }),
    ("queries read all sources, for rare words", Setting { reads: 1_000, from_rank: 5_000 }),
    (
        "worst case: queries read all sources, for common words, so the matches grow too",
        Setting { reads: 1_000, from_rank: 500 },
    ),
];

fn main() {
    for (title, setting) in SETTINGS {
        println!("\n{title} (µs per item of 2 kB; 3 phrases per query)");
        let heads = [
            "queries", "phrases", "hits", "items/s", "match", "scan", "aho-c.", "daach.", "each",
            "add", "worst", "remove", "build ms", "daach.ms",
        ];
        println!("{}", heads.map(|head| format!("{head:>10}")).join(""));
        let rows = measure(setting);
        rows.iter().for_each(print_row);
        report(&rows);
    }
    scripts();
}

fn print_row(row: &Row) {
    print!("{:>10}{:>10}{:>10.2}", row.queries, row.phrases, row.matches);
    print!("{:>10.0}", 1e6 / row.matching);
    for time in [row.matching, row.scan, row.aho_corasick, row.daachorse] {
        print!("{time:>10.2}");
    }
    print!("{:>10}", row.alone.map_or("-".to_owned(), |alone| format!("{alone:.0}")));
    for time in [row.add, row.worst_add, row.remove, row.build_own, row.build_daachorse] {
        print!("{time:>10.1}");
    }
    println!();
}

fn report(rows: &[Row; 4]) {
    for (few, many) in [(&rows[0], &rows[2]), (&rows[1], &rows[3])] {
        println!(
            "  {} queries take {:.2} times the time of {} (target: at most 3)",
            many.queries,
            many.matching / few.matching,
            few.queries
        );
    }
    let ten = &rows[2];
    println!(
        "  {} queries take {:.2} times a bare pass of daachorse, {:.2} of aho-corasick, {:.2} of our own \
         automaton (target: at most 3)",
        ten.queries,
        ten.matching / ten.daachorse,
        ten.matching / ten.aho_corasick,
        ten.matching / ten.scan,
    );
    let faster = ten.alone.unwrap_or(f64::NAN) / ten.matching;
    println!("  and are {faster:.0} times as fast as one by one");
}

/// Converts a text to another script.
type Rewrite<'r> = &'r dyn Fn(&str) -> String;

/// Measures scanning texts of other scripts with 10,000 queries.
fn scripts() {
    let workload = Workload::new(10_000, SETTINGS[0].1, 200);
    let mut matcher = Matcher::new();
    for (number, query) in workload.queries.iter().enumerate() {
        add(&mut matcher, number as u64, query);
    }
    let accents = |text: &str| text.replace('e', "é").replace("ou", "oû");
    let cyrillic = |text: &str| {
        let letter = |c: char| match c {
            'a'..='z' => char::from_u32('а' as u32 + c as u32 - 'a' as u32).unwrap_or(c),
            _ => c,
        };
        text.chars().map(letter).collect::<String>()
    };
    let chinese = |text: &str| {
        let sign = |c: char| char::from_u32(0x4e00 + c as u32 * 37 % 5000).unwrap_or(c);
        text.chars().filter(|c| *c != ' ').map(sign).collect::<String>()
    };
    println!("\nscanning other scripts, 10,000 queries");
    let kinds: [(&str, Rewrite<'_>); 4] = [
        ("ASCII", &str::to_owned),
        ("accents", &accents),
        ("Cyrillic", &cyrillic),
        ("Chinese", &chinese),
    ];
    for (name, change) in kinds {
        let texts: Vec<String> = workload.items.iter().map(|item| change(&item.content)).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut scratch = Scratch::new();
        let time = per_item(&texts, |content| {
            let item = ItemView { content, ..ItemView::default() };
            black_box(matcher.scan(&item, &mut scratch));
        });
        let size = bytes / texts.len();
        println!("  {name:<10} {time:>6.1} µs for {size} bytes, {:.0} MB/s", size as f64 / time);
    }
}

/// Measures all sizes in turns, so that other load on the machine affects all of them equally.
fn measure(setting: Setting) -> [Row; 4] {
    let mut subjects = SIZES.map(|queries| Subject::new(queries, setting));
    let mut scratch = Scratch::new();
    let mut times: [[Least; 4]; 4] = Default::default();
    for _ in 0..ROUNDS {
        for (subject, [matching, scan, aho_corasick, daachorse]) in
            subjects.iter_mut().zip(&mut times)
        {
            let Subject { workload: Workload { items, .. }, texts, matcher, row, .. } = subject;
            let mut matches = 0;
            matching.round(items, |item| {
                let (source, view) = (SourceId(item.source), item.view());
                matches += matcher.matches(source, &view, workload::NOW, &mut scratch).len();
            });
            row.matches = matches as f64 / ITEMS as f64;
            scan.round(items, |item| {
                black_box(matcher.scan(&item.view(), &mut scratch));
            });
            aho_corasick.round(texts, |text| {
                black_box(subject.aho_corasick.find_overlapping_iter(text).count());
            });
            daachorse.round(texts, |text| {
                black_box(subject.daachorse.find_overlapping_iter(text).count());
            });
        }
    }
    for (subject, [matching, scan, aho_corasick, daachorse]) in subjects.iter_mut().zip(&times) {
        let Subject { workload, matcher, row, .. } = subject;
        row.matching = matching.per_item();
        row.scan = scan.per_item();
        row.aho_corasick = aho_corasick.per_item();
        row.daachorse = daachorse.per_item();
        row.alone = (workload.queries.len() <= 10_000).then(|| one_by_one(workload));
        change_one(matcher, workload, row);
    }
    subjects.map(|subject| subject.row)
}

/// One number of queries, with everything to measure.
struct Subject {
    workload: Workload,
    texts: Vec<String>,
    matcher: Matcher,
    aho_corasick: aho_corasick::AhoCorasick,
    daachorse: daachorse::DoubleArrayAhoCorasick<u32>,
    row: Row,
}

impl Subject {
    fn new(queries: usize, setting: Setting) -> Self {
        let workload = Workload::new(queries, setting, ITEMS);
        let (build_own, matcher) = timed(|| {
            let mut matcher = Matcher::new();
            for (number, query) in workload.queries.iter().enumerate() {
                add(&mut matcher, number as u64, query);
            }
            matcher
        });
        let phrases = workload.distinct_phrases();
        let (build_daachorse, daachorse) =
            timed(|| daachorse::DoubleArrayAhoCorasick::new(&phrases).unwrap());
        let row = Row {
            queries,
            phrases: phrases.len(),
            build_own: build_own / 1e3,
            build_daachorse: build_daachorse / 1e3,
            ..Row::default()
        };
        Self {
            texts: workload.items.iter().map(workload::Item::folded_text).collect(),
            workload,
            matcher,
            aho_corasick: aho_corasick::AhoCorasick::new(&phrases).unwrap(),
            daachorse,
            row,
        }
    }
}

fn add(matcher: &mut Matcher, number: u64, query: &Query) {
    let sources = |_: &_| query.sources.iter().copied().map(SourceId).collect();
    matcher.add(QueryId(number), &query.body, None, sources).unwrap();
}

/// Microseconds per item if each query that reads the source is evaluated by itself.
fn one_by_one(workload: &Workload) -> f64 {
    let filters: Vec<FeedFilter> =
        workload.queries.iter().map(|query| FeedFilter::compile(&query.body).unwrap()).collect();
    per_item(&workload.items[..20], |item| {
        let prepared = PreparedItem::new(item.view());
        let wanted = workload.queries.iter().zip(&filters).filter(|(query, filter)| {
            query.sources.binary_search(&item.source).is_ok()
                && filter.keeps(0, &prepared, workload::NOW)
        });
        black_box(wanted.count());
    })
}

/// Measures adding one more query, on average and at worst, and removing one.
fn change_one(matcher: &mut Matcher, workload: &Workload, row: &mut Row) {
    let first = workload.queries.len() as u64;
    let more = &workload.more_queries;
    let mut times = Vec::new();
    for (number, query) in more.iter().enumerate() {
        times.push(timed(|| add(matcher, first + number as u64, query)).0);
    }
    let (removing, ()) = timed(|| {
        for number in 0..more.len() as u64 {
            assert!(matcher.remove(QueryId(first + number)));
        }
    });
    let count = more.len() as f64;
    row.add = times.iter().sum::<f64>() / count;
    row.worst_add = times.iter().copied().fold(0.0, f64::max);
    row.remove = removing / count;
}

/// The minimum time over all rounds, separately for every few items: so few that some round is not
/// interrupted.
#[derive(Default)]
struct Least {
    chunks: Vec<f64>,
    items: usize,
}

impl Least {
    const CHUNK: usize = 20;

    fn round<T>(&mut self, items: &[T], mut each: impl FnMut(&T)) {
        self.items = items.len();
        self.chunks.resize(items.len().div_ceil(Self::CHUNK), f64::INFINITY);
        for (chunk, least) in items.chunks(Self::CHUNK).zip(&mut self.chunks) {
            let (time, ()) = timed(|| chunk.iter().for_each(&mut each));
            *least = least.min(time);
        }
    }

    /// Microseconds.
    fn per_item(&self) -> f64 {
        self.chunks.iter().sum::<f64>() / self.items as f64
    }
}

/// The minimum microseconds per item over some rounds.
fn per_item<T>(items: &[T], mut each: impl FnMut(&T)) -> f64 {
    let mut least = Least::default();
    (0..ROUNDS).for_each(|_| least.round(items, &mut each));
    least.per_item()
}

/// The microseconds that a call takes, and its result.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = call();
    (start.elapsed().as_secs_f64() * 1e6, value)
}

impl workload::Item {
    fn folded_text(&self) -> String {
        normalise(&format!("{}\n{}", self.title, self.content))
    }
}
