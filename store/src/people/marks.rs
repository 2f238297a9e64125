//! Stars that come and go, and marks of items that are gone.
//!
//! A starred item is copied when it is starred, so it is there when every feed has let go of it. The copy goes with the
//! last star.

use std::collections::HashSet;

use pergola_accounts::UserId;
use pergola_feed::address::identity_of;
use pergola_feed::identity::original;
use pergola_feed::{Item, OriginId};
use pergola_manners::source::{ItemNumber, SourceId, item_key};

use crate::archive::{Archive, ArchiveError, Published};
use crate::commit::Commit;
use crate::engine::Order;
use crate::records::{Entry, FeedId, Mark, Starred};

/// Marks looked at in one step.
const MARKS_AT_ONCE: usize = 2_000;
/// Entries read at once.
const ENTRIES_AT_ONCE: usize = 10_000;

/// A star that comes, with the date of the item and when it arrived, or one that goes.
pub type Star = (ItemNumber, Option<(f64, f64)>);

/// A user stars items that these feeds hold (`at` is when), or takes their stars away. Items that are not there any more
/// cannot be starred.
pub fn starring(
    archive: &Archive,
    user: UserId,
    items: &[(ItemNumber, Option<FeedId>)],
    at: Option<f64>,
) -> Result<(Commit, Vec<Star>), ArchiveError> {
    let mut commit = Commit::new();
    let mut done = Vec::new();
    for (item, feed) in items {
        if at.is_none() {
            commit.user(user).set_mark(Mark::Star, *item, None);
            if !archive.is_starred_by_others(user, *item)? {
                commit.node().set_starred(*item, None);
            }
            done.push((*item, None));
            continue;
        }
        let copy = feed.map_or(Ok(None), |feed| copy_of(archive, feed, *item))?;
        let Some(copy) = copy else { continue };
        commit.user(user).set_mark(Mark::Star, *item, at);
        commit.node().set_starred(*item, Some(&copy));
        done.push((*item, Some((copy.entry.dated, copy.entry.at))));
    }
    Ok((commit, done))
}

/// An item of a feed with its contents.
fn copy_of(
    archive: &Archive,
    feed: FeedId,
    item: ItemNumber,
) -> Result<Option<Starred>, ArchiveError> {
    let Some((_, sequence)) = archive.member_with(feed, item)? else { return Ok(None) };
    let Some(entry) = archive.entry(feed, sequence)? else { return Ok(None) };
    let found = archive.with_items(vec![(sequence, entry)])?.pop();
    Ok(found.map(|Published { sequence, entry, item }| Starred { feed, sequence, entry, item }))
}

/// An item that a user brings along from elsewhere, with the number that it has if its source shows it: the rules of
/// identity are those of a refresh. `source` is the one at this node that it comes from, with the feed that shows it to
/// its followers; an item of no source here says itself where it is from.
pub fn brought(
    archive: &Archive,
    mut item: Item,
    source: Option<(SourceId, FeedId)>,
    arrived: f64,
) -> Result<Starred, ArchiveError> {
    let record = match source {
        Some((id, _)) => archive.source(id)?,
        None => None,
    };
    let told = item.origin.as_ref().and_then(identity_of);
    if record.is_some() && original(&item.id).is_none() {
        item.origin = None;
    }
    let origin = record.map(|record| record.origin).or(told).unwrap_or(OriginId(0));
    let key = item_key(&item.id, &item, origin);
    let (source, feed) = source.unwrap_or((SourceId(u32::MAX), FeedId(u32::MAX)));
    let dated = Entry::date_of(&item, arrived);
    let entry = Entry { key, source, chunk: 0, index: 0, at: arrived, changed_at: arrived, dated };
    // It has no number in the feed, and no entry has this one.
    let sequence = 1 << 63 | ItemNumber::from(key).0;
    Ok(Starred { feed, sequence, entry, item })
}

/// Seconds that a mark waits for its item. Marks of items that are gone are forgotten; one that waits is dated ahead.
const EXPECTED: f64 = 60.0 * 86_400.0;

/// A user brings stars and what was read along from elsewhere, for items that need not be here. What is starred is kept
/// as it was brought, unless a copy of it is here already. What was read is remembered for a while: the item may come.
/// Stars that are there already are left out.
pub fn bringing(
    archive: &Archive,
    user: UserId,
    stars: &[Starred],
    read: &[ItemNumber],
    now: f64,
) -> Result<(Commit, Vec<Star>), ArchiveError> {
    let mut commit = Commit::new();
    let mut done = Vec::new();
    for copy in stars {
        let item = ItemNumber::from(copy.entry.key);
        if archive.mark(user, Mark::Star, item)?.is_some() {
            continue;
        }
        let dates = archive.dates_of_starred(item)?;
        if dates.is_none() {
            commit.node().set_starred(item, Some(copy));
        }
        commit.user(user).set_mark(Mark::Star, item, Some(now));
        done.push((item, Some(dates.unwrap_or((copy.entry.dated, copy.entry.at)))));
    }
    for item in read {
        commit.user(user).set_mark(Mark::Read, *item, Some(now + EXPECTED));
    }
    Ok((commit, done))
}

/// The numbers of all items that feeds hold.
pub fn numbers_of(
    archive: &Archive,
    feeds: &[FeedId],
) -> Result<HashSet<ItemNumber>, ArchiveError> {
    let mut all = HashSet::new();
    for feed in feeds {
        let mut from = 0;
        loop {
            let order = Order::Ascending;
            let entries = archive.entries(*feed, from, u64::MAX, order, ENTRIES_AT_ONCE)?;
            let Some((last, _)) = entries.last() else { break };
            from = last + 1;
            all.extend(entries.iter().map(|(_, entry)| ItemNumber::from(entry.key)));
        }
    }
    Ok(all)
}

/// Some items after a number that a user had read before an instant and that are not there any more, and where to go on;
/// nothing at the end.
pub fn gone_marks(
    archive: &Archive,
    user: UserId,
    after: Option<ItemNumber>,
    there: &HashSet<ItemNumber>,
    before: f64,
) -> Result<Option<(Vec<ItemNumber>, ItemNumber)>, ArchiveError> {
    let some = archive.marks(user, Mark::Read, after, MARKS_AT_ONCE)?;
    let Some((last, _)) = some.last() else { return Ok(None) };
    let gone = some.iter().filter(|(item, at)| *at < before && !there.contains(item));
    Ok(Some((gone.map(|(item, _)| *item).collect(), *last)))
}
