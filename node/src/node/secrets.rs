//! What only the operator may know of sources: their credentials, and addresses that are nobody's business.
//!
//! An address with a user and a password is split wherever it enters. Its stored form has neither, so it can be
//! shown, compared and printed like any other.
//!
//! Never: a password in a stored address or query; the address of a private source in what others see.

use std::time::Duration;

use pergola_feed::address::{is_masked, masked, masked_in, take_user};
use pergola_manners::source::{Credentials, Proof};
use pergola_query::syntax::{FeedBody, SourceRef};
use pergola_store::archive::{Commit, SourceId, SourceRecord};
use url::Url;

use super::lists::peer_address;
use super::{Node, SourceError, StartError};
use crate::select::statement;

/// How long a change of a source waits for its refresh to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a query shows instead of the address of a private source.
const PRIVATE: &str = "(a private source)";

/// What is to be changed of a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceEdit {
    /// Its title; `Some(None)` takes the one that it gives itself.
    pub title: Option<Option<String>>,
    /// What one of its items is worth.
    pub importance: Option<f32>,
    /// Whether nobody asks it until further notice.
    pub halted: Option<bool>,
    /// Whether its address is published nowhere.
    pub private: Option<bool>,
    /// What its origin is shown from now on; `Some(None)` forgets it.
    pub proof: Option<Option<Proof>>,
}

impl Node {
    /// Changes what is said of a source, what it is shown, who may know its address, and whether it is asked.
    pub async fn edit_source(&self, id: SourceId, edit: SourceEdit) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        let unknown = || SourceError::Unknown(id.0.to_string());
        self.archive.source(id)?.ok_or_else(unknown)?;
        // A refresh under way would store the source as it was when it began.
        let waited = tokio::time::timeout(PATIENCE, self.crawler.alone_with(id)).await;
        let _alone = waited.map_err(|_| SourceError::Busy(id.0.to_string()))?;
        let mut record = self.archive.source(id)?.ok_or_else(unknown)?;
        let before = record.clone();
        record.private = edit.private.unwrap_or(record.private);
        record.title = edit.title.unwrap_or(record.title);
        record.importance = edit.importance.unwrap_or(record.importance);
        if let Some(proof) = edit.proof {
            let url = Url::parse(&record.url).map_err(|error| bad(&record.url, error))?;
            record.credentials = proof.map(|proof| Credentials::new(&url, proof));
            // Who gives credentials for an address means that address.
            if record.credentials.is_some() && record.named_address() != record.url {
                record.name_here();
            }
        }
        self.set_halted(id, &record, edit.halted).await?;
        if record == before {
            return Ok(());
        }
        let mut commit = Commit::new();
        commit.source(id).put_record(&record);
        self.commit(commit).await?;
        if record.importance != before.importance {
            self.crawler.set_importance(id, record.importance);
            self.weigh([id]);
        }
        if record.private != before.private {
            self.note_privacy(id, record.private);
            self.publish_anew()?;
        }
        Ok(())
    }

    /// Pauses a source until further notice, or resumes it.
    async fn set_halted(
        &self,
        id: SourceId,
        record: &SourceRecord,
        halted: Option<bool>,
    ) -> Result<(), SourceError> {
        let unknown = || SourceError::Unknown(id.0.to_string());
        let mut state = self.archive.state_alone(id)?.ok_or_else(unknown)?;
        let Some(halted) = halted.filter(|halted| *halted != state.courtesy.halted) else {
            return Ok(());
        };
        state.courtesy.halted = halted;
        let mut commit = Commit::new();
        commit.source(id).put_state(&state);
        self.commit(commit).await?;
        if let Ok(url) = Url::parse(&record.url) {
            self.crawler.halt(id, &url, &state);
        }
        Ok(())
    }

    /// A source is private from now on, or no longer.
    pub(super) fn note_privacy(&self, id: SourceId, private: bool) {
        let mut known = self.private.lock();
        if private {
            known.insert(id)
        } else {
            known.remove(&id)
        };
    }

    /// Renders every feed anew, because what may be told of its sources has changed.
    pub(super) fn publish_anew(&self) -> Result<(), SourceError> {
        for card in self.desk.feeds() {
            let tally = self.archive.feed_tally(card.id)?;
            self.shelve(card.id, &card.name, &card.body, tally);
        }
        Ok(())
    }

    /// The statement that makes a feed, as others may see it.
    pub(super) fn public_statement(&self, name: &str, body: &FeedBody) -> String {
        let hidden = |clause: &SourceRef| self.is_private(clause).then(|| PRIVATE.to_owned());
        let text = if self.private.lock().is_empty() {
            statement(name, body)
        } else {
            statement(name, &readdressed(body, hidden))
        };
        masked_in(&text).into_owned()
    }

    /// Whether a clause of a query names a private source.
    fn is_private(&self, clause: &SourceRef) -> bool {
        let id = match clause {
            SourceRef::Url(url) | SourceRef::Opml(url) => self.at(url),
            SourceRef::Peer { node, feed } => self.at(&peer_address(node, feed)),
            _ => None,
        };
        id.is_some_and(|id| self.private.lock().contains(&id))
    }

    /// A query in which addresses that were shown with masked secrets are the real ones again.
    pub(super) fn unmasked(&self, body: &FeedBody) -> Result<FeedBody, SourceError> {
        let is_masked = |clause: &SourceRef| address(clause).is_some_and(is_masked);
        if !body.sources.iter().any(|clause| is_masked(&clause.source.value)) {
            return Ok(body.clone());
        }
        let mut known = Vec::new();
        self.archive.each_source(|_, record| known.push(record.url))?;
        let real = |clause: &SourceRef| {
            let shown = address(clause).filter(|_| is_masked(clause))?;
            let mut same = known.iter().filter(|url| masked(url) == shown);
            same.next().filter(|_| same.next().is_none()).cloned()
        };
        Ok(readdressed(body, real))
    }

    /// Stores sources whose passwords were split from their addresses.
    pub(super) async fn store_split(
        &self,
        split: &[(SourceId, SourceRecord)],
    ) -> Result<(), StartError> {
        let mut commit = Commit::new();
        split.iter().for_each(|(id, record)| commit.source(*id).put_record(record));
        if commit.is_empty() { Ok(()) } else { Ok(self.commit(commit).await?) }
    }
}

