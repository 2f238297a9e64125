//! Pulling from a peer: the pages after our cursor, as one reply.
//!
//! A peer is believed as far as it can be checked. A cursor that does not move, numbers that go backwards,
//! more entries than were asked for or another node in its place are noticed: nothing of that page is taken,
//! the cursor stays, and the source is read over HTTP for a while.
//!
//! Never: more than a few pages in memory (the rest follows in the next refresh, at once); a page taken that
//! contradicts the one before it.

mod check;

use std::time::Duration;

use pergola_feed::{Document, Format};
use pergola_manners::Cooperation;
use pergola_manners::courtesy::Span;
use pergola_manners::hints::Hints;
use pergola_manners::link::{Link, PeerQuality, Refusal};
use pergola_manners::reply::{Page, PeerReply, PeerWord};
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_proto::v1::{FetchRequest, FetchResponse};
use prost::Message;
use tokio::time::timeout_at;
use tonic::{Code, Status};
use url::Url;

use super::channel::{Line, NoConnection};
use crate::wire::MESSAGE_BYTES;
use crate::wire::{Delivered, entry_from_wire, hints_from_wire};
use check::{Checked, checked};
use pergola_outside::clock::network_now;
use pergola_outside::fetch::{FetchError, Stage};

/// Entries asked for at once.
const PAGE: u32 = 500;
/// A refresh takes no further page once it has so many entries …
const ENOUGH_ENTRIES: usize = 1_000;
/// … or so many bytes.
const ENOUGH_BYTES: usize = 8 << 20;
/// … or was answered so often.
const ENOUGH_PAGES: usize = 16;
/// Planned refreshes that are remembered of a peer.
const MOST_PLANNED: usize = 64;

/// What came of asking a peer.
#[derive(Debug)]
pub enum Pulled {
    Replied(PeerReply),
    /// The host cannot be reached, over HTTP neither.
    Unreachable(FetchError),
    /// The source should be asked over HTTP instead.
    Refused(Refusal),
}

/// Asks a peer for what came after the cursor; `now` is our clock.
pub async fn pull(
    channel: Line,
    url: &Url,
    link: &Link,
    cooperation: Cooperation,
    patience: Duration,
    now: f64,
) -> Pulled {
    let deadline = network_now() + patience;
    let mut client = SyndicationClient::new(channel).max_decoding_message_size(MESSAGE_BYTES);
    let mut gathered = Gathered::new(link.clone(), cooperation);
    let mut failed = None;
    while gathered.wants_more() {
        let request = gathered.request();
        let response = match timeout_at(deadline, client.fetch(request.clone())).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) if gathered.begins_again(&status, now) => continue,
            Ok(Err(status)) => {
                failed = Some(status);
                break;
            }
            Err(_) => {
                failed = Some(Status::deadline_exceeded("too slow to answer"));
                break;
            }
        };
        if let Err(refusal) = gathered.take(&request, response, now) {
            match gathered.pages {
                0 => return Pulled::Refused(refusal),
                // The pages before it are kept; the next refresh meets the trouble first.
                _ => break,
            }
        }
    }
    match failed {
        Some(status) if gathered.pages == 0 => failure(&status, url),
        Some(_) => gathered.replied(true),
        None => {
            let more = gathered.more;
            gathered.replied(more)
        }
    }
}

/// Pages of one refresh, so far.
struct Gathered {
    link: Link,
    cooperation: Cooperation,
    /// The first request had no cursor and asked for the newest window only.
    window_only: bool,
    had_cursor: bool,
    entries: Vec<Delivered>,
    title: Option<String>,
    bytes: usize,
    pages: usize,
    missed: u64,
    more: bool,
    hints: Option<Hints>,
    notes: Vec<String>,
}

impl Gathered {
    fn new(link: Link, cooperation: Cooperation) -> Self {
        let had_cursor = !link.cursor.is_empty();
        Self {
            window_only: !had_cursor && !link.from_oldest,
            had_cursor,
            link,
            cooperation,
            entries: Vec::new(),
            title: None,
            bytes: 0,
            pages: 0,
            missed: 0,
            more: true,
            hints: None,
            notes: Vec::new(),
        }
    }

    fn wants_more(&self) -> bool {
        self.more
            && self.pages < ENOUGH_PAGES
            && self.entries.len() < ENOUGH_ENTRIES
            && self.bytes < ENOUGH_BYTES
    }

    fn request(&self) -> FetchRequest {
        let newest = match (self.pages, self.link.cursor.is_empty()) {
            // Only the first page of a refresh skips anything.
            (0, true) if self.link.from_oldest => u32::MAX,
            (0, false) if !self.cooperation.archive => self.link.window,
            _ => 0,
        };
        FetchRequest {
            feed: self.link.feed.clone(),
            cursor: self.link.cursor.clone(),
            limit: PAGE,
            newest,
            hints: self.cooperation.hints && self.pages == 0,
        }
    }

