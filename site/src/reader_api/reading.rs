//! Pages of streams: ids alone, or items with their contents.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use pergola_accounts::{Cursor, Listed, Page, UserId, Wanted};
use pergola_node::node::{
    MOST_ITEMS, MOST_NUMBERS, Node, PeopleError, Stream, StreamItem, StreamPage, Subscribed,
};
use pergola_reader_api::answer::{Article, Contents, DIRECTION, ItemIds, ItemRef, Origin};
use pergola_reader_api::article::{Facts, article};
use pergola_reader_api::instant::microseconds;
use pergola_reader_api::request::{self, Scope, Selection};
use pergola_reader_api::stream::feed_id;
use pergola_reader_api::{
    FeedRef, ItemId, State as ItemState, Stream as StreamId, atom as written,
};
use pergola_store::archive::{FeedId, ItemNumber};

use super::ask;
use super::refused::Refused;
use super::streams::Addresses;
use super::who::Call;
use crate::site::Site;

/// A page of ids.
pub(super) async fn ids(State(site): State<Site>, call: Call) -> Result<Json<ItemIds>, Refused> {
    let page = Selection::read(&call.form, None, MOST_NUMBERS)?;
    let wanted = wanted(&page)?;
    let found = ask(&site, move |node| {
        Ok::<_, Refused>(match stream(node, call.id(), page.scope)? {
            Some(stream) => node.stream(call.id(), &stream, &wanted)?,
            None => Page::default(),
        })
    });
    let Page { items, next } = found.await?;
    let continuation = next.filter(|_| !items.is_empty()).map(|next| next.to_string());
    Ok(Json(ItemIds { item_refs: items.into_iter().map(item_ref).collect(), continuation }))
}

fn item_ref(item: Listed) -> ItemRef {
    ItemRef {
        id: ItemId(item.number).to_string(),
        direct_stream_ids: item.entry.map(|(feed, _)| feed_id(feed)).into_iter().collect(),
        timestamp_usec: microseconds(item.arrived),
    }
}

/// Items by their ids.
pub(super) async fn items(State(site): State<Site>, call: Call) -> Result<Json<Contents>, Refused> {
    let items = request::items(&call.form)?;
    let numbers: Vec<ItemNumber> = items.into_iter().map(|item| ItemNumber(item.0)).collect();
    let page = ask(&site, move |node| {
        let items = node.items_by_number(call.id(), &numbers)?;
        let all = StreamId::State(ItemState::ReadingList);
        shown(node, call.id(), all, StreamPage { items, next: None })
    });
    Ok(Json(page.await?))
}

/// A page of everything.
pub(super) async fn contents(
    State(site): State<Site>,
    call: Call,
) -> Result<Json<Contents>, Refused> {
    Ok(Json(page(&site, call, None).await?))
}

/// A page of the stream in the path.
pub(super) async fn contents_of(
    State(site): State<Site>,
    Path(id): Path<String>,
    call: Call,
) -> Result<Json<Contents>, Refused> {
    Ok(Json(page(&site, call, Some(id)).await?))
}

/// A page of the stream in the path, as Atom.
pub(super) async fn atom(
    State(site): State<Site>,
    Path(id): Path<String>,
    call: Call,
) -> Result<Response, Refused> {
    let text = written::document(&page(&site, call, Some(id)).await?);
    Ok(([(CONTENT_TYPE, "application/atom+xml; charset=utf-8")], text).into_response())
}

async fn page(site: &Site, call: Call, path: Option<String>) -> Result<Contents, Refused> {
    let page = Selection::read(&call.form, path.as_deref(), MOST_ITEMS)?;
    let wanted = wanted(&page)?;
    let found = ask(site, move |node| {
        let items = match stream(node, call.id(), page.scope)? {
            Some(stream) => node.stream_items(call.id(), &stream, &wanted)?,
            None => StreamPage::default(),
        };
        shown(node, call.id(), page.stream, items)
    });
    found.await
}

fn wanted(page: &Selection) -> Result<Wanted, Refused> {
    let after = page.continuation.as_deref().map(str::parse::<Cursor>).transpose();
    let after = after.map_err(|error| Refused::Bad(error.to_string()))?;
    Ok(Wanted {
        oldest_first: page.oldest_first,
        read: page.read,
        starred: page.starred,
        arrived_from: page.from,
        arrived_to: page.to,
        after,
        limit: page.limit,
    })
}

/// The stream that an app means; nothing for one that has no items.
pub(super) fn stream(
    node: &Node,
    user: UserId,
    scope: Scope,
) -> Result<Option<Stream>, PeopleError> {
    Ok(match scope {
        Scope::All => Some(Stream::All),
        Scope::Starred => Some(Stream::Starred),
        Scope::Label(name) => Some(Stream::Folder(name)),
        Scope::Feed(FeedRef::Number(number)) => Some(Stream::Feed(FeedId(number))),
        Scope::Feed(feed) => followed(node, user, &feed)?.map(|own| Stream::Feed(own.feed)),
        Scope::Nothing => None,
    })
}

/// What a user follows, by its number or address.
pub(super) fn followed(
    node: &Node,
    user: UserId,
    feed: &FeedRef,
) -> Result<Option<Subscribed>, PeopleError> {
    let addresses = Addresses::new(node);
    let is_it = |own: &Subscribed| match feed {
        FeedRef::Number(number) => own.feed.0 == *number,
        FeedRef::Address(address) => addresses.of(own).0 == *address,
    };
    Ok(node.subscriptions(user)?.into_iter().find(is_it))
}

/// Items as an answer.
fn shown(
    node: &Node,
    user: UserId,
    stream: StreamId,
    page: StreamPage,
) -> Result<Contents, Refused> {
    let followed = node.subscriptions(user)?.into_iter();
    let followed: HashMap<FeedId, Subscribed> = followed.map(|own| (own.feed, own)).collect();
    let title = match &stream {
        StreamId::Label(name) => name.clone(),
        StreamId::Feed(FeedRef::Number(number)) => {
            followed.get(&FeedId(*number)).map(|own| own.title.clone()).unwrap_or_default()
        }
        StreamId::State(state) => state.name().to_owned(),
        StreamId::Feed(_) | StreamId::Other(_) => stream.to_string(),
    };
    let continuation = page.next.filter(|_| !page.items.is_empty()).map(|next| next.to_string());
    let addresses = Addresses::new(node);
    let shown = |item: &StreamItem| shown_item(&addresses, item, followed.get(&item.feed));
    let items = page.items.iter().map(shown).collect();
    Ok(Contents {
        direction: DIRECTION,
        id: stream.to_string(),
        title,
        updated: node.clock.now() as i64,
        items,
        continuation,
    })
}

/// An item as an answer. One that is starred may be of a feed that the user does not follow any more.
fn shown_item(addresses: &Addresses, item: &StreamItem, followed: Option<&Subscribed>) -> Article {
    let (title, html_url) = match (followed, &item.published.item.origin) {
        (Some(own), _) => (own.title.clone(), addresses.of(own).1),
        (None, Some(origin)) => {
            (origin.title.clone().unwrap_or_default(), origin.home.clone().unwrap_or_default())
        }
        (None, None) => Default::default(),
    };
    let origin = Origin { stream_id: feed_id(item.feed.0), title, html_url };
    let facts = Facts {
        id: ItemId(item.number.0),
        arrived: item.published.entry.at,
        dated: item.published.entry.dated,
        read: item.read,
        starred: item.starred,
        origin,
        folders: followed.map(|own| own.folders.as_slice()).unwrap_or_default(),
    };
    article(&item.published.item, facts)
}
