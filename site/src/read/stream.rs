//! A page of a stream, or one item of it. Whatever is opened is read.

use std::collections::HashMap;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use pergola_accounts::{Cursor, Wanted};
use pergola_api::Code;
use pergola_feed::Timestamp;
use pergola_node::node::{StreamItem, StreamPage, Subscribed, Unread};
use pergola_pages::inside::read::{self, Chosen, Nodes, Shown, Stream, View};
use pergola_store::archive::ItemNumber;
use serde::Deserialize;

use super::chosen::{self, Named, number};
use super::side::side;
use crate::answer::{Failure, page};
use crate::site::Site;
use crate::visitor::Reader;

/// Items of a page.
const AT_ONCE: usize = 50;

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(flatten)]
    named: Named,
    /// `all` for what is read, too.
    show: Option<String>,
    after: Option<String>,
    open: Option<String>,
    note: Option<String>,
}

impl Asked {
    fn view(&self) -> Result<View, Failure> {
        let chosen = self.named.chosen()?;
        let unread_only = self.show.as_deref() != Some("all") && chosen != Chosen::Starred;
        Ok(View { chosen, unread_only, after: self.after.clone() })
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
    let (items, next) = items(&site, &reader, &view, open).await?;
    if let Some(open) = open {
        site.node.mark_read(reader.user, &[open], true).await?;
    }
    let (subscribed, unread) = known(&site, &reader).await?;
    let title = title(&view.chosen, &subscribed, &unread)?;
    let titles = titles(&subscribed);
    let until = until(begun, &items);
    let shown = |item| {
        let shown = shown(item, &titles);
        let read = shown.read || Some(shown.number) == open.map(|open| open.0);
        Shown { read, ..shown }
    };
    let stream = Stream {
        title,
        side: side(&subscribed, &unread, &view.chosen),
        items: items.into_iter().map(shown).collect(),
        view,
        open: open.map(|open| open.0),
        next: next.map(|next| next.to_string()),
        until,
        note: match asked.note.as_deref() {
            Some("marked") => Some("All of it is marked as read."),
            _ => None,
        },
    };
    Ok(page(&read::page(reader.visitor.viewer(), &stream, &nodes(&site))))
}

/// When everything had arrived that somebody knows of who has seen these items. Arrivals are known to the millisecond.
fn until(begun: f64, items: &[StreamItem]) -> Option<f64> {
    let newest = items.iter().map(|item| item.published.entry.at).reduce(f64::max)?;
    Some((newest.max(begun) * 1000.0).ceil() / 1000.0)
}

/// The items of a page, with the one that is to be open, and where the next page begins.
async fn items(
    site: &Site,
    reader: &Reader,
    view: &View,
    open: Option<ItemNumber>,
) -> Result<(Vec<StreamItem>, Option<Cursor>), Failure> {
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
        Ok((items, next))
    });
    Ok(asked.await?)
}

async fn known(site: &Site, reader: &Reader) -> Result<Known, Failure> {
    let user = reader.user;
    Ok(site.ask(move |node| Ok((node.subscriptions(user)?, node.unread_counts(user)?))).await?)
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
        dated: Timestamp::from_unix(item.published.entry.dated as i64),
        item: item.published.item,
        from,
        read: item.read,
        starred: item.starred,
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
        .ask(move |node| Ok((node.items_by_number(user, &[number])?, node.subscriptions(user)?)))
        .await?;
    let detail = "there is no such item, or nothing that you follow shows it";
    let missing = || Failure::new(Code::NoSuchRoute, detail);
    let item = found.into_iter().next().ok_or_else(missing)?;
    site.node.mark_read(reader.user, &[number], true).await?;
    let shown = Shown { read: true, ..shown(item, &titles(&subscribed)) };
    let view = View { chosen: shown.from.clone(), unread_only: true, after: None };
    Ok(page(&read::item_page(reader.visitor.viewer(), &shown, &view, &nodes(&site))))
}
