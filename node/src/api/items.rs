//! The items of a feed by their numbers, also those that are still to come.
//!
//! Numbers begin at 1 here, so that 0 stands before the first item.

use std::sync::Arc;
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use pergola_feed::{Hop, Item, Millis};
use pergola_store::archive::{FeedId, Published};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked::{Asking, Named, bad_request};
use super::feeds::card;
use super::work::blocking;
use crate::access::Caller;
use crate::node::Node;
use crate::publish::Problem;

/// Items told at once.
const PAGE: usize = 100;
/// … at most.
const LARGEST_PAGE: usize = 1_000;
/// Seconds that an answer is held at most.
const LONGEST_WAIT: f64 = 30.0;

/// Which items are told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Only those after this number; without it, the newest.
    after: Option<u64>,
    /// At most so many: 100 unless told, 1000 at most.
    limit: Option<usize>,
    /// Holds the answer for so many seconds, 30 at most, until there is an item.
    wait: Option<f64>,
}

/// Some items.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ItemPage {
    /// Oldest first.
    items: Vec<PublishedItem>,
    /// Go on after this number.
    next: u64,
}

/// An item as a feed published it.
#[derive(Debug, Serialize, ToSchema)]
struct PublishedItem {
    /// Its number in the feed.
    sequence: u64,
    /// When it was published here, in Unix seconds.
    at: f64,
    /// What identifies it.
    id: String,
    /// Its title.
    title: Option<String>,
    /// The page it is about.
    link: Option<String>,
    /// When its publisher says that it was published, in Unix seconds.
    published: Option<i64>,
    /// The name or address of the feed it comes from.
    source: Option<String>,
    /// The number of the source that delivered it.
    source_id: u32,
    /// The nodes it has passed, oldest first; this node is the last.
    hops: Vec<PassedNode>,
    /// Seconds from its publication at the first of them to its delivery here; nothing if it came by
    /// no other node.
    age: Option<f64>,
}

/// A node that an item has passed, with the times of that node's clock.
#[derive(Debug, Serialize, ToSchema)]
struct PassedNode {
    /// The node's id.
    node: String,
    /// When it got the item, in Unix seconds.
    fetched: Option<f64>,
    /// When it published the item, in Unix seconds.
    published: Option<f64>,
    /// Seconds that the item took to it: since its publication at the node before, or by its publisher.
    age: Option<f64>,
}

/// The items of a feed after a number, or the newest.
#[utoipa::path(get, path = "/api/v1/feeds/{name}/items", params(("name" = String, Path), Which),
    responses((status = 200, body = ItemPage), (status = 400, body = Problem),
        (status = 404, body = Problem)))]
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Asking(which): Asking<Which>,
) -> Result<Answer<ItemPage>, Problem> {
    let limit = which.limit.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(bad_request(format!("`limit` must be from 1 to {LARGEST_PAGE}")));
    }
    let wait = which.wait.unwrap_or(0.0);
    if !(0.0..=LONGEST_WAIT).contains(&wait) {
        return Err(bad_request(format!("`wait` must be from 0 to {LONGEST_WAIT} seconds")));
    }
    let feed = card(&node, &caller, &name)?.id;
    if wait > 0.0 {
        let after = which.after.unwrap_or(0);
        // Nothing new in time is an answer, too.
        let _ = tokio::time::timeout(Duration::from_secs_f64(wait), more(&node, feed, after)).await;
        // It may have been closed or dropped meanwhile.
        card(&node, &caller, &name)?;
    }
    blocking(node.blocking(), move || page(&node, feed, which.after, limit).map(Answer)).await
}

/// Waits until a feed has come further than a number, or nothing will come any more.
async fn more(node: &Node, feed: FeedId, after: u64) {
    let mut changes = node.changes();
    while node.is_running() {
        changes.borrow_and_update();
        match node.tally(feed) {
            Some(tally) if tally.next <= after && node.is_running() => {}
            _ => return,
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn page(node: &Node, feed: FeedId, after: Option<u64>, limit: usize) -> Result<ItemPage, Problem> {
    let items = match after {
        Some(after) => node.items_from(feed, after, limit)?,
        None => node.newest_items(feed, limit)?,
    };
    let last = items.last().map(|published| published.sequence + 1);
    let next = match (last, after) {
        (Some(last), _) => last,
        (None, Some(after)) => after,
        (None, None) => node.published_so_far(feed)?,
    };
    let items: Result<_, _> = items.into_iter().map(|item| told(node, item)).collect();
    Ok(ItemPage { items: items?, next })
}

fn told(node: &Node, published: Published) -> Result<PublishedItem, Problem> {
    let Published { sequence, entry, mut item } = published;
    item.published_by(&node.id(), Millis::from_seconds(entry.at));
    let age = item.age().map(seconds);
    let hops = passed(&item);
    let origin = item.origin.and_then(|origin| origin.title.or(origin.feed).or(origin.home));
    let source = match origin {
        Some(origin) => Some(origin),
        None => node.source_name(entry.source)?,
    };
    Ok(PublishedItem {
        sequence: sequence + 1,
        at: entry.at,
        id: item.id.0,
        title: item.title,
        link: item.link,
        published: item.published.map(|at| at.unix()),
        source,
        source_id: entry.source.0,
        hops,
        age,
    })
}

fn passed(item: &Item) -> Vec<PassedNode> {
    let told = |(hop, age): (&Hop, Option<i64>)| PassedNode {
        node: hop.node.0.clone(),
        fetched: hop.fetched.map(Millis::seconds),
        published: hop.published.map(Millis::seconds),
        age: age.map(seconds),
    };
    item.hops.iter().zip(item.ages()).map(told).collect()
}

/// A clock that is ahead makes no item younger than new.
fn seconds(age: i64) -> f64 {
    age.max(0) as f64 / 1000.0
}
