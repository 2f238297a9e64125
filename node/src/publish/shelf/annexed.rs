//! What is had beside the editions: volumes, and the difference to an earlier edition.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use http::HeaderMap;
use pergola_store::archive::ArchiveError;

use super::super::annex::{Key, What};
use super::super::document::Rendered;
use super::super::edition::{Publication, RenderError};
use super::super::negotiate::{Form, digests, is_unchanged, wants_difference};
use super::super::render::{Bound, Press};
use super::super::volume::Volume;
use super::{Listing, Shelf};

/// Entries in a difference at most: whoever has missed more gets the whole document, which leads to the
/// archives.
const MOST_NEWS: usize = 1_000;

/// Why a volume cannot be had.
#[derive(Debug)]
pub(in crate::publish) enum NoVolume {
    /// It is not complete.
    NotYet,
    /// Its entries are no longer kept; those of these volumes are.
    Gone { kept: Range<u64> },
    /// Not now; it was logged.
    Failed,
}

impl Shelf {
    /// A volume of a feed, rendered now if nobody has asked for it since the feed has changed.
    pub(in crate::publish) async fn volume(
        &self,
        publication: &Publication,
        volume: Volume,
        form: Form,
    ) -> Result<Arc<Rendered>, NoVolume> {
        let key = Key { feed: publication.id(), form, what: What::Volume(volume) };
        let bind = async {
            match self.press(publication, form, move |press| press.volume(volume)).await {
                Ok(Bound::Volume(document)) => Ok(Arc::from(document)),
                Ok(Bound::NotYet) => Err(NoVolume::NotYet),
                Ok(Bound::Gone { kept }) => Err(NoVolume::Gone { kept }),
                Err(_) => Err(NoVolume::Failed),
            }
        };
        self.annexed(publication, key, bind).await
    }

    /// The difference between an edition that the client has and `document`, which is the current one;
    /// nothing if it did not ask for that, or if it cannot be told.
    pub(in crate::publish) async fn difference(
        &self,
        publication: &Publication,
        form: Form,
        document: &Rendered,
        asked: &HeaderMap,
    ) -> Option<Arc<Rendered>> {
        let fits = form != Form::Page && wants_difference(asked);
        if !fits || is_unchanged(asked, document.tag(), document.modified()) {
            return None;
        }
        let contents = document.contents()?;
        let feed = publication.id();
        let known = digests(asked).filter_map(|tag| Some((tag, self.past.recall(feed, tag)?)));
        let (tag, earlier) = known.max_by_key(|(_, earlier)| earlier.next)?;
        let missed = contents.next.checked_sub(earlier.next)?;
        if missed > MOST_NEWS as u64 {
            return None;
        }
        let key = Key { feed, form, what: What::Difference(tag.into(), document.tag().into()) };
        let compare = async {
            let contents = contents.clone();
            let numbers = contents.since(&earlier);
            let work = move |press: &Press<'_>| press.difference(&numbers, &contents);
            self.press(publication, form, work).await.map(Arc::new)
        };
        // Who cannot have the difference has the whole.
        self.annexed(publication, key, compare).await.ok()
    }

    /// A document of the annex, rendered if it is not there.
    async fn annexed<E>(
        &self,
        publication: &Publication,
        key: Key,
        render: impl Future<Output = Result<Arc<Rendered>, E>>,
    ) -> Result<Arc<Rendered>, E> {
        let place = self.annex.place(key.clone(), &publication.edition());
        let render = async {
            let rendered = render.await;
            self.counters.rendered.fetch_add(u64::from(rendered.is_ok()), Relaxed);
            rendered
        };
        let document = place.get_or_try_init(|| render).await.cloned();
        if document.is_err() {
            self.annex.clear(&key);
        }
        self.annex.make_room();
        document
    }

    /// Renders on a thread that may block.
    async fn press<T: Send + 'static>(
        &self,
        publication: &Publication,
        form: Form,
        work: impl FnOnce(&Press<'_>) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, RenderError> {
        let (archive, imprint) = (self.archive.clone(), self.imprint.clone());
        let (listing, held): (Listing, _) = (publication.listing(), self.annex.held.clone());
        let work = move || {
            let (archive, imprint, listing, held) = (&archive, &imprint, &listing, &held);
            work(&Press { archive, imprint, listing, form, held })
        };
        let done = self.blocking(work).await;
        let done = done.and_then(|rendered| rendered.map_err(RenderError::Archive));
        if let Err(error) = &done {
            self.count_failure(publication, error);
        }
        done
    }
}
