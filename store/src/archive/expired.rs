//! Items that a feed held until their time was over.
//!
//! Of such an item only its key is kept, once for each feed that held it, for as long as a source knows the item:
//! while its document shows it, and some time after that (`manners/decide`). Once no source knows it, it would be new
//! to whichever showed it.

use std::ops::ControlFlow;

use pergola_manners::source::{ItemKey, Known};

use super::{ALL, Archive, ArchiveError};
use crate::engine::{Order, Table};
use crate::records::FeedId;
use crate::rows::keys::{self, RowKey};

/// Keys compared in one pass over what sources know, which bounds the memory that this takes.
const AT_ONCE: usize = 200_000;

impl Archive {
    /// Whether a feed has held an item that has expired since.
    pub fn has_expired(&self, feed: FeedId, item: ItemKey) -> Result<bool, ArchiveError> {
        // The key says all, so a damaged row is as good as any.
        Ok(self.store.get(Table::Expired, &keys::member_key(feed, item))?.is_some())
    }

    /// Items that a feed held until they expired, at most `limit` of them.
    pub fn expired_of(&self, feed: FeedId, limit: usize) -> Result<Vec<ItemKey>, ArchiveError> {
        let mut found = Vec::new();
        let (from, to) = (feed.to_key(), FeedId(feed.0.saturating_add(1)).to_key());
        self.visit_keys(Table::Expired, (&from, Some(&to)), Order::Ascending, |key| {
            found.push(keys::member_of(key));
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(found)
    }

    /// Expired items that no source knows any more, with the feeds that held them. Reads what is known of all
    /// sources; says nothing if some of that is damaged.
    pub fn expired_and_gone(&self) -> Result<Vec<(FeedId, ItemKey)>, ArchiveError> {
        self.expired_and_gone_by(AT_ONCE)
    }

    pub(super) fn expired_and_gone_by(
        &self,
        at_once: usize,
    ) -> Result<Vec<(FeedId, ItemKey)>, ArchiveError> {
        let mut gone = Vec::new();
        let mut next = Some(Vec::new());
        while let Some(from) = next.take() {
            let mut some: Vec<(ItemKey, FeedId)> = Vec::new();
            self.visit_keys(Table::Expired, (&from, None), Order::Ascending, |key| {
                if some.len() == at_once {
                    next = Some(key.to_vec());
                    return ControlFlow::Break(());
                }
                some.push((keys::member_of(key), FeedId::from_key(key)));
                ControlFlow::Continue(())
            })?;
            some.sort_unstable();
            let mut left = some.len();
            let mut is_known = vec![false; left];
            self.visit(Table::Known, ALL, Order::Ascending, |_, known: Known| {
                for item in &known.items {
                    let first = some.partition_point(|(key, _)| *key < item.key);
                    let same = some[first..].iter().zip(&mut is_known[first..]);
                    for (_, seen) in same.take_while(|((key, _), _)| *key == item.key) {
                        left -= usize::from(!std::mem::replace(seen, true));
                    }
                }
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            let unknown = some.iter().zip(&is_known).filter(|(_, seen)| !**seen);
            gone.extend(unknown.map(|((item, feed), _)| (*feed, *item)));
        }
        let whole = self.damage.is_empty();
        Ok(if whole { gone } else { Vec::new() })
    }
}
