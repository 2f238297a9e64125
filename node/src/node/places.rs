//! Sources take their places in memory: the roster, their lanes, the lists that name them.
//!
//! Never a place for a source that is not durable, and never all sources at once in memory, neither
//! while they are stored nor while they are loaded: there may be a hundred thousand.

use pergola_refresh::Invalid;
use pergola_store::archive::{Commit, SourceId, SourceKind, SourceRecord, SourceState};
use url::Url;

use super::sources::SourceError;
use super::{Node, StartError};

/// Sources made durable together: while it commits, the store holds many times what has changed.
const AT_ONCE: usize = 250;

impl Node {
    /// Makes new sources durable, some at a time, and then gives them their places.
    pub(super) async fn store_sources(
        &self,
        sources: &[(SourceId, SourceRecord, Url)],
        in_all: usize,
    ) -> Result<(), SourceError> {
        let usual = self.blank_state(false, in_all)?;
        let page = self.blank_state(true, in_all)?;
        let blank = |record: &SourceRecord| match record.kind {
            SourceKind::Page(_) => &page,
            SourceKind::Feed | SourceKind::List => &usual,
        };
        for some in sources.chunks(AT_ONCE) {
            let mut commit = Commit::new();
            let mut node = self.record.lock().clone();
            for (id, record, _) in some {
                commit.source(*id).put_record(record);
                commit.source(*id).put_state(blank(record));
                commit.source(*id).put_model(&blank(record).schedule);
                node.next_source = id.0 + 1;
            }
            commit.node().put_record(&node);
            self.commit(commit).await?;
            self.record.lock().next_source = node.next_source;
            for (id, record, url) in some {
                self.place(*id, record, url, blank(record).clone())?;
            }
        }
        Ok(())
    }

    /// Puts every stored source in its place, one after the other.
    pub(super) fn load_sources(&self) -> Result<(), StartError> {
        let mut outcome = Ok(());
        self.archive.each_source(|id, record| {
            if outcome.is_ok() {
                outcome = self.load_source(id, &record);
            }
        })?;
        outcome
    }

    fn load_source(&self, id: SourceId, record: &SourceRecord) -> Result<(), StartError> {
        let Some(state) = self.archive.state(id)? else { return Ok(()) };
        let Ok(url) = Url::parse(&record.url) else { return Ok(()) };
        let now = self.clock.now();
        if let Some(pause) = state.courtesy.pause.as_ref().filter(|pause| pause.until > now) {
            self.crawler.remember_pause(id, &url, pause.until, now);
        }
        Ok(self.place(id, record, &url, state)?)
    }

    fn place(
        &self,
        id: SourceId,
        record: &SourceRecord,
        url: &Url,
        state: SourceState,
    ) -> Result<(), Invalid> {
        self.crawler.take_on(id, record, url, state)?;
        let mut members = self.members.lock();
        record.lists.iter().for_each(|list| members.entry(*list).or_default().push(id));
        Ok(())
    }
}
