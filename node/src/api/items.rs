//! The items of a feed by their numbers, also those that are still to come.
//!
//! Numbers begin at 1 here, so that 0 stands before the first item.

use std::sync::Arc;
use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use pergola_api::Instant;
use pergola_api::item::{ItemPage, ItemRange, PassedNode, PublishedItem};
use pergola_feed::{Hop, Item, Millis};
use pergola_store::archive::{FeedId, Published};

use super::feeds::card;
use super::request::{Named, Parameters, bad_request};
use super::work::blocking;
use crate::node::Node;
use crate::publish::{Refusal, origin_name, published_at};
use pergola_port::access::Caller;

/// Items in one answer, unless the caller asks for another number.
const PAGE: usize = 100;
/// The most items that a caller may ask for.
const LARGEST_PAGE: usize = 1_000;
/// The longest that a caller may wait for an item, in seconds.
const LONGEST_WAIT: f64 = 30.0;

/// The items of a feed after a number in the order of their arrival, or the newest by their dates.
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    caller: Caller,
    Named(name): Named,
    Parameters(range): Parameters<ItemRange>,
) -> Result<Answer<ItemPage>, Refusal> {
    let limit = range.limit.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(bad_request(format!("`limit` must be from 1 to {LARGEST_PAGE}")));
    }
    let wait = range.wait.unwrap_or(0.0);
    if !(0.0..=LONGEST_WAIT).contains(&wait) {
        return Err(bad_request(format!("`wait` must be from 0 to {LONGEST_WAIT} seconds")));
    }
    let feed = card(&node, &caller, &name)?.id;
    if wait > 0.0 {
        let after = range.after.unwrap_or(0);
        // If nothing new comes in time, the answer is an empty page.
        let _ = tokio::time::timeout(Duration::from_secs_f64(wait), more(&node, feed, after)).await;
        // The feed may have been closed or dropped meanwhile.
        card(&node, &caller, &name)?;
    }
    blocking(node.blocking(), move || page(&node, feed, range.after, limit).map(Answer)).await
}

/// Waits until a feed has an item after a number, is dropped, or the node stops.
async fn more(node: &Node, feed: FeedId, after: u64) {
    let mut changes = node.changes();
    while node.is_running() {
        changes.see();
        match node.tally(feed) {
            Some(tally) if tally.next <= after && node.is_running() => {}
            _ => return,
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn page(node: &Node, feed: FeedId, after: Option<u64>, limit: usize) -> Result<ItemPage, Refusal> {
    let mut items = match after {
        Some(after) => node.items_from(feed, after, limit)?,
        None => node.newest_items(feed, limit)?,
    };
    let last = items.last().map(|published| published.sequence + 1);
    if after.is_none() {
        // Whoever reads on by numbers needs the order of arrival; a list of the newest is for people.
        items.sort_by_key(published_at);
    }
    let next = match (last, after) {
        (Some(last), _) => last,
        (None, Some(after)) => after,
        (None, None) => node.published_so_far(feed)?,
    };
    Ok(ItemPage { items: items.into_iter().map(shown).collect(), next })
}

/// An item that this node publishes, as the API shows it.
fn shown(Published { sequence, entry, item }: Published) -> PublishedItem {
    // As in the documents of the feed: links lead to the web and nowhere else.
    let item = item.normalised();
    PublishedItem {
        sequence: sequence + 1,
        at: Instant::from_unix(entry.at),
        source: origin_name(&item).map(str::to_owned),
        source_id: entry.source.0,
        hops: passed(&item),
        age: item.age().map(seconds),
        thumbnail: item.media.as_ref().and_then(|media| media.picture()).map(str::to_owned),
        id: item.id.0,
        title: item.title,
        link: item.link,
        published: item.published.map(|at| Instant::from_unix(at.unix() as f64)),
    }
}

fn passed(item: &Item) -> Vec<PassedNode> {
    let hop = |(hop, age): (&Hop, Option<i64>)| PassedNode {
        node: hop.node.0.clone(),
        fetched: hop.fetched.map(instant),
        published: hop.published.map(instant),
        age: age.map(seconds),
    };
    item.hops.iter().zip(item.ages()).map(hop).collect()
}

fn instant(at: Millis) -> Instant {
    Instant::from_unix(at.seconds())
}

/// An age in seconds. Clocks differ, so it may come out negative: then it is 0.
fn seconds(age: i64) -> f64 {
    age.max(0) as f64 / 1000.0
}
