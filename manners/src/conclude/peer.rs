//! The peer: what a reply tells about the node behind a source.

use super::Moment;
use crate::heard::{Carrier, HttpSide};
use crate::hints::Hints;
use crate::link::{Link, found};
use crate::reply::PeerWord;
use crate::source::SourceKind;

/// What is known of a peer after a reply.
#[derive(Debug, Default)]
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

/// What a reply tells about the peer of a source. `is_answer`: the source answered and did not refuse.
pub(super) fn met(
    before: Option<Link>,
    carrier: Carrier,
    is_answer: bool,
    kind: &SourceKind,
    read_peers: bool,
    moment: Moment,
) -> Met {
    match carrier {
        Carrier::Peer(Some(word)) => {
            let PeerWord { link, more, hints, notes, .. } = *word;
            let link = Some(link).filter(|link| before.as_ref() != Some(link));
            Met { link, new: false, more, hints, notes }
        }
        Carrier::Http(http) if is_answer && read_peers && *kind == SourceKind::Feed => {
            over_http(before, *http, moment)
        }
        _ => Met::default(),
    }
}

/// A document may say that it is a feed of another node. One that came by a redirect says nothing about
/// the source's own address.
fn over_http(before: Option<Link>, http: HttpSide, moment: Moment) -> Met {
    if !http.hops.is_empty() {
        return Met::default();
    }
    let (mut link, mut new, mut notes) = (before.clone(), false, Vec::new());
    if let Some(feed) = http.announced {
        let (known, is_new) = found(link, &http.url, feed);
        (link, new) = (Some(known), is_new);
    }
    // It answers over HTTP and not over gRPC. Had both failed, the peer would be away, which teaches nothing.
    if let (Some(link), Some(refusal)) = (&mut link, http.refusal) {
        notes.extend(link.refused(refusal, moment.now, moment.random));
    }
    let link = link.filter(|link| before.as_ref() != Some(link));
    Met { link, new, notes, ..Met::default() }
}
