//! The node's queries: by name, in the matcher, and by the sources they read.

use std::collections::{BTreeMap, HashMap, HashSet};

use pergola_query::syntax::{Feed, FeedBody, Script, SourceRef, Span, Spanned, Statement};
use pergola_query::{Catalogue, Change, ItemView, Match, Matcher, QueryError, Scratch};
use pergola_store::archive::{FeedId, SourceId};
use rustc_hash::FxHashMap;

use super::{at, of};

/// A feed that others read is a source to the matcher; its number is above those of crawled sources.
pub(super) fn as_source(feed: FeedId) -> pergola_query::SourceId {
    pergola_query::SourceId(1 << 32 | u64::from(feed.0))
}

/// A feed as others see it.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedCard {
    /// Its number.
    pub id: FeedId,
    /// Its name.
    pub name: String,
    /// The statement that makes it.
    pub statement: String,
    /// What it consists of.
    pub body: FeedBody,
}

impl FeedCard {
    /// Whether it names a source by this address.
    pub fn names(&self, url: &str) -> bool {
        self.names_any(&HashSet::from([url]))
    }

    /// Whether it names a source by one of these addresses, however many they are.
    pub fn names_any(&self, urls: &HashSet<&str>) -> bool {
        let same = |given: &str| {
            let normal = || url::Url::parse(given).is_ok_and(|given| urls.contains(given.as_str()));
            urls.contains(given) || normal()
        };
        self.body.sources.iter().any(|clause| match &clause.source.value {
            SourceRef::Url(given) | SourceRef::Opml(given) => same(given),
            SourceRef::Peer { node, .. } => urls.iter().any(|url| url.starts_with(node.as_str())),
            SourceRef::Feed(_) | SourceRef::Folder(_) => false,
        })
    }

    /// Whether it reads a list or a folder, so that what it reads may change by itself.
    pub fn reads_lists(&self) -> bool {
        let changes =
            |source: &SourceRef| matches!(source, SourceRef::Opml(_) | SourceRef::Folder(_));
        self.body.sources.iter().any(|clause| changes(&clause.source.value))
    }
}

/// The canonical statement that makes a feed.
pub fn statement(name: &str, body: &FeedBody) -> String {
    let name = Spanned::new(name.to_owned(), Span::default());
    let feed = Feed { name, body: body.clone() };
    let create = Spanned::new(Statement::Create(Box::new(feed)), Span::default());
    Script { statements: vec![create] }.to_string()
}

/// The queries of all feeds.
#[derive(Debug, Default)]
pub(super) struct Queries {
    catalogue: Catalogue,
    matcher: Matcher,
    ids: BTreeMap<String, FeedId>,
    /// The feeds that read a source, directly or through other feeds, with their weights.
    readers: FxHashMap<SourceId, Vec<(FeedId, f64)>>,
    reads: HashMap<FeedId, Vec<SourceId>>,
    /// Feeds with NOVEL, with their β.
    novel: HashMap<FeedId, f64>,
    /// The feeds that show one source each to those who follow it. They have no names in the language.
    followed: FxHashMap<SourceId, FeedId>,
    /// How often feeds have come and gone, or got other names.
    changes: u64,
}

