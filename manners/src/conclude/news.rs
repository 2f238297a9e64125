//! News: what a document has that was not known.

use pergola_feed::{Item, NodeId};

use crate::decide::{Before, Decision, News, Observed, decide};
use crate::heard::{Carrier, Heard, Said};
use crate::loops::Returned;
use crate::reply::PeerWord;
use crate::source::{Known, NOT_KEPT, SourceRecord};

/// What was found in a reply; nothing unless it was a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) observed: Option<Observed>,
    pub(super) known: Option<Known>,
    pub(super) news: Vec<News>,
    /// Why items are told apart in another way from now on, for the log.
    pub(super) degraded: Option<String>,
    pub(super) returned: Option<Returned>,
}

impl Found {
    pub(super) fn new_items(&self) -> u32 {
        self.observed.as_ref().map_or(0, |observed| observed.new_items)
    }

    /// What a first document shows was there before its source was added: it is known from now on, but is
    /// neither kept nor published, also not when it is edited.
    pub(super) fn count_as_old(&mut self) {
        self.news.clear();
        let items = self.known.iter_mut().flat_map(|known| &mut known.items);
        items.for_each(|item| item.chunk = NOT_KEPT);
    }

    /// Whether a document was read.
    pub(super) fn has_document(&self) -> bool {
        self.known.is_some()
    }
}

/// Compares a document with what was known of its source; `older` is what archives add to it.
pub(super) fn found(
    heard: &mut Heard,
    known: Known,
    older: Vec<Item>,
    source: &SourceRecord,
    node: &NodeId,
    now: f64,
) -> Found {
    let Said::Document(told) = &mut heard.said else { return Found::default() };
    let judged = matches!(heard.carrier, Carrier::Peer(_));
    let SourceRecord { url, origin, .. } = source;
    let before = Before { known, url, origin: *origin, node, span: told.span, judged, older };
    let Decision { known, news, mut observed, degraded, returned } =
        decide(&mut told.document, before, now);
    if let Carrier::Peer(Some(word)) = &mut heard.carrier {
        word.correct(&mut observed);
    }
    Found {
        observed: Some(observed),
        known: Some(known),
        news,
        degraded: degraded.map(|degraded| degraded.reason),
        returned: Some(returned),
    }
}

impl Carrier {
    /// Entries that a peer knows we have missed, if it was a peer that answered.
    pub(super) fn missed(&self) -> Option<u64> {
        match self {
            Self::Peer(Some(word)) => Some(word.missed),
            _ => None,
        }
    }
}

impl PeerWord {
    /// Corrects what was observed by what the peer knows: how long the window is, and what was missed. If
    /// everything is wanted and the newest window shows no known item, the next page begins with the oldest
    /// entry that the peer keeps.
    fn correct(&mut self, observed: &mut Observed) {
        let published = self.link.sequence.map_or(0, |newest| newest.saturating_add(1));
        let shown = u64::from(self.link.window).min(published);
        observed.window = u32::try_from(shown).unwrap_or(u32::MAX);
        if self.must_meet && observed.censored {
            self.link.cursor.clear();
            self.link.sequence = None;
            self.link.from_oldest = true;
            (self.more, observed.censored) = (true, false);
        }
        observed.censored |= self.missed > 0;
    }
}
