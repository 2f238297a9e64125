//! Backups: every row in one compressed file, with a checksum.
//!
//! ```text
//! "pergola-backup" and the layout's number (a byte)
//! then, zstd-compressed, numbers in big-endian:
//!   schema u32
//!   1, table u8, key length u32, value length u32, key, value     for each row, in order
//!   0, rows u64, bytes u64, CRC-32 of all rows                    once, at the very end
//! ```
//!
//! Never: a file that was cut off or changed is accepted; a data folder is replaced without being asked to.
//!
//! A backup is consistent only if nobody commits while it is written.

mod restore;
pub(super) mod transfer;

use std::{
    io::{self, BufReader, Read, Write},
    ops::ControlFlow,
    path::PathBuf,
};

pub use restore::{Replace, restore};
pub use transfer::move_backend;

use super::{
    Batch, MAX_KEY_BYTES, MAX_VALUE_BYTES, Order, Store, StoreError, Table,
    migrate::{self, STEPS},
};

const MAGIC: &[u8] = b"pergola-backup";
const LAYOUT: u8 = 1;

/// Rows are committed in groups of about this many bytes.
const GROUP_BYTES: u64 = 4 << 20;

/// What a backup, or a store, holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Rows.
    pub rows: u64,
    /// Bytes of all keys and values.
    pub bytes: u64,
    /// CRC-32 of all rows in order.
    pub checksum: u32,
}

/// Why a backup was not written, read or restored, or a store not moved.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file could not be read or written.
    #[error("cannot read or write the backup: {0}; check the file and the disk")]
    Io(io::Error),
    /// It is no backup.
    #[error("this is not a backup of pergola: choose a file that `pergola backup` wrote")]
    NotABackup,
    /// A later version wrote it.
    #[error(
        "the backup was written by a newer pergola (version {found}, this one knows up to {known}): \
         use a newer pergola; nothing was changed"
    )]
    Newer {
        /// The version of its layout or its schema.
        found: u32,
        /// The latest version that is known here.
        known: u32,
    },
    /// It is incomplete or was changed.
    #[error("the backup is damaged: {0}; use another one, nothing was changed")]
    Damaged(String),
    /// There is a store already.
    #[error("{folder} already holds a store: restore into an empty folder, or ask to replace it")]
    InUse {
        /// The data folder.
        folder: PathBuf,
    },
    /// The copy is not the same as the original.
    #[error("the copy differs from the original ({original:?}, {copy:?}): the original is kept")]
    Different {
        /// What was copied.
        original: Summary,
        /// What arrived.
        copy: Summary,
    },
}

/// Writes every row of a store but those that are made again by themselves. `progress` is told the number of rows from time to time.
pub fn write_backup(
    store: &dyn Store,
    mut out: impl Write,
    progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    let schema = migrate::schema_of(store)?.unwrap_or_else(|| migrate::latest(STEPS));
    out.write_all(MAGIC).and_then(|()| out.write_all(&[LAYOUT])).map_err(BackupError::Io)?;
    let mut out = zstd::Encoder::new(out, 3).map_err(BackupError::Io)?;
    out.write_all(&schema.to_be_bytes()).map_err(BackupError::Io)?;
    let kept = Table::ALL.into_iter().filter(|table| !table.is_derived());
    let summary = visit_rows(store, kept, progress, |table, key, value| {
        out.write_all(&[1, table as u8]).map_err(BackupError::Io)?;
        out.write_all(&lengths(key, value)).map_err(BackupError::Io)?;
        out.write_all(key).and_then(|()| out.write_all(value)).map_err(BackupError::Io)
    })?;
    out.write_all(&[0]).map_err(BackupError::Io)?;
    out.write_all(&summary.rows.to_be_bytes()).map_err(BackupError::Io)?;
    out.write_all(&summary.bytes.to_be_bytes()).map_err(BackupError::Io)?;
    out.write_all(&summary.checksum.to_be_bytes()).map_err(BackupError::Io)?;
    out.finish().and_then(|mut out| out.flush()).map_err(BackupError::Io)?;
    Ok(summary)
}

/// Writes a backup's rows into a store. If it fails, the store holds a part of them and must not be
/// used: [`restore`] takes care of that.
pub fn read_backup(
    store: &dyn Store,
    input: impl Read,
    mut progress: impl FnMut(u64),
) -> Result<Summary, BackupError> {
    let (mut batch, mut rows) = (Batch::default(), 0);
    let found = read_rows(input, |table, key, value| {
        batch.put(table, key, value);
        rows += 1;
        if batch.bytes() >= GROUP_BYTES {
            store.commit(&std::mem::take(&mut batch))?;
            progress(rows);
        }
        Ok(())
    })?;
    store.commit(&batch)?;
    progress(found.rows);
    Ok(found)
}

/// Reads and checks a backup, and says how many bytes of keys and values each table has, in the order of
/// [`Table::ALL`].
pub fn bytes_by_table(input: impl Read) -> Result<[u64; Table::ALL.len()], BackupError> {
    let mut bytes = [0; Table::ALL.len()];
    read_rows(input, |table, key, value| {
        bytes[table as usize] += (key.len() + value.len()) as u64;
        Ok(())
    })?;
    Ok(bytes)
}

