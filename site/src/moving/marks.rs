//! Imports stars and read items of another reader.
//!
//! If the node has an item, it is marked. A starred item that it does not have is kept as the file has it, under the number
//! that the item gets if its source shows it later.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pergola_accounts::{UserId, Wanted};
use pergola_api::user::TakenOver;
use pergola_node::node::{Followed, MOST_ITEMS, MOST_NUMBERS, Node, PeopleError, Stream};
use pergola_store::archive::{ArchiveError, FeedId, ItemNumber, SourceId, Starred};
use pergola_takeout::{Marked, Shown};

use super::bring::subscribed;

/// Items that are marked in one commit.
const AT_ONCE: usize = 1_000;

/// What is to be marked.
#[derive(Default)]
struct Marks {
    /// Items that the user sees.
    stars: Vec<ItemNumber>,
    read: Vec<ItemNumber>,
    /// Others.
    copies: Vec<Starred>,
    ahead: Vec<ItemNumber>,
    /// Stars that were brought before their item was here, and belong to another number.
    over: Vec<ItemNumber>,
}

/// Marks what was starred and read elsewhere; `numbers` are those of items that were read.
pub(super) async fn bring(
    node: &Arc<Node>,
    user: UserId,
    items: Vec<Marked>,
    numbers: Vec<u64>,
    report: &mut TakenOver,
) -> Result<(), PeopleError> {
    if items.is_empty() && numbers.is_empty() {
        return Ok(());
    }
    let feeds = subscribed(node, user).await?;
    let feeds: HashMap<SourceId, FeedId> = feeds
        .into_values()
        .filter_map(|one| match one.what {
            Followed::Source(source) => Some((source, one.feed)),
            Followed::Feed(_) => None,
        })
        .collect();
    let mut placed = Vec::new();
    for (source, some) in by_source(node, items).await? {
        let (own, feed) = (Arc::clone(node), source.and_then(|source| feeds.get(&source).copied()));
        let source = source.map(|source| (source, feed));
        placed.extend(node.blocking().run(move || place(&own, user, source, some)).await??);
    }
    let (here, starred) =
        (seen(node, user, Stream::All).await?, seen(node, user, Stream::Starred).await?);
    let mut marks = sorted(placed, &here, &starred);
    let (here, ahead) = numbers
        .into_iter()
        .map(ItemNumber)
        .partition(|number: &ItemNumber| here.contains(&number.0) || starred.contains(&number.0));
    let (here, ahead): (Vec<ItemNumber>, Vec<ItemNumber>) = (here, ahead);
    marks.read.extend(here);
    marks.ahead.extend(ahead);
    commit(node, user, marks, report).await
}

/// Items with the source at this node that they come from.
async fn by_source(
    node: &Arc<Node>,
    items: Vec<Marked>,
) -> Result<Vec<(Option<SourceId>, Vec<Marked>)>, PeopleError> {
    let own = Arc::clone(node);
    let blocking = node.blocking();
    let sorted = blocking.run(move || {
        let mut known: HashMap<String, Option<SourceId>> = HashMap::new();
        let mut all: HashMap<Option<SourceId>, Vec<Marked>> = HashMap::new();
        for item in items {
            let feed = item.feed().unwrap_or_default().to_owned();
            let source = *known.entry(feed).or_insert_with_key(|feed| source_at(&own, feed));
            all.entry(source).or_default().push(item);
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(source, _)| *source);
        all
    });
    Ok(sorted.await?)
}

/// The source at an address; a number is none.
fn source_at(node: &Node, address: &str) -> Option<SourceId> {
    node.find_source(address).ok().filter(|_| address.contains("://"))
}

/// An item with its copy, and the number of the same item at this node if the user sees that.
struct Placed {
    copy: Starred,
    here: Option<ItemNumber>,
    read: bool,
    starred: bool,
}

