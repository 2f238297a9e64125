//! An edition as a document: the newest items of a feed, in order, written in one of the forms.
//!
//! An item leaves as it came: same id, same authors, same origin; only this node and since when it
//! publishes the item are added to the nodes it has passed. The bytes depend on what is stored alone, never on when they are written.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use pergola_feed::{Document, Format, Item, Link, Millis, Origin, Text, Timestamp, write};
use pergola_query::syntax::OrderBy;

use super::document::{Kind, Rendered};
use super::negotiate::Form;
use super::shelf::{Imprint, Listing};
use crate::archive::{Archive, ArchiveError, Published, SourceId, SourceKind};
use crate::pages;

/// Renders the newest items of a feed. Blocks.
pub(super) fn render(
    archive: &Archive,
    imprint: &Imprint,
    listing: &Listing,
    form: Form,
    held: &Arc<AtomicUsize>,
) -> Result<Rendered, ArchiveError> {
    let mut published = archive.window(listing.id, listing.window)?;
    let changes = published.iter().map(|item| item.entry.at.max(item.entry.changed_at));
    let modified = changes.fold(listing.tally.changed_at, f64::max);
    let modified = (modified > 0.0).then_some(modified as i64);
    sort(&mut published, listing.order);
    let mut document = head(imprint, listing, form);
    document.updated = modified.map(Timestamp::from_unix);
    let mut origins = HashMap::new();
    for mut item in published {
        dress(&mut item, imprint);
        if item.item.origin.is_none() {
            let source = item.entry.source;
            item.item.origin = match origins.get(&source) {
                Some(known) => Option::clone(known),
                None => origins.entry(source).or_insert(origin(archive, source)?).clone(),
            };
        }
        document.items.push(item.item);
    }
    let text = match form {
        Form::Atom => write::write_atom(&document),
        Form::Rss => write::write_rss(&document),
        Form::Json => write::write_json(&document),
        Form::Page => pages::feed::page(imprint, listing, &document).into_string(),
    };
    Ok(Rendered::new(Kind::Feed(form), text, modified, held))
}

/// What a feed selects, without its name: the statement from `RETURN` on.
pub(crate) fn selection(listing: &Listing) -> &str {
    let body = listing.statement.find("RETURN").map_or("", |at| &listing.statement[at..]);
    if body.is_empty() { &listing.statement } else { body.trim_end().trim_end_matches(';') }
}

/// The document without its items.
fn head(imprint: &Imprint, listing: &Listing, form: Form) -> Document {
    let mut document = Document::new(Format::Atom);
    document.id = Some(format!("urn:pergola:feed:{}:{}", imprint.node, listing.id.0));
    document.title = Some(listing.name.clone());
    let about = format!("Selected by {}: {}", imprint.name, selection(listing));
    document.description = Some(Text::plain(about));
    let link = |rel: &str, form: Form| Link {
        media_type: Some(form.media_type().to_owned()),
        ..Link::new(rel, imprint.address(&listing.name, form))
    };
    document.links.push(link("self", form));
    document.links.push(link("alternate", Form::Page));
    document
}

/// Entries come newest first; within a source, or on the same date, they stay so.
fn sort(published: &mut [Published], order: Option<OrderBy>) {
    match order {
        None => {}
        Some(OrderBy::Published) => published.sort_by_key(|item| std::cmp::Reverse(date(item))),
        Some(OrderBy::Source) => published.sort_by_key(|item| item.entry.source),
    }
}

/// The publisher's date as far as it can be true: nothing was published after it came here.
fn date(published: &Published) -> Timestamp {
    let came = Timestamp::from_unix(published.entry.at.max(published.entry.changed_at) as i64);
    published.item.dated(came).map_or(came, |(at, _)| at)
}

/// Adds what this node has to say about an item that it publishes.
pub(crate) fn dress(published: &mut Published, imprint: &Imprint) {
    let Published { entry, item, .. } = published;
    item.first_seen.get_or_insert(Timestamp::from_unix(entry.at as i64));
    item.published_by(&imprint.node, Millis::from_seconds(entry.at));
}

/// The source that delivered an item, for items that do not say where they come from.
pub(crate) fn origin(archive: &Archive, id: SourceId) -> Result<Option<Origin>, ArchiveError> {
    let Some(source) = archive.source(id)? else { return Ok(None) };
    let (title, home) =
        archive.state_alone(id)?.map(|state| (state.title, state.home)).unwrap_or_default();
    let title = title.or(source.title);
    Ok(Some(match source.kind {
        SourceKind::Page(_) => Origin { title, home: Some(source.url), ..Origin::default() },
        SourceKind::Feed | SourceKind::List => {
            Origin { title, home, feed: Some(source.url), ..Origin::default() }
        }
    }))
}

/// The name to show for where an item comes from.
pub(crate) fn origin_name(item: &Item) -> Option<&str> {
    let origin = item.origin.as_ref()?;
    origin.title.as_deref().or(origin.home.as_deref()).or(origin.feed.as_deref())
}
