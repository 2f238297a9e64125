//! News that were pushed: they go the way of a refresh from where the answer has come, and teach the
//! scheduler what a refresh would have.

use std::sync::Arc;
use std::time::Duration;

use pergola_store::archive::{ArchiveError, SourceId};

use super::Crawler;
use super::conclusion::Standing;
use crate::crawl::conclude::{Refreshed, Subject, Way};
use crate::crawl::pushed::take_in;
use crate::crawl::trail::Backlog;
use crate::fetch::Answer;
use crate::writer::NotCommitted;

/// How long pushed news wait for a refresh of the same source.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why pushed news were not taken in.
#[derive(Debug, thiserror::Error)]
pub enum NotReceived {
    /// It is no feed.
    #[error("{0}")]
    Unreadable(String),
    /// The source is no more.
    #[error("the source is gone")]
    Vanished,
    /// A refresh of it takes too long.
    #[error("the source is being refreshed")]
    Busy,
    /// The store refused it.
    #[error(transparent)]
    Refused(#[from] NotCommitted),
    /// What is kept cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The scheduler refused what was learnt.
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
    /// Reading it ended in a panic.
    #[error("reading what was pushed panicked")]
    Panicked,
}

impl Crawler {
    /// Takes in a document that was pushed. When this returns, it is durable: how many items were new.
    pub async fn receive(
        self: &Arc<Self>,
        id: SourceId,
        answer: Answer,
    ) -> Result<u32, NotReceived> {
        let waited = tokio::time::timeout(PATIENCE, self.alone.with(id)).await;
        let _alone = waited.map_err(|_| NotReceived::Busy)?;
        let standing = self.standing(id)?.ok_or(NotReceived::Vanished)?;
        let crawler = Arc::clone(self);
        let work = move || -> Result<Refreshed, NotReceived> {
            let known = crawler.archive.known(id)?.unwrap_or_default();
            let looped = crawler.loops.of(id);
            let (link, way) = (None, Way::Http(None));
            let backlog = Backlog::default();
            let Standing { record, state } = *standing;
            let subject = Subject { id, record, state, known, looped, link, way, backlog };
            take_in(subject, &answer, &crawler.manners, crawler.clock.now())?
                .map_err(NotReceived::Unreadable)
        };
        let refreshed = {
            let _reader = self.readers.acquire().await;
            self.blocking.run(work).await.map_err(|_| NotReceived::Panicked)??
        };
        let refreshed = Arc::new(refreshed);
        let committed = self.deliver(Arc::clone(&refreshed)).await?;
        Ok(self.settle_pushed(refreshed, committed))
    }
}