/// Finds the items of a source at this node. Blocks.
fn place(
    node: &Node,
    user: UserId,
    source: Option<(SourceId, Option<FeedId>)>,
    items: Vec<Marked>,
) -> Result<Vec<Placed>, PeopleError> {
    let shown = match source {
        Some((source, Some(_))) => shown(node, user, source)?,
        _ => Shown::default(),
    };
    let source = source.map(|(source, feed)| (source, feed.unwrap_or(FeedId(u32::MAX))));
    let now = node.clock.now();
    let mut all = Vec::with_capacity(items.len());
    for marked in items {
        let arrived = marked.seen.map_or(now, |seen| (seen.unix() as f64).min(now));
        let copy = node.brought(marked.item.clone(), source, arrived)?;
        let number = ItemNumber::from(copy.entry.key);
        let here = shown.find(&marked, number.0).map(ItemNumber);
        all.push(Placed { copy, here, read: marked.read, starred: marked.starred });
    }
    Ok(all)
}

/// Everything of a source that a user sees. Blocks.
fn shown(node: &Node, user: UserId, source: SourceId) -> Result<Shown, ArchiveError> {
    let mut shown = Shown::default();
    let mut wanted = Wanted::newest(MOST_ITEMS);
    loop {
        let page = node.stream_items(user, &Stream::Source(source), &wanted)?;
        page.items.iter().for_each(|item| shown.add(item.number.0, &item.published.item));
        wanted.after = page.next;
        if wanted.after.is_none() {
            return Ok(shown);
        }
    }
}

/// The numbers of a user's stream.
async fn seen(node: &Arc<Node>, user: UserId, stream: Stream) -> Result<HashSet<u64>, PeopleError> {
    let own = Arc::clone(node);
    let blocking = node.blocking();
    let seen = blocking.run(move || {
        let (mut all, mut wanted) = (HashSet::new(), Wanted::newest(MOST_NUMBERS));
        loop {
            let page = own.stream(user, &stream, &wanted)?;
            all.extend(page.items.into_iter().map(|item| item.number));
            wanted.after = page.next;
            if wanted.after.is_none() {
                return Ok::<_, ArchiveError>(all);
            }
        }
    });
    Ok(seen.await??)
}

fn sorted(placed: Vec<Placed>, here: &HashSet<u64>, starred: &HashSet<u64>) -> Marks {
    let mut marks = Marks::default();
    for Placed { copy, here: found, read, starred: star } in placed {
        let own = ItemNumber::from(copy.entry.key);
        let found = found.or_else(|| here.contains(&own.0).then_some(own));
        if read {
            let number = found.unwrap_or(own);
            if found.is_some() { &mut marks.read } else { &mut marks.ahead }.push(number);
        }
        match found.filter(|_| star) {
            Some(number) => {
                marks.stars.push(number);
                marks.over.extend((number != own && starred.contains(&own.0)).then_some(own));
            }
            None if star => marks.copies.push(copy),
            None => {}
        }
    }
    marks
}

async fn commit(
    node: &Arc<Node>,
    user: UserId,
    marks: Marks,
    report: &mut TakenOver,
) -> Result<(), PeopleError> {
    for some in marks.stars.chunks(AT_ONCE) {
        let new = node.mark_starred(user, some, true).await?;
        report.starred += new;
        report.starred_already += some.len() - new;
    }
    let moved = node.mark_starred(user, &marks.over, false).await?;
    report.starred -= moved.min(report.starred);
    report.starred_already += moved;
    for some in marks.copies.chunks(AT_ONCE) {
        let new = node.bring_marks(user, some, &[]).await?;
        report.starred += new;
        report.kept += new;
        report.starred_already += some.len() - new;
    }
    for some in marks.read.chunks(AT_ONCE) {
        report.read += node.mark_read(user, some, true).await?;
    }
    for some in marks.ahead.chunks(AT_ONCE) {
        node.bring_marks(user, &[], some).await?;
        report.read += some.len();
        report.read_ahead += some.len();
    }
    Ok(())
}
