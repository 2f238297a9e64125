//! From what came back to what follows from it, with what the archives add.

use std::sync::Arc;

use pergola_feed::address::masked_in;
use pergola_manners::conclude::{Moment, Subject, conclude};
use pergola_manners::heard::{Heard, Said, hear};
use pergola_manners::refreshed::Refreshed;
use pergola_manners::trail::{Backlog, Trail};
use pergola_store::archive::{ArchiveError, Known, SourceId, SourceKind};
use url::Url;

use super::following::Route;
use super::outing::Unfinished;
use super::received::Received;
use super::{Crawler, NotReceived};

/// What reading a reply has led to. Boxed, because a refresh hands on kilobytes.
enum Step {
    Concluded(Box<Refreshed>),
    /// Items were missed, and the archives have to be followed first.
    Missed(Box<(Subject, Heard)>, Box<Trail>),
}

impl Crawler {
    /// A source as it is now; nothing if it is gone.
    pub(super) fn subject(&self, id: SourceId) -> Result<Option<Box<Subject>>, ArchiveError> {
        let (record, state) = self.tools.archive.source_and_state(id)?;
        let (Some(record), Some(mut state), Some(schedule)) =
            (record, state, self.roster().schedule(id))
        else {
            return Ok(None);
        };
        let Ok(url) = Url::parse(&record.url) else { return Ok(None) };
        state.schedule = schedule;
        let (looped, link) = (self.loops.of(id), self.tools.peers.link(id));
        let known = Known::default();
        Ok(Some(Box::new(Subject { id, url, record, state, known, looped, link })))
    }

    /// What follows from what came back; `archives` says how they may be followed, if they may.
    pub(super) async fn concluded(
        self: &Arc<Self>,
        subject: Box<Subject>,
        mut received: Received,
        archives: Option<Route>,
    ) -> Result<Box<Refreshed>, Unfinished> {
        let feed = subject.record.kind == SourceKind::Feed;
        let little = received.is_empty() || feed && received.is_small();
        let follow = archives.is_some();
        let read = move |crawler: &Self| crawler.read(subject, received, follow);
        let (heard, trail) = match self.work(little, read).await? {
            Step::Concluded(refreshed) => return Ok(refreshed),
            Step::Missed(heard, trail) => (heard, trail),
        };
        // Boxed, because it is rare and large.
        let following = Box::pin(self.follow(*trail, archives));
        let backlog = following.await?;
        let conclude = move |crawler: &Self| {
            let (subject, heard) = *heard;
            crawler.conclude(subject, heard, backlog, crawler.tools.clock.now())
        };
        self.work(false, conclude).await
    }

    /// Does work that takes time in another thread, unless it is so little that it is done before another
    /// thread is awake.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        little: bool,
        work: impl FnOnce(&Self) -> Result<T, Unfinished> + Send + 'static,
    ) -> Result<T, Unfinished> {
        if little {
            return work(self);
        }
        let _reader = self.readers.acquire().await;
        let crawler = Arc::clone(self);
        let work = move || work(&crawler);
        self.tools.blocking.run(work).await.map_err(|_| Unfinished::Panicked)?
    }

    fn read(
        &self,
        mut subject: Box<Subject>,
        received: Received,
        follow: bool,
    ) -> Result<Step, Unfinished> {
        let now = self.tools.clock.now();
        let heard = self.hear(&mut subject, received, now)?;
        let Subject { record, known, state, .. } = &*subject;
        let since = state.schedule.last.unwrap_or(now);
        let manners = self.tools.manners();
        let begin = || Trail::begin(&heard, record.origin, known, &manners.node, since);
        if let Some(trail) = follow.then(begin).flatten() {
            return Ok(Step::Missed(Box::new((*subject, heard)), Box::new(trail)));
        }
        self.conclude(*subject, heard, Backlog::default(), now).map(Step::Concluded)
    }

    /// Reads a pushed document. Anything else that a hub may send says nothing about the source.
    pub(super) fn read_push(
        &self,
        mut subject: Box<Subject>,
        received: Received,
    ) -> Result<Box<Refreshed>, NotReceived> {
        let now = self.tools.clock.now();
        let heard = self.hear(&mut subject, received, now)?;
        if !matches!(heard.said, Said::Document(_) | Said::SameDocument) {
            let words = heard.said.trouble().unwrap_or("what the hub sent is no feed");
            return Err(NotReceived::Unreadable(masked_in(words).into_owned()));
        }
        Ok(self.conclude(*subject, heard, Backlog::default(), now)?)
    }

    /// What was heard. What is known of the items is only loaded to be compared with a document.
    fn hear(
        &self,
        subject: &mut Subject,
        received: Received,
        now: f64,
    ) -> Result<Heard, ArchiveError> {
        let reply = received.into_reply(self.tools.fetcher.decode_limits());
        let mut heard = hear(reply, subject.hearing(&self.tools.manners(), now));
        self.doubt(subject, &mut heard)?;
        if let Said::Document(_) = heard.said {
            subject.known = self.tools.archive.known(subject.id)?.unwrap_or_default();
        }
        Ok(heard)
    }

    fn conclude(
        &self,
        subject: Subject,
        heard: Heard,
        backlog: Backlog,
        now: f64,
    ) -> Result<Box<Refreshed>, Unfinished> {
        let manners = self.tools.manners();
        let moment = Moment { now, random: manners.chance(subject.id, now) };
        Ok(Box::new(conclude(subject, heard, backlog, &manners, moment)?))
    }
}
