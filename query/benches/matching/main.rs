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
use pergola_query::{FeedFilter, ItemView, Matcher, PreparedItem, QueryId, Scratch, SourceId};
use workload::{Query, Setting, Workload};

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

const SETTINGS: [(&str, Setting); 3] = [
    (
        "queries read 20 of 1,000 sources each",
        Setting {
            reads: 20,
            from_rank: 500,
        },
    ),
    (
        "queries read all sources, for rare words",
        Setting {
            reads: 1_000,
            from_rank: 5_000,
        },
    ),
    (
        "worst case: queries read all sources, for common words, so there is ever more to report",
        Setting {
            reads: 1_000,
            from_rank: 500,
        },
    ),
];

fn main() {
    for (title, setting) in SETTINGS {
        println!("\n{title} (µs per item of 2 kB; 3 phrases per query)");
        let heads = [
            "queries",
            "phrases",
            "hits",
            "match",
            "scan",
            "aho-c.",
            "daach.",
            "one by one",
            "add",
            "worst",
            "remove",
            "build ms",
            "daach. ms",
        ];
        println!("{}", heads.map(|head| format!("{head:>10}")).join(""));
        let rows = SIZES.map(|queries| measure(queries, setting));
        rows.iter().for_each(print_row);
        report(&rows);
    }
    scripts();
}

fn print_row(row: &Row) {
    print!(
        "{:>10}{:>10}{:>10.2}",
        row.queries, row.phrases, row.matches
    );
    for time in [row.matching, row.scan, row.aho_corasick, row.daachorse] {
        print!("{time:>10.2}");
    }
    print!(
        "{:>10}",
        row.alone
            .map_or("-".to_owned(), |alone| format!("{alone:.0}"))
    );
    for time in [
        row.add,
        row.worst_add,
        row.remove,
        row.build_own,
        row.build_daachorse,
    ] {
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
    let items = 1e6 / ten.matching;
    let faster = ten.alone.unwrap_or(f64::NAN) / ten.matching;
    println!("  {items:.0} items a second, {faster:.0} times as many as one by one");
}

/// How fast texts of other scripts are scanned, with 10,000 queries.
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
        text.chars()
            .filter(|c| *c != ' ')
            .map(sign)
            .collect::<String>()
    };
    println!("\nscanning other scripts, 10,000 queries");
    let kinds: [(&str, &dyn Fn(&str) -> String); 4] = [
        ("ASCII", &str::to_owned),
        ("accents", &accents),
        ("Cyrillic", &cyrillic),
        ("Chinese", &chinese),
    ];
    for (name, change) in kinds {
        let texts: Vec<String> = workload
            .items
            .iter()
            .map(|item| change(&item.content))
            .collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut scratch = Scratch::new();
        let time = per_item(texts.len(), || {
            for content in &texts {
                let item = ItemView {
                    content,
                    ..ItemView::default()
                };
                black_box(matcher.scan(&item, &mut scratch));
            }
        });
        let size = bytes / texts.len();
        println!(
            "  {name:<10} {time:>6.1} µs for {size} bytes, {:.0} MB/s",
            size as f64 / time
        );
    }
}

fn measure(queries: usize, setting: Setting) -> Row {
    let workload = Workload::new(queries, setting, ITEMS);
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