impl Queries {
    pub(super) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    pub(super) fn put(
        &mut self,
        id: FeedId,
        name: &str,
        body: &FeedBody,
        mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<(), QueryError> {
        let mut reads = Vec::new();
        let (ids, known) = (&self.ids, &self.reads);
        self.matcher.add(of(id), body, Some(as_source(id)), |clause| match clause {
            SourceRef::Feed(other) => {
                let Some(other) = ids.get(other) else { return Vec::new() };
                reads.extend(known.get(other).into_iter().flatten().copied());
                vec![as_source(*other)]
            }
            clause => {
                let sources = resolve(clause);
                reads.extend(&sources);
                sources.into_iter().map(at).collect()
            }
        })?;
        reads.sort_unstable();
        reads.dedup();
        self.unread(id);
        let weight = body.options.weight.unwrap_or(1.0);
        for &source in &reads {
            self.readers.entry(source).or_default().push((id, weight));
        }
        self.reads.insert(id, reads);
        match body.options.novel {
            Some(beta) => self.novel.insert(id, beta),
            None => self.novel.remove(&id),
        };
        self.changes += u64::from(self.ids.insert(name.to_owned(), id) != Some(id));
        let (name, body) = (name.to_owned(), body.clone());
        self.catalogue.apply(Change::Replace { name, body });
        Ok(())
    }

    pub(super) fn rename(&mut self, id: FeedId, from: &str, to: &str) {
        self.catalogue.apply(Change::Rename { from: from.to_owned(), to: to.to_owned() });
        self.ids.remove(from);
        self.ids.insert(to.to_owned(), id);
        self.changes += 1;
    }

    pub(super) fn remove(&mut self, id: FeedId, name: &str) {
        self.matcher.remove(of(id));
        self.unread(id);
        self.reads.remove(&id);
        self.novel.remove(&id);
        self.ids.remove(name);
        self.changes += 1;
        self.catalogue.apply(Change::Drop { name: name.to_owned() });
    }

    /// A feed shows everything of a source from now on; `None` if none does any more.
    pub(super) fn set_followed(&mut self, source: SourceId, feed: Option<FeedId>) {
        match feed {
            Some(feed) => self.followed.insert(source, feed),
            None => self.followed.remove(&source),
        };
        self.changes += 1;
    }

    pub(super) fn followed(&self) -> &FxHashMap<SourceId, FeedId> {
        &self.followed
    }

    pub(super) fn ids(&self) -> &BTreeMap<String, FeedId> {
        &self.ids
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    fn unread(&mut self, id: FeedId) {
        for source in self.reads.get(&id).into_iter().flatten() {
            if let Some(readers) = self.readers.get_mut(source) {
                readers.retain(|(feed, _)| *feed != id);
                if readers.is_empty() {
                    self.readers.remove(source);
                }
            }
        }
    }

    pub(super) fn matches<'s>(
        &self,
        source: SourceId,
        view: &ItemView<'_>,
        now: i64,
        scratch: &'s mut Scratch,
    ) -> &'s [Match] {
        self.matcher.matches(at(source), view, now, scratch)
    }

    /// β of a feed with NOVEL.
    pub(super) fn novel(&self, feed: FeedId) -> Option<f64> {
        self.novel.get(&feed).copied()
    }

    pub(super) fn readers(&self, source: SourceId) -> &[(FeedId, f64)] {
        self.readers.get(&source).map_or(&[], Vec::as_slice)
    }

    pub(super) fn sources_of(&self, feed: FeedId) -> &[SourceId] {
        self.reads.get(&feed).map_or(&[], Vec::as_slice)
    }

    /// The names of all feeds, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, FeedId)> {
        self.ids.iter().map(|(name, id)| (name.as_str(), *id))
    }

    /// The feeds that a query reads, directly or through others, each after those that it reads itself.
    pub(super) fn read_by(&self, body: &FeedBody) -> Vec<FeedCard> {
        let named = |body: &FeedBody| -> Vec<String> {
            let feeds = body.sources.iter().filter_map(|clause| match &clause.source.value {
                SourceRef::Feed(name) => Some(name.clone()),
                _ => None,
            });
            feeds.collect()
        };
        let (mut cards, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<(String, bool)> =
            named(body).into_iter().map(|name| (name, false)).collect();
        while let Some((name, ready)) = open.pop() {
            let Some(card) = self.feed(&name) else { continue };
            if ready {
                cards.push(card);
            } else if seen.insert(name.clone()) {
                open.push((name, true));
                open.extend(named(&card.body).into_iter().map(|name| (name, false)));
            }
        }
        cards
    }

    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn feeds(&self) -> Vec<FeedCard> {
        self.ids.keys().filter_map(|name| self.feed(name)).collect()
    }

    pub(super) fn feed(&self, name: &str) -> Option<FeedCard> {
        let (id, body) = (*self.ids.get(name)?, self.catalogue.get(name)?);
        let statement = statement(name, body);
        Some(FeedCard { id, name: name.to_owned(), statement, body: body.clone() })
    }
}
