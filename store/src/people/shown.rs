//! What people ask for, and what they are shown.

use std::collections::BTreeMap;

use pergola_accounts::Cursor;
use pergola_feed::address::masked;
use pergola_manners::source::{ItemNumber, SourceId};

use crate::archive::{Published, SourceCard};
use crate::records::FeedId;

/// Something that can be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Followed {
    /// A source of the node.
    Source(SourceId),
    /// A feed of the node.
    Feed(FeedId),
}

impl std::fmt::Display for Followed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Source(id) => write!(f, "source {}", id.0),
            Self::Feed(id) => write!(f, "feed {}", id.0),
        }
    }
}

/// How something is followed; `None` for its own title and the folders of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Follow {
    pub title: Option<String>,
    pub folders: Option<Vec<String>>,
}

/// Something that a user follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Subscribed {
    pub what: Followed,
    /// The feed that holds its items.
    pub feed: FeedId,
    /// What the user calls it, else its own title.
    pub title: String,
    pub folders: Vec<String>,
    /// The address of a source, unless it is private and the user no admin; without secrets.
    pub address: Option<String>,
    /// The page that a source belongs to.
    pub home: Option<String>,
    pub since: f64,
    pub unread: u32,
    /// The newest date of its items.
    pub newest: Option<f64>,
}

/// Which items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stream {
    /// Of everything that the user follows.
    All,
    /// Of a feed.
    Feed(FeedId),
    /// Of a source.
    Source(SourceId),
    /// Of a folder, and of those inside it.
    Folder(String),
    /// Those that the user has starred.
    Starred,
}

/// An item of a stream with its contents.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamItem {
    pub number: ItemNumber,
    /// The feed that holds it; of a starred item that all feeds have let go of, the one that did.
    pub feed: FeedId,
    /// What was followed that shows it.
    pub from: Followed,
    /// As this node publishes it, with its number in the feed, when it arrived and its date.
    pub published: Published,
    pub read: bool,
    pub starred: bool,
}

/// A part of a stream, with contents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamPage {
    pub items: Vec<StreamItem>,
    /// Where the next page begins, if there is more.
    pub next: Option<Cursor>,
}

/// How much is unread, each with the newest date.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unread {
    pub followed: BTreeMap<Followed, (u32, Option<f64>)>,
    pub folders: BTreeMap<String, (u32, Option<f64>)>,
    pub all: u32,
}

/// What is told of a source: title, address and page.
pub type Told = (String, Option<String>, Option<String>);

/// Title, address and page of a source, as a user may know them: only admins know where a private one is.
pub fn told_of_source(id: SourceId, card: &SourceCard, is_admin: bool) -> Told {
    let shown = is_admin || !card.private;
    let address = shown.then(|| card.url.clone());
    let title = card.title.clone().or_else(|| address.clone());
    let title = title.unwrap_or_else(|| format!("Source {}", id.0));
    let home = card.home.as_deref().filter(|_| shown);
    (title, address, home.map(|home| masked(home).into_owned()))
}
