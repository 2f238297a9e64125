//! The feeds of a node by name.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, QueryError};
use crate::syntax::{FeedBody, Name, SourceRef, Spanned};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Feeds(BTreeMap<String, FeedBody>);

impl Feeds {
    pub(super) fn get(&self, name: &str) -> Option<&FeedBody> {
        self.0.get(name)
    }

    /// All names in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn bodies_mut(&mut self) -> impl Iterator<Item = &mut FeedBody> {
        self.0.values_mut()
    }

    /// The feeds that read the feed `name`.
    pub(super) fn readers(&self, name: &str) -> impl Iterator<Item = &str> {
        let reads = move |body: &FeedBody| read_feeds(body).any(|(other, _)| other == name);
        self.0.iter().filter(move |(_, body)| reads(body)).map(|(name, _)| name.as_str())
    }

    pub(super) fn insert(&mut self, name: String, body: FeedBody) {
        self.0.insert(name, body);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<FeedBody> {
        self.0.remove(name)
    }

    pub(super) fn must_exist(&self, name: &Name) -> Result<&FeedBody, QueryError> {
        self.get(&name.value).ok_or_else(|| {
            let kind = ErrorKind::UnknownFeed(name.value.clone());
            let error = QueryError::new(kind, name.span);
            error.nearest_of(&name.value, self.names(), str::to_owned)
        })
    }

    pub(super) fn must_be_free(&self, name: &Name) -> Result<(), QueryError> {
        if self.get(&name.value).is_none() {
            return Ok(());
        }
        let error = QueryError::new(ErrorKind::FeedExists(name.value.clone()), name.span);
        Err(error.help(format!("to change it, write ALTER FEED {}", name.value)))
    }
}

/// The feeds that a feed reads, each with its source.
pub(super) fn read_feeds(body: &FeedBody) -> impl Iterator<Item = (&str, &Spanned<SourceRef>)> {
    body.sources.iter().filter_map(|clause| match &clause.source.value {
        SourceRef::Feed(name) => Some((name.as_str(), &clause.source)),
        _ => None,
    })
}
