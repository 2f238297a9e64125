//! The embedded store: bytes under ordered keys, with atomic and durable batches.
//!
//! It knows nothing of feeds; `rows` says what the bytes mean. This module only handles crashes, full disks
//! and versions, and the same tests run on both engines.
//!
//! * redb is the store of new folders: it syncs by itself, so it survives a power cut by design; it is quicker,
//!   takes less memory, and its file does not grow under deletions.
//! * sled was the store of new folders in earlier versions, and such folders keep it. What it acknowledges
//!   survives the death of the process; `sled_store` says what is done so that it also survives a power cut, as
//!   far as the engine allows. `pergola store move --to redb` converts a folder.
//!
//! Never: half a batch, a write into a folder of a newer version, a write on a nearly full disk, two processes
//! in one folder, a damaged store that is deleted or replaced by an empty one, a migration without a backup, a
//! file that others can read.
//!
//! All calls block. Each commit costs a disk sync, so the caller groups changes.

pub mod backup;
mod error;
mod folder;
mod format;
mod held;
mod migrate;
mod parts;
mod private;
mod recovery;
mod redb_store;
mod safeguard;
pub(crate) mod seal;
mod sled_store;
mod space;
#[cfg(test)]
mod tests;

use std::{fmt, ops::ControlFlow, str::FromStr};

pub use error::StoreError;
#[cfg(any(test, feature = "testing"))]
pub(crate) use folder::open_on_redb;
pub use folder::{Opened, holds_data, open};
pub use recovery::{LAST_BACKUP, newest_backup};
pub use safeguard::backups_before_migration;

/// The longest key of a row in bytes; longer ones are refused.
pub const MAX_KEY_BYTES: usize = 384;

/// The longest value of a row in bytes; longer ones are refused.
pub const MAX_VALUE_BYTES: usize = 64 << 20;

/// The key in [`Table::Meta`] under which the store keeps its schema version.
pub const SCHEMA_KEY: &[u8] = b"schema";

/// Gets a row's key and value, and says whether to continue.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// One change: a row and its new value, `None` if it is removed.
pub type Change<'a> = (Table, &'a [u8], Option<&'a [u8]>);

/// Ordered rows of bytes.
pub trait Store: Send + Sync + 'static {
    /// The value of one row.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The values of several rows under one key, one for each table.
    fn get_from(&self, tables: &[Table], key: &[u8]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        tables.iter().map(|table| self.get(*table, key)).collect()
    }

    /// Visits the rows with `from <= key < to` (`None`: to the end of the table) in order until the
    /// visitor breaks. Every value is complete, but rows committed meanwhile may or may not be visited; the
    /// visitor itself may use the store.
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError>;

    /// Makes all changes of the batch or none; they are on the disk when it returns.
    /// If one batch names a key several times, the last change counts.
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Bytes that the store occupies on the disk.
    fn bytes_on_disk(&self) -> u64;

    /// Which engine it is.
    fn backend(&self) -> Backend;
}

/// Kinds of rows: the first byte of a row's key in both engines, so that one batch is atomic across
/// tables. The numbers are on disks and in backups.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// About the store itself.
    Meta = 0,
    /// Sources that are crawled.
    Source = 1,
    /// How a source is after its last refresh.
    State = 2,
    /// Items that a source has shown already.
    Known = 3,
    /// Item contents.
    Chunk = 4,
    /// Feeds that are published.
    Feed = 5,
    /// The entries of feeds, in order.
    Entry = 6,
    /// Which items a feed holds.
    Member = 7,
    /// How the node did in each minute.
    History = 8,
    /// Which share of each source a feed keeps.
    Selectivity = 9,
    /// What was asked of a host.
    Host = 10,
    /// When a source is believed to publish.
    Model = 11,
    /// Which entries of a feed were replaced, in order.
    Edit = 12,
    /// How a source is read from a peer.
    Peer = 13,
    /// Who is told of a feed's changes by its hub.
    Subscription = 14,
    /// Hubs that tell us of a source's changes.
    Push = 15,
    /// Who may read a feed, if not everybody.
    Reader = 16,
    /// Sources whose items come back to this node.
    Loop = 17,
    /// What sources and feeds are about.
    Profile = 18,
    /// Sources and feeds that were removed and can still be restored.
    Removed = 19,
    /// People who read here.
    User = 20,
    /// Those of them who have logged in.
    Session = 21,
    /// Their passwords for other programs.
    AppPassword = 22,
    /// What they follow.
    Following = 23,
    /// What they have read and starred.
    Mark = 24,
    /// Items that somebody has starred.
    Starred = 25,
    /// Chunks that are not in the search index yet.
    Arrival = 26,
    /// The search index.
    Index = 27,
    /// Items that a feed held until they expired, and that a source may still show.
    Expired = 28,
    /// Who is sent the new entries of a feed.
    Notification = 29,
}

