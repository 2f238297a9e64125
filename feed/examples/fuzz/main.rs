//! Parses any number of mutated documents, and measures their cost.
//!
//! `cargo run --release -p pergola-feed --example fuzz -- --inputs 100000 --seed 7`
//!
//! After the mutated corpus it parses documents of 10 MiB that are designed to be slow or to take much
//! memory. The limits: no panic, no document that cannot be repaired, one second, and eight times the
//! input in memory (growth of the process according to /proc, where that exists). Then it sanitises texts of 1 MiB
//! and reads pages of 2 MiB that are designed to be slow; the limit is one second each, in a release build.

mod hostile;
mod kinds;
mod mutate;

use std::time::Instant;

use pergola_feed::opml::Opml;
use pergola_feed::{ParseError, ParseOptions, parse, sanitize};

use mutate::{Mutator, corpus};

const SIZE: usize = 10 << 20;

fn main() {
    let number = |name: &str, default: u64| {
        let args: Vec<String> = std::env::args().collect();
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    if std::env::args().any(|arg| arg == "--html") {
        std::process::exit(i32::from(hostile::run() > 0));
    }
    let case = number("--case", u64::MAX);
    if case != u64::MAX {
        let good = usize::try_from(case).is_ok_and(one);
        std::process::exit(i32::from(!good));
    }
    let (inputs, seed) = (number("--inputs", 20_000), number("--seed", 1));
    let failures = mutated(inputs, seed) + heavy() + hostile::run();
    println!("{failures} failures");
    std::process::exit(i32::from(failures > 0));
}

/// Parses many small inputs; a panic or an unrepairable document is a failure.
fn mutated(inputs: u64, seed: u64) -> usize {
    let mut mutator = Mutator::new(corpus(), seed);
    let options = ParseOptions::default();
    let (mut read, mut failures, mut slowest) = (0u64, 0, 0.0f64);
    for _ in 0..inputs {
        let input = mutator.next();
        let (seconds, result) = timed(|| parse(&input, &options));
        slowest = slowest.max(seconds);
        match result {
            Ok(document) => {
                read += 1;
                let html = document.items.iter().filter_map(|item| item.content.as_ref()).next();
                html.map(|text| sanitize(text, None));
            }
            Err(ParseError::Unrepairable { reason }) => {
                failures += 1;
                println!("not repaired ({reason}):\n{}\n", String::from_utf8_lossy(&input));
            }
            Err(_) => {}
        }
        let _ = Opml::parse(&input);
    }
    println!("{inputs} inputs from seed {seed}: {read} read, slowest {:.1} ms", slowest * 1e3);
    failures
}

/// A document of 10 MiB: its name, its start, a piece to repeat, and its end.
type Heavy = (&'static str, &'static str, &'static str, &'static str);

const RSS: &str = "<rss version=\"2.0\"><channel><title>f</title>";
const ITEM: &str = "<rss version=\"2.0\"><channel><title>f</title><item><title>a</title>";
const ATOM: &str = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>f</title>";

const HEAVY: [Heavy; 34] = [
    ("empty items", RSS, "<item/>", "</channel></rss>"),
    ("small items", RSS, "<item><title>a</title></item>", "</channel></rss>"),
    ("unclosed items", RSS, "<item><title>a", ""),
    ("one long text", ITEM, "word &amp; ", "</item></channel></rss>"),
    (
        "escaped description",
        "<rss version=\"2.0\"><channel><item><description>",
        "&lt;p&gt;x",
        "</description></item></channel></rss>",
    ),
    (
        "raw ampersands",
        "<rss version=\"2.0\"><channel><item><description>",
        "a & b ",
        "</description></item></channel></rss>",
    ),
    ("nested markup", "<rss version=\"2.0\"><channel><item><description>", "<div>", ""),
    ("unclosed known tags", ITEM, "<description>", ""),
    ("unclosed titles", ITEM, "<title>a", ""),
    ("unclosed unknown tags", ITEM, "<x><y>", ""),
    ("end tags", ITEM, "</x>", ""),
    ("cdata starts", ITEM, "<![CDATA[", ""),
    ("cdata starts in items", RSS, "<item><title><![CDATA[a</title></item>", ""),
    ("comment starts", ITEM, "<!--", ""),
    ("doctypes", "", "<!DOCTYPE [>", ""),
    ("instructions", RSS, "<?a <?b >", ""),
    ("entities", "<!DOCTYPE rss [", "<!ENTITY a \"b\">", "]><rss version=\"2.0\"><channel/></rss>"),
    ("categories", ITEM, "<category>a</category>", "</item></channel></rss>"),
    (
        "items with many links",
        ATOM,
        "<entry><id>a</id><link href=\"b\"/><link href=\"c\"/><link href=\"d\"/></entry>",
        "</feed>",
    ),
    (
        "links in one entry",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>",
        "<link href=\"\"/>",
        "</entry></feed>",
    ),
    (
        "attributes",
        "<rss version=\"2.0\"><channel><item><guid ",
        "a=\"b\" ",
        ">x</guid></item></channel></rss>",
    ),
    (
        "unquoted attributes",
        "<rss version=\"2.0\"><channel><item><guid ",
        "a=\"",
        ">x</guid></item></channel></rss>",
    ),
    ("less-than signs", ITEM, "<", ""),
    ("brackets", ITEM, "<a b=\">", ""),
    ("namespaces", "<rss version=\"2.0\" ", "xmlns:a=\"b\" ", "><channel/></rss>"),
    (
        "bases",
        RSS,
        "<item xml:base=\"https://example.org/a/\"><link>b</link></item>",
        "</channel></rss>",
    ),
    ("spaces", ITEM, "          ", "</item></channel></rss>"),
    (
        "relative addresses",
        "<rss version=\"2.0\"><channel><link>https://example.org/</link><item><description>",
        "&lt;a href=\"b\"&gt;",
        "</description></item></channel></rss>",
    ),
    ("json items", "{\"items\":[", "{\"id\":1},", "{}]}"),
    ("json tags", "{\"items\":[{\"tags\":[", "0,", "0]}]}"),
    ("json nesting", "{\"items\":[", "[", ""),
    ("json lists of lists", "{\"items\":[{\"tags\":[", "[0],", "0]}]}"),
    ("json strings", "{\"items\":[{\"title\":\"", "\\n", "\"}]}"),
    ("json broken", "{\"items\":[", "{\"id\":\"a\",},", "]}"),
];

/// Runs each case in its own process, so that memory freed by one does not hide the needs of the next.
fn heavy() -> usize {
    println!("{:<24}{:>10}{:>12}{:>10}", "10 MiB of", "seconds", "memory", "items");
    let Ok(program) = std::env::current_exe() else {
        return 1;
    };
    let run = |case: usize| {
        let mut command = std::process::Command::new(&program);
        command.args(["--case", &case.to_string()]).status().is_ok_and(|status| status.success())
    };
    (0..HEAVY.len()).filter(|case| !run(*case)).count()
}

/// Parses one heavy document; returns whether it stayed within the limits.
fn one(case: usize) -> bool {
    let Some((name, start, piece, end)) = HEAVY.get(case) else {
        return false;
    };
    let repeat = (SIZE - start.len() - end.len()) / piece.len();
    let input = [*start, &piece.repeat(repeat), *end].concat().into_bytes();
    reset_peak();
    let before = status("VmRSS");
    let (seconds, result) = timed(|| parse(&input, &ParseOptions::default()));
    let growth = status("VmHWM").saturating_sub(before) as f64 / input.len() as f64;
    let items = match &result {
        Ok(document) => document.items.len().to_string(),
        Err(ParseError::Unrepairable { .. }) => "BROKEN".into(),
        Err(_) => "-".into(),
    };
    let good = seconds <= 1.0 && growth <= 8.0 && items != "BROKEN";
    let mark = if good { "" } else { "  <- over the limit" };
    println!("{name:<24}{seconds:>10.3}{growth:>11.1}x{items:>10}{mark}");
    good
}

#[expect(clippy::disallowed_methods, reason = "a measuring program reads the clock")]
fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// A value from /proc/self/status in bytes; 0 if there is no such file.
fn status(field: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("");
    let kilobytes = line.trim_start_matches(':').split_whitespace().next();
    kilobytes.and_then(|number| number.parse::<usize>().ok()).unwrap_or(0) * 1024
}

/// Resets the peak to the current resident size, where the system allows it.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
