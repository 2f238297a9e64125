//! What a refresh has taught about the peer behind a source.

use pergola_feed::{Document, Format};
use pergola_manners::decide::Observed;
use pergola_manners::hints::Hints;
use pergola_manners::link::{Link, announced, found};
use pergola_store::archive::{SourceKind, SourceRecord};

use super::{Manners, Way};
use crate::crawl::read::Body;
use crate::fetch::Page;
use crate::fetch::{Answer, FetchError};

/// What is known of a peer after a refresh.
#[derive(Default)]
pub(super) struct Met {
    /// What is known of it, if that has changed.
    pub(super) link: Option<Link>,
    /// The source has turned out to be a peer's feed.
    pub(super) new: bool,
    /// The peer has more, to be fetched at once.
    pub(super) more: bool,
    /// When it plans to have news.
    pub(super) hints: Option<Hints>,
    /// Sentences for the log.
    pub(super) notes: Vec<String>,
}

impl Met {
    #[expect(clippy::too_many_arguments, reason = "everything that a refresh knows counts")]
    pub(super) fn new(
        before: Option<Link>,
        page: Option<Box<Page>>,
        way: Way,
        answered: &Result<Answer, FetchError>,
        record: &SourceRecord,
        manners: &Manners,
        now: f64,
        random: f64,
    ) -> Self {
        if let Some(page) = page {
            let Page { link, more, hints, notes, .. } = *page;
            let link = Some(link).filter(|link| before.as_ref() != Some(link));
            return Self { link, new: false, more, hints, notes };
        }
        let (Ok(answer), Way::Http(refusal)) = (answered, way) else { return Self::default() };
        let fine = matches!(answer.status, 200 | 226 | 304) && answer.hops.is_empty();
        if !fine || !manners.peers || record.kind != SourceKind::Feed {
            return Self::default();
        }
        let (mut link, mut new, mut notes) = (before.clone(), false, Vec::new());
        if let Some(feed) = announced(answer.head.pergola_feed.as_ref()) {
            let (known, found) = found(link, &answer.url, feed);
            (link, new) = (Some(known), found);
        }
        // It answers, but not over gRPC. Had both failed, the peer would be away, and nothing is learnt.
        if let (Some(link), Some(refusal)) = (&mut link, refusal) {
            notes.extend(link.refused(refusal, now, random));
        }
        Self {
            link: link.filter(|link| before.as_ref() != Some(link)),
            new,
            notes,
            ..Self::default()
        }
    }
}

/// What a peer delivered, as the body that it stands for.
pub(super) fn delivered(page: &mut Page, status: u16, digest: u64) -> Body {
    if status == 304 {
        return Body::Unread;
    }
    let document = std::mem::replace(&mut page.document, Document::new(Format::Atom));
    // No document was shown, so the last one is still the last.
    Body::Document(Box::new(document), digest)
}

impl Page {
    /// Corrects what was observed by what the peer knows: how long the window is, and what was missed.
    /// If everything is wanted and the newest window does not meet what is known, the next refresh begins
    /// with the oldest entry that the peer keeps.
    pub(super) fn measure(&mut self, observed: &mut Observed) {
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
