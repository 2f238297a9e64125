//! Tries damaged queries on the parser, printer, checks and matcher, as many as one likes.
//!
//! `cargo run --release -p pergola-query --example fuzz_queries -- --inputs 1000000 --seed 1`. A panic ends it
//! with the seed and number of the text. Afterwards it reads texts of 10 MiB made to be slow or large,
//! and reports time and memory for each.

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
        "{inputs} texts, {} MB, {readable} readable, no panic, {total:.1} s; slowest {:.2} ms (text {slowest_number})",
        bytes / 1_000_000,
        slowest * 1e3
    );
}

/// What a large text is filled with: its name, its start, what is repeated, its end.
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

/// Reads each large text in a process of its own, so that none uses memory that another has freed:
/// 10 MiB as a node would, 1 MiB as a node would (the longest that is read at all), and 10 MiB as if
/// there were no limits.
fn large_texts() -> ExitCode {
    let columns = ["10 MiB, usual limits", "1 MiB, usual limits", "10 MiB, no limits"];
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

/// Reads one large text and reports. Fails if that takes a second within the usual limits.
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
        Ok(_) => "read",
        Err(error) => {
            let shown = error.render(&text, "large");
            assert!(shown.len() < 10_000, "the message is {} bytes long", shown.len());
            "refused"
        }
    });
    let factor = memory("VmHWM:").saturating_sub(before) as f64 / text.len() as f64;
    println!("{:.1} ms, {factor:.1} x, {outcome}", seconds * 1e3);
    let good = seconds < 1.0 || which.starts_with("free");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A figure of this process's memory in bytes, where the system tells (Linux).
fn memory(figure: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[expect(clippy::disallowed_methods, reason = "a tool at the edge looks at the clock")]
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = call();
    (start.elapsed().as_secs_f64(), value)
}
