//! Select: which feeds want this item?
//!
//! The desk holds the node's queries: the catalogue that checks them, the one matcher that decides for all of
//! them at once, and which share of each source they have kept so far. It never writes to the store: whoever
//! changes a query commits the change first and then tells the desk.

mod alone;
mod found;
mod profiles;
mod queries;
mod view;

use pergola_feed::Item;
use pergola_manners::decide::News;
use pergola_query::syntax::{FeedBody, SourceRef};
use pergola_query::{
    Catalogue, Change, Estimate, Explanation, QueryError, Scratch, Selectivity, explain,
};
use pergola_store::archive::{FeedId, ItemKey, SourceId};

pub use alone::Alone;
pub use found::{Found, Kind};
pub use pergola_store::archive::Channel;
pub use profiles::{About, Profiles};
use queries::Queries;
pub use queries::{FeedCard, statement};
pub use view::Texts;

use pergola_outside::locks::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What an item of a source that no feed reads is worth: such a source is refreshed now and then, so that a
/// feed created later finds something.
const UNREAD: f64 = 0.1;

/// What an item of a source that somebody follows is worth: as much as one that a feed keeps.
const FOLLOWED: f64 = 1.0;

/// The node's queries and which share of each source they keep.
pub struct Desk {
    queries: RwLock<Queries>,
    learnt: Mutex<Selectivity>,
    /// Held from the selection of a refresh until the writer has it.
    passing: Mutex<()>,
    /// What sources and feeds are about.
    pub profiles: Profiles,
}

impl Desk {
    /// A desk without queries; `learnt` is which share of each source they kept so far.
    pub fn new(learnt: Selectivity) -> Self {
        let profiles = Profiles::default();
        let (queries, passing) = (RwLock::default(), Mutex::default());
        Self { queries, learnt: Mutex::new(learnt), passing, profiles }
    }

