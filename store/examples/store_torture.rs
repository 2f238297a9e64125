//! Commits numbered batches until it is killed, and prints the number of each one when it is
//! acknowledged; with `--measure`, says what committing costs instead.
//!
//! ```text
//! store_torture FOLDER sled|redb
//! store_torture --measure FOLDER sled|redb
//! store_torture --verify FOLDER
//! ```
//!
//! The last one prints the number of the last batch that the folder holds, and fails if a batch is torn.
//! `power_cuts.py` uses it to find out what a power cut leaves of a store.

#[path = "store_torture/batches.rs"]
mod batches;

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, Result, bail};
use pergola_store::{self as store, Backend, Batch, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["--measure", folder, backend] => measure(Path::new(folder), backend.parse()?),
        ["--verify", folder] => verify(Path::new(folder)),
        [folder, backend] => torture(Path::new(folder), backend.parse()?),
        _ => bail!(
            "usage: store_torture [--measure] FOLDER sled|redb, or store_torture --verify FOLDER"
        ),
    }
}

fn verify(folder: &Path) -> Result<()> {
    let opened = store::open(folder, None, 8 << 20)?;
    let last = batches::last(&*opened.store)?;
    let found = [Table::Entry, Table::Chunk].map(|table| batches::rows(&*opened.store, table));
    let [entries, chunks] = found;
    if [entries?, chunks?] != batches::expected(last) {
        bail!("batch {last} is torn");
    }
    println!("{last}");
    Ok(())
}

fn torture(folder: &Path, backend: Backend) -> Result<()> {
    let store = store::open(folder, Some(backend), 8 << 20)?.store;
    let mut number = batches::last(&*store)?;
    loop {
        number += 1;
        store.commit(&numbered_batch(number))?;
        let mut out = io::stdout().lock();
        writeln!(out, "{number}").and_then(|()| out.flush()).context("nobody listens")?;
    }
}

/// The batch of a number (from 1): new rows, rows that replace the last batch's, and deletions.
fn numbered_batch(number: u64) -> Batch {
    let mut batch = Batch::default();
    for row in 0..batches::ROWS {
        batch.put(Table::Entry, batches::key(number, row), batches::value(number, row));
        batch.put(Table::Chunk, batches::key(0, row), batches::value(number, row + number));
        if let Some(old) = number.checked_sub(batches::KEPT) {
            batch.delete(Table::Entry, batches::key(old, row));
        }
    }
    batch.put(Table::Meta, "last", number.to_be_bytes().to_vec());
    batch
}

fn measure(folder: &Path, backend: Backend) -> Result<()> {
    for (length, count) in [(100, 3000), (2000, 1000)] {
        let folder = folder.join(length.to_string());
        let store = store::open(&folder, Some(backend), 64 << 20)?.store;
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (began, cpu_before) = (now(), cpu_seconds()?);
        for round in 0..count {
            store.commit(&two_hundred_rows(round, length, &mut random))?;
        }
        let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);
        let rows = f64::from(count) * 200.0;
        println!(
            "{backend}, batches of 200 rows of {length} bytes: {:.0} rows per CPU second, {:.0} rows \
             and {:.0} batches per second, {:.2} bytes on disk per byte",
            rows / cpu,
            rows / wall,
            f64::from(count) / wall,
            store.bytes_on_disk() as f64 / (rows * length as f64),
        );
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measurement of real time")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Rows that come to a node: each at the end of one of a thousand feeds.
fn two_hundred_rows(round: u32, length: usize, random: &mut ChaCha8Rng) -> Batch {
    let mut batch = Batch::default();
    for row in 0..200_u32 {
        let feed = random.random_range(0..1000_u32);
        let mut key = feed.to_be_bytes().to_vec();
        key.extend_from_slice(&u64::from(round * 200 + row).to_be_bytes());
        batch.put(Table::Entry, key, vec![random.random(); length]);
    }
    batch
}

/// What this process has used of the CPU, in user and system mode.
fn cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().context("no process name")?;
    let mut ticks = after_name.split_whitespace().skip(11).map(str::parse::<f64>);
    let (user, system) = (ticks.next().context("no user")??, ticks.next().context("no system")??);
    Ok((user + system) / 100.0)
}
