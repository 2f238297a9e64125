//! Renders a feed as a document in one of the forms: an edition (the newest items, sorted by their dates), the
//! difference to an earlier edition, or a volume of the archives (both in the order of arrival).
//!
//! The bytes depend only on what is stored, never on when they are written.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use pergola_feed::{Document, Format, Item, Link, Series, Text, Timestamp, disarm, write};
use pergola_query::syntax::OrderBy;
use pergola_store::Order;
use pergola_store::archive::{Archive, ArchiveError, Published};

use super::document::{Kind, Rendered};
use super::item::Publisher;
use super::negotiate::Form;
use super::past::Contents;
use super::shelf::{Imprint, Listing};
use super::shown::format;
use super::volume::{Reach, Standing, Volume};
use pergola_pages::public::feed::{self, Masthead, Shown};

/// Volumes that the page of a feed links to; each one leads to the one before it.
const LISTED: usize = 50;

/// What a document is made of.
pub(super) struct Press<'a> {
    pub(super) archive: &'a Archive,
    pub(super) imprint: &'a Imprint,
    pub(super) listing: &'a Listing,
    pub(super) form: Form,
    pub(super) held: &'a Arc<AtomicUsize>,
}

/// A volume, or why it cannot be had.
pub(super) enum Bound {
    Volume(Box<Rendered>),
    NotYet,
    Gone { kept: Range<u64> },
}

impl Press<'_> {
    /// Renders the newest items of a feed. Blocks.
    pub(super) fn edition(&self) -> Result<Rendered, ArchiveError> {
        let Listing { id, window, tally, order, .. } = *self.listing;
        let mut published = self.archive.window(id, window)?;
        let contents = Contents::of(&published, tally.next);
        let first = published.last().map_or(contents.next, |oldest| oldest.sequence);
        sort(&mut published, order);
        let (mut document, place) = self.head(first, contents.next)?;
        let modified = self.fill(&mut document, published, tally.changed_at)?;
        Ok(self.linked(self.write(&document, &place, modified)).showing(contents))
    }

    /// Renders the entries of these numbers, which are what somebody has not yet seen of the edition
    /// that shows `contents`. Blocks.
    pub(super) fn difference(
        &self,
        numbers: &[u64],
        contents: &Contents,
    ) -> Result<Rendered, ArchiveError> {
        let mut entries = Vec::with_capacity(numbers.len());
        for number in numbers.iter().rev() {
            // What was removed meanwhile is no news any more.
            entries.extend(self.archive.entry(self.listing.id, *number)?.map(|e| (*number, e)));
        }
        let published = self.archive.with_items(entries)?;
        let (mut document, place) = self.head(contents.first(), contents.next)?;
        let modified = self.fill(&mut document, published, self.listing.tally.changed_at)?;
        Ok(self.linked(self.write(&document, &place, modified)))
    }

    /// Renders a volume. Blocks.
    pub(super) fn volume(&self, volume: Volume) -> Result<Bound, ArchiveError> {
        let feed = self.listing.id;
        let next = self.archive.feed_tally(feed)?.next;
        let reach = self.reach(next)?;
        match reach.standing(volume) {
            Standing::NotYet => return Ok(Bound::NotYet),
            Standing::Gone => return Ok(Bound::Gone { kept: reach.volumes() }),
            Standing::Kept => {}
        }
        let Range { start, end } = volume.range();
        let entries = self.archive.entries(feed, start, end, Order::Descending, usize::MAX)?;
        let published = self.archive.with_items(entries)?;
        let (before, after) = (reach.before(volume), reach.after(volume));
        let mut document = bare(self.imprint, self.listing);
        document.hints.archive = true;
        let mut link = |rel: &str, volume: Option<Volume>| {
            document.links.extend(volume.map(|volume| self.link(rel, Some(volume), self.form)));
        };
        link("self", Some(volume));
        link("prev-archive", before);
        link("next-archive", after);
        document.links.push(self.link("current", None, self.form));
        document.links.push(self.link("alternate", Some(volume), Form::Page));
        let modified = self.fill(&mut document, published, 0.0)?;
        let name = |volume: Option<Volume>| volume.map(|volume| volume.to_string());
        let place =
            Shown::Volume { name: volume.to_string(), older: name(before), newer: name(after) };
        Ok(Bound::Volume(Box::new(self.write(&document, &place, modified))))
    }

    /// The head of a document whose entries begin with `first` and end before `next`, and where people
    /// can go from there.
    fn head(&self, first: u64, next: u64) -> Result<(Document, Shown), ArchiveError> {
        let mut document = bare(self.imprint, self.listing);
        document.links.push(self.link("self", None, self.form));
        document.links.push(self.link("alternate", None, Form::Page));
        document.links.extend(self.imprint.hub_address().map(|hub| Link::new("hub", hub)));
        // Nothing is older than the first entry of all, or than nothing.
        let all = first == 0 || first == next;
        let reach = if all { Reach { oldest: first, next } } else { self.reach(next)? };
        let behind = reach.behind(first, self.listing.window as u64);
        document.links.extend(behind.map(|v| self.link("prev-archive", Some(v), self.form)));
        let whole = reach.volumes().rev().map(Volume::whole);
        let part = behind.filter(|volume| !volume.is_whole());
        let volumes = part.into_iter().chain(whole).take(LISTED).map(|volume| volume.to_string());
        Ok((document, Shown::Current { volumes: volumes.collect() }))
    }

    fn reach(&self, next: u64) -> Result<Reach, ArchiveError> {
        let oldest = self.archive.oldest(self.listing.id)?.unwrap_or(next);
        Ok(Reach { oldest: oldest.min(next), next })
    }

    fn link(&self, rel: &str, volume: Option<Volume>, form: Form) -> Link {
        let name = &self.listing.name;
        let address = match volume {
            Some(volume) => self.imprint.volume_address(name, volume, form),
            None => self.imprint.address(name, form),
        };
        Link { media_type: Some(form.media_type().to_owned()), ..Link::new(rel, address) }
    }

    /// Puts items into a document as they are published, without anything in them that could harm a reader;
    /// returns when it last changed, which is not before `changed_at`.
    fn fill(
        &self,
        document: &mut Document,
        published: Vec<Published>,
        changed_at: f64,
    ) -> Result<Option<i64>, ArchiveError> {
        let changes = published.iter().map(|item| item.entry.at.max(item.entry.changed_at));
        let modified = changes.fold(changed_at, f64::max);
        let modified = (modified > 0.0).then_some(modified as i64);
        document.updated = modified.map(Timestamp::from_unix);
        let feed = self.listing.id;
        let published = Publisher::new(self.archive, self.imprint).publish_all(feed, published)?;
        document.items.extend(published.into_iter().map(|published| published.item));
        document.series = common_series(&document.items);
        // A page disarms what it shows in its own way.
        if self.form != Form::Page {
            document.items.iter_mut().for_each(disarm);
        }
        Ok(modified)
    }

    /// A document of the feed itself names the hub in a header, too.
    fn linked(&self, rendered: Rendered) -> Rendered {
        rendered.with_links(self.imprint.links(&self.listing.name, self.form))
    }

    fn write(&self, document: &Document, place: &Shown, modified: Option<i64>) -> Rendered {
        let text = match self.form {
            Form::Atom => write::write_atom(document),
            Form::Rss => write::write_rss(document),
            Form::Json => write::write_json(document),
            Form::Page => self.page(document, place),
        };
        Rendered::new(Kind::Feed(self.form), text, modified, self.held)
    }

    fn page(&self, document: &Document, shown: &Shown) -> String {
        let name = &self.listing.name;
        let formats = Form::FEEDS.map(|form| (format(form), self.imprint.address(name, form)));
        let masthead = Masthead {
            node: &self.imprint.name,
            here: &self.imprint.node,
            feed: name,
            selection: selection(self.listing),
            formats: &formats,
        };
        feed::page(&masthead, document, shown).into_string()
    }
}

