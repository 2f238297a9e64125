//! From the shelf to a document: rendered at the first request after a change, dropped when memory is
//! short.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use pergola_feed::opml::{Opml, Outline};

use super::super::document::{Kind, Rendered};
use super::super::edition::{Edition, Publication, RenderError};
use super::super::negotiate::Form;
use super::super::render::Press;
use super::Shelf;
use pergola_port::access::Caller;

impl Shelf {
    /// A document of the current edition, rendered now if nobody has asked for it yet. If that fails,
    /// the one before it, and `false`.
    pub(in crate::publish) async fn document(
        &self,
        publication: &Publication,
        form: Form,
    ) -> Result<(Arc<Rendered>, bool), RenderError> {
        let edition = publication.edition();
        if let Some(ready) = edition.ready(form) {
            return Ok((ready, true));
        }
        match self.render(publication, &edition, form).await {
            Ok(document) => Ok((document, true)),
            Err(error) => match edition.earlier(form) {
                Some(document) => {
                    self.counters.outdated.fetch_add(1, Relaxed);
                    Ok((document, false))
                }
                None => Err(error),
            },
        }
    }

    async fn render(
        &self,
        publication: &Publication,
        edition: &Edition,
        form: Form,
    ) -> Result<Arc<Rendered>, RenderError> {
        let render = || {
            let (archive, imprint) = (self.archive.clone(), self.imprint.clone());
            let (listing, held) = (publication.listing(), self.held.clone());
            async move {
                let work = move || {
                    let (archive, imprint, listing, held) = (&archive, &imprint, &listing, &held);
                    Press { archive, imprint, listing, form, held }.edition()
                };
                let done = self.blocking(work).await;
                let done = done.and_then(|rendered| rendered.map_err(RenderError::Archive));
                match &done {
                    Ok(document) => {
                        self.counters.rendered.fetch_add(1, Relaxed);
                        self.remember(publication, document, form);
                    }
                    Err(error) => self.count_failure(publication, error),
                }
                done
            }
        };
        let document = edition.render_once(form, || self.clock.now(), render).await?;
        self.make_room();
        Ok(document)
    }

    /// Whoever has this document can later be told the difference to it.
    fn remember(&self, publication: &Publication, document: &Rendered, form: Form) {
        if let Some(contents) = document.contents().filter(|_| form != Form::Page) {
            self.past.remember(publication.id(), document.tag(), contents);
        }
    }

    pub(super) fn count_failure(&self, publication: &Publication, error: &RenderError) {
        let feed = publication.name();
        tracing::warn!(feed, %error, "a feed could not be rendered");
        self.counters.failed.inc();
    }

    /// Runs work that blocks, when a worker is free.
    pub(in crate::publish) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RenderError> {
        let permit = self.workers.clone().acquire_owned().await;
        let permit = permit.map_err(|_| RenderError::Aborted)?;
        let done = self.blocking.run(move || {
            // The worker is free when the work has ended, whether or not anybody still waits for it.
            let _busy = permit;
            work()
        });
        done.await.map_err(|_| RenderError::Aborted)
    }

    /// Drops the documents that were not asked for longest until the rest is within the limit. The
    /// feed that was asked for last stays, or a document larger than the limit would be rendered for
    /// every request.
    pub(in crate::publish) fn make_room(&self) {
        self.annex.make_room();
        if self.held.load(Relaxed) <= self.limit {
            return;
        }
        let mut publications = self.publications();
        publications.sort_by_key(|publication| publication.last_used());
        publications.pop();
        for publication in publications {
            if self.held.load(Relaxed) <= self.limit {
                return;
            }
            publication.drop_documents();
        }
    }

    /// The list of the feeds that exist for a caller. That of strangers is rendered once for each change
    /// of it.
    pub(in crate::publish) fn opml(&self, caller: &Caller) -> Arc<Rendered> {
        if !self.access.all_open() && !matches!(caller, Caller::Stranger { .. }) {
            return self.render_opml(caller);
        }
        let known = self.opml.read().clone();
        if let Some(known) = known {
            return known;
        }
        let document = self.render_opml(caller);
        *self.opml.write() = Some(document.clone());
        document
    }

    fn render_opml(&self, caller: &Caller) -> Arc<Rendered> {
        let listings = self.listings_for(caller);
        let outlines = listings.iter().map(|listing| Outline {
            text: listing.name.clone(),
            feed: Some(self.imprint.address(&listing.name, Form::Atom)),
            home: Some(self.imprint.address(&listing.name, Form::Page)),
            ..Outline::default()
        });
        let title = format!("Feeds of {}", self.imprint.name);
        let list = Opml { title: Some(title), outlines: outlines.collect() };
        Arc::new(Rendered::new(Kind::Opml, list.write(), None, &self.held))
    }
}