    /// Selection begins; it ends when the guard is dropped.
    pub(crate) fn pass(&self) -> MutexGuard<'_, ()> {
        self.passing.lock()
    }

    /// Waits until the writer has everything that was selected so far. Blocks.
    pub fn wait_for_selection(&self) {
        drop(self.pass());
    }

    /// The same desk with these profiles.
    pub fn with_profiles(self, profiles: Profiles) -> Self {
        Self { profiles, ..self }
    }

    /// What a script would change, or what is wrong with it. Nothing is changed.
    pub fn check(&self, text: &str) -> Result<Vec<Change>, QueryError> {
        let script = pergola_query::parse(text)?;
        let mut catalogue = self.read().catalogue().clone();
        catalogue.run(&script)
    }

    /// A copy of the catalogue.
    pub fn catalogue(&self) -> Catalogue {
        self.read().catalogue().clone()
    }

    /// Adds or replaces the query of a feed. `resolve` says which sources a clause stands for.
    pub fn put(
        &self,
        id: FeedId,
        name: &str,
        body: &FeedBody,
        now: f64,
        resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<(), QueryError> {
        let mut queries = self.write();
        let before = queries.sources_of(id).to_vec();
        queries.put(id, name, body, resolve)?;
        let mut learnt = self.learnt();
        for &source in queries.sources_of(id) {
            // The sources of a feed are sorted.
            if before.binary_search(&source).is_err()
                && learnt.estimate(at(source), of(id), now as i64).seen == 0.0
            {
                learnt.begin(at(source), of(id), now as i64);
            }
        }
        Ok(())
    }

    /// Renames a feed, also where other feeds read it.
    pub fn rename(&self, id: FeedId, from: &str, to: &str) {
        self.write().rename(id, from, to);
    }

    /// A feed is gone.
    pub fn remove(&self, id: FeedId, name: &str) {
        let mut queries = self.write();
        let mut learnt = self.learnt();
        for &source in queries.sources_of(id) {
            learnt.end(at(source), of(id));
        }
        self.profiles.forget(Channel::Feed(id));
        queries.remove(id, name);
    }

    /// Forgets a source that is gone.
    pub fn forget_source(&self, source: SourceId) {
        self.learnt().forget_source(at(source));
        self.profiles.forget(Channel::Source(source));
    }

    /// The feeds that want an item, each once; with `learn`, the answer counts for their shares.
    pub fn wanted(
        &self,
        source: SourceId,
        item: &Item,
        texts: &Texts<'_>,
        learn: bool,
        now: f64,
        scratch: &mut Scratch,
    ) -> Vec<FeedId> {
        let queries = self.read();
        let matches = queries.matches(source, &texts.view(item), now as i64, scratch);
        let mut feeds: Vec<FeedId> = matches.iter().map(|found| feed_of(found.query)).collect();
        feeds.sort_unstable();
        feeds.dedup();
        if learn {
            self.learnt().observe(at(source), feeds.iter().map(|feed| of(*feed)), now as i64);
        }
        feeds
    }

    /// Adds new items to the profiles of their source and of the feeds that want them, and removes feeds with
    /// NOVEL from `wanted` where an item is not novel to them. An item that such a feed already holds (`holds`)
    /// stays, edited or by another route, and is counted once.
    pub fn hear(
        &self,
        source: SourceId,
        news: &[News],
        wanted: &mut [Vec<FeedId>],
        holds: impl Fn(FeedId, ItemKey) -> bool,
    ) {
        let queries = self.read();
        self.profiles.hear(source, news, wanted, |feed| queries.novel(feed), holds);
    }

    /// Adds the items that a new feed begins with to its profile; says of each whether the feed keeps it.
    pub fn hear_first(&self, feed: FeedId, items: &[&Item]) -> Vec<bool> {
        let beta = self.read().novel(feed);
        self.profiles.hear_first(feed, items, beta)
    }

    /// What an item of a source is worth: Σ over the feeds that read it of weight × selectivity.
    pub fn relevance(&self, source: SourceId, now: f64) -> f64 {
        let queries = self.read();
        let readers = queries.readers(source);
        let followed = if queries.followed().contains_key(&source) { FOLLOWED } else { 0.0 };
        if readers.is_empty() {
            return followed.max(UNREAD);
        }
        let learnt = self.learnt();
        let feeds = readers.iter().map(|(feed, _)| of(*feed));
        let shares = learnt.estimates(at(source), feeds, now as i64);
        let worth = readers.iter().zip(shares).map(|((_, weight), share)| weight * share.share());
        (worth.sum::<f64>() + followed) * self.profiles.worth(source)
    }

    /// A feed shows everything of a source to those who follow it; `None` if nobody does any more.
    pub fn set_followed(&self, source: SourceId, feed: Option<FeedId>) {
        self.write().set_followed(source, feed);
    }

    /// The feed that shows a source to those who follow it.
    pub fn followed(&self, source: SourceId) -> Option<FeedId> {
        self.read().followed().get(&source).copied()
    }

    /// The sources that somebody follows, each with its feed, in order.
    pub fn all_followed(&self) -> Vec<(SourceId, FeedId)> {
        let mut all: Vec<_> = self.read().followed().iter().map(|(s, f)| (*s, *f)).collect();
        all.sort_unstable();
        all
    }

    /// The names and numbers of the feeds, in order.
    pub fn names(&self) -> Vec<(String, FeedId)> {
        self.read().ids().iter().map(|(name, id)| (name.clone(), *id)).collect()
    }

    /// The numbers of all feeds that have entries, those that show a source included.
    pub fn every_feed(&self) -> Vec<FeedId> {
        let queries = self.read();
        queries.ids().values().chain(queries.followed().values()).copied().collect()
    }

    /// A number that is another one after feeds have come, gone or got other names.
    pub fn version(&self) -> u64 {
        self.read().changes()
    }

    /// The sources that a feed reads, directly or through other feeds.
    pub fn sources_of(&self, feed: FeedId) -> Vec<SourceId> {
        self.read().sources_of(feed).to_vec()
    }

    /// The sources that a feed reads, at most `limit` of them, with the share of each that it keeps: a guess
    /// until something is known.
    pub fn shares_of(&self, feed: FeedId, now: f64, limit: usize) -> Vec<(SourceId, f64)> {
        let learnt = self.learnt_of(feed, now, limit).into_iter();
        learnt.map(|(source, learnt)| (source, learnt.share())).collect()
    }

    /// The sources that a feed reads, at most `limit` of them, with what was learnt of the share that it keeps.
    pub fn learnt_of(&self, feed: FeedId, now: f64, limit: usize) -> Vec<(SourceId, Estimate)> {
        let sources: Vec<SourceId> =
            self.read().sources_of(feed).iter().copied().take(limit).collect();
        let learnt = self.learnt();
        let estimate = |source| learnt.estimate(at(source), of(feed), now as i64);
        sources.into_iter().map(|source| (source, estimate(source))).collect()
    }

    /// The feeds that read a source, by name, with the share of it that each keeps, if that is known.
    pub fn shares_by_feed(&self, source: SourceId, now: f64) -> Vec<(String, Option<f64>)> {
        let queries = self.read();
        let readers = queries.readers(source);
        let learnt = self.learnt();
        let estimate = |feed| learnt.estimate(at(source), of(feed), now as i64).known();
        let named = queries.names().filter(|(_, id)| readers.iter().any(|(feed, _)| feed == id));
        named.map(|(name, id)| (name.to_owned(), estimate(id))).collect()
    }

    /// How many feeds read a source.
    pub fn readers_of(&self, source: SourceId) -> u32 {
        u32::try_from(self.read().readers(source).len()).unwrap_or(u32::MAX)
    }

    /// Whether a feed reads a source, or somebody follows it.
    pub fn needs(&self, source: SourceId) -> bool {
        let queries = self.read();
        !queries.readers(source).is_empty() || queries.followed().contains_key(&source)
    }

    /// The feeds in order of their names.
    pub fn feeds(&self) -> Vec<FeedCard> {
        self.read().feeds()
    }

    /// How many feeds there are.
    pub fn count(&self) -> usize {
        self.read().count()
    }

    /// A feed by name.
    pub fn feed(&self, name: &str) -> Option<FeedCard> {
        self.read().feed(name)
    }

    /// What a feed reads, keeps and costs.
    pub fn explain(
        &self,
        name: &str,
        body: &FeedBody,
        now: f64,
        mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<Explanation, QueryError> {
        let queries = self.read();
        let id = queries.feed(name).map_or(FeedId(u32::MAX), |card| card.id);
        let learnt = self.learnt();
        explain(name, body, of(id), &learnt, now as i64, |clause| match clause {
            SourceRef::Feed(other) => {
                queries.feed(other).map(|card| queries::as_source(card.id)).into_iter().collect()
            }
            other => resolve(other).into_iter().map(at).collect(),
        })
    }

    /// Lends what was learnt so far to be saved: with many sources a copy is large.
    pub fn save(&self, write: impl FnOnce(&Selectivity)) {
        write(&self.learnt());
    }

    fn read(&self) -> RwLockReadGuard<'_, Queries> {
        self.queries.read()
    }

    fn write(&self) -> RwLockWriteGuard<'_, Queries> {
        self.queries.write()
    }

    fn learnt(&self) -> MutexGuard<'_, Selectivity> {
        self.learnt.lock()
    }
}

