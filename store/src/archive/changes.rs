//! Changes to what is kept, collected in types and committed as one batch.

use pergola_feed::Item;
use pergola_manners::Cooperation;
use pergola_manners::link::Link;
use pergola_query::Selectivity;
use serde::Serialize;

use super::chunk::{Chunk, row_of};
use super::keys::{
    RowKey, chunk_key, edit_key, entry_key, feed_key, feed_tally_key, link_key, member_key,
    wish_key,
};
use super::{
    ArchiveError, Edit, Entry, FeedId, FeedRecord, FeedTally, HostTally, ItemKey, Known, Loop,
    NodeRecord, ProfileRow, Push, Sample, SourceId, SourceRecord, SourceState, Subscription,
};
use crate::engine::{Batch, Table};

/// Changes that happen together or not at all.
#[derive(Debug, Default)]
pub struct Changes {
    batch: Batch,
}

impl Changes {
    /// Nothing changes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// As the store wants them.
    pub fn into_batch(self) -> Batch {
        self.batch
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// These changes, and then those.
    pub fn append(&mut self, other: Self) {
        self.batch.append(other.batch);
    }

    /// What the node knows of itself.
    pub fn put_node(&mut self, node: &NodeRecord) {
        self.put(Table::Meta, *b"node", node);
    }

    /// A source is asked for, or otherwise than before.
    pub fn put_source(&mut self, id: SourceId, record: &SourceRecord) {
        self.put(Table::Source, id.to_key(), record);
    }

    /// A source is asked for no more. Its chunks stay until nothing refers to them.
    pub fn delete_source(&mut self, id: SourceId) {
        self.batch.delete(Table::Source, id.to_key());
        self.batch.delete(Table::State, id.to_key());
        self.batch.delete(Table::Model, id.to_key());
        self.delete_loop(id);
        self.batch.delete(Table::Peer, link_key(id));
        self.batch.delete(Table::Peer, wish_key(id));
    }

    /// What is known of the peer that publishes a source.
    pub fn put_link(&mut self, id: SourceId, link: &Link) {
        self.put(Table::Peer, link_key(id), link);
    }

    /// What is asked of the peer that publishes a source; the usual if nothing is said.
    pub fn put_wish(&mut self, id: SourceId, wish: Option<&Cooperation>) {
        match wish {
            Some(wish) => self.put(Table::Peer, wish_key(id), wish),
            None => self.batch.delete(Table::Peer, wish_key(id)),
        }
    }

    /// How a source stands now, apart from its model.
    pub fn put_state(&mut self, id: SourceId, state: &SourceState) {
        self.put(Table::State, id.to_key(), state);
    }

    /// What is believed about when a source publishes.
    pub fn put_model(&mut self, id: SourceId, state: &SourceState) {
        self.put(Table::Model, id.to_key(), &state.schedule);
    }

    /// What was seen of a source's items.
    pub fn put_known(&mut self, id: SourceId, known: &Known) {
        self.put(Table::Known, id.to_key(), known);
    }

    /// Nothing is remembered of a source's items.
    pub fn delete_known(&mut self, id: SourceId) {
        self.batch.delete(Table::Known, id.to_key());
    }

    /// Items of a source, delivered at an instant.
    pub fn put_chunk(&mut self, source: SourceId, chunk: u32, at: f64, items: &[&Item]) {
        self.batch.put(Table::Chunk, chunk_key(source, chunk), row_of(at, items));
    }

    /// The items of a chunk that is among these changes.
    pub fn chunk(&self, source: SourceId, chunk: u32) -> Result<Option<Vec<Item>>, ArchiveError> {
        let wanted = chunk_key(source, chunk);
        let chunks = self.batch.iter().filter(|(table, ..)| *table == Table::Chunk);
        let row = chunks.filter(|(_, key, _)| *key == wanted).last().and_then(|(.., row)| row);
        row.map(|row| Chunk::of_row(row)?.items()).transpose()
    }

    /// Items that nothing refers to.
    pub fn delete_chunk(&mut self, source: SourceId, chunk: u32) {
        self.batch.delete(Table::Chunk, chunk_key(source, chunk));
    }

    /// A feed is asked for, or otherwise than before.
    pub fn put_feed(&mut self, id: FeedId, record: &FeedRecord) {
        self.put(Table::Feed, feed_key(id), record);
    }

    /// A feed is asked for no more. Its entries are deleted apart, there may be many.
    pub fn delete_feed(&mut self, id: FeedId) {
        self.batch.delete(Table::Feed, feed_key(id));
        self.batch.delete(Table::Feed, feed_tally_key(id));
        self.batch.delete(Table::Reader, id.to_key());
    }

    /// A feed is closed to all but these readers, or open to anybody.
    pub fn put_readers(&mut self, id: FeedId, readers: Option<&[String]>) {
        match readers {
            Some(readers) => self.put(Table::Reader, id.to_key(), readers),
            None => self.batch.delete(Table::Reader, id.to_key()),
        }
    }

    /// How far a feed has come.
    pub fn put_feed_tally(&mut self, id: FeedId, tally: &FeedTally) {
        self.put(Table::Feed, feed_tally_key(id), tally);
    }

    /// An item enters a feed, or is replaced there by an edited version.
    pub fn put_entry(&mut self, feed: FeedId, sequence: u64, entry: &Entry) {
        self.put(Table::Entry, entry_key(feed, sequence), entry);
        self.put(Table::Member, member_key(feed, entry.key), &sequence);
    }

    /// An item leaves a feed.
    pub fn delete_entry(&mut self, feed: FeedId, sequence: u64, item: ItemKey) {
        self.batch.delete(Table::Entry, entry_key(feed, sequence));
        self.batch.delete(Table::Member, member_key(feed, item));
    }

    /// An entry was replaced, for those who have read what it said before.
    pub fn put_edit(&mut self, feed: FeedId, edit: Edit) {
        self.batch.put(Table::Edit, edit_key(feed, edit), Vec::new());
    }

    /// An edit that a later one of the same entry has overtaken, or whose entry is gone.
    pub fn delete_edit(&mut self, feed: FeedId, edit: Edit) {
        self.batch.delete(Table::Edit, edit_key(feed, edit));
    }

    /// What was done to a host.
    pub fn put_host(&mut self, host: &str, tally: &HostTally) {
        self.put(Table::Host, host.as_bytes(), tally);
    }

    /// Items of a source come back to this node.
    pub fn put_loop(&mut self, id: SourceId, found: &Loop) {
        self.put(Table::Loop, id.to_key(), found);
    }

    /// Items of a source come back no more.
    pub fn delete_loop(&mut self, id: SourceId) {
        self.batch.delete(Table::Loop, id.to_key());
    }

    /// How the node stood in a minute (since 1970).
    pub fn put_sample(&mut self, minute: u64, sample: &Sample) {
        self.put(Table::History, minute.to_be_bytes(), sample);
    }

    /// A minute that is too long ago.
    pub fn delete_sample(&mut self, minute: u64) {
        self.batch.delete(Table::History, minute.to_be_bytes());
    }

    /// Somebody is told of a feed's changes, or no more.
    pub fn set_subscription(&mut self, key: u128, subscription: Option<&Subscription>) {
        match subscription {
            Some(row) => self.put(Table::Subscription, key.to_be_bytes(), row),
            None => self.batch.delete(Table::Subscription, key.to_be_bytes()),
        }
    }

    /// A hub tells us of a source, or no more.
    pub fn set_push(&mut self, token: &str, push: Option<&Push>) {
        match push {
            Some(row) => self.put(Table::Push, token.as_bytes(), row),
            None => self.batch.delete(Table::Push, token.as_bytes()),
        }
    }

    /// What was learnt about who keeps how much of which source.
    pub fn put_selectivity(&mut self, selectivity: &Selectivity) {
        self.put(Table::Selectivity, *b"all", selectivity);
    }

    /// What a source or a feed is about, or nothing any more.
    pub fn set_profile(&mut self, channel: u32, row: Option<&ProfileRow>) {
        match row {
            Some(row) => self.put(Table::Profile, channel.to_be_bytes(), row),
            None => self.batch.delete(Table::Profile, channel.to_be_bytes()),
        }
    }

    fn put(&mut self, table: Table, key: impl Into<Vec<u8>>, row: &(impl Serialize + ?Sized)) {
        self.batch.put(table, key, encoded(row));
    }
}

fn encoded(row: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_stdvec(row).expect("rows hold nothing that postcard refuses")
}
