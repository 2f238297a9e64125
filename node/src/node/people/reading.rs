//! Reading: streams of items in the order of their dates, and what users mark as read and starred.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use pergola_accounts::{Listed, Page, Scope, UserId, Wanted};
use pergola_feed::Item;
use pergola_store::archive::{
    ArchiveError, Commit, FeedId, Find, Finding, ItemNumber, Mark, SourceId, Starred,
};
use pergola_store::people::{self, Followed, Reading, Stream, StreamItem, StreamPage, Unread};

use super::super::Node;
use super::PeopleError;
use crate::publish::Publisher;

/// The most items of a page without their contents.
pub const MOST_NUMBERS: usize = 10_000;
/// The most items of a page with their contents.
pub const MOST_ITEMS: usize = 1_000;
/// Items that are marked in one commit when a whole stream is.
const MARKED_AT_ONCE: usize = 10_000;

impl Node {
    /// Asks what those who read know, with this user among them and everything that came until now. Blocks.
    pub(super) fn reading<T>(
        &self,
        user: UserId,
        ask: impl FnOnce(&Reading) -> T,
    ) -> Result<T, ArchiveError> {
        let mut reading = self.people.reading.lock();
        let news = std::mem::take(&mut *self.people.news.lock());
        reading.hear(&self.archive, news)?;
        let changes = self.people.changes.load(Ordering::Relaxed);
        let state = [changes, self.desk.version(), self.folders.lock().version()];
        let follows = || {
            let follows = self.follows_of(user)?.into_iter();
            Ok(follows.map(|follow| (follow.feed, follow.folders)).collect())
        };
        reading.enter(&self.archive, user, (self.clock.now(), state), follows)?;
        Ok(ask(&reading))
    }

    /// A page of a user's stream without contents, of at most [`MOST_NUMBERS`] items. Blocks.
    pub fn stream(
        &self,
        user: UserId,
        stream: &Stream,
        wanted: &Wanted,
    ) -> Result<Page, ArchiveError> {
        let Some(scope) = self.scope_of(stream) else { return Ok(Page::default()) };
        let wanted = Wanted { limit: wanted.limit.min(MOST_NUMBERS), ..wanted.clone() };
        self.reading(user, |reading| reading.library.page(user, &scope, &wanted))
    }

    /// A page of a user's stream with contents, of at most [`MOST_ITEMS`] items. Items that are damaged are left out.
    /// Blocks.
    pub fn stream_items(
        &self,
        user: UserId,
        stream: &Stream,
        wanted: &Wanted,
    ) -> Result<StreamPage, ArchiveError> {
        let wanted = Wanted { limit: wanted.limit.min(MOST_ITEMS), ..wanted.clone() };
        let Page { items, next } = self.stream(user, stream, &wanted)?;
        Ok(StreamPage { items: self.with_contents(user, items)?, next })
    }

    /// Items by their numbers, in the order of these, as far as the user sees them; at most [`MOST_ITEMS`]. Blocks.
    pub fn items_by_number(
        &self,
        user: UserId,
        items: &[ItemNumber],
    ) -> Result<Vec<StreamItem>, ArchiveError> {
        let listed = self.reading(user, |reading| {
            let some = items.iter().take(MOST_ITEMS).filter(|item| reading.sees(user, **item));
            some.map(|item| reading.listed(user, *item)).collect()
        })?;
        self.with_contents(user, listed)
    }

    /// Searches a user's stream; everything has what the user follows and has starred. Blocks.
    pub fn search_stream(
        &self,
        user: UserId,
        stream: &Stream,
        find: &Find,
    ) -> Result<(Vec<StreamItem>, Finding), ArchiveError> {
        let Some(scope) = self.scope_of(stream) else {
            let nothing = Finding { found: Vec::new(), looked_at: 0, next: None, complete: true };
            return Ok((Vec::new(), nothing));
        };
        self.reading(user, |_| ())?;
        // Others may read while this is searched.
        let has = |item: ItemNumber| self.people.reading.lock().library.has(user, &scope, item.0);
        let finding = self.archive.find_among(find, &has)?;
        let numbers: Vec<ItemNumber> = finding.found.iter().map(|found| found.item).collect();
        Ok((self.items_by_number(user, &numbers)?, finding))
    }

    /// How much a user has not read. Blocks.
    pub fn unread_counts(&self, user: UserId) -> Result<Unread, ArchiveError> {
        let counts = self.reading(user, |reading| reading.library.counts(user))?;
        let sources = self.sources_by_feed();
        let feeds = counts.feeds.into_iter();
        let followed = feeds.map(|(feed, count)| (followed(&sources, FeedId(feed)), count));
        Ok(Unread { followed: followed.collect(), folders: counts.folders, all: counts.all })
    }

    /// A user has read these items, or wants to read them again: all in one commit. Items that the user does not see
    /// are left out; returns how many have changed.
    pub async fn mark_read(
        &self,
        user: UserId,
        items: &[ItemNumber],
        read: bool,
    ) -> Result<usize, PeopleError> {
        let _turn = self.people.turn().await;
        let mut changed: Vec<ItemNumber> = items.to_vec();
        changed.sort_unstable();
        changed.dedup();
        self.reading(user, |reading| {
            changed.retain(|item| {
                reading.listed(user, *item).read != read && reading.sees(user, *item)
            });
        })?;
        self.put_read(user, &changed, read).await?;
        Ok(changed.len())
    }