/// Hands out every row of a backup in order, and checks at its end that they were all there and unchanged.
fn read_rows(
    input: impl Read,
    mut each: impl FnMut(Table, Vec<u8>, Vec<u8>) -> Result<(), BackupError>,
) -> Result<Summary, BackupError> {
    let (schema, mut input) = begin(input)?;
    refuse_newer(schema, migrate::latest(STEPS))?;
    let mut count = Count::default();
    while take::<1>(&mut input)? == [1] {
        let [table, a, b, c, d, e, f, g, h] = take(&mut input)?;
        let table = Table::numbered(table);
        let table =
            table.ok_or_else(|| BackupError::Damaged("it names an unknown table".into()))?;
        let key = take_bytes(&mut input, u32::from_be_bytes([a, b, c, d]), MAX_KEY_BYTES)?;
        let value = take_bytes(&mut input, u32::from_be_bytes([e, f, g, h]), MAX_VALUE_BYTES)?;
        count.add(table, &key, &value);
        each(table, key, value)?;
    }
    let rows = u64::from_be_bytes(take(&mut input)?);
    let bytes = u64::from_be_bytes(take(&mut input)?);
    let said = Summary { rows, bytes, checksum: u32::from_be_bytes(take(&mut input)?) };
    let found = count.summary();
    if said != found {
        return Err(BackupError::Damaged(format!("it should hold {said:?} and holds {found:?}")));
    }
    if input.read(&mut [0]).map_err(unreadable)? != 0 {
        return Err(BackupError::Damaged("something follows its end".into()));
    }
    Ok(found)
}

/// The version of the rows in a backup.
pub(super) fn schema_of_backup(input: impl Read) -> Result<u32, BackupError> {
    begin(input).map(|(schema, _)| schema)
}

/// Reads the beginning of a backup: the version of its rows, and the rest of it, uncompressed.
fn begin(mut input: impl Read) -> Result<(u32, impl Read), BackupError> {
    let mut start = [0; MAGIC.len() + 1];
    input.read_exact(&mut start).map_err(|_| BackupError::NotABackup)?;
    let Some(layout) = start.strip_prefix(MAGIC) else { return Err(BackupError::NotABackup) };
    refuse_newer(u32::from(layout[0]), u32::from(LAYOUT))?;
    let input = zstd::Decoder::new(input).map_err(BackupError::Io)?;
    let mut input = BufReader::with_capacity(128 << 10, input);
    Ok((u32::from_be_bytes(take(&mut input)?), input))
}

/// Visits every row of some tables, in order, and sums them up.
fn visit_rows(
    store: &dyn Store,
    tables: impl IntoIterator<Item = Table>,
    mut progress: impl FnMut(u64),
    mut visit: impl FnMut(Table, &[u8], &[u8]) -> Result<(), BackupError>,
) -> Result<Summary, BackupError> {
    let mut count = Count::default();
    for table in tables {
        let mut visited = Ok(());
        store.scan(table, &[], None, Order::Ascending, &mut |key, value| {
            count.add(table, key, value);
            if count.rows.is_multiple_of(1000) {
                progress(count.rows);
            }
            visited = visit(table, key, value);
            if visited.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        visited?;
    }
    progress(count.rows);
    Ok(count.summary())
}

/// Sums rows up as they pass.
#[derive(Default)]
struct Count {
    rows: u64,
    bytes: u64,
    checksum: flate2::Crc,
}

impl Count {
    fn add(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
        self.checksum.update(&[table as u8]);
        self.checksum.update(&lengths(key, value));
        self.checksum.update(key);
        self.checksum.update(value);
    }

    fn summary(&self) -> Summary {
        Summary { rows: self.rows, bytes: self.bytes, checksum: self.checksum.sum() }
    }
}

fn lengths(key: &[u8], value: &[u8]) -> [u8; 8] {
    let [a, b, c, d] = (key.len() as u32).to_be_bytes();
    let [e, f, g, h] = (value.len() as u32).to_be_bytes();
    [a, b, c, d, e, f, g, h]
}

fn refuse_newer(found: u32, known: u32) -> Result<(), BackupError> {
    if found > known { Err(BackupError::Newer { found, known }) } else { Ok(()) }
}

fn take<const N: usize>(input: &mut impl Read) -> Result<[u8; N], BackupError> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn take_bytes(input: &mut impl Read, length: u32, most: usize) -> Result<Vec<u8>, BackupError> {
    let length = length as usize;
    if length > most {
        return Err(BackupError::Damaged(format!("it says that a row has {length} bytes")));
    }
    let mut bytes = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    if read < length { Err(unreadable(io::ErrorKind::UnexpectedEof.into())) } else { Ok(bytes) }
}

/// What the decompressor says of a damaged file, told apart from a disk that cannot be read.
fn unreadable(error: io::Error) -> BackupError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => BackupError::Damaged("it ends too early".into()),
        io::ErrorKind::Other | io::ErrorKind::InvalidData => {
            BackupError::Damaged(error.to_string())
        }
        _ => BackupError::Io(error),
    }
}
