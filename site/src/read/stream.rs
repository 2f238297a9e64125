//! A page of a stream, or one item of it. Whatever is opened is read.

use std::collections::{HashMap, HashSet};

use axum::extract::{Path, Query, State};
use axum::response::Response;
use http::StatusCode;
use pergola_accounts::{Cursor, Wanted};
use pergola_api::Code;
use pergola_feed::Timestamp;
use pergola_node::node::{StreamItem, StreamPage, Subscribed, Unread};
use pergola_pages::inside::read::{self, Chosen, Inside, Nodes, Shown, Stream, View};
use pergola_store::archive::ItemNumber;
use serde::Deserialize;

use super::chosen::{self, Named, number};
use super::side::side;
use super::{pictures, search};
use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::Reader;

/// Items of a page.
const AT_ONCE: usize = 45;

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(flatten)]
    named: Named,
    /// Words to search for.
    q: Option<String>,
    /// `all` for what is read, too.
    show: Option<String>,
    after: Option<String>,
    open: Option<String>,
    note: Option<String>,
}

impl Asked {
    fn view(&self) -> Result<View, Failure> {
        let chosen = self.named.chosen()?;
        let search = self.q.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let unread_only =
            self.show.as_deref() != Some("all") && chosen != Chosen::Starred && search.is_none();
        let search = search.map(str::to_owned);
        Ok(View { chosen, unread_only, search, after: self.after.clone() })
    }
}

/// What is followed, and how much of it is unread.
type Known = (Vec<Subscribed>, Unread);

pub(super) async fn show(
    State(site): State<Site>,
    reader: Reader,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    let view = asked.view()?;
    let open = asked.open.as_deref().map(number).transpose()?.map(ItemNumber);
    let begun = site.node.clock.now();
    let found = match &view.search {
        Some(text) => search::found(&site, &reader, &view, text).await?,
        None => items(&site, &reader, &view, open).await?,
    };
    let Listed { items, next, snippets, note, wrong } = found;
    if let Some(open) = open {
        site.node.mark_read(reader.user, &[open], true).await?;
    }
    let (subscribed, unread) = known(&site, &reader, &view.chosen, &items).await?;
    let title = title(&view.chosen, &subscribed, &unread)?;
    let titles = titles(&subscribed);
    let until = until(begun, &items).filter(|_| view.search.is_none());
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let shown = |item| {
        let shown = shown(item, &titles);
        let read = shown.read || Some(shown.number) == open.map(|open| open.0);
        let snippet = snippets.get(&shown.number).cloned().unwrap_or_default();
        Shown { read, snippet, ..shown }
    };
    let stream = Stream {
        title,
        side: side(&subscribed, &unread, &view.chosen),
        items: items.into_iter().map(shown).collect(),
        view,
        open: open.map(|open| open.0),
        next,
        until,
        note: match asked.note.as_deref() {
            Some("marked") => Some("All of it is marked as read."),
            _ => note,
        },
        wrong,
    };
    let (nodes, pictures) = (nodes(&site), pictures::addresses(&site));
    let inside = Inside { nodes: &nodes, pictures: pictures.as_ref().map(|from| from as _) };
    Ok(page_with(status, &read::page(reader.visitor.viewer(), &stream, inside)))
}

/// When everything had arrived that somebody knows of who has seen these items. Arrivals are known to the millisecond.
fn until(begun: f64, items: &[StreamItem]) -> Option<f64> {
    let newest = items.iter().map(|item| item.published.entry.at).reduce(f64::max)?;
    Some((newest.max(begun) * 1000.0).ceil() / 1000.0)
}

/// The items of a page.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) items: Vec<StreamItem>,
    /// Where the next page begins.
    pub(super) next: Option<String>,
    /// Where a search has found an item, by its number: parts of its text, and which of them are marked.
    pub(super) snippets: HashMap<u64, Vec<(String, bool)>>,
    pub(super) note: Option<&'static str>,
    /// Why a search cannot be made.
    pub(super) wrong: Option<String>,
}

