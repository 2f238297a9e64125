//! Who may read a feed: said by the configuration for the feeds that it declares, by the operator for
//! all others.

use pergola_store::archive::{Commit, FeedId};

use super::FeedError;
use crate::node::{Node, StartError};
use crate::select::FeedCard;
use pergola_port::access::Caller;

impl Node {
    /// The feed of this name, if it exists for a caller.
    pub fn feed_for(&self, caller: &Caller, name: &str) -> Result<FeedCard, FeedError> {
        let card = self.desk.feed(name).filter(|card| self.access.may_read(caller, card.id));
        card.ok_or_else(|| self.unknown_to(caller, name))
    }

    /// The feeds that exist for a caller.
    pub fn feeds_for(&self, caller: &Caller) -> Vec<FeedCard> {
        let mut feeds = self.desk.feeds();
        feeds.retain(|card| self.access.may_read(caller, card.id));
        feeds
    }

    /// Closes a feed to all but these readers, or opens it to anybody.
    pub async fn set_readers(
        &self,
        name: &str,
        readers: Option<Vec<String>>,
    ) -> Result<(), FeedError> {
        let _turn = self.turn.acquire().await;
        let Some(card) = self.desk.feed(name) else { return Err(self.unknown(name)) };
        if self.archive.feed(card.id)?.is_some_and(|record| record.declared) {
            return Err(FeedError::Declared(name.to_owned()));
        }
        let readers = readers.map(|mut readers| {
            readers.sort();
            readers.dedup();
            readers
        });
        let mut known = self.access.readers();
        known.extend(self.archive.users()?.into_iter().map(|(_, user)| user.name));
        let stranger = readers.iter().flatten().find(|reader| !known.contains(reader));
        if let Some(stranger) = stranger {
            return Err(FeedError::UnknownReader(stranger.clone()));
        }
        self.close_to(card.id, readers.as_deref()).await
    }

    /// Who the configuration says may read a feed, if it says anything.
    pub(super) fn declared_readers(&self, name: &str) -> Option<Vec<String>> {
        let config = self.config();
        config.declared.iter().find(|feed| feed.name == name)?.readers.clone()
    }

    /// Makes the readers of a declared feed those that the configuration says.
    pub(in crate::node) async fn take_over_readers(&self, name: &str) -> Result<(), StartError> {
        let Some(card) = self.desk.feed(name) else { return Ok(()) };
        let declared = self.declared_readers(name);
        if self.access.readers_of(card.id).as_deref() == declared.as_deref() {
            return Ok(());
        }
        self.close_to(card.id, declared.as_deref())
            .await
            .map_err(|error| StartError::Feed { name: name.to_owned(), reason: error.to_string() })
    }

    async fn close_to(&self, feed: FeedId, readers: Option<&[String]>) -> Result<(), FeedError> {
        let mut commit = Commit::new();
        commit.feed(feed).set_readers(readers);
        self.commit(commit).await?;
        self.access.set(feed, readers);
        self.people.rights_changed();
        self.shelf.relist(feed);
        Ok(())
    }
}