/// Takes the password out of the addresses of a source that an earlier version stored.
pub(super) fn split_password(record: &mut SourceRecord) -> bool {
    let SourceRecord { url, formerly, credentials, .. } = record;
    let mut split = false;
    for address in std::iter::once(url).chain(formerly).filter(|address| address.contains('@')) {
        let Ok(mut url) = Url::parse(address) else { continue };
        if let Some(taken) = Credentials::taken_from(&mut url) {
            credentials.get_or_insert(taken);
            *address = url.into();
            split = true;
        }
    }
    split
}

/// A query without the users and passwords in its addresses; nothing if it has none.
pub(super) fn without_passwords(body: &FeedBody) -> Option<FeedBody> {
    let open = readdressed(body, |clause| {
        let mut url = Url::parse(address(clause)?).ok()?;
        take_user(&mut url).map(|_| url.into())
    });
    (open != *body).then_some(open)
}

/// The query with other addresses, where there are others.
fn readdressed(body: &FeedBody, other: impl Fn(&SourceRef) -> Option<String>) -> FeedBody {
    let mut body = body.clone();
    for clause in &mut body.sources {
        let Some(new) = other(&clause.source.value) else { continue };
        match &mut clause.source.value {
            SourceRef::Url(url) | SourceRef::Opml(url) => *url = new,
            SourceRef::Peer { node, .. } => *node = new,
            _ => {}
        }
    }
    body
}

/// The address in a clause.
fn address(clause: &SourceRef) -> Option<&str> {
    match clause {
        SourceRef::Url(url) | SourceRef::Opml(url) => Some(url),
        SourceRef::Peer { node, .. } => Some(node),
        _ => None,
    }
}

fn bad(url: &str, error: url::ParseError) -> SourceError {
    SourceError::BadUrl { url: masked(url).into_owned(), reason: error.to_string() }
}
