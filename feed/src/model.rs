//! Items and documents: every reader fills them and every writer prints them.
//!
//! One model serves all formats, so that an item read from RSS can be written as JSON Feed.
//! Invariants: texts are trimmed and never empty (an empty text is `None`), links are absolute where
//! a base is known, and nothing comes from a clock (the fetcher sets the first-seen times).

mod hop;
mod ids;
mod item;
mod media;
mod normal;
mod person;

use serde::Serialize;

use crate::time::Timestamp;
pub use hop::Hop;
pub use ids::{ItemId, NodeId, OriginId, digest, digest_after};
pub use item::{Category, Dated, Enclosure, Item, Link, Origin, Text, TextKind};
pub use media::{Credit, Details, Media, Picture, Series};
pub(crate) use normal::media_type;
pub use person::Person;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// RSS 0.90 to 0.94, and RSS without a version.
    Rss0,
    /// RSS 1.0 (RDF).
    Rss1,
    /// RSS 2.0 and 2.01.
    Rss2,
    Atom03,
    Atom,
    /// JSON Feed 1.0 or 1.1.
    Json,
    /// An HTML page, read by selectors or annotations.
    Html,
}

impl Format {
    /// The usual name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rss0 => "RSS 0.9x",
            Self::Rss1 => "RSS 1.0",
            Self::Rss2 => "RSS 2.0",
            Self::Atom03 => "Atom 0.3",
            Self::Atom => "Atom 1.0",
            Self::Json => "JSON Feed",
            Self::Html => "HTML",
        }
    }
}

/// The content of one fetch: the feed's own data and its current window of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The format that was read; writers ignore it.
    pub format: Format,
    pub id: Option<String>,
    pub title: Option<String>,
    pub description: Option<Text>,
    /// Links of the feed: its page (`alternate`), `self`, `hub`, `prev-archive`, and so on.
    pub links: Vec<Link>,
    pub authors: Vec<Person>,
    /// The language tag as published.
    pub language: Option<String>,
    /// When the publisher says the feed last changed.
    pub updated: Option<Timestamp>,
    /// The series that its items belong to.
    pub series: Option<Box<Series>>,
    /// What the publisher says about when to refresh.
    pub hints: Hints,
    /// In the order of the document.
    pub items: Vec<Item>,
    /// It ends in the middle of its last item, so that item said more than can be read.
    pub cut_off: bool,
    /// What was repaired or lost.
    pub warnings: Vec<String>,
}

impl Document {
    /// An empty document.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            id: None,
            title: None,
            description: None,
            links: Vec::new(),
            authors: Vec::new(),
            language: None,
            updated: None,
            series: None,
            hints: Hints::default(),
            items: Vec::new(),
            cut_off: false,
            warnings: Vec::new(),
        }
    }

    /// The first link with this relation.
    pub fn link(&self, rel: &str) -> Option<&str> {
        self.links.iter().find(|link| link.rel == rel).map(|link| link.href.as_str())
    }

    /// All links with this relation; a feed may have several hubs.
    pub fn links_with<'a>(&'a self, rel: &'a str) -> impl Iterator<Item = &'a str> {
        self.links.iter().filter(move |link| link.rel == rel).map(|link| link.href.as_str())
    }

    /// The page that the feed belongs to.
    pub fn home(&self) -> Option<&str> {
        self.link("alternate")
    }

    /// The first WebSub hub.
    pub fn hub(&self) -> Option<&str> {
        self.link("hub")
    }

    /// The document's own address, which is also the WebSub topic.
    pub fn self_link(&self) -> Option<&str> {
        self.link("self")
    }

    /// The next older part of the feed (RFC 5005), archived or paged.
    pub fn older(&self) -> Option<&str> {
        self.link("prev-archive").or_else(|| self.link("next"))
    }

    /// The newest change among the items, for `Last-Modified`.
    pub fn newest_change(&self) -> Option<Timestamp> {
        self.items.iter().filter_map(|item| item.updated.max(item.published)).max()
    }
}

/// What a publisher says about when to refresh. Each hint sets a minimum for politeness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// RSS `ttl`: minutes for which a copy is valid.
    pub ttl_minutes: Option<u32>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`, in seconds.
    pub update_period_seconds: Option<u64>,
    /// Hours of the day (UTC) without refreshes.
    pub skip_hours: Vec<u8>,
    /// Days of the week without refreshes; Monday is 0.
    pub skip_days: Vec<u8>,
    /// The document is an archive and will never change (`fh:archive`).
    pub archive: bool,
    /// The document contains the whole feed (`fh:complete`).
    pub complete: bool,
    /// The feed will never change again (JSON Feed `expired`).
    pub expired: bool,
}
