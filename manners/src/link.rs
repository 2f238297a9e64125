//! What is known of the peer behind a source: where it was found, how far we have read, and whether it can
//! be read over gRPC now.
//!
//! Pure: it is told the time. A change is committed in the same batch as the items that came with it, so a
//! crash leads to the same page again, never to a gap.
//!
//! Never: a cursor dropped because of a failure. What is missed while a peer is read over HTTP comes with
//! the first page afterwards.

use http::HeaderValue;
use pergola_feed::percent;
use url::Url;

use crate::backoff::{backoff, lengthened};

/// The header by which a node says that a document is one of its feeds.
pub const ANNOUNCEMENT: &str = "pergola-feed";
/// The version of the contract that this node speaks.
const VERSION: &str = "v1";
/// Seconds for which gRPC is not used after a first failure that may pass by itself; they double.
const DOUBTFUL: f64 = 5.0;
/// The same after a failure that will not pass by itself.
const FIRM: f64 = 3_600.0;
/// The longest time for which gRPC is not used.
const LONGEST: f64 = 86_400.0;
/// The longest name of a feed, in bytes.
const LONGEST_NAME: usize = 512;

/// The peer behind a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The address at which it was found; it means nothing for another address.
    pub url: String,
    /// The feed's name at the peer.
    pub feed: String,
    /// Who the peer is, once it has answered.
    pub node: Option<PeerNode>,
    /// Where to continue; empty until the peer has answered.
    pub cursor: String,
    /// When the cursor last moved.
    pub moved_at: Option<f64>,
    /// The number of the newest entry that was delivered.
    pub sequence: Option<u64>,
    /// Items that one document of the feed shows, as the peer says.
    pub window: u32,
    /// The next page is to begin with the oldest entry that is kept.
    pub from_oldest: bool,
    /// When the peer last did not know our cursor.
    pub begun_again_at: Option<f64>,
    /// Why and until when it is read over HTTP instead.
    pub setback: Option<Setback>,
    /// What it says about its own quality.
    pub quality: Option<PeerQuality>,
}

/// A node that has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerNode {
    /// The id that items carry when they have passed it.
    pub id: String,
    /// Its name, for people.
    pub name: String,
}

/// How well a peer follows its own sources, by its own estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeerQuality {
    /// The share of their items that it has delivered.
    pub completeness: f64,
    /// The share of their windows that it holds.
    pub freshness: f64,
}

/// Why and until when a peer is read over HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct Setback {
    pub until: f64,
    /// Failures in a row.
    pub count: u32,
    /// What went wrong, in words.
    pub why: String,
}

/// The peer was asked over gRPC and could not be read that way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What went wrong, in words.
    pub why: String,
    /// It will not pass by itself.
    pub firm: bool,
    /// Another node answers there: what is known of the one before no longer counts.
    pub other_node: bool,
}

impl Refusal {
    /// Something that may pass by itself.
    pub fn doubtful(why: impl Into<String>) -> Self {
        Self { why: why.into(), firm: false, other_node: false }
    }

    /// Something that will not pass by itself.
    pub fn firm(why: impl Into<String>) -> Self {
        Self { firm: true, ..Self::doubtful(why) }
    }
}

impl Link {
    /// A peer that has just been found.
    pub fn new(url: &str, feed: String) -> Self {
        Self {
            url: url.to_owned(),
            feed,
            node: None,
            cursor: String::new(),
            moved_at: None,
            sequence: None,
            window: 0,
            from_oldest: false,
            begun_again_at: None,
            setback: None,
            quality: None,
        }
    }

    /// Whether it may be asked over gRPC now, for the source at `url`.
    pub fn is_usable(&self, url: &str, now: f64) -> bool {
        self.url == url && self.setback.as_ref().is_none_or(|setback| setback.until <= now)
    }

    /// The peer does not know our cursor: the next page begins with the oldest entry it keeps. `false` if
    /// that happened a short while ago, or a peer that forgets every cursor would be read for ever.
    pub fn begin_again(&mut self, now: f64) -> bool {
        let lately = self.begun_again_at.is_some_and(|at| now - at < FIRM);
        if self.cursor.is_empty() || lately {
            return false;
        }
        self.cursor.clear();
        (self.sequence, self.from_oldest, self.begun_again_at) = (None, true, Some(now));
        true
    }

