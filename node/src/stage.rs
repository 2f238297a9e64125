//! The stage between crawling and publishing: takes what a refresh brought, asks the desk which feeds want
//! each item, and hands the writer one job: the part of the source, and the items that feeds want.

use std::sync::Arc;
use std::time::Duration;

use pergola_manners::decide::CHUNK;
use pergola_manners::loops::LoopChange;
use pergola_manners::refreshed::SourceChange;
use pergola_outside::surroundings::Blocking;
use pergola_query::Scratch;
use pergola_store::archive::{Archive, Entry, SourcePart};
use tokio::sync::mpsc;

use crate::crawl::driver::Delivery;
use crate::select::{Desk, Texts};
use crate::writer::{Append, Job, Writer};

/// A group is complete when nothing has arrived for so long: waking a thread and syncing the store cost as
/// much as a hundred rows.
const QUIET: Duration = Duration::from_millis(3);
/// It is complete after so many waits even if more arrives,
const WAITS: usize = 10;
/// or when there are so many.
const MOST: usize = 256;

/// Selects until the last crawler is gone.
pub(crate) async fn run(
    mut deliveries: mpsc::Receiver<Delivery>,
    desk: Arc<Desk>,
    archive: Archive,
    writer: Writer,
    blocking: Blocking,
) {
    let mut scratch = Scratch::new();
    let mut gathered = Vec::new();
    let mut alone = true;
    while let Some(first) = deliveries.recv().await {
        gathered.push(first);
        // A refresh that somebody waits for mostly arrives alone, and then should not wait for others.
        if !alone || !deliveries.is_empty() {
            gather(&mut deliveries, &mut gathered, &blocking).await;
        }
        alone = gathered.len() == 1;
        let Some(room) = writer.room().await else { return };
        let _passing = desk.pass();
        let group = gathered
            .drain(..)
            .map(|Delivery { change, done }| (job(&change, &desk, &archive, &mut scratch), done));
        room.hand_over(group.collect());
    }
}

/// Waits for more as long as more arrives.
async fn gather(
    deliveries: &mut mpsc::Receiver<Delivery>,
    gathered: &mut Vec<Delivery>,
    blocking: &Blocking,
) {
    for _ in 0..WAITS {
        blocking.rest(QUIET).await;
        let before = gathered.len();
        while gathered.len() < MOST
            && let Ok(delivery) = deliveries.try_recv()
        {
            gathered.push(delivery);
        }
        if gathered.len() == before || gathered.len() == MOST {
            return;
        }
    }
}

/// Everything that a refresh changes.
fn job(change: &SourceChange, desk: &Desk, archive: &Archive, scratch: &mut Scratch) -> Job {
    let appends = select(change, desk, archive, scratch);
    Job { commit: source_part(change).into(), appends }
}

/// What a refresh changes of its source.
fn source_part(change: &SourceChange) -> SourcePart {
    let SourceChange { id, at, record, moved, state, known, news, link, loop_change } = change;
    let mut part = SourcePart::new(*id);
    part.put_state(state);
    if *moved {
        part.put_record(record);
    }
    if state.unchanged_at.is_none() {
        part.put_model(&state.schedule);
    }
    if let Some(known) = known {
        part.put_known(known);
    }
    match loop_change {
        LoopChange::AsBefore => {}
        LoopChange::Found(found) | LoopChange::Again(found) => part.set_loop(Some(found)),
        LoopChange::Gone => part.set_loop(None),
    }
    if let Some(link) = link {
        part.put_link(link);
    }
    for chunk in news.chunks(CHUNK) {
        let items: Vec<_> = chunk.iter().map(|news| &news.item).collect();
        part.put_chunk(chunk[0].chunk, *at, &items);
    }
    part
}

/// Which feeds want the new items.
fn select(
    change: &SourceChange,
    desk: &Desk,
    archive: &Archive,
    scratch: &mut Scratch,
) -> Vec<Append> {
    let SourceChange { id, at, record, state, news, .. } = change;
    if news.is_empty() {
        return Vec::new();
    }
    let title = record.title.as_deref().or(state.title.as_deref());
    let mut wanted = Vec::with_capacity(news.len());
    for news in news {
        let texts = Texts::of(&news.item, &record.url, title);
        wanted.push(desk.wanted(*id, &news.item, &texts, !news.edited, *at, scratch));
    }
    // If the lookup fails, the item counts as not held: the writer will report what is wrong with the store.
    desk.hear(*id, news, &mut wanted, |feed, key| matches!(archive.member(feed, key), Ok(Some(_))));
    if let Some(feed) = desk.followed(*id) {
        wanted.iter_mut().for_each(|feeds| feeds.push(feed));
    }
    let appends = news.iter().zip(wanted).flat_map(|(news, feeds)| {
        let entry = Entry {
            key: news.key,
            source: *id,
            chunk: news.chunk,
            index: news.index,
            at: *at,
            changed_at: *at,
            dated: Entry::date_of(&news.item, *at),
        };
        feeds.into_iter().map(move |feed| Append { feed, entry, edited: news.edited })
    });
    appends.collect()
}
