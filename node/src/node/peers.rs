//! What is known of the sources of a feed and of peers, for others who ask.

use std::collections::HashMap;

use pergola_feed::address::{masked, with_user};
use pergola_feed::opml::Outline;
use pergola_manners::link::Link;
use pergola_manners::source::{Credentials, Proof};
use pergola_refresh::{DAY, Source};
use pergola_store::archive::{ArchiveError, FeedId, SourceId, SourceKind, SourceRecord};

use super::Node;
use crate::select::{About, Channel};
use pergola_peers::registry::Heard;

/// A source of a feed, and what it contributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Upstream {
    pub id: SourceId,
    /// Its address as others may see it.
    pub url: String,
    /// Its address is published nowhere.
    pub private: bool,
    pub title: Option<String>,
    /// The share of its items that the feed takes; nothing while it is not known.
    pub share: Option<f64>,
    /// Items a day that it publishes, as estimated.
    pub items_per_day: Option<f64>,
    /// What is known of the peer that publishes it.
    pub link: Option<Link>,
}

/// What a channel is about: its terms with their weights, heaviest first, and how alike its items are.
pub(crate) type Learnt = (Vec<(String, f64)>, f64);

impl Node {
    /// The sources that a feed takes most from, at most `limit` of them. Blocks.
    pub fn upstreams(&self, feed: FeedId, limit: usize) -> Result<Vec<Upstream>, ArchiveError> {
        let mut upstreams = Vec::new();
        for (id, learnt) in self.desk.learnt_of(feed, self.clock.now(), limit) {
            if let Some(record) = self.archive.source(id)? {
                upstreams.push(self.upstream(id, record, learnt.known()));
            }
        }
        Ok(upstreams)
    }

    /// The names of the nodes that this one reads, by their ids.
    pub fn peer_names(&self) -> HashMap<String, String> {
        self.crawler.tools.peers.names()
    }

    /// Every source but lists, with the title it is known by; nobody's share of it is all. Blocks.
    pub fn all_upstreams(&self) -> Result<Vec<Upstream>, ArchiveError> {
        let mut upstreams = Vec::new();
        for (id, mut record) in self.archive.sources()? {
            if record.kind != SourceKind::List {
                let title = self.archive.state_alone(id)?.and_then(|state| state.title);
                record.title = record.title.or(title);
                upstreams.push(self.upstream(id, record, Some(1.0)));
            }
        }
        Ok(upstreams)
    }

    fn upstream(&self, id: SourceId, record: SourceRecord, share: Option<f64>) -> Upstream {
        let link = self.crawler.tools.peers.link(id).filter(|link| link.url == record.url);
        let items_per_day = self.crawler.mean_rate(id).map(|rate| rate * DAY);
        let (url, private) = (masked(&record.url).into_owned(), record.private);
        Upstream { id, url, private, title: record.title, share, items_per_day, link }
    }

    /// The sources as a list of subscriptions, in their folders; one that is in several is there several times.
    /// Lists are left out, but not what they name. Without `secrets`, the list may be given to others: it has no
    /// private source, and secrets in addresses are masked. Blocks.
    pub fn outlines(&self, secrets: bool) -> Result<Vec<Outline>, ArchiveError> {
        let sources = self.archive.sources()?.into_iter();
        let told =
            |record: &SourceRecord| record.kind != SourceKind::List && (secrets || !record.private);
        let mut outlines = Vec::new();
        for (id, record) in sources.filter(|(_, record)| told(record)) {
            let state = self.archive.state_alone(id)?;
            let (title, home) = state.map(|state| (state.title, state.home)).unwrap_or_default();
            let shown = |address: &str| match secrets {
                true => address.to_owned(),
                false => masked(address).into_owned(),
            };
            let url = match &record.credentials {
                Some(given) if secrets => with_credentials(&record.url, given),
                _ => shown(&record.url),
            };
            let text = record.title.or(title).unwrap_or_else(|| masked(&record.url).into_owned());
            let home = home.as_deref().map(shown);
            let page = match record.kind {
                SourceKind::Page(selectors) => Some(selectors),
                SourceKind::Feed | SourceKind::List => None,
            };
            let outline = Outline { text, feed: Some(url), home, page, children: Vec::new() };
            match record.folders.is_empty() {
                true => outlines.push(outline),
                false => record.folders.iter().for_each(|folder| {
                    put_into(&mut outlines, folder, outline.clone());
                }),
            }
        }
        Ok(outlines)
    }

    /// What the scheduler believes of every source, as stored. Blocks.
    pub fn stored_schedules(&self) -> Result<Vec<(SourceId, Source)>, ArchiveError> {
        let mut schedules = Vec::new();
        self.archive.each_state(|id, state| schedules.push((id, state.schedule)))?;
        Ok(schedules)
    }

    /// Asks peers what they have about a text.
    pub async fn search_peers(&self, text: &str, limit: u32) -> Heard {
        let named = |id, url: &str| self.crawler.names_itself(id, url);
        self.crawler.tools.peers.search(text, limit, self.clock.now(), named).await
    }

    /// What a source or feed is about by its last items, at most so many terms.
    pub(crate) fn about(&self, channel: Channel, terms: usize) -> Option<Learnt> {
        self.desk.profiles.about(channel, terms)
    }

    /// The sources and feeds that a text is most about, whoever may know them.
    pub(crate) fn most_about(&self, text: &str, limit: usize) -> Vec<About> {
        self.desk.profiles.search(text, limit)
    }
}

/// Puts a subscription into a folder, which is made if it is not there.
fn put_into(outlines: &mut Vec<Outline>, folder: &str, outline: Outline) {
    let mut inside = outlines;
    for part in folder.split('/') {
        let is_it = |other: &Outline| other.feed.is_none() && other.text == part;
        let place = inside.iter().position(is_it).unwrap_or_else(|| {
            inside.push(Outline { text: part.to_owned(), ..Outline::default() });
            inside.len() - 1
        });
        inside = &mut inside[place].children;
    }
    inside.push(outline);
}

/// An address with its user and password. Another header has no place in an address.
fn with_credentials(address: &str, given: &Credentials) -> String {
    let fits = url::Url::parse(address).is_ok_and(|url| given.are_for(&url));
    match &given.proof {
        Proof::Password { user, password } if fits => with_user(address, user, password.reveal()),
        _ => address.to_owned(),
    }
}
