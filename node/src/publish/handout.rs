//! What is sent to whoever is told of changes: the same documents that are served to whoever asks.

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use pergola_store::archive::FeedId;

use super::negotiate::Form;
use super::serve::{FEEDS, decoded, find};
use super::shelf::Shelf;

/// A document to be sent.
pub(crate) struct Handout {
    /// The edition that it shows at least.
    pub(crate) edition: u64,
    /// Its media type.
    pub(crate) content_type: HeaderValue,
    /// Its bytes, as they were rendered.
    pub(crate) body: Bytes,
}

/// Why there is nothing to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoHandout {
    /// The feed is published no more, or no longer for anybody.
    Gone,
    /// It cannot be rendered at the moment.
    NotNow,
}

impl Shelf {
    /// The feed for anybody that a path leads to, and the form it is served in to who does not mind.
    pub(crate) fn feed_at(&self, path: &str) -> Option<(FeedId, Form)> {
        let file = decoded(path.strip_prefix(FEEDS)?);
        let (publication, form) = find(self, &file).filter(|(feed, _)| self.is_open(feed.id()))?;
        Some((publication.id(), form.unwrap_or(Form::Atom)))
    }

    /// A feed's newest document.
    pub(crate) async fn handout(&self, id: FeedId, form: Form) -> Result<Handout, NoHandout> {
        let open = self.publication(id).filter(|_| self.is_open(id));
        let publication = open.ok_or(NoHandout::Gone)?;
        // What is rendered may be newer than this, never older: then it is sent once more.
        let edition = publication.listing().tally.edition;
        publication.touch(self.clock.now());
        match self.document(&publication, form).await {
            Ok((document, true)) => {
                let plain = document.plain();
                let octets = HeaderValue::from_static("application/octet-stream");
                let content_type = plain.headers.get(CONTENT_TYPE).cloned().unwrap_or(octets);
                Ok(Handout { edition, content_type, body: plain.body.clone() })
            }
            Ok((_, false)) | Err(_) => Err(NoHandout::NotNow),
        }
    }
}