    /// The peer does not know the cursor: the next request begins with the oldest entry kept.
    fn begins_again(&mut self, status: &Status, now: f64) -> bool {
        let unknown = status.code() == Code::InvalidArgument && self.link.begin_again(now);
        if unknown {
            self.had_cursor = false;
            let said = status.message();
            let note = format!("the peer does not know our cursor ({said}): reading starts over");
            self.notes.push(note);
        }
        unknown
    }

    fn take(
        &mut self,
        request: &FetchRequest,
        response: FetchResponse,
        now: f64,
    ) -> Result<(), Refusal> {
        let bytes = response.encoded_len();
        let Checked { newest, note } = checked(&self.link, request, &response)?;
        let FetchResponse { entries, cursor, more, hints, node, title, window, .. } = response;
        let mut taken = Vec::with_capacity(entries.len());
        for entry in entries {
            taken.push(
                entry_from_wire(entry)
                    .map_err(|error| Refusal::firm(format!("an entry cannot be read: {error}")))?,
            );
        }
        if let Some(hints) = hints {
            // Hints are useful and not needed: wrong ones are ignored.
            match hints_from_wire(hints) {
                Ok(hints) => self.hear(hints, now),
                Err(error) => self.notes.push(format!("the peer's hints make no sense: {error}")),
            }
        }
        let cut = taken.iter().filter(|entry| entry.cut).count();
        if cut > 0 {
            self.notes
                .push(format!("{cut} items are too large for a message and lack their texts"));
        }
        if self.had_cursor && !response.restarted {
            self.missed += response.skipped.saturating_add(response.expired);
        }
        self.notes.extend(note);
        if let Some(node) = node.filter(|node| !node.id.is_empty()) {
            self.link.greet(node.id, node.name, &mut self.notes);
        }
        self.title = Some(title).filter(|title| !title.is_empty()).or(self.title.take());
        if response.restarted {
            self.link.sequence = None;
        }
        self.link.sequence = newest.or(self.link.sequence);
        if window > 0 {
            self.link.window = window;
        }
        if self.link.cursor != cursor {
            self.link.moved_at = Some(now);
        }
        self.link.cursor = cursor;
        self.link.from_oldest = false;
        self.link.setback = None;
        self.entries.extend(taken);
        self.bytes += bytes;
        self.pages += 1;
        self.more = more;
        Ok(())
    }

    /// The peer's plans, by our clock.
    fn hear(&mut self, mut hints: Hints, now: f64) {
        let ahead = hints.now - now;
        hints.planned.truncate(MOST_PLANNED);
        hints.planned.iter_mut().for_each(|(at, _)| *at -= ahead);
        hints.now = now;
        if let (Some(completeness), Some(freshness)) = (hints.completeness, hints.freshness) {
            // Only what a person would notice is worth writing down.
            let rounded = |share: f64| (share * 100.0).round() / 100.0;
            let (completeness, freshness) = (rounded(completeness), rounded(freshness));
            self.link.quality = Some(PeerQuality { completeness, freshness });
        }
        self.hints = Some(hints);
    }

    fn replied(self, more: bool) -> Pulled {
        let mut document = Document::new(Format::Atom);
        document.title = self.title;
        document.items = self.entries.into_iter().rev().map(|entry| entry.item).collect();
        let word = PeerWord {
            link: self.link,
            missed: self.missed,
            more,
            must_meet: self.window_only && self.cooperation.archive,
            hints: self.hints,
            notes: self.notes,
        };
        let span = if self.window_only { Span::Window } else { Span::Changes };
        let page = Page { document, span, bytes: self.bytes as u64, word };
        Pulled::Replied(PeerReply::Page(Box::new(page)))
    }
}

/// What a call that failed means.
fn failure(status: &Status, url: &Url) -> Pulled {
    match NoConnection::in_chain(status) {
        Some(NoConnection::Unreachable(error)) => return Pulled::Unreachable(error),
        Some(not_http2) => return Pulled::Refused(Refusal::firm(not_http2.to_string())),
        None => {}
    }
    let said = || {
        let text: String = status.message().chars().take(200).collect();
        format!("{:?}: {text}", status.code())
    };
    match status.code() {
        Code::ResourceExhausted => {
            let said = status.metadata().get("retry-after").and_then(|value| value.to_str().ok());
            let retry_after = said.and_then(|text| text.trim().parse::<u64>().ok());
            let retry_after = retry_after.map(|seconds| seconds as f64);
            Pulled::Replied(PeerReply::Busy { retry_after })
        }
        Code::DeadlineExceeded => {
            Pulled::Refused(Refusal::doubtful(FetchError::timeout(url, Stage::Body).to_string()))
        }
        // It does not know what we ask for, or sends what no peer may send.
        Code::Unimplemented | Code::OutOfRange => Pulled::Refused(Refusal::firm(said())),
        _ => Pulled::Refused(Refusal::doubtful(said())),
    }
}
