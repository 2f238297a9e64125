//! Items and documents: the one vocabulary that every reader fills and every writer prints.
//!
//! Why one model for three formats: an item that came in as RSS must leave as JSON Feed without
//! anybody asking where it came from. Invariants: texts are trimmed and never empty (an empty text
//! is `None`), links are absolute wherever a base was known, and nothing here was looked up from a
//! clock; first-seen times are told by whoever fetched.

mod hop;
mod ids;
mod item;
mod normal;
mod timestamp;

use serde::{Deserialize, Serialize};

pub use hop::{Hop, Millis};
pub use ids::{ItemId, NodeId, digest};
pub use item::{Category, Dated, Enclosure, Item, Link, Origin, Person, Text, TextKind};
pub(crate) use normal::media_type;
pub use timestamp::Timestamp;

/// The dialect a document was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// RSS 0.90 to 0.94 (and RSS without a version).
    Rss0,
    /// RSS 1.0, that is RDF.
    Rss1,
    /// RSS 2.0 and 2.01.
    Rss2,
    /// Atom 0.3.
    Atom03,
    /// Atom 1.0.
    Atom,
    /// JSON Feed 1.0 or 1.1.
    Json,
    /// An HTML page read by selectors or annotations.
    Html,
}

impl Format {
    /// The name people know the format by.
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

/// What one fetch shows: the feed's own data and the window of items it offers at that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The dialect that was read (ignored by the writers).
    pub format: Format,
    /// The feed's own id, if it has one.
    pub id: Option<String>,
    /// The feed's title.
    pub title: Option<String>,
    /// What the feed is about.
    pub description: Option<Text>,
    /// The feed's links: the site (`alternate`), `self`, `hub`, `prev-archive`, and so on.
    pub links: Vec<Link>,
    /// Who writes the feed.
    pub authors: Vec<Person>,
    /// The language tag, as given.
    pub language: Option<String>,
    /// When the feed says that it last changed.
    pub updated: Option<Timestamp>,
    /// What the publisher says about when to come back.
    pub hints: Hints,
    /// The window of items, in the document's order.
    pub items: Vec<Item>,
    /// What was repaired or lost on the way, in words.
    pub warnings: Vec<String>,
}

impl Document {
    /// An empty document, to be filled.
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
            hints: Hints::default(),
            items: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The first link with this relation.
    pub fn link(&self, rel: &str) -> Option<&str> {
        self.links.iter().find(|link| link.rel == rel).map(|link| link.href.as_str())
    }

    /// All links with this relation (a feed may name several hubs).
    pub fn links_with<'a>(&'a self, rel: &'a str) -> impl Iterator<Item = &'a str> {
        self.links.iter().filter(move |link| link.rel == rel).map(|link| link.href.as_str())
    }

    /// The page that the feed belongs to.
    pub fn home(&self) -> Option<&str> {
        self.link("alternate")
    }

    /// The WebSub hub, if the feed names one.
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

    /// The newest change among the items: what `Last-Modified` should say.
    pub fn newest_change(&self) -> Option<Timestamp> {
        self.items.iter().filter_map(|item| item.updated.max(item.published)).max()
    }
}

/// What a publisher says about when to look again; every one is a lower bound on politeness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// RSS `ttl`: minutes that a copy may be kept.
    pub ttl_minutes: Option<u32>,
    /// `sy:updatePeriod` divided by `sy:updateFrequency`, in seconds.
    pub update_period_seconds: Option<u64>,
    /// Hours of the day (UTC) in which nobody should ask.
    pub skip_hours: Vec<u8>,
    /// Days of the week in which nobody should ask, Monday being 0.
    pub skip_days: Vec<u8>,
    /// The document is an archive that will never change (`fh:archive`).
    pub archive: bool,
    /// The document holds the whole feed (`fh:complete`).
    pub complete: bool,
    /// The feed will never change again (JSON Feed `expired`).
    pub expired: bool,
}
