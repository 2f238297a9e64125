//! How the cost of an item grows with the number of standing queries.
//!
//! Prints a table rather than measuring single calls: what matters are ratios within one run, between
//! numbers of queries, against evaluating each query by itself, and against a bare pass of a character
//! automaton over the same text that finds the same phrases and does nothing with them.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot be set up shall stop"
)]

mod workload;

use std::hint::black_box;
use std::time::Instant;

use pergola_query::text::normalise;
use pergola_query::{FeedFilter, Matcher, PreparedItem, QueryId, Scratch, SourceId};
use workload::{Query, Workload};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const ITEMS: usize = 1_000;

/// Microseconds per item and counts, for one number of queries.
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

fn main() {
    for (title, reads) in [
        ("each query reads 20 of 1,000 sources", 20),
        ("each query reads all 1,000 sources", 1_000),
    ] {
        println!("\n{title}; items of 2 kB, 3 phrases per query; times in µs per item");
        println!(
            "{:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>7} {:>7} {:>7} {:>8} {:>9}",
            "queries",
            "phrases",
            "match",
            "scan",
            "aho-c.",
            "daach.",
            "alone",
            "hits/item",
            "add µs",
            "worst",
            "drop µs",
            "build ms",
            "daach. ms"
        );
        let rows: Vec<Row> = SIZES
            .iter()
            .map(|queries| measure(*queries, reads))
            .collect();
        report(&rows);
    }
}

fn report(rows: &[Row]) {
    for row in rows {
        let alone = row
            .alone
            .map_or("-".to_owned(), |alone| format!("{alone:.0}"));
        println!(
            "{:>8} {:>8} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>9} {:>9.2} {:>7.1} {:>7.0} {:>7.1} {:>8.1} {:>9.1}",
            row.queries,
            row.phrases,
            row.matching,
            row.scan,
            row.aho_corasick,
            row.daachorse,
            alone,
            row.matches,
            row.add,
            row.worst_add,
            row.remove,
            row.build_own,
            row.build_daachorse
        );
    }
    for (few, many) in [(0, 2), (1, 3)] {
        let (few, many) = (&rows[few], &rows[many]);
        let ratio = many.matching / few.matching;
        println!(
            "{} against {} queries: {ratio:.2} times the time (target: at most 3)",
            many.queries, few.queries
        );
    }
    let ten = &rows[2];
    println!(
        "at {} queries: {:.2} times a bare pass of daachorse, {:.2} of aho-corasick, {:.2} of our own \
         automaton (target: at most 3); {:.0} items a second; {:.0} times faster than one by one",
        ten.queries,
        ten.matching / ten.daachorse,
        ten.matching / ten.aho_corasick,
        ten.matching / ten.scan,
        1e6 / ten.matching,
        ten.alone.unwrap_or(f64::NAN) / ten.matching
    );
}

fn measure(queries: usize, reads: usize) -> Row {
    let workload = Workload::new(queries, reads, ITEMS);
    let (build_own, mut matcher) = timed(|| {
        let mut matcher = Matcher::new();
        for (number, query) in workload.queries.iter().enumerate() {
            add(&mut matcher, number as u64, query);
        }
        matcher
    });

    let mut scratch = Scratch::new();
    let mut matches = 0;
    let matching = per_item(ITEMS, || {
        matches = 0;
        for item in &workload.items {
            let found = matcher.matches(
                SourceId(item.source),
                &item.view(),
                workload::NOW,
                &mut scratch,
            );
            matches += found.len();
        }
    });
    let scan = per_item(ITEMS, || {
        for item in &workload.items {
            black_box(matcher.scan(&item.view(), &mut scratch));
        }
    });

    let texts: Vec<String> = workload
        .items
        .iter()
        .map(|item| item.folded_text())
        .collect();
    let phrases = workload.distinct_phrases();
    let aho = aho_corasick::AhoCorasick::new(&phrases).unwrap();
    let aho_corasick = per_item(ITEMS, || {
        for text in &texts {
            black_box(aho.find_overlapping_iter(text).count());
        }
    });
    let (build_daachorse, daac) =
        timed(|| daachorse::DoubleArrayAhoCorasick::<u32>::new(&phrases).unwrap());
    let daachorse = per_item(ITEMS, || {
        for text in &texts {
            black_box(daac.find_overlapping_iter(text).count());
        }
    });

    let alone = (queries <= 10_000).then(|| one_by_one(&workload));
    let (add, worst_add, remove) = change_one(&mut matcher, &workload);
    Row {
        queries,
        phrases: matcher.phrase_count(),
        matching,
        scan,
        aho_corasick,
        daachorse,
        alone,
        matches: matches as f64 / ITEMS as f64,
        add,
        worst_add,
        remove,
        build_own: build_own / 1e3,
        build_daachorse: build_daachorse / 1e3,
    }
}

fn add(matcher: &mut Matcher, number: u64, query: &Query) {
    let sources = |_: &_| query.sources.iter().copied().map(SourceId).collect();
    matcher
        .add(QueryId(number), &query.body, None, sources)
        .unwrap();
}

/// Microseconds per item when each query that reads the source is evaluated by itself.
fn one_by_one(workload: &Workload) -> f64 {
    let filters: Vec<FeedFilter> = workload
        .queries
        .iter()
        .map(|query| FeedFilter::compile(&query.body).unwrap())
        .collect();
    let few = &workload.items[..20];
    per_item(few.len(), || {
        for item in few {
            let prepared = PreparedItem::new(item.view());
            let wanted = workload
                .queries
                .iter()
                .zip(&filters)
                .filter(|(query, filter)| {
                    query.sources.binary_search(&item.source).is_ok()
                        && filter.keeps(0, &prepared, workload::NOW)
                });
            black_box(wanted.count());
        }
    })
}

/// Microseconds to add one more query, on average and at worst, and to remove one.
fn change_one(matcher: &mut Matcher, workload: &Workload) -> (f64, f64, f64) {
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
    let worst = times.iter().copied().fold(0.0, f64::max);
    (times.iter().sum::<f64>() / count, worst, removing / count)
}

/// The best of several rounds, in microseconds per item.
fn per_item(items: usize, mut round: impl FnMut()) -> f64 {
    let rounds = (0..7).map(|_| timed(&mut round).0);
    rounds.fold(f64::INFINITY, f64::min) / items as f64
}

/// Microseconds a call takes, and what it returns.
#[expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]
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
