//! What users follow: feeds, and sources by a feed of their own.

use std::collections::{BTreeMap, HashMap, HashSet};

use pergola_accounts::{Following, Role, UserId, UserRecord};
use pergola_store::archive::{ArchiveError, Commit, FeedId, SourceCard, SourceId, SourceKind};
use pergola_store::people::{Follow, Followed, Mistake, Subscribed, known, told_of_source};

use super::super::{Node, normal_folders};
use super::PeopleError;

/// A feed that a user follows, with its folders.
pub(super) struct Follows {
    pub(super) feed: FeedId,
    pub(super) what: Followed,
    pub(super) folders: Vec<String>,
    own: Following,
}

impl Node {
    /// A user follows a source or a feed from now on, or in another way.
    pub async fn subscribe(
        &self,
        user: UserId,
        what: Followed,
        how: Follow,
    ) -> Result<(), PeopleError> {
        let _turn = self.turn.acquire().await;
        let _own = self.people.turn().await;
        let record = known(&self.archive, user)?;
        if !self.may_follow(&record, what)? {
            return Err(Mistake::Unreadable(what.to_string()).into());
        }
        let feed = match what {
            Followed::Feed(feed) => feed,
            Followed::Source(source) => {
                self.make_followed(&[source]).await?;
                let made = self.desk.followed(source);
                made.ok_or_else(|| Mistake::Unreadable(what.to_string()))?
            }
        };
        let before = self.archive.following(user, feed)?;
        let since = before.map_or_else(|| self.clock.now(), |before| before.since);
        let title =
            how.title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
        let folders = how.folders.map(normal_folders);
        let mut commit = Commit::new();
        commit.user(user).set_following(feed, Some(&Following { title, folders, since }));
        self.commit(commit).await?;
        self.people.rights_changed();
        if let Followed::Source(source) = what {
            self.weigh([source]);
        }
        Ok(())
    }

    /// How a user follows something, to change a part of it. Blocks.
    pub fn followed_as(
        &self,
        user: UserId,
        what: Followed,
    ) -> Result<Option<Follow>, ArchiveError> {
        let all = self.follows_of(user)?;
        let found = all.into_iter().find(|follow| follow.what == what);
        Ok(found.map(|follow| Follow { title: follow.own.title, folders: follow.own.folders }))
    }

    /// A user follows a source or a feed no longer. What was read and starred stays so.
    pub async fn unsubscribe(&self, user: UserId, what: Followed) -> Result<(), PeopleError> {
        let _turn = self.turn.acquire().await;
        let _own = self.people.turn().await;
        if user == UserId::OPERATOR {
            return Err(Mistake::BuiltIn.into());
        }
        let feed = match what {
            Followed::Feed(feed) => Some(feed),
            Followed::Source(source) => self.desk.followed(source),
        };
        let there = match feed {
            Some(feed) => self.archive.following(user, feed)?.map(|_| feed),
            None => None,
        };
        let feed = there.ok_or_else(|| Mistake::NotFollowed(what.to_string()))?;
        let mut commit = Commit::new();
        commit.user(user).set_following(feed, None);
        self.commit(commit).await?;
        self.people.rights_changed();
        Ok(self.drop_unfollowed().await?)
    }

    /// What a user follows, with what is unread of it. Blocks.
    pub fn subscriptions(&self, user: UserId) -> Result<Vec<Subscribed>, PeopleError> {
        let mut all = self.untold_subscriptions(user)?;
        self.tell_of(user, &mut all, |_| true)?;
        Ok(all)
    }

    /// The same without what only sources say of themselves, their titles, addresses and pages: with thousands of sources,
    /// these are only told for those that are shown. Blocks.
    pub fn untold_subscriptions(&self, user: UserId) -> Result<Vec<Subscribed>, PeopleError> {
        known(&self.archive, user)?;
        let counts = self.reading(user, |reading| reading.library.counts(user))?;
        let names: HashMap<FeedId, String> =
            self.desk.names().into_iter().map(|(name, id)| (id, name)).collect();
        let all = self.follows_of(user)?.into_iter().map(|Follows { feed, what, folders, own }| {
            let (unread, newest) = counts.feeds.get(&feed.0).copied().unwrap_or_default();
            let title = own.title.or_else(|| names.get(&feed).cloned()).unwrap_or_default();
            let (address, home, since) = (None, None, own.since);
            Subscribed { what, feed, title, folders, address, home, since, unread, newest }
        });
        Ok(all.collect())
    }

    /// Adds what sources say of themselves, for those that are wanted; those that are gone are left out. Blocks.
    pub fn tell_of(
        &self,
        user: UserId,
        all: &mut Vec<Subscribed>,
        wanted: impl Fn(Followed) -> bool,
    ) -> Result<(), PeopleError> {
        let is_admin = known(&self.archive, user)?.role == Role::Admin;
        let tell = |cards: &BTreeMap<SourceId, SourceCard>| {
            all.retain_mut(|one| {
                let Followed::Source(source) = one.what else { return true };
                if !wanted(one.what) {
                    return true;
                }
                let Some(card) = cards.get(&source) else { return false };
                let title;
                (title, one.address, one.home) = told_of_source(source, card, is_admin);
                if one.title.is_empty() {
                    one.title = title;
                }
                true
            });
        };
        Ok(self.archive.with_cards(tell)?)
    }

    /// What a user follows and may read. Blocks.
    pub(super) fn follows_of(&self, user: UserId) -> Result<Vec<Follows>, ArchiveError> {
        let Some(record) = self.archive.user(user)? else { return Ok(Vec::new()) };
        let mut own: HashMap<FeedId, Following> =
            self.archive.followings(user)?.into_iter().collect();
        let everything = user == UserId::OPERATOR;
        let folders = self.folders.lock().by_source();
        let crawled: HashSet<SourceId> = self.crawler.ids().into_iter().collect();
        let mut all = Vec::new();
        let mut add = |feed, what, usual: Vec<String>| {
            let own = own.remove(&feed).or(everything.then(Following::default));
            if let Some(own) = own {
                let folders = own.folders.clone().unwrap_or(usual);
                all.push(Follows { feed, what, folders, own });
            }
        };
        for (source, feed) in self.desk.all_followed() {
            // One that was removed comes back with its followers if it is restored.
            if crawled.contains(&source) {
                let usual = folders.get(&source).cloned().unwrap_or_default();
                add(feed, Followed::Source(source), usual);
            }
        }
        for (_, feed) in self.desk.names() {
            if self.may_read_feed(&record, feed) {
                add(feed, Followed::Feed(feed), Vec::new());
            }
        }
        Ok(all)
    }

    fn may_read_feed(&self, user: &UserRecord, feed: FeedId) -> bool {
        user.role == Role::Admin || self.access.may_user_read(&user.name, feed)
    }

    /// Whether a user may follow something. A private source, or one that wants a password, is for admins only.
    fn may_follow(&self, user: &UserRecord, what: Followed) -> Result<bool, ArchiveError> {
        match what {
            Followed::Feed(feed) => {
                let there = self.desk.names().iter().any(|(_, id)| *id == feed);
                Ok(there && self.may_read_feed(user, feed))
            }
            Followed::Source(source) => Ok(self.archive.source(source)?.is_some_and(|record| {
                let open = !record.private && record.credentials.is_none();
                record.kind != SourceKind::List && (open || user.role == Role::Admin)
            })),
        }
    }
}
