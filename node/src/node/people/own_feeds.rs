//! Sources that somebody follows have feeds of their own.
//!
//! The feed of source 17 is called `~17`, which nobody can write in the language, and returns exactly that source. It
//! is made when somebody first follows the source and goes when the last one leaves, or the source does. What a kill
//! leaves behind (a feed without followers) is found at the next clearing out. All of it needs the node's turn.

use std::collections::HashSet;

use pergola_store::archive::{ArchiveError, Commit, FeedId, FeedRecord, SourceId, SourceKind};

use super::super::{Node, SourceError};

/// Feeds made in one commit.
const AT_ONCE: usize = 250;

impl Node {
    /// Sees to it that sources have feeds of their own, with what the sources show already.
    pub(super) async fn make_followed(&self, sources: &[SourceId]) -> Result<(), SourceError> {
        let followers: HashSet<FeedId> =
            self.archive.all_followings()?.into_iter().map(|(_, feed)| feed).collect();
        let mut new = Vec::new();
        for some in sources.chunks(AT_ONCE) {
            let mut commit = Commit::new();
            let mut node = self.record.lock().clone();
            let mut made = Vec::new();
            for &source in some {
                if let Some(feed) = self.desk.followed(source) {
                    // What a kill left behind may lack items.
                    new.extend((!followers.contains(&feed)).then_some((source, feed)));
                    continue;
                }
                let feed = FeedId(node.next_feed);
                node.next_feed += 1;
                commit.feed(feed).put_record(&FeedRecord::of_source(source, self.clock.now()));
                commit.feed(feed).set_readers(Some(&[]));
                made.push((source, feed));
            }
            if made.is_empty() {
                continue;
            }
            commit.node().put_record(&node);
            self.commit(commit).await?;
            self.record.lock().next_feed = node.next_feed;
            for (source, feed) in &made {
                self.access.set(*feed, Some(&[]));
                self.desk.set_followed(*source, Some(*feed));
            }
            new.extend(made);
        }
        if new.is_empty() { Ok(()) } else { self.backfill_followed(new).await }
    }

    /// The built-in user follows new sources, if it reads here.
    pub(in crate::node) async fn follow_for_operator(
        &self,
        new: &[SourceId],
    ) -> Result<(), SourceError> {
        if new.is_empty() || !self.people.has_operator() {
            return Ok(());
        }
        self.make_followed(&self.not_lists(new.iter().copied())?).await
    }

    pub(super) async fn follow_every_source(&self) -> Result<(), SourceError> {
        let sources = self.not_lists(self.crawler.ids())?;
        self.make_followed(&sources).await?;
        self.weigh(sources);
        Ok(())
    }

    fn not_lists(
        &self,
        sources: impl IntoIterator<Item = SourceId>,
    ) -> Result<Vec<SourceId>, ArchiveError> {
        let mut some = Vec::new();
        for id in sources {
            let record = self.archive.source(id)?;
            some.extend(record.filter(|record| record.kind != SourceKind::List).map(|_| id));
        }
        Ok(some)
    }

    /// Before two sources become one: those who follow the one that goes follow the one that stays, too.
    pub(in crate::node) async fn follow_instead(
        &self,
        go: SourceId,
        stay: SourceId,
    ) -> Result<(), SourceError> {
        let Some(old) = self.desk.followed(go) else { return Ok(()) };
        self.make_followed(&[stay]).await?;
        let Some(new) = self.desk.followed(stay) else { return Ok(()) };
        let mut commit = Commit::new();
        for (user, _) in self.archive.all_followings()?.into_iter().filter(|(_, feed)| *feed == old)
        {
            let there = self.archive.following(user, new)?.is_some();
            if let Some(own) = self.archive.following(user, old)?.filter(|_| !there) {
                commit.user(user).set_following(new, Some(&own));
            }
        }
        Ok(self.commit_people(commit).await?)
    }

    /// After two sources became one: its followers get what either has shown.
    pub(in crate::node) async fn leave_merged(
        &self,
        go: SourceId,
        stay: SourceId,
    ) -> Result<(), SourceError> {
        self.people.news.lock().items_renumbered();
        if let Some(feed) = self.desk.followed(stay) {
            self.backfill_followed(vec![(stay, feed)]).await?;
        }
        match self.desk.followed(go) {
            Some(feed) => self.drop_followed(go, feed).await,
            None => Ok(()),
        }
    }

    /// Drops the feeds of sources that nobody follows, or that are gone for good.
    pub(super) async fn drop_unfollowed(&self) -> Result<(), SourceError> {
        let operator = self.people.has_operator();
        let followed: HashSet<FeedId> =
            self.archive.all_followings()?.into_iter().map(|(_, feed)| feed).collect();
        for (source, feed) in self.desk.all_followed() {
            let there = self.archive.source(source)?.is_some()
                || self.archive.removed_source(source)?.is_some();
            if !there || !operator && !followed.contains(&feed) {
                self.drop_followed(source, feed).await?;
            }
        }
        Ok(())
    }

    /// Drops the feed of a source, with everybody's following.
    async fn drop_followed(&self, source: SourceId, feed: FeedId) -> Result<(), SourceError> {
        self.desk.set_followed(source, None);
        self.settle().await;
        self.empty_feed(feed).await?;
        let mut commit = Commit::new();
        for (user, _) in self.archive.all_followings()?.into_iter().filter(|(_, own)| *own == feed)
        {
            commit.user(user).set_following(feed, None);
        }
        commit.feed(feed).drop_feed();
        self.commit(commit).await?;
        self.access.set(feed, None);
        self.weigh([source]);
        self.reap_sources(&[source]).await
    }
}