/// A crawled source as the matcher knows it.
fn at(source: SourceId) -> pergola_query::SourceId {
    pergola_query::SourceId(u64::from(source.0))
}

/// A feed's query as the matcher knows it.
fn of(feed: FeedId) -> pergola_query::QueryId {
    pergola_query::QueryId(u64::from(feed.0))
}

fn feed_of(query: pergola_query::QueryId) -> FeedId {
    FeedId(query.0 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWS: SourceId = SourceId(1);
    const BLOG: SourceId = SourceId(2);

    fn desk(script: &str) -> Desk {
        let desk = Desk::new(Selectivity::default());
        for (number, change) in desk.check(script).unwrap().into_iter().enumerate() {
            let Change::Create { name, body } = change else { panic!("{change:?}") };
            desk.put(FeedId(number as u32), &name, &body, 0.0, resolve).unwrap();
        }
        desk
    }

    fn resolve(clause: &SourceRef) -> Vec<SourceId> {
        match clause {
            SourceRef::Url(url) if url.contains("news") => vec![NEWS],
            SourceRef::Url(_) => vec![BLOG],
            _ => vec![NEWS, BLOG],
        }
    }

    fn wanted(desk: &Desk, source: SourceId, title: &str) -> Vec<u32> {
        let item = Item { title: Some(title.into()), ..Item::new("x") };
        let texts = Texts::of(&item, "https://news.example.org/rss", None);
        let mut scratch = Scratch::new();
        let feeds = desk.wanted(source, &item, &texts, true, 10.0, &mut scratch);
        feeds.into_iter().map(|feed| feed.0).collect()
    }

    const SCRIPT: &str = r#"
        CREATE FEED Volcanoes AS RETURN "https://news.example.org/rss" WHERE ITEM CONTAINS "volcano";
        CREATE FEED Iceland AS RETURN FEED Volcanoes WHERE ITEM CONTAINS "iceland" WEIGHT 3;
        CREATE FEED All AS RETURN OPML "all";
    "#;

    #[test]
    fn an_item_goes_to_every_feed_that_wants_it_also_through_other_feeds() {
        let desk = desk(SCRIPT);
        assert_eq!(wanted(&desk, NEWS, "A volcano on Iceland"), [0, 1, 2]);
        assert_eq!(wanted(&desk, NEWS, "A volcano"), [0, 2]);
        assert_eq!(wanted(&desk, BLOG, "A volcano on Iceland"), [2]);
    }

    #[test]
    fn relevance_is_the_weighted_share_that_feeds_keep() {
        let desk = desk(SCRIPT);
        // Nothing seen: each feed is believed to keep half.
        assert!((desk.relevance(NEWS, 10.0) - (0.5 + 3.0 * 0.5 + 0.5)).abs() < 1e-9);
        for _ in 0..200 {
            wanted(&desk, NEWS, "A volcano");
        }
        let learnt = desk.relevance(NEWS, 10.0);
        assert!((learnt - (1.0 + 0.0 + 1.0)).abs() < 0.05, "{learnt}");
        assert_eq!(desk.relevance(SourceId(9), 10.0), UNREAD);
    }

    #[test]
    fn a_removed_feed_wants_nothing_and_a_renamed_one_is_still_read() {
        let desk = desk(SCRIPT);
        desk.rename(FeedId(0), "Volcanoes", "Eruptions");
        assert_eq!(desk.feed("Volcanoes"), None);
        assert_eq!(wanted(&desk, NEWS, "A volcano on Iceland"), [0, 1, 2]);
        let card = desk.feed("Iceland").unwrap();
        assert!(card.statement.contains("FEED Eruptions"), "{}", card.statement);
        desk.remove(FeedId(1), "Iceland");
        assert_eq!(wanted(&desk, NEWS, "A volcano on Iceland"), [0, 2]);
    }

    #[test]
    fn a_feed_knows_which_addresses_it_names() {
        let card = desk(SCRIPT).feed("Volcanoes").unwrap();
        let news = "https://news.example.org/rss";
        assert!(card.names(news) && !card.names("https://news.example.org/atom"));
        let some = std::collections::HashSet::from(["https://a.example/", news]);
        assert!(card.names_any(&some));
        assert!(!card.names_any(&std::collections::HashSet::from(["https://a.example/"])));
    }

    #[test]
    fn a_cycle_of_feeds_is_refused() {
        let desk = desk(SCRIPT);
        let error = desk.check("ALTER FEED Volcanoes ADD FEED Iceland;").unwrap_err();
        assert!(error.to_string().contains("Iceland"), "{error}");
    }
}
