//! The work on the index: one commit after the other, each of limited size.
//!
//! Whoever uses an [`Indexer`] makes each commit before asking for the next one, and drops the indexer if a commit
//! fails. A new one finds the rows that nobody refers to and deletes them, whatever happened before.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use pergola_index::{Builder, Document, Merge, Row, Segment, Size, to_merge};
use pergola_manners::source::SourceId;

use super::super::{Archive, ArchiveError};
use super::documents::{Documents, texts_of};
use super::segments::{Failure, SegmentRows};
use crate::commit::Commit;
use crate::engine::{Order, Table};
use crate::records::{Manifest, SegmentRecord};
use crate::rows::chunk::count_of;
use crate::rows::keys::{chunk_key, chunk_of, segment_key};

/// Items that make it worth while to write a segment.
const ENOUGH: u32 = 500;
/// Items of a new segment, about, and bytes of their texts at most.
const BATCH: u32 = 4_000;
const BATCH_BYTES: usize = 32 << 20;
/// Bytes of a commit, about: the writer has others to serve.
const COMMIT_BYTES: u64 = 1 << 20;
/// Rows that one commit deletes, and chunks that one step compares.
const AT_ONCE: usize = 2_000;
/// Items of a chunk that does not say how many it holds.
const UNKNOWN: u32 = 32;

/// Works on the index.
pub struct Indexer {
    /// Index what waits although it is little.
    all: bool,
    /// Segments whose rows are deleted; nothing until they were looked for, or while it is known that there are none.
    unused: Option<VecDeque<u32>>,
    task: Task,
    /// Bytes of a commit, about.
    pub(super) commit_bytes: u64,
}

/// What is being done.
enum Task {
    Nothing,
    /// Looks for chunks that neither are indexed nor wait.
    Compare {
        there: HashSet<(SourceId, u32)>,
        from: Vec<u8>,
    },
    /// Writes a new segment.
    Write {
        rows: VecDeque<Row>,
        record: SegmentRecord,
        indexed: Vec<Vec<u8>>,
    },
    /// Merges segments.
    Merge {
        merge: Merge,
        inputs: Vec<(u32, Segment<SegmentRows>)>,
        record: SegmentRecord,
    },
}

impl Indexer {
    /// Nothing is done yet. With `all`, it indexes what waits although it is little.
    pub fn new(all: bool) -> Self {
        Self { all, unused: None, task: Task::Nothing, commit_bytes: COMMIT_BYTES }
    }

    /// The next commit, which may be empty; nothing if there is nothing to do. Blocks.
    pub fn next(&mut self, archive: &Archive) -> Result<Option<Commit>, ArchiveError> {
        loop {
            match self.step(archive) {
                Ok(commit) => return Ok(commit),
                Err(Failure::Archive(error)) => return Err(error),
                // The segment is dropped in the next step.
                Err(Failure::Segment { key, .. }) => {
                    archive.damage.note(Table::Index, &key, "it is missing or makes no sense");
                    (self.unused, self.task) = (None, Task::Nothing);
                }
            }
        }
    }

    fn step(&mut self, archive: &Archive) -> Result<Option<Commit>, Failure> {
        let mut commit = Commit::new();
        if !archive.without_damaged_index(&mut commit)?.is_empty() || !commit.is_empty() {
            (self.unused, self.task) = (None, Task::Nothing);
            return Ok(Some(commit));
        }
        let manifest = archive.manifest()?;
        let outcome = match std::mem::replace(&mut self.task, Task::Nothing) {
            Task::Nothing => self.begin(archive, manifest),
            Task::Compare { there, from } => self.compare(archive, manifest, there, from),
            Task::Write { rows, record, indexed } => self.write(manifest, rows, record, indexed),
            Task::Merge { merge, inputs, record } => self.merge(manifest, merge, inputs, record),
        };
        // Rows without a name may be written from now on, and stay if a commit fails.
        archive.index.tidy.store(matches!(outcome, Err(Rest::Done)), Relaxed);
        match outcome {
            Ok(commit) => Ok(Some(commit)),
            Err(Rest::Done) => Ok(None),
            Err(Rest::Failed(failure)) => Err(failure),
        }
    }

