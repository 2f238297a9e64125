//! A process that is killed while it commits: what it acknowledged is there, and nothing is torn.

#[path = "../../examples/store_torture/batches.rs"]
mod batches;

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use batches::{expected, last, rows};
use pergola_store::{Backend, Table, open};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const KILLS: u64 = 10;

#[test]
fn killing_sled_at_any_moment_loses_and_tears_nothing() -> Result<()> {
    kill_again_and_again(Backend::Sled)
}

#[test]
fn killing_redb_at_any_moment_loses_and_tears_nothing() -> Result<()> {
    kill_again_and_again(Backend::Redb)
}

fn kill_again_and_again(backend: Backend) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let (lines, pause) = (random.random_range(0..50), random.random_range(0..1_000_000));
        acknowledged = run_and_kill(folder.path(), backend, lines, pause)?.unwrap_or(acknowledged);
        let opened = open(folder.path(), None, 8 << 20)?;
        assert!(opened.notice.is_none() || acknowledged == 0, "{:?}", opened.notice);
        let there = last(&*opened.store)?;
        // The batch after the last acknowledged one may have been finished.
        assert!(there == acknowledged || there == acknowledged + 1, "{there} of {acknowledged}");
        let whole = expected(there);
        let found = [rows(&*opened.store, Table::Entry)?, rows(&*opened.store, Table::Chunk)?];
        assert!(found == whole, "{backend}: kill {kill} tore batch {there}");
        acknowledged = there;
    }
    assert!(acknowledged > KILLS, "the process hardly ran: {acknowledged} batches");
    Ok(())
}

/// Runs the process until it has acknowledged some batches, kills it a moment later, and returns the
/// last number that it printed.
fn run_and_kill(folder: &Path, backend: Backend, lines: usize, pause: u32) -> Result<Option<u64>> {
    let mut process = Command::new(torture_program()?)
        .arg(folder)
        .arg(backend.to_string())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = BufReader::new(process.stdout.take().context("no output")?).lines();
    let mut last = None;
    for line in output.by_ref().take(lines) {
        last = line?.parse().ok();
    }
    for _ in 0..pause {
        std::hint::spin_loop();
    }
    process.kill()?;
    process.wait()?;
    // What it still said before it died, without a line that was cut off.
    for line in output {
        last = line?.parse().ok().or(last);
    }
    Ok(last)
}

/// Cargo builds examples for `cargo test`, beside the folder of the test programs.
fn torture_program() -> Result<PathBuf> {
    let tests = std::env::current_exe()?;
    let built = tests.parent().and_then(Path::parent).context("no folder of programs")?;
    let program = built.join("examples/store_torture");
    assert!(
        program.exists(),
        "build it first: cargo build -p pergola-store --example store_torture"
    );
    Ok(program)
}
