//! The bytes of every row, compared with those of the version that first wrote them.

mod samples;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;

use pergola_accounts::{AppPassword, Following, Session, UserRecord};
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceRecord, SourceState};
use pergola_query::Selectivity;

use super::chunk::Chunk;
use super::*;
use crate::engine::backup::{Replace, restore};
use crate::engine::{Backend, Order, Table, open, seal};
use crate::records::{
    Entry, FeedRecord, FeedTally, HostTally, Manifest, NodeRecord, Notification, OldIds,
    ProfileRecord, Push, Removed, Sample, Starred, Subscription,
};

/// A name and the bytes in hexadecimal on each line.
const WRITTEN: &str = include_str!("../../tests/fixtures/rows.txt");

/// Rows by name, each to be looked at once.
struct Written(BTreeMap<&'static str, Vec<u8>>);

impl Written {
    fn read() -> Self {
        let lines = WRITTEN.lines().filter(|line| !line.starts_with('#'));
        let row = |line: &'static str| {
            let (name, bytes) = line.split_once(' ').unwrap();
            let byte = |at: usize| u8::from_str_radix(&bytes[at..at + 2], 16).unwrap();
            (name, (0..bytes.len()).step_by(2).map(byte).collect())
        };
        Self(lines.map(row).collect())
    }

    /// The value is written as these bytes, and these bytes are read as the value.
    fn is<T: Stored + PartialEq + Debug>(&mut self, name: &str, value: &T) {
        let Some(bytes) = self.0.remove(name) else { panic!("no row is called {name}") };
        assert_eq!(hex(&encode(value)), hex(&bytes), "{name} is written otherwise");
        assert_eq!(decode::<T>(&bytes).unwrap(), *value, "{name} is read otherwise");
        for length in 0..bytes.len() {
            assert!(decode::<T>(&bytes[..length]).is_err(), "{length} bytes of {name} are enough");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_row_has_the_bytes_it_always_had() {
    let mut written = Written::read();
    samples::items(&mut written);
    samples::sources(&mut written);
    samples::models(&mut written);
    samples::peers(&mut written);
    samples::feeds(&mut written);
    samples::node(&mut written);
    samples::people(&mut written);
    let left: Vec<&str> = written.0.into_keys().collect();
    assert_eq!(left, [""; 0], "rows that nothing was compared with");
}

#[test]
fn a_row_that_makes_no_sense_is_an_error() {
    let model = samples::model_bytes_with_a_wrong_place();
    let error = decode::<pergola_refresh::Model>(&model).unwrap_err();
    assert!(error.to_string().contains("place in a ring"), "{error}");
}

/// A row that is written as it was read.
fn same<T: Stored>(bytes: &[u8]) -> bool {
    encode(&decode::<T>(bytes).unwrap()) == bytes
}

fn is_same(table: Table, key: &[u8], row: &[u8]) -> bool {
    match (table, key.first()) {
        (Table::Meta, _) if key == keys::NODE => same::<NodeRecord>(row),
        // About the store itself, and rows that are only keys.
        (Table::Meta | Table::Edit | Table::Expired, _) => true,
        (Table::Source, _) => same::<SourceRecord>(row),
        (Table::State, _) => same::<SourceState>(row),
        (Table::Known, _) => same::<Known>(row),
        (Table::Chunk, _) => {
            // Compared unpacked: another version of zstd may pack otherwise.
            let chunk = Chunk::of_row(row).unwrap();
            let items = chunk.items().unwrap();
            let at = chunk::delivered_at(row).unwrap();
            let again = chunk::row_of(at, &items.iter().collect::<Vec<_>>());
            Chunk::of_row(&again).unwrap() == chunk && chunk::delivered_at(&again).unwrap() == at
        }
        (Table::Feed, Some(0)) => same::<FeedRecord>(row),
        (Table::Feed, Some(1)) => same::<FeedTally>(row),
        (Table::Feed, _) => same::<OldIds>(row),
        (Table::Entry, _) => same::<Entry>(row),
        (Table::Member, _) => same::<u64>(row),
        (Table::History, _) => same::<Sample>(row),
        (Table::Selectivity, _) => same::<Selectivity>(row),
        (Table::Host, _) => same::<HostTally>(row),
        (Table::Model, _) => same::<pergola_refresh::Source>(row),
        (Table::Peer, Some(0)) => same::<Link>(row),
        (Table::Peer, _) => same::<Cooperation>(row),
        (Table::Subscription, _) => same::<Subscription>(row),
        (Table::Notification, _) => same::<Vec<Notification>>(row),
        (Table::Push, _) => same::<Push>(row),
        (Table::Reader, _) => same::<Vec<String>>(row),
        (Table::Loop, _) => same::<Loop>(row),
        (Table::Profile, _) => same::<ProfileRecord>(row),
        (Table::Removed, Some(0)) => same::<Removed<SourceRecord>>(row),
        (Table::Removed, _) => same::<Removed<FeedRecord>>(row),
        (Table::User, _) => same::<UserRecord>(row),
        (Table::Session, _) => same::<Session>(row),
        (Table::AppPassword, _) => same::<AppPassword>(row),
        (Table::Following, _) => same::<Following>(row),
        (Table::Mark, _) => same::<f64>(row),
        (Table::Starred, _) => same::<Starred>(row),
        (Table::Arrival, _) => same::<u32>(row),
        (Table::Index, Some(0)) => same::<Manifest>(row),
        // The rows of segments belong to another crate.
        (Table::Index, _) => true,
    }
}

#[test]
fn every_row_of_a_node_that_has_run_is_written_as_it_was_read() {
    let backup = include_bytes!("../../tests/fixtures/schema-2.backup");
    let folder = tempfile::tempdir().unwrap();
    restore(folder.path(), Backend::Redb, Replace::Never, &backup[..], |_| ()).unwrap();
    let store = open(folder.path(), None, 1 << 20).unwrap().store;
    for table in Table::ALL {
        let mut rows = 0;
        let mut visit = |key: &[u8], row: &[u8]| {
            let row = seal::unseal(table, key, row).unwrap();
            assert!(is_same(table, key, row), "{table:?} {key:?}");
            rows += 1;
            ControlFlow::Continue(())
        };
        store.scan(table, &[], None, Order::Ascending, &mut visit).unwrap();
        // Nothing could be restored or searched then, and nobody had an account.
        assert!(rows > 0 || table >= Table::Removed, "there is no row of {table:?}");
    }
}