impl Table {
    /// Every table, by number.
    pub const ALL: [Self; 30] = [
        Self::Meta,
        Self::Source,
        Self::State,
        Self::Known,
        Self::Chunk,
        Self::Feed,
        Self::Entry,
        Self::Member,
        Self::History,
        Self::Selectivity,
        Self::Host,
        Self::Model,
        Self::Edit,
        Self::Peer,
        Self::Subscription,
        Self::Push,
        Self::Reader,
        Self::Loop,
        Self::Profile,
        Self::Removed,
        Self::User,
        Self::Session,
        Self::AppPassword,
        Self::Following,
        Self::Mark,
        Self::Starred,
        Self::Arrival,
        Self::Index,
        Self::Expired,
        Self::Notification,
    ];

    /// The table with a number.
    pub(crate) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|table| *table as u8 == number)
    }

    /// Whether its rows follow from others and are made again by themselves: backups are smaller without them.
    pub(crate) fn is_derived(self) -> bool {
        matches!(self, Self::Arrival | Self::Index)
    }

    /// The engine's key for a row: the table's number, then the row's own key.
    fn row_key(self, key: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(key.len() + 1);
        row.push(self as u8);
        row.extend_from_slice(key);
        row
    }

    /// The engine's keys for a range of rows: from the first to before the last.
    fn row_range(self, from: &[u8], to: Option<&[u8]>) -> (Vec<u8>, Vec<u8>) {
        let end = to.map_or_else(|| vec![self as u8 + 1], |to| self.row_key(to));
        (self.row_key(from), end)
    }
}

/// The direction of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Ascending,
    /// Largest key first.
    Descending,
}

/// Changes that happen together or not at all.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    changes: Vec<(Table, Vec<u8>, Option<Vec<u8>>)>,
    bytes: u64,
}

impl Batch {
    /// Writes a row, replacing what was there.
    pub fn put(&mut self, table: Table, key: impl Into<Vec<u8>>, value: Vec<u8>) {
        let key = key.into();
        self.bytes += (key.len() + value.len()) as u64;
        self.changes.push((table, key, Some(value)));
    }

    /// Writes a row with its seal, replacing what was there.
    pub(crate) fn put_sealed(&mut self, table: Table, key: impl Into<Vec<u8>>, mut value: Vec<u8>) {
        let key = key.into();
        seal::seal(table, &key, &mut value);
        self.put(table, key, value);
    }

    /// Removes a row, if it is there.
    pub fn delete(&mut self, table: Table, key: impl Into<Vec<u8>>) {
        let key = key.into();
        self.bytes += key.len() as u64;
        self.changes.push((table, key, None));
    }

    /// The changes of all, one batch after the other.
    pub(crate) fn joined(batches: Vec<Self>) -> Self {
        let changes = batches.iter().map(Self::len).sum();
        let mut all = Self { changes: Vec::with_capacity(changes), bytes: 0 };
        batches.into_iter().for_each(|batch| all.append(batch));
        all
    }

    /// Adds another batch's changes after its own.
    pub fn append(&mut self, mut other: Self) {
        self.bytes += other.bytes;
        self.changes.append(&mut other.changes);
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The number of changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// The bytes of all keys and values.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The changes in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = Change<'_>> {
        self.changes.iter().map(|(table, key, value)| (*table, key.as_slice(), value.as_deref()))
    }

    /// The change that counts for each key, by table and key.
    fn settled(&self) -> Vec<Change<'_>> {
        let mut changes: Vec<_> = self.iter().collect();
        changes.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        // `dedup_by` drops the later of two, and the later change is the one that counts.
        changes.dedup_by(|later, kept| {
            let same = (later.0, later.1) == (kept.0, kept.1);
            if same {
                kept.2 = later.2;
            }
            same
        });
        changes
    }
}

/// The engine of a store.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// sled 0.34.
    Sled,
    /// redb, the store of new folders.
    #[default]
    Redb,
}

impl Backend {
    /// Both engines.
    pub const ALL: [Self; 2] = [Self::Sled, Self::Redb];

    /// Bytes that its file may hold of rows that are gone before it makes room: sled's room is made only in large files.
    pub fn unused_bytes(self) -> u64 {
        match self {
            Self::Sled => sled_store::FREE,
            Self::Redb => 0,
        }
    }

    /// The name of its folder or file in the data folder.
    fn file_name(self) -> &'static str {
        match self {
            Self::Sled => "store.sled",
            Self::Redb => "store.redb",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sled => "sled",
            Self::Redb => "redb",
        })
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|backend| backend.to_string() == text);
        found.ok_or_else(|| UnknownBackend(text.to_owned()))
    }
}

/// The name of no engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no store called {0:?}: write sled or redb")]
pub struct UnknownBackend(String);
