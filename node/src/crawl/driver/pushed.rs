//! Pushed documents: they take the path of every reply, but the source was not asked.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use pergola_store::archive::{ArchiveError, SourceId};
use url::Url;

use super::Crawler;
use super::outing::Unfinished;
use super::received::Received;
use crate::writer::NotCommitted;

/// How long a push waits for a refresh of the same source.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a hub pushed.
#[derive(Debug)]
pub struct Pushed {
    /// The address by which the hub knows the source.
    pub topic: Url,
    pub content_type: Option<HeaderValue>,
    pub content_encoding: Option<HeaderValue>,
    /// The body as received.
    pub body: Bytes,
}

/// Why a push was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum NotReceived {
    /// It is no feed.
    #[error("{0}")]
    Unreadable(String),
    #[error("the source is gone")]
    Vanished,
    #[error("the source is being refreshed")]
    Busy,
    #[error(transparent)]
    NotStored(#[from] NotCommitted),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The scheduler refused what was learnt.
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
    #[error("reading what was pushed panicked")]
    Panicked,
}

impl From<Unfinished> for NotReceived {
    fn from(why: Unfinished) -> Self {
        match why {
            Unfinished::Archive(error) => Self::Archive(error),
            Unfinished::NotStored { reason, .. } => Self::NotStored(reason),
            Unfinished::Invalid(invalid) => Self::Invalid(invalid),
            Unfinished::Vanished => Self::Vanished,
            Unfinished::Panicked => Self::Panicked,
        }
    }
}

impl Crawler {
    /// Takes a pushed document in. When this returns, it is durable. Returns how many items were new.
    pub async fn receive(
        self: &Arc<Self>,
        id: SourceId,
        pushed: Pushed,
    ) -> Result<u32, NotReceived> {
        let waited = tokio::time::timeout(PATIENCE, self.alone.with(id)).await;
        let _alone = waited.map_err(|_| NotReceived::Busy)?;
        let subject = self.subject(id)?.ok_or(NotReceived::Vanished)?;
        let received = Received::Pushed(pushed);
        let read = move |crawler: &Self| Ok(crawler.read_push(subject, received));
        let refreshed = self.work(false, read).await??;
        let committed = self.deliver(Arc::clone(&refreshed.change)).await?;
        let new_items = refreshed.new_items();
        self.settle_push(*refreshed, committed);
        Ok(new_items)
    }
}