    /// It could not be read over gRPC, and answers over HTTP. `random` in [0, 1) spreads many nodes. Returns
    /// a sentence for the log the first time.
    pub fn refused(&mut self, refusal: Refusal, now: f64, random: f64) -> Option<String> {
        let Refusal { why, firm, other_node } = refusal;
        let count = self.setback.as_ref().map_or(1, |before| before.count.saturating_add(1));
        let first = if firm { FIRM } else { DOUBTFUL };
        let wait = lengthened(backoff(first, 2.0, count).min(LONGEST), random);
        if other_node {
            (self.node, self.sequence) = (None, None);
            self.cursor.clear();
            self.from_oldest = true;
        }
        let note = (count == 1)
            .then(|| format!("cannot be read over gRPC ({why}): HTTP is used for {wait:.0} s"));
        let why = why.chars().take(300).collect();
        self.setback = Some(Setback { until: now + wait, count, why });
        note
    }

    /// The peer has said who it is.
    pub fn greet(&mut self, id: String, name: String, notes: &mut Vec<String>) {
        let name: String = name.chars().take(200).collect();
        let before = self.node.as_ref().map(|node| node.id.as_str());
        if before != Some(&id) {
            let feed = &self.feed;
            notes.push(format!("is read over gRPC from now on: feed {feed} of node {name} ({id})"));
        } else if let Some(setback) = &self.setback {
            notes.push(format!("is read over gRPC again (before: {})", setback.why));
        }
        self.node = Some(PeerNode { id, name });
    }
}

/// The feed that an answer over HTTP says it is, if its node speaks our version of the contract.
pub fn announced(header: Option<&HeaderValue>) -> Option<String> {
    let text = header?.to_str().ok()?;
    let mut versions = text.split(',').filter_map(|one| one.trim().split_once(' '));
    let (_, name) = versions.find(|(version, _)| *version == VERSION)?;
    percent::decode(name.trim()).filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME)
}

/// What is known of a source's peer after an answer over HTTP from `url` that named a feed, and whether the
/// peer is new.
pub fn found(before: Option<Link>, url: &Url, feed: String) -> (Link, bool) {
    match before.filter(|link| link.url == url.as_str()) {
        // The feed may have been renamed; its cursor still holds.
        Some(link) => (Link { feed, ..link }, false),
        None => (Link::new(url.as_str(), feed), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(header: &'static str) -> Option<String> {
        announced(Some(&HeaderValue::from_static(header)))
    }

    #[test]
    fn a_header_of_our_version_names_the_feed() {
        assert_eq!(says("v1 Volcanoes").as_deref(), Some("Volcanoes"));
        assert_eq!(says("v2 Other, v1 Caf%C3%A9%20au%20lait").as_deref(), Some("Café au lait"));
        for none in ["v2 Volcanoes", "Volcanoes", "v1 ", "v1 %4", "v1 %zz", "v1 %ff", ""] {
            assert_eq!(says(none), None, "{none}");
        }
        assert_eq!(announced(None), None);
    }

    #[test]
    fn setbacks_double_up_to_a_day_and_are_logged_once() {
        let mut link = Link::new("http://a.example/feeds/F", "F".into());
        assert!(link.refused(Refusal::doubtful("reset"), 0.0, 0.0).is_some());
        let mut waits = vec![];
        for _ in 0..20 {
            assert_eq!(link.refused(Refusal::doubtful("reset"), 0.0, 0.0), None);
            waits.push(link.setback.as_ref().unwrap().until);
        }
        assert_eq!((waits[0], waits[1], waits[19]), (10.0, 20.0, LONGEST));
        assert!(!link.is_usable(&link.url, LONGEST - 1.0) && link.is_usable(&link.url, LONGEST));
        assert!(!link.is_usable("http://a.example/other", LONGEST));
    }

    #[test]
    fn a_failure_keeps_the_cursor_and_another_node_drops_it() {
        let mut link = Link::new("http://a.example/feeds/F", "F".into());
        (link.cursor, link.sequence) = ("c7".into(), Some(7));
        link.refused(Refusal::firm("unimplemented"), 100.0, 0.5);
        assert_eq!(link.setback.as_ref().unwrap().until, 100.0 + 3_600.0 * 1.125);
        assert_eq!((link.cursor.as_str(), link.from_oldest), ("c7", false));
        link.refused(Refusal { other_node: true, ..Refusal::firm("who?") }, 100.0, 0.5);
        assert_eq!((link.cursor.as_str(), link.from_oldest, link.sequence), ("", true, None));
    }

    #[test]
    fn another_name_keeps_the_cursor_and_another_address_does_not() {
        let url = Url::parse("http://a.example/feeds/F").unwrap();
        let (mut link, new) = found(None, &url, "F".into());
        assert!(new);
        link.cursor = "c7".into();
        let (renamed, new) = found(Some(link.clone()), &url, "G".into());
        assert_eq!((renamed.feed.as_str(), renamed.cursor.as_str(), new), ("G", "c7", false));
        let elsewhere = Url::parse("http://b.example/feeds/F").unwrap();
        let (moved, new) = found(Some(link), &elsewhere, "F".into());
        assert_eq!((moved.cursor.as_str(), new), ("", true));
    }
}