    /// A user has read everything of a stream that had arrived at an instant. Returns how many items that are.
    pub async fn mark_all_read(
        &self,
        user: UserId,
        stream: &Stream,
        until: f64,
    ) -> Result<usize, PeopleError> {
        let _turn = self.people.turn().await;
        let Some(scope) = self.scope_of(stream) else { return Ok(0) };
        let unread =
            self.reading(user, |reading| reading.library.unread_until(user, &scope, until))?;
        let unread: Vec<ItemNumber> = unread.into_iter().map(ItemNumber).collect();
        for some in unread.chunks(MARKED_AT_ONCE) {
            self.put_read(user, some, true).await?;
        }
        Ok(unread.len())
    }

    pub(super) async fn put_read(
        &self,
        user: UserId,
        items: &[ItemNumber],
        read: bool,
    ) -> Result<(), crate::writer::NotCommitted> {
        let mut commit = Commit::new();
        let at = read.then(|| self.clock.now());
        items.iter().for_each(|item| commit.user(user).set_mark(Mark::Read, *item, at));
        self.commit_people(commit).await?;
        let mut reading = self.people.reading.lock();
        for item in items {
            reading.library.set_read(user, item.0, read);
        }
        Ok(())
    }

    /// A user stars these items, or takes their stars away: all in one commit. Items that the user does not see are
    /// left out; returns how many have changed.
    pub async fn mark_starred(
        &self,
        user: UserId,
        items: &[ItemNumber],
        starred: bool,
    ) -> Result<usize, PeopleError> {
        let _turn = self.people.turn().await;
        let mut some: Vec<ItemNumber> = items.to_vec();
        some.sort_unstable();
        some.dedup();
        let changed: Vec<_> = self.reading(user, |reading| {
            some.retain(|item| reading.listed(user, *item).starred != starred);
            let feed = |item: ItemNumber| reading.library.feeds_of(user, item.0).first().copied();
            some.iter().map(|item| (*item, feed(*item).map(FeedId))).collect()
        })?;
        let at = starred.then(|| self.clock.now());
        let (commit, stars) = people::starring(&self.archive, user, &changed, at)?;
        self.commit_people(commit).await?;
        let mut reading = self.people.reading.lock();
        for (item, dates) in &stars {
            reading.library.set_starred(user, item.0, *dates);
        }
        Ok(stars.len())
    }

    /// An item that a user brings along from elsewhere: see [`people::brought`]. Blocks.
    pub fn brought(
        &self,
        item: Item,
        source: Option<(SourceId, FeedId)>,
        arrived: f64,
    ) -> Result<Starred, ArchiveError> {
        people::brought(&self.archive, item, source, arrived)
    }

    /// A user brings stars and what was read along from elsewhere: all in one commit. Returns how many stars are new.
    pub async fn bring_marks(
        &self,
        user: UserId,
        stars: &[Starred],
        read: &[ItemNumber],
    ) -> Result<usize, PeopleError> {
        let _turn = self.people.turn().await;
        let (archive, now) = (&self.archive, self.clock.now());
        let (commit, stars) = people::bringing(archive, user, stars, read, now)?;
        self.commit_people(commit).await?;
        let mut reading = self.people.reading.lock();
        for (item, dates) in &stars {
            reading.library.set_starred(user, item.0, *dates);
        }
        for item in read {
            reading.library.set_read(user, item.0, true);
        }
        Ok(stars.len())
    }

    /// What a stream is in memory; nothing of a source that nobody follows.
    fn scope_of(&self, stream: &Stream) -> Option<Scope> {
        Some(match stream {
            Stream::All => Scope::All,
            Stream::Feed(feed) => Scope::Feed(feed.0),
            Stream::Source(source) => Scope::Feed(self.desk.followed(*source)?.0),
            Stream::Folder(name) => Scope::Folder(name.clone()),
            Stream::Starred => Scope::Starred,
        })
    }

    fn sources_by_feed(&self) -> HashMap<FeedId, SourceId> {
        self.desk.all_followed().into_iter().map(|(source, feed)| (feed, source)).collect()
    }

    /// Items with their contents, as this node publishes them.
    fn with_contents(
        &self,
        user: UserId,
        items: Vec<Listed>,
    ) -> Result<Vec<StreamItem>, ArchiveError> {
        let held = self.reading(user, |reading| reading.held(user, items))?;
        let sources = self.sources_by_feed();
        let mut publisher = Publisher::new(&self.archive, self.imprint());
        let mut all = Vec::new();
        for (item, feed, archived) in people::contents(&self.archive, held)? {
            let (number, from) = (ItemNumber(item.number), followed(&sources, feed));
            let (read, starred) = (item.read, item.starred);
            let published = publisher.publish_for(feed, archived)?;
            all.push(StreamItem { number, feed, from, published, read, starred });
        }
        Ok(all)
    }
}

fn followed(sources: &HashMap<FeedId, SourceId>, feed: FeedId) -> Followed {
    sources.get(&feed).map_or(Followed::Feed(feed), |source| Followed::Source(*source))
}
