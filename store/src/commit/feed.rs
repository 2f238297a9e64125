//! The part of a commit that belongs to one feed.

use pergola_manners::source::ItemKey;

use super::set;
use crate::engine::{Batch, Table};
use crate::records::{
    Channel, Edit, Entry, FeedId, FeedRecord, FeedTally, Notification, ProfileRecord, Removed,
    Subscription,
};
use crate::rows::keys::{
    RowKey, edit_key, entry_key, feed_key, feed_tally_key, member_key, old_ids_key,
    removed_feed_key,
};

/// Changes to the rows of one feed.
#[derive(Debug)]
pub struct FeedPart {
    id: FeedId,
    pub(super) rows: Batch,
    pub(super) dropped: bool,
}

impl FeedPart {
    /// Nothing of this feed changes yet.
    pub fn new(id: FeedId) -> Self {
        Self { id, rows: Batch::default(), dropped: false }
    }

    /// Which feed.
    pub fn id(&self) -> FeedId {
        self.id
    }

    /// What was asked for.
    pub fn put_record(&mut self, record: &FeedRecord) {
        set(&mut self.rows, Table::Feed, feed_key(self.id), Some(record));
    }

    /// How far the feed has come.
    pub fn put_tally(&mut self, tally: &FeedTally) {
        set(&mut self.rows, Table::Feed, feed_tally_key(self.id), Some(tally));
    }

    /// Those who may read the feed; `None` for anybody.
    pub fn set_readers(&mut self, readers: Option<&[String]>) {
        let readers = readers.map(<[String]>::to_vec);
        set(&mut self.rows, Table::Reader, self.id.to_key(), readers.as_ref());
    }

    /// An item enters the feed, or an edited version replaces it.
    pub fn put_entry(&mut self, sequence: u64, entry: &Entry) {
        set(&mut self.rows, Table::Entry, entry_key(self.id, sequence), Some(entry));
        set(&mut self.rows, Table::Member, member_key(self.id, entry.key), Some(&sequence));
    }

    /// An item leaves the feed.
    pub fn delete_entry(&mut self, sequence: u64, item: ItemKey) {
        self.rows.delete(Table::Entry, entry_key(self.id, sequence));
        self.rows.delete(Table::Member, member_key(self.id, item));
    }

    /// An item leaves the feed because its time is over. The feed remembers that it has had it: a source may go on
    /// to show it, or edit it.
    pub fn expire_entry(&mut self, sequence: u64, item: ItemKey) {
        self.delete_entry(sequence, item);
        self.rows.put_sealed(Table::Expired, member_key(self.id, item), Vec::new());
    }

    /// No source can show the item any more, or the feed goes.
    pub fn forget_expired(&mut self, item: ItemKey) {
        self.rows.delete(Table::Expired, member_key(self.id, item));
    }

    /// An entry was replaced, for those who have read the version before.
    pub fn put_edit(&mut self, edit: Edit) {
        self.rows.put_sealed(Table::Edit, edit_key(self.id, edit), Vec::new());
    }

    /// Deletes an edit that is followed by a later one of the same entry, or whose entry is gone.
    pub fn delete_edit(&mut self, edit: Edit) {
        self.rows.delete(Table::Edit, edit_key(self.id, edit));
    }

    /// Who is told of the feed's changes under this key; `None` if nobody is any more.
    pub fn set_subscription(&mut self, key: u128, subscription: Option<&Subscription>) {
        let own = subscription.is_none_or(|subscription| subscription.feed == self.id);
        debug_assert!(own, "a row of another feed");
        set(&mut self.rows, Table::Subscription, key.to_be_bytes(), subscription);
    }

    /// Who is sent the feed's new entries.
    pub fn set_notifications(&mut self, all: &[Notification]) {
        let all = (!all.is_empty()).then(|| all.to_vec());
        set(&mut self.rows, Table::Notification, self.id.to_key(), all.as_ref());
    }

    /// What the feed is about; `None` if nothing is known any more.
    pub fn set_profile(&mut self, profile: Option<&ProfileRecord>) {
        let key = Channel::Feed(self.id).to_key();
        set(&mut self.rows, Table::Profile, key, profile);
    }

    /// The feed is published no longer, but can be restored: its entries, how far it has come and who may read
    /// it stay. Nobody is notified any more.
    pub fn remove(&mut self, removed: &Removed<FeedRecord>) {
        self.dropped = true;
        self.rows.delete(Table::Feed, feed_key(self.id));
        self.rows.delete(Table::Notification, self.id.to_key());
        set(&mut self.rows, Table::Removed, removed_feed_key(self.id), Some(removed));
    }

    /// A feed that was removed is published again.
    pub fn restore(&mut self, record: &FeedRecord) {
        self.put_record(record);
        self.rows.delete(Table::Removed, removed_feed_key(self.id));
    }

    /// The feed is published no longer and cannot be restored. What it held and holds is deleted before,
    /// in commits of bounded size.
    pub fn drop_feed(&mut self) {
        self.dropped = true;
        self.rows.delete(Table::Removed, removed_feed_key(self.id));
        self.rows.delete(Table::Feed, feed_key(self.id));
        self.rows.delete(Table::Feed, feed_tally_key(self.id));
        self.rows.delete(Table::Feed, old_ids_key(self.id));
        self.rows.delete(Table::Reader, self.id.to_key());
        self.rows.delete(Table::Notification, self.id.to_key());
    }
}
