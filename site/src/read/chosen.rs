//! The stream that a reader has chosen, as addresses and forms name it.

use pergola_api::Code;
use pergola_node::node::{Followed, Stream};
use pergola_pages::inside::read::Chosen;
use pergola_store::archive::{FeedId, SourceId};
use serde::Deserialize;

use crate::answer::Failure;

/// The names of what can be chosen.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Named {
    feed: Option<String>,
    source: Option<String>,
    folder: Option<String>,
    starred: Option<String>,
}

impl Named {
    /// What is meant; everything if nothing is named.
    pub(super) fn chosen(&self) -> Result<Chosen, Failure> {
        Ok(match self {
            Self { feed: Some(feed), .. } => Chosen::Feed(number(feed)?),
            Self { source: Some(source), .. } => Chosen::Source(number(source)?),
            Self { folder: Some(folder), .. } => Chosen::Folder(folder.clone()),
            Self { starred: Some(_), .. } => Chosen::Starred,
            _ => Chosen::All,
        })
    }

    /// The feed or source that is meant.
    pub(super) fn followed(&self) -> Result<Followed, Failure> {
        match self.chosen()? {
            Chosen::Feed(feed) => Ok(Followed::Feed(FeedId(feed))),
            Chosen::Source(source) => Ok(Followed::Source(SourceId(source))),
            _ => Err(Failure::new(Code::BadRequest, "the form names no feed and no source")),
        }
    }
}

/// The number in a text.
pub(super) fn number<N: std::str::FromStr>(text: &str) -> Result<N, Failure> {
    text.parse().map_err(|_| {
        let text: String = text.chars().take(40).collect();
        Failure::new(Code::BadRequest, format!("`{text}` is no number of anything here"))
    })
}

/// The stream of what is chosen.
pub(super) fn stream(chosen: &Chosen) -> Stream {
    match chosen {
        Chosen::All => Stream::All,
        Chosen::Starred => Stream::Starred,
        Chosen::Feed(feed) => Stream::Feed(FeedId(*feed)),
        Chosen::Source(source) => Stream::Source(SourceId(*source)),
        Chosen::Folder(name) => Stream::Folder(name.clone()),
    }
}

/// What somebody follows, as pages name it.
pub(super) fn of(what: Followed) -> Chosen {
    match what {
        Followed::Feed(feed) => Chosen::Feed(feed.0),
        Followed::Source(source) => Chosen::Source(source.0),
    }
}
