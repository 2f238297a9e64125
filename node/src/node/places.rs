//! Loads sources into memory: the roster, their lanes, the lists that name them.
//!
//! Never: a source in the roster that is not stored; all records of sources in memory at once, neither while
//! they are stored nor while they are loaded, because there may be a hundred thousand.

use pergola_refresh::Invalid;
use pergola_store::archive::{Commit, SourceId, SourceKind, SourceRecord, SourceState};
use url::Url;

use super::dead::Dead;
use super::secrets::split_password;
use super::sources::SourceError;
use super::{Node, StartError};

/// Sources in one commit: during a commit the store needs many times the memory of the changes.
const AT_ONCE: usize = 250;

impl Node {
    /// Stores new sources, some at a time, and then adds them to the roster.
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

    /// Adds every stored source to the roster, one after the other.
    pub(super) async fn load_sources(&self) -> Result<(), StartError> {
        let (mut outcome, mut split) = (Ok(()), Vec::new());
        self.archive.each_source(|id, mut record| {
            if outcome.is_ok() {
                let has_password = split_password(&mut record);
                outcome = self.load_source(id, &record);
                split.extend(has_password.then_some((id, record)));
            }
        })?;
        outcome?;
        self.store_split(&split).await
    }

    fn load_source(&self, id: SourceId, record: &SourceRecord) -> Result<(), StartError> {
        let Some(state) = self.archive.state(id)? else { return Ok(()) };
        let Ok(url) = Url::parse(&record.url) else { return Ok(()) };
        let now = self.clock.now();
        self.dead.lock().extend(Dead::of(id, &state, now));
        let pause = state.courtesy.pause.clone().filter(|pause| pause.until > now);
        self.place(id, record, &url, state)?;
        if let Some(pause) = pause {
            self.crawler.remember_pause(id, &url, pause.until, now);
        }
        Ok(())
    }

    /// Adds a source to the roster and to its lists and folders. One that is at the address of another is merged
    /// with that instead.
    pub(super) fn place(
        &self,
        id: SourceId,
        record: &SourceRecord,
        url: &Url,
        state: SourceState,
    ) -> Result<(), Invalid> {
        self.note_privacy(id, record.private);
        if !self.crawler.take_on(id, record, url, state)? {
            return Ok(());
        }
        let mut members = self.members.lock();
        record.lists.iter().for_each(|list| members.entry(*list).or_default().push(id));
        self.folders.lock().put(id, &record.folders);
        Ok(())
    }
}