/// The items of a page, with the one that is to be open.
async fn items(
    site: &Site,
    reader: &Reader,
    view: &View,
    open: Option<ItemNumber>,
) -> Result<Listed, Failure> {
    let after: Option<Cursor> = match &view.after {
        Some(after) => Some(
            after.parse().map_err(|error| Failure::new(Code::BadRequest, format!("{error}")))?,
        ),
        None => None,
    };
    let read = view.unread_only.then_some(false);
    let wanted = Wanted { read, after, ..Wanted::newest(AT_ONCE) };
    let (user, stream) = (reader.user, chosen::stream(&view.chosen));
    let asked = site.ask(move |node| {
        let StreamPage { mut items, next } = node.stream_items(user, &stream, &wanted)?;
        // One that was opened before is read, and would be missing among those that are not.
        if let Some(open) = open.filter(|open| items.iter().all(|item| item.number != *open)) {
            for item in node.items_by_number(user, &[open])? {
                let dated = |item: &StreamItem| item.published.entry.dated;
                let place = items.partition_point(|other| dated(other) > dated(&item));
                items.insert(place, item);
            }
        }
        Ok(Listed { items, next: next.map(|next| next.to_string()), ..Listed::default() })
    });
    Ok(asked.await?)
}

/// What is followed, and the titles of what is shown of it: beside the items `of` something, and at these items.
async fn known(
    site: &Site,
    reader: &Reader,
    of: &Chosen,
    items: &[StreamItem],
) -> Result<Known, Failure> {
    let (user, of) = (reader.user, of.clone());
    let mut shown: HashSet<Chosen> = items.iter().map(|item| chosen::of(item.from)).collect();
    shown.insert(of.clone());
    let asked = site.ask(move |node| {
        let unread = node.unread_counts(user)?;
        let mut all = node.untold_subscriptions(user)?;
        let beside = side(&all, &unread, &of).groups;
        shown.extend(beside.into_iter().flat_map(|group| group.entries).map(|entry| entry.what));
        node.tell_of(user, &mut all, |what| shown.contains(&chosen::of(what)))?;
        Ok((all, unread))
    });
    Ok(asked.await?)
}

fn title(chosen: &Chosen, all: &[Subscribed], unread: &Unread) -> Result<String, Failure> {
    let unknown = |detail: &str| Failure::new(Code::UnknownFeed, detail);
    match chosen {
        Chosen::All => Ok("All items".to_owned()),
        Chosen::Starred => Ok("Starred".to_owned()),
        Chosen::Folder(name) if unread.folders.contains_key(name) => Ok(name.clone()),
        Chosen::Folder(_) => Err(unknown("you have no folder of this name")),
        Chosen::Feed(_) | Chosen::Source(_) => {
            let found = all.iter().find(|one| chosen::of(one.what) == *chosen);
            let found = found.ok_or_else(|| unknown("you do not follow this"))?;
            Ok(found.title.clone())
        }
    }
}

fn titles(all: &[Subscribed]) -> HashMap<Chosen, &str> {
    all.iter().map(|one| (chosen::of(one.what), one.title.as_str())).collect()
}

fn shown(item: StreamItem, titles: &HashMap<Chosen, &str>) -> Shown {
    let from = chosen::of(item.from);
    // What is followed no more still has a name.
    let origin = || item.published.item.origin.as_ref()?.title.as_deref();
    let from_title = titles.get(&from).copied().or_else(origin).unwrap_or_default().to_owned();
    Shown {
        number: item.number.0,
        from_title,
        source: item.published.entry.source.0,
        dated: Timestamp::from_unix(item.published.entry.dated as i64),
        item: item.published.item,
        from,
        read: item.read,
        starred: item.starred,
        snippet: Vec::new(),
    }
}

fn nodes(site: &Site) -> Nodes {
    Nodes { here: site.node.id(), names: site.node.peer_names() }
}

/// One item on a page of its own.
pub(super) async fn show_item(
    State(site): State<Site>,
    reader: Reader,
    Path(named): Path<String>,
) -> Result<Response, Failure> {
    let number = ItemNumber(number(&named)?);
    let user = reader.user;
    let (found, subscribed) = site
        .ask(move |node| {
            let found = node.items_by_number(user, &[number])?;
            let mut subscribed = node.untold_subscriptions(user)?;
            node.tell_of(user, &mut subscribed, |what| found.iter().any(|one| one.from == what))?;
            Ok((found, subscribed))
        })
        .await?;
    let detail = "there is no such item, or nothing that you follow shows it";
    let missing = || Failure::new(Code::NoSuchRoute, detail);
    let item = found.into_iter().next().ok_or_else(missing)?;
    site.node.mark_read(reader.user, &[number], true).await?;
    let shown = Shown { read: true, ..shown(item, &titles(&subscribed)) };
    let view = View { chosen: shown.from.clone(), unread_only: true, search: None, after: None };
    let (nodes, pictures) = (nodes(&site), pictures::addresses(&site));
    let inside = Inside { nodes: &nodes, pictures: pictures.as_ref().map(|from| from as _) };
    Ok(page(&read::item_page(reader.visitor.viewer(), &shown, &view, inside)))
}
