//! Runs the parser, printer, checks and matcher on any number of damaged queries.
//!
//! `cargo run --release -p pergola-query --example fuzz_queries -- --inputs 1000000 --seed 1`. A panic
//! stops it with the seed and number of the text. Afterwards it parses texts of 10 MiB that are designed
//! to be slow or large, and reports time and memory for each.

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use pergola_query::{Limits, parse_with};

#[path = "../tests/corpus/mutate.rs"]
mod mutate;

const LARGE: usize = 10 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut inputs, mut seed) = (100_000, 1);
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--inputs" => inputs = value.parse().unwrap_or(inputs),
            [name, value] if name == "--seed" => seed = value.parse().unwrap_or(seed),
            [name, value] if name == "--large" => return large_text(value),
            _ => {
                eprintln!("usage: fuzz [--inputs N] [--seed S]");
                return ExitCode::from(2);
            }
        }
    }
    small_texts(inputs, seed);
    large_texts()
}

fn small_texts(inputs: u64, seed: u64) {
    let (mut readable, mut bytes, mut slowest, mut slowest_number) = (0u64, 0usize, 0.0f64, 0);
    let (total, ()) = timed(|| {
        for number in 0..inputs {
            let text = mutate::text(seed, number);
            let outcome = timed(|| std::panic::catch_unwind(|| mutate::exercise(&text)));
            let (seconds, Ok(read)) = outcome else {
                eprintln!("panic at --seed {seed}, text {number}:\n{text}");
                std::process::exit(1);
            };
            readable += u64::from(read);
            bytes += text.len();
            if seconds > slowest {
                (slowest, slowest_number) = (seconds, number);
            }
        }
    });
    println!(
        "{inputs} texts, {} MB, {readable} valid, no panic, {total:.1} s; slowest {:.2} ms (text {slowest_number})",
        bytes / 1_000_000,
        slowest * 1e3
    );
}

/// A large text: its name, its start, a part to repeat, its end.
const FILLINGS: [(&str, &str, &str, &str); 13] = [
    ("white space", "", " ", ""),
    ("newlines and an error", "", "\n", "?"),
    ("comments", "", "-- a\n", ""),
    ("one string", "CREATE FEED f AS RETURN \"", "x", "\""),
    ("escapes", "CREATE FEED f AS RETURN \"", "\\u{41}", "\""),
    ("an open string", "CREATE FEED f AS RETURN \"", "x", ""),
    ("one name", "DROP FEED ", "x", ""),
    ("the shortest tests", "CREATE FEED f AS RETURN a WHERE TITLE = \"a\"", "OR\"b\"", ""),
    (
        "tests",
        "CREATE FEED f AS RETURN a WHERE TITLE = \"a\"",
        " OR ITEM CONTAINS \"two words\"",
        "",
    ),
    ("parentheses", "CREATE FEED f AS RETURN a WHERE ", "(", ""),
    ("statements", "", "DROP FEED abc;", ""),
    ("sources", "CREATE FEED f AS RETURN a", " | \"http://example.org/feed\"", ""),
    (
        "an error at the end of one line",
        "CREATE FEED f AS RETURN a WHERE ",
        "TITLE = \"a\" OR ",
        "?",
    ),
];

/// Parses each large text in its own process, so that none reuses memory that another has freed: with
/// the default limits 10 MiB and 1 MiB (the longest text allowed), and 10 MiB without limits.
fn large_texts() -> ExitCode {
    let columns = ["10 MiB, default limits", "1 MiB, default limits", "10 MiB, no limits"];
    println!("{:<32} {:>26} {:>26} {:>26}", "", columns[0], columns[1], columns[2]);
    let Ok(program) = std::env::current_exe() else {
        return ExitCode::FAILURE;
    };
    let mut good = true;
    for (index, (name, ..)) in FILLINGS.iter().enumerate() {
        print!("{name:<32}");
        for setting in ["node", "full", "free"] {
            let mut command = std::process::Command::new(&program);
            match command.args(["--large", &format!("{setting}{index}")]).output() {
                Ok(output) if output.status.success() => {
                    print!(" {:>26}", String::from_utf8_lossy(&output.stdout).trim());
                }
                _ => {
                    print!(" {:>26}", "failed");
                    good = false;
                }
            }
        }
        println!();
    }
    println!("(milliseconds, memory as a multiple of the text, outcome)");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Parses one large text and reports. Fails if it takes a second with the default limits.
fn large_text(which: &str) -> ExitCode {
    let number = which.get(4..).and_then(|index| index.parse::<usize>().ok());
    let Some((_, start, part, end)) = number.and_then(|index| FILLINGS.get(index)) else {
        return ExitCode::from(2);
    };
    let unlimited = Limits {
        text: usize::MAX,
        statements: usize::MAX,
        tests: usize::MAX,
        regexes: usize::MAX,
        sources: usize::MAX,
        string: usize::MAX,
        ..Limits::default()
    };
    let limits = if which.starts_with("free") { unlimited } else { Limits::default() };
    let size = if which.starts_with("full") { limits.text } else { LARGE };
    let room = size - start.len() - end.len();
    let mut text = String::with_capacity(size);
    text.push_str(start);
    (0..room / part.len()).for_each(|_| text.push_str(part));
    text.push_str(end);

    let before = memory("VmRSS:");
    let (seconds, outcome) = timed(|| match parse_with(&text, &limits) {
        Ok(_) => "valid",
        Err(error) => {
            let shown = error.render(&text, "large");
            assert!(shown.len() < 10_000, "the message is {} bytes long", shown.len());
            "rejected"
        }
    });
    let factor = memory("VmHWM:").saturating_sub(before) as f64 / text.len() as f64;
    println!("{:.1} ms, {factor:.1} x, {outcome}", seconds * 1e3);
    let good = seconds < 1.0 || which.starts_with("free");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A memory figure of this process in bytes (Linux only).
fn memory(figure: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[expect(clippy::disallowed_methods, reason = "a measuring program reads the clock")]
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = call();
    (start.elapsed().as_secs_f64(), value)
}
