//! A stock of items: stored as a node stores them, and indexed as a node indexes them.

pub(super) mod texts;

use std::ops::ControlFlow;

use anyhow::{Result, ensure};
use pergola_outside::clock::Clock;
use pergola_store::archive::{Archive, Commit, Indexer, SourceId};
use pergola_store::{Order, Table};

use super::usage::Usage;
use texts::{Random, Texts};

/// Items in a chunk at most.
const CHUNK: u64 = 16;
/// The seed of the sources that deliver, and of how much.
const SEED: u64 = 0x5eed;

/// When items are delivered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// The first one …
    pub(super) start: f64,
    /// … and each next one so many seconds later.
    pub(super) step: f64,
}

/// What was stored.
pub(super) struct Stored {
    /// Bytes of titles, summaries and contents.
    pub(super) text: u64,
    /// Bytes of the chunks that hold them.
    pub(super) packed: u64,
}

/// Stores items of these sources, in the order in which they were delivered.
pub(super) fn fill(
    archive: &Archive,
    count: u64,
    sources: &[SourceId],
    texts: &mut Texts,
    spread: Spread,
) -> Result<Stored> {
    let mut random = Random(SEED);
    let (mut stored, mut next) = (Stored { text: 0, packed: 0 }, vec![0_u32; sources.len()]);
    let (mut commit, mut pending, mut done) = (Commit::new(), 0, 0);
    while done < count {
        let one = random.below(sources.len() as u64) as usize;
        let some = (1 + random.below(CHUNK)).min(count - done);
        let at = spread.start + spread.step * done as f64;
        let items: Vec<_> = (0..some).map(|n| texts.item(done + n, at as i64)).collect();
        stored.text += items.iter().map(texts::bytes).sum::<u64>();
        commit.source(sources[one]).put_chunk(next[one], at, &items.iter().collect::<Vec<_>>());
        next[one] += 1;
        (done, pending) = (done + some, pending + some);
        if pending >= 2_000 || done == count {
            archive.commit(std::mem::take(&mut commit))?;
            pending = 0;
        }
    }
    archive.store().scan(Table::Chunk, &[], None, Order::Ascending, &mut |_, row| {
        stored.packed += row.len() as u64;
        ControlFlow::Continue(())
    })?;
    Ok(stored)
}

/// What indexing took.
pub(super) struct Indexing {
    /// CPU seconds.
    pub(super) cpu: f64,
    pub(super) seconds: f64,
    /// Milliseconds of the longest step, without its commit.
    pub(super) longest_step: f64,
}

/// Indexes all items, of which there are so many.
pub(super) fn index(archive: &Archive, count: u64) -> Result<Indexing> {
    let (clock, before) = (Clock::real(), Usage::now());
    let start = clock.now();
    let mut indexer = Indexer::new(true);
    let mut longest_step = 0.0_f64;
    loop {
        let begun = clock.now();
        let commit = indexer.next(archive)?;
        longest_step = longest_step.max(1e3 * (clock.now() - begun));
        let Some(commit) = commit else { break };
        if !commit.is_empty() {
            archive.commit(commit)?;
        }
    }
    let cpu = Usage::now().cpu_since(&before);
    let seconds = clock.now() - start;
    let size = archive.index_size()?;
    ensure!(size.whole && size.waiting == 0, "not everything was indexed: {size:?}");
    ensure!(size.documents == count, "{} of {count} items were indexed", size.documents);
    Ok(Indexing { cpu, seconds, longest_step })
}