/// The series that all items belong to, if there is one: a podcast is still a podcast when it was filtered.
fn common_series(items: &[Item]) -> Option<Box<Series>> {
    let series = |item: &Item| item.origin.as_ref().and_then(|origin| origin.series.clone());
    let first = series(items.first()?)?;
    items.iter().all(|item| series(item).as_ref() == Some(&first)).then_some(first)
}

/// What a feed selects, without its name: the statement from `RETURN` on.
pub(crate) fn selection(listing: &Listing) -> &str {
    let body = listing.statement.find("RETURN").map_or("", |at| &listing.statement[at..]);
    if body.is_empty() { &listing.statement } else { body.trim_end().trim_end_matches(';') }
}

/// The document without its items and links.
fn bare(imprint: &Imprint, listing: &Listing) -> Document {
    let mut document = Document::new(Format::Atom);
    document.id = Some(format!("urn:pergola:feed:{}:{}", imprint.node, listing.id.0));
    document.title = Some(listing.name.clone());
    let about = format!("Selected by {}: {}", imprint.name, selection(listing));
    document.description = Some(Text::plain(about));
    document
}

/// The window holds the newest arrivals, the last one first. It shows them by when they were published; those of
/// one date stay in that order.
fn sort(published: &mut [Published], order: Option<OrderBy>) {
    match order {
        None | Some(OrderBy::Published) => {
            published.sort_by_key(|item| std::cmp::Reverse(published_at(item)));
        }
        Some(OrderBy::Source) => {
            published
                .sort_by_key(|item| (item.entry.source, std::cmp::Reverse(published_at(item))));
        }
    }
}

/// When an item was published: the publisher's date, if it is credible, else when the item came here. Nothing
/// that is here was published later than it came, or was last edited.
pub(crate) fn published_at(Published { entry, item, .. }: &Published) -> Timestamp {
    let known = Timestamp::from_unix(entry.at.max(entry.changed_at) as i64);
    let came = || item.first_seen.unwrap_or(Timestamp::from_unix(entry.at as i64));
    item.credible_date(known).map_or_else(came, |(at, _)| at)
}
