//! Restores feeds that were removed. A feed keeps its number, its entries and how far it had come, so its readers go on
//! where they were.

use pergola_query::{Change, nearest};
use pergola_store::archive::{Commit, FeedRecord};

use super::{FeedError, wrong};
use crate::node::{Node, RESTORABLE};

impl Node {
    /// Publishes the feed again that was last removed under this name.
    pub async fn restore_feed(&self, name: &str) -> Result<(), FeedError> {
        let _turn = self.turn.acquire().await;
        if self.desk.feed(name).is_some() {
            let what = format!("there is a feed `{name}`; rename or drop it first");
            return Err(FeedError::CannotRestore(what));
        }
        let all = self.archive.removed_feeds()?;
        let names: Vec<String> = all.iter().map(|(_, removed)| removed.what.name.clone()).collect();
        let same = all.into_iter().filter(|(_, removed)| removed.what.name == name);
        let Some((id, removed)) = same.max_by(|(_, a), (_, b)| a.at.total_cmp(&b.at)) else {
            return Err(FeedError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, names),
            });
        };
        let there = self.desk.feeds().len();
        if there >= self.config().feeds.most {
            return Err(FeedError::TooMany(there));
        }
        let text = &removed.what.statement;
        let changes = self.desk.check(text).map_err(|error| wrong(&error, text, "query"))?;
        let Some(Change::Create { name, body }) = changes.into_iter().next() else {
            return Err(FeedError::CannotRestore(format!("`{text}` makes no feed")));
        };
        self.add_sources_of(&body).await?;
        let record = FeedRecord { declared: false, ..removed.what.clone() };
        let mut commit = Commit::new();
        commit.feed(id).restore(&record);
        self.commit(commit).await?;
        self.access.set(id, self.archive.readers(id)?.as_deref());
        self.put_in_force(id, &name, &body, self.archive.feed_tally(id)?);
        // What came before was in it or had expired.
        self.backfill_since(id, removed.at).await?;
        Ok(())
    }

    /// Deletes for good the feeds that were removed more than a week ago.
    pub(in crate::node) async fn forget_removed_feeds(&self, now: f64) -> Result<(), FeedError> {
        for (id, removed) in self.archive.removed_feeds()? {
            if removed.at > now - RESTORABLE {
                continue;
            }
            self.empty_feed(id).await?;
            let mut commit = Commit::new();
            commit.feed(id).drop_feed();
            self.commit(commit).await?;
        }
        Ok(())
    }
}
