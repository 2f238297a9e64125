//! Any bytes, read as every kind of row.

use pergola_accounts::{AppPassword, Following, Session, UserRecord};
use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::courtesy::Courtesy;
use pergola_manners::link::Link;
use pergola_manners::source::{Known, Loop, SourceRecord, SourceState};
use pergola_query::Selectivity;

use crate::records::{
    Entry, FeedRecord, FeedTally, HostTally, Manifest, NodeRecord, Notification, OldIds,
    ProfileRecord, Push, Sample, Starred, Subscription,
};
use crate::rows::chunk::{Chunk, delivered_at};
use crate::rows::{Stored, decode, encode};

/// Reads any bytes as every kind of row. Whatever can be read must be written and read as the same.
///
/// # Panics
/// If a row changes when it is written again, or cannot be read any more.
pub fn read_as_every_row(bytes: &[u8]) {
    survives::<Item>(bytes);
    survives::<SourceRecord>(bytes);
    survives::<SourceState>(bytes);
    survives::<Courtesy>(bytes);
    survives::<Known>(bytes);
    survives::<Loop>(bytes);
    survives::<Link>(bytes);
    survives::<Cooperation>(bytes);
    survives::<Selectivity>(bytes);
    survives::<FeedRecord>(bytes);
    survives::<FeedTally>(bytes);
    survives::<OldIds>(bytes);
    survives::<Entry>(bytes);
    survives::<NodeRecord>(bytes);
    survives::<HostTally>(bytes);
    survives::<Sample>(bytes);
    survives::<ProfileRecord>(bytes);
    survives::<Subscription>(bytes);
    survives::<Vec<Notification>>(bytes);
    survives::<Push>(bytes);
    survives::<UserRecord>(bytes);
    survives::<Session>(bytes);
    survives::<AppPassword>(bytes);
    survives::<Following>(bytes);
    survives::<Starred>(bytes);
    survives::<Manifest>(bytes);
    let _ = delivered_at(bytes);
    if let Ok(chunk) = Chunk::of_row(bytes) {
        let _ = (chunk.items(), chunk.item(0), chunk.item(u16::MAX));
    }
}

fn survives<T: Stored>(bytes: &[u8]) {
    let Ok(value) = decode::<T>(bytes) else { return };
    let written = encode(&value);
    let Ok(again) = decode::<T>(&written) else { panic!("a row of ours cannot be read") };
    assert_eq!(encode(&again), written, "a row changes when it is written again");
}
