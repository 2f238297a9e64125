//! Pages that were put together lately: the readers of a feed mostly stand at the same place, so what one
//! of them is told the next one is told, too.
//!
//! A page is known by everything it was made of, so none is ever out of date; those that nobody will ask
//! for again are pushed out by others.

use std::collections::VecDeque;
use std::sync::Arc;

use pergola_store::archive::FeedId;

use super::{Asked, Page};
use pergola_outside::locks::Mutex;

/// Bytes of encoded pages that are kept.
const LIMIT: usize = 16 << 20;

/// What a page is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Made {
    pub(super) feed: FeedId,
    pub(super) asked: Asked,
    /// How far the feed has come.
    pub(super) next: u64,
    pub(super) edition: u64,
    /// The oldest entry that it keeps.
    pub(super) oldest: u64,
}

/// Pages put together lately, the newest last.
#[derive(Default)]
pub(super) struct Lately {
    pages: Mutex<VecDeque<(Made, Arc<Page>)>>,
}

impl Lately {
    /// A page that was made of just this.
    pub(super) fn page(&self, made: &Made) -> Option<Arc<Page>> {
        let pages = self.pages.lock();
        pages.iter().find(|(of, _)| of == made).map(|(_, page)| Arc::clone(page))
    }

    /// Keeps a page, instead of the oldest ones if there is no room.
    pub(super) fn keep(&self, made: Made, page: &Arc<Page>) {
        // A page without entries is made as quickly as it is found.
        if page.entries.is_empty() || page.entries.len() > LIMIT {
            return;
        }
        let mut pages = self.pages.lock();
        pages.push_back((made, Arc::clone(page)));
        let mut bytes: usize = pages.iter().map(|(_, page)| page.entries.len()).sum();
        while bytes > LIMIT
            && let Some((_, oldest)) = pages.pop_front()
        {
            bytes -= oldest.entries.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use pergola_store::archive::Edit;

    use super::*;
    use crate::peer::cursor::Cursor;

    fn made(next: u64) -> Made {
        let asked = Asked { cursor: None, limit: 100, newest: 0, bytes: 1 << 20 };
        Made { feed: FeedId(1), asked, next, edition: 1, oldest: 0 }
    }

    fn page(bytes: usize) -> Arc<Page> {
        let edits = Edit::end_of(0);
        let cursor = Cursor { node: 1, feed: FeedId(1), next: 1, last: 0, edits };
        let (entries, count) = (vec![0; bytes].into(), 1);
        let (more, expired, skipped, damaged, restarted) = Default::default();
        Arc::new(Page { entries, count, cursor, more, expired, skipped, damaged, restarted })
    }

    #[test]
    fn a_page_is_found_again_until_anything_it_was_made_of_has_changed() {
        let lately = Lately::default();
        lately.keep(made(7), &page(10));
        assert!(lately.page(&made(7)).is_some());
        assert!(lately.page(&made(8)).is_none());
        assert!(lately.page(&Made { oldest: 1, ..made(7) }).is_none());
        assert!(lately.page(&Made { edition: 2, ..made(7) }).is_none());
        let other = Asked { limit: 99, ..made(7).asked };
        assert!(lately.page(&Made { asked: other, ..made(7) }).is_none());
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        let lately = Lately::default();
        (0..4).for_each(|next| lately.keep(made(next), &page(LIMIT / 3)));
        let kept: Vec<bool> = (0..4).map(|next| lately.page(&made(next)).is_some()).collect();
        assert_eq!(kept, [false, true, true, true]);
        lately.keep(made(9), &page(LIMIT + 1));
        assert!(lately.page(&made(9)).is_none() && lately.page(&made(3)).is_some());
    }
}
