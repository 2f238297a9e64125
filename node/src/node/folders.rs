//! Folders: sources that their user keeps together. `FOLDER "Tech"` in a query means those in the folder and in
//! the folders inside it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pergola_feed::opml::{folder_name, is_inside};
use pergola_query::syntax::{SourceClause, SourceRef};
use pergola_query::{Change, ErrorKind, QueryError, nearest};
use pergola_store::archive::{Commit, FeedId, SourceId};

use super::{Node, SourceError};

/// Which sources are in which folder.
#[derive(Debug, Default)]
pub(super) struct Folders {
    members: BTreeMap<String, BTreeSet<SourceId>>,
    /// How often they have changed.
    changes: u64,
}

impl Folders {
    /// A source is in these folders and in no others.
    pub(super) fn put(&mut self, id: SourceId, folders: &[String]) {
        self.forget(id);
        self.changes += 1;
        for folder in folders {
            self.members.entry(folder.clone()).or_default().insert(id);
        }
    }

    /// A source is in no folder.
    pub(super) fn forget(&mut self, id: SourceId) {
        self.changes += 1;
        self.members.retain(|_, members| {
            members.remove(&id);
            !members.is_empty()
        });
    }

    /// A number that is another one after a source has come into a folder or left one.
    pub(super) fn version(&self) -> u64 {
        self.changes
    }

    /// The folders of each source that is in any.
    pub(super) fn by_source(&self) -> HashMap<SourceId, Vec<String>> {
        let mut all: HashMap<SourceId, Vec<String>> = HashMap::new();
        for (folder, members) in &self.members {
            members.iter().for_each(|id| all.entry(*id).or_default().push(folder.clone()));
        }
        all
    }

    /// The sources in a folder and in those inside it.
    fn within(&self, name: &str) -> Vec<SourceId> {
        let inside = self.members.iter().filter(|(folder, _)| is_inside(folder, name));
        let found: BTreeSet<SourceId> = inside.flat_map(|(_, members)| members).copied().collect();
        found.into_iter().collect()
    }

    /// Every folder that has sources, and those around it.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let around = |name: &'_ str| -> Vec<usize> {
            name.match_indices('/').map(|(at, _)| at).chain([name.len()]).collect()
        };
        let all = self.members.keys();
        all.flat_map(|name| around(name).into_iter().map(move |end| &name[..end])).collect()
    }
}

/// Folders as somebody wrote them, in their normal form and each once.
pub(crate) fn normal_folders<T: AsRef<str>>(given: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for folder in given.into_iter().filter_map(|name| folder_name([name])) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

impl Node {
    /// Puts a source into these folders and out of all others.
    pub async fn set_folders(&self, id: SourceId, folders: Vec<String>) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        let unknown = || SourceError::Unknown(id.0.to_string());
        let mut record = self.archive.source(id)?.ok_or_else(unknown)?;
        if record.folders == folders {
            return Ok(());
        }
        record.folders = folders;
        let mut commit = Commit::new();
        commit.source(id).put_record(&record);
        self.commit(commit).await?;
        self.folders.lock().put(id, &record.folders);
        self.follow_folders(&[id]).await
    }

    /// Sources have entered or left folders. Feeds that read them from now on get what they have shown.
    pub(super) async fn follow_folders(&self, ids: &[SourceId]) -> Result<(), SourceError> {
        if ids.is_empty() {
            return Ok(());
        }
        let before = self.readings(ids);
        self.rebind_readers_of(&HashSet::new());
        for (feed, source) in self.readings(ids).difference(&before) {
            self.backfill_with(*feed, *source, f64::NEG_INFINITY).await?;
        }
        Ok(())
    }

    /// Which feeds read which of these sources.
    pub(super) fn readings(&self, ids: &[SourceId]) -> BTreeSet<(FeedId, SourceId)> {
        let mut readings = BTreeSet::new();
        for card in self.desk.feeds() {
            let sources = self.desk.sources_of(card.id);
            let some = sources.into_iter().filter(|source| ids.contains(source));
            readings.extend(some.map(|source| (card.id, source)));
        }
        readings
    }

    /// The sources in a folder and in those inside it.
    pub(super) fn in_folder(&self, name: &str) -> Vec<SourceId> {
        folder_name([name]).map(|name| self.folders.lock().within(&name)).unwrap_or_default()
    }

    /// Every folder with the number of sources in it and inside it, by name.
    pub(crate) fn folder_sizes(&self) -> Vec<(String, usize)> {
        let folders = self.folders.lock();
        let size = |name: &str| (name.to_owned(), folders.within(name).len());
        folders.names().into_iter().map(size).collect()
    }

    /// Refuses a change that names a folder in which no source is, unless the feed already did.
    pub(super) fn check_folders(&self, changes: &[Change]) -> Result<(), QueryError> {
        for change in changes {
            let (body, before) = match change {
                Change::Create { body, .. } => (body, Vec::new()),
                Change::Replace { name, body } => {
                    let before = self.desk.feed(name).map(|card| card.body.sources);
                    (body, before.unwrap_or_default())
                }
                Change::Explain { .. } | Change::Rename { .. } | Change::Drop { .. } => continue,
            };
            let known = |clause: &SourceClause| {
                before.iter().any(|old| old.source.value == clause.source.value)
            };
            for clause in body.sources.iter().filter(|clause| !known(clause)) {
                self.check_folder(clause)?;
            }
        }
        Ok(())
    }

    fn check_folder(&self, clause: &SourceClause) -> Result<(), QueryError> {
        let SourceRef::Folder(name) = &clause.source.value else { return Ok(()) };
        if !self.in_folder(name).is_empty() {
            return Ok(());
        }
        let folders = self.folders.lock();
        let help = match nearest(name, folders.names()) {
            Some(near) => format!("did you mean FOLDER \"{near}\"?"),
            None => "`pergola source set ID --folder NAME` puts a source into a folder".to_owned(),
        };
        let kind = ErrorKind::UnknownFolder(name.clone());
        Err(QueryError { kind, span: clause.source.span, help: Some(help) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_sources_of_those_inside_it() {
        let mut folders = Folders::default();
        folders.put(SourceId(1), &["Tech".into()]);
        folders.put(SourceId(2), &["Tech/Rust".into(), "Friends".into()]);
        folders.put(SourceId(3), &["Technology".into()]);
        assert_eq!(folders.within("Tech"), [SourceId(1), SourceId(2)]);
        assert_eq!(folders.within("Friends"), [SourceId(2)]);
        folders.put(SourceId(2), &["Friends/Far/Away".into()]);
        assert_eq!(folders.within("Tech"), [SourceId(1)]);
        let names: Vec<&str> = folders.names().into_iter().collect();
        assert_eq!(names, ["Friends", "Friends/Far", "Friends/Far/Away", "Tech", "Technology"]);
        folders.forget(SourceId(1));
        assert!(folders.within("Tech").is_empty());
    }
}
