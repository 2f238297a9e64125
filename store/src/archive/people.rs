//! Reading what belongs to the people who read here.

use std::ops::ControlFlow;

use pergola_accounts::secret::Digest;
use pergola_accounts::{AppPassword, Following, Row, Session, UserId, UserRecord};
use pergola_manners::source::{ItemKey, ItemNumber};

use super::{ALL, Archive, ArchiveError, or_again};
use crate::engine::{Order, Table};
use crate::records::{Entry, FeedId, Mark, Starred};
use crate::rows::keys::{self, RowKey};
use crate::rows::person::dates_of_starred;

impl Archive {
    /// Everybody who has an account, in order of their numbers.
    pub fn users(&self) -> Result<Vec<(UserId, UserRecord)>, ArchiveError> {
        self.rows(Table::User, ALL, UserId::from_key)
    }

    /// A user.
    pub fn user(&self, id: UserId) -> Result<Option<UserRecord>, ArchiveError> {
        self.row(Table::User, &id.to_key())
    }

    /// The session with this token.
    pub fn session(&self, token: Digest) -> Result<Option<Session>, ArchiveError> {
        self.row(Table::Session, &token.0)
    }

    /// Everybody who has logged in.
    pub fn sessions(&self) -> Result<Vec<(Digest, Session)>, ArchiveError> {
        let token = |key: &[u8]| Digest(key.first_chunk().copied().unwrap_or([0; 32]));
        self.rows(Table::Session, ALL, token)
    }

    /// The passwords of a user for other programs, by their numbers.
    pub fn app_passwords(&self, user: UserId) -> Result<Vec<(u32, AppPassword)>, ArchiveError> {
        let (from, to) = range_of(user);
        self.rows(Table::AppPassword, (&from, to.as_deref()), keys::last_number)
    }

    /// What a user follows.
    pub fn followings(&self, user: UserId) -> Result<Vec<(FeedId, Following)>, ArchiveError> {
        let (from, to) = range_of(user);
        let feed = |key: &[u8]| FeedId(keys::last_number(key));
        self.rows(Table::Following, (&from, to.as_deref()), feed)
    }

    /// How a user follows a feed, if it does.
    pub fn following(&self, user: UserId, feed: FeedId) -> Result<Option<Following>, ArchiveError> {
        self.row(Table::Following, &keys::following_key(user, feed))
    }

    /// Everybody who follows anything, with what they follow.
    pub fn all_followings(&self) -> Result<Vec<(UserId, FeedId)>, ArchiveError> {
        let mut all = Vec::new();
        self.visit_keys(Table::Following, ALL, Order::Ascending, |key| {
            all.push((UserId::from_key(key), FeedId(keys::last_number(key))));
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The items that a user has read or starred after a number, and when, at most `limit` of them.
    pub fn marks(
        &self,
        user: UserId,
        mark: Mark,
        after: Option<ItemNumber>,
        limit: usize,
    ) -> Result<Vec<(ItemNumber, f64)>, ArchiveError> {
        let mut found = Vec::new();
        let Some(first) = after.map_or(Some(0), |last| last.0.checked_add(1)) else {
            return Ok(found);
        };
        let from = keys::mark_key(user, mark, ItemNumber(first));
        let to = [&keys::mark_key(user, mark, ItemNumber(u64::MAX))[..], &[0]].concat();
        self.visit(Table::Mark, (&from, Some(&to)), Order::Ascending, |key, at| {
            found.push((keys::item_of(key), at));
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// When a user has read or starred an item, if it has.
    pub fn mark(
        &self,
        user: UserId,
        mark: Mark,
        item: ItemNumber,
    ) -> Result<Option<f64>, ArchiveError> {
        self.row(Table::Mark, &keys::mark_key(user, mark, item))
    }

    /// Whether somebody else has starred an item.
    pub(crate) fn is_starred_by_others(
        &self,
        user: UserId,
        item: ItemNumber,
    ) -> Result<bool, ArchiveError> {
        for (other, _) in self.users()? {
            if other != user && self.mark(other, Mark::Star, item)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An item that somebody has starred, as it was then.
    pub fn starred(&self, item: ItemNumber) -> Result<Option<Starred>, ArchiveError> {
        self.row(Table::Starred, &keys::starred_key(item))
    }

    /// The date by which people find a starred item, and when it arrived.
    pub fn dates_of_starred(&self, item: ItemNumber) -> Result<Option<(f64, f64)>, ArchiveError> {
        let (table, key) = (Table::Starred, keys::starred_key(item));
        let Some(row) = self.store.get(table, &key)? else { return Ok(None) };
        let dates = self.whole(table, &key, &row).and_then(dates_of_starred);
        dates.map(Some).map_err(|nonsense| self.damaged(table, &key, &nonsense))
    }

    /// The entries of a feed from a number on, as they are listed for people.
    pub fn rows_of(&self, feed: FeedId, from: u64) -> Result<Vec<Row>, ArchiveError> {
        let entries = self.entries(feed, from, u64::MAX, Order::Ascending, usize::MAX)?;
        let row = |(sequence, entry): (u64, Entry)| Row {
            number: ItemNumber::from(entry.key).0,
            sequence,
            dated: entry.dated,
            arrived: entry.at,
        };
        Ok(entries.into_iter().map(row).collect())
    }

    /// The numbers of all items that a user has read.
    pub fn read_by(&self, user: UserId) -> Result<Vec<u64>, ArchiveError> {
        let marks = self.marks(user, Mark::Read, None, usize::MAX)?;
        Ok(marks.into_iter().map(|(item, _)| item.0).collect())
    }

    /// All items that a user has starred: the number, the date by which people find it, and when it arrived. One whose
    /// copy is damaged is found by when it was starred.
    pub fn starred_by(&self, user: UserId) -> Result<Vec<(u64, f64, f64)>, ArchiveError> {
        let mut all = Vec::new();
        for (item, at) in self.marks(user, Mark::Star, None, usize::MAX)? {
            let dates = or_again(self.dates_of_starred(item), || Ok(None))?;
            let (dated, arrived) = dates.unwrap_or((at, at));
            all.push((item.0, dated, arrived));
        }
        Ok(all)
    }

    /// The item with this number in a feed, and its number there. Its key does not follow from the number, so all
    /// items of the feed are compared: for one item, not for many.
    pub fn member_with(
        &self,
        feed: FeedId,
        item: ItemNumber,
    ) -> Result<Option<(ItemKey, u64)>, ArchiveError> {
        let mut found = None;
        let (from, last) =
            (keys::member_key(feed, ItemKey(0)), keys::member_key(feed, ItemKey(u128::MAX)));
        let to = [&last[..], &[0]].concat();
        self.visit(Table::Member, (&from, Some(&to)), Order::Ascending, |key, sequence| {
            let key = keys::member_of(key);
            if ItemNumber::from(key) == item {
                found = Some((key, sequence));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

/// The keys that begin with the number of a user.
fn range_of(user: UserId) -> ([u8; 4], Option<Vec<u8>>) {
    let next = user.0.checked_add(1).map(|next| UserId(next).to_key().to_vec());
    (user.to_key(), next)
}