    /// Decides what to do.
    fn begin(&mut self, archive: &Archive, mut manifest: Manifest) -> Result<Commit, Rest> {
        if let Some(commit) = self.delete_unused(archive, &manifest)? {
            return Ok(commit);
        }
        if !manifest.whole {
            let there = chunks_there(archive, &manifest)?;
            return self.compare(archive, manifest, there, Vec::new());
        }
        let (chunks, _) = archive.waiting_chunks(BATCH)?;
        let items = chunks.iter().map(|(_, items)| *items).fold(0, u32::saturating_add);
        if items >= ENOUGH || (self.all && !chunks.is_empty()) {
            return self.build(archive, manifest, chunks);
        }
        if archive.index.stale.swap(false, Relaxed) && count_gone(archive, &mut manifest)? {
            let mut commit = Commit::new();
            commit.index().put_manifest(&manifest);
            return Ok(commit);
        }
        let size = |one: &SegmentRecord| Size {
            documents: one.documents as usize,
            gone: one.gone as usize,
        };
        let some = to_merge(&manifest.segments.iter().map(size).collect::<Vec<_>>());
        if some.is_empty() { Err(Rest::Done) } else { self.begin_merge(archive, manifest, &some) }
    }

    /// Deletes rows of segments that the manifest does not name.
    fn delete_unused(
        &mut self,
        archive: &Archive,
        manifest: &Manifest,
    ) -> Result<Option<Commit>, Failure> {
        let unused = match &mut self.unused {
            Some(unused) => unused,
            None if manifest.whole && archive.index.tidy.load(Relaxed) => return Ok(None),
            looked_for => {
                let named: HashSet<u32> = manifest.segments.iter().map(|one| one.number).collect();
                let stored = archive.stored_segments()?.into_iter();
                looked_for.insert(stored.filter(|number| !named.contains(number)).collect())
            }
        };
        while let Some(number) = unused.front().copied() {
            let (mut commit, mut count) = (Commit::new(), 0);
            let (from, to) = (segment_key(number, &[]), segment_key(number, &[0xff]));
            let order = Order::Ascending;
            archive.store.scan(Table::Index, &from, Some(&to), order, &mut |key, _| {
                commit.index().delete_row(key);
                count += 1;
                if count < AT_ONCE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if count > 0 {
                return Ok(Some(commit));
            }
            unused.pop_front();
        }
        Ok(None)
    }

    /// Lets some more chunks wait that neither are indexed nor wait.
    fn compare(
        &mut self,
        archive: &Archive,
        mut manifest: Manifest,
        there: HashSet<(SourceId, u32)>,
        from: Vec<u8>,
    ) -> Result<Commit, Rest> {
        let (mut commit, mut seen, mut last) = (Commit::new(), 0, None);
        let order = Order::Ascending;
        archive.store.scan(Table::Chunk, &from, None, order, &mut |key, row| {
            let (source, chunk) = chunk_of(key);
            if !there.contains(&(source, chunk)) {
                let items = count_of(row).unwrap_or(UNKNOWN);
                commit.index().put_arrival(source, chunk, items);
            }
            seen += 1;
            if seen < AT_ONCE {
                return ControlFlow::Continue(());
            }
            last = Some([key, &[0]].concat());
            ControlFlow::Break(())
        })?;
        match last {
            Some(from) => self.task = Task::Compare { there, from },
            None => {
                manifest.whole = true;
                commit.index().put_manifest(&manifest);
            }
        }
        Ok(commit)
    }

    /// Makes a segment of waiting chunks.
    fn build(
        &mut self,
        archive: &Archive,
        manifest: Manifest,
        chunks: Vec<(Vec<u8>, u32)>,
    ) -> Result<Commit, Rest> {
        archive.forget_waiting();
        let mut builder = Builder::default();
        let mut documents = Documents::new(archive);
        let (mut indexed, mut bytes) = (Vec::new(), 0);
        for (key, _) in chunks {
            let (source, chunk) = chunk_of(&key);
            for (document, item) in documents.of_chunk(source, chunk)? {
                let texts = texts_of(&item);
                bytes += texts.iter().map(|text| text.len()).sum::<usize>();
                builder.add(document, texts.iter().map(AsRef::as_ref));
            }
            indexed.push(key);
            if bytes >= BATCH_BYTES || builder.len() >= BATCH as usize {
                break;
            }
        }
        if builder.is_empty() {
            let mut commit = Commit::new();
            indexed.iter().for_each(|key| commit.index().delete_arrival(key));
            return Ok(commit);
        }
        let built = builder.finish();
        let record = SegmentRecord {
            number: manifest.next,
            documents: built.documents as u32,
            gone: 0,
            newest: built.newest,
            bytes: 0,
        };
        self.write(manifest, built.rows.into(), record, indexed)
    }

    /// Writes more rows of a new segment, and names it in the manifest after the last one.
    fn write(
        &mut self,
        manifest: Manifest,
        mut rows: VecDeque<Row>,
        mut record: SegmentRecord,
        indexed: Vec<Vec<u8>>,
    ) -> Result<Commit, Rest> {
        let mut commit = Commit::new();
        while commit.index().bytes() < self.commit_bytes
            && let Some((key, value)) = rows.pop_front()
        {
            commit.index().put_row(record.number, &key, value);
        }
        record.bytes += commit.index().bytes();
        if rows.is_empty() {
            indexed.iter().for_each(|key| commit.index().delete_arrival(key));
            self.name(manifest, &[], Some(record), &mut commit);
        } else {
            self.task = Task::Write { rows, record, indexed };
        }
        Ok(commit)
    }

    fn begin_merge(
        &mut self,
        archive: &Archive,
        manifest: Manifest,
        some: &[usize],
    ) -> Result<Commit, Rest> {
        let records: Vec<SegmentRecord> =
            some.iter().filter_map(|place| manifest.segments.get(*place)).copied().collect();
        let segments: Vec<_> = records.iter().map(|record| archive.segment(record)).collect();
        let mut last: Option<((u32, u32), bool)> = None;
        let keep = |document: &Document| -> Result<bool, Failure> {
            let place = (document.source, document.chunk);
            if let Some((_, there)) = last.filter(|(before, _)| *before == place) {
                return Ok(there);
            }
            let there = archive.has_chunk(&chunk_key(SourceId(place.0), place.1))?;
            last = Some((place, there));
            Ok(there)
        };
        let merge = Merge::new(&segments, keep)?;
        let record = SegmentRecord {
            number: manifest.next,
            documents: merge.documents() as u32,
            gone: 0,
            newest: merge.dates().0,
            bytes: 0,
        };
        let inputs = records.iter().map(|record| record.number).zip(segments).collect();
        self.merge(manifest, merge, inputs, record)
    }

    /// Writes more rows of a merged segment, and names it in place of the others after the last one.
    fn merge(
        &mut self,
        manifest: Manifest,
        mut merge: Merge,
        inputs: Vec<(u32, Segment<SegmentRows>)>,
        mut record: SegmentRecord,
    ) -> Result<Commit, Rest> {
        let named = |number: &u32| manifest.segments.iter().any(|one| one.number == *number);
        let mut commit = Commit::new();
        if !inputs.iter().all(|(number, _)| named(number)) {
            // One of them was dropped meanwhile.
            self.unused = None;
            return Ok(commit);
        }
        let (numbers, segments): (Vec<u32>, Vec<_>) = inputs.into_iter().unzip();
        let rows = merge.next(&segments, self.commit_bytes as usize)?;
        let is_end = rows.is_empty();
        for (key, value) in rows {
            commit.index().put_row(record.number, &key, value);
        }
        record.bytes += commit.index().bytes();
        if is_end {
            let new = Some(record).filter(|record| record.documents > 0);
            self.name(manifest, &numbers, new, &mut commit);
        } else {
            let inputs = numbers.into_iter().zip(segments).collect();
            self.task = Task::Merge { merge, inputs, record };
        }
        Ok(commit)
    }

    /// Names a new segment in the manifest, in place of others.
    fn name(
        &mut self,
        mut manifest: Manifest,
        instead_of: &[u32],
        new: Option<SegmentRecord>,
        commit: &mut Commit,
    ) {
        let is_old = |one: &SegmentRecord| instead_of.contains(&one.number);
        let place = manifest.segments.iter().position(is_old).unwrap_or(manifest.segments.len());
        manifest.segments.retain(|one| !is_old(one));
        if let Some(new) = new {
            manifest.segments.insert(place, new);
            manifest.next = new.number + 1;
        }
        commit.index().put_manifest(&manifest);
        if let Some(unused) = &mut self.unused {
            unused.extend(instead_of);
        }
    }
}

/// Why there is no commit.
enum Rest {
    /// There is nothing to do.
    Done,
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for Rest {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// The chunks that are indexed or wait.
fn chunks_there(
    archive: &Archive,
    manifest: &Manifest,
) -> Result<HashSet<(SourceId, u32)>, Failure> {
    let mut there = HashSet::new();
    for record in &manifest.segments {
        archive.segment(record).each_document(|document| {
            there.insert((SourceId(document.source), document.chunk));
        })?;
    }
    let (waiting, _) = archive.waiting_chunks(u32::MAX)?;
    there.extend(waiting.iter().map(|(key, _)| chunk_of(key)));
    Ok(there)
}

/// Counts the documents whose chunk is gone; returns whether there are others than before.
fn count_gone(archive: &Archive, manifest: &mut Manifest) -> Result<bool, Failure> {
    let mut there = HashSet::new();
    archive.store.scan(Table::Chunk, &[], None, Order::Ascending, &mut |key, _| {
        there.insert(chunk_of(key));
        ControlFlow::Continue(())
    })?;
    let before = manifest.clone();
    for record in &mut manifest.segments {
        let mut gone = 0;
        archive.segment(record).each_document(|document| {
            gone += u32::from(!there.contains(&(SourceId(document.source), document.chunk)));
        })?;
        record.gone = gone;
    }
    Ok(*manifest != before)
}
