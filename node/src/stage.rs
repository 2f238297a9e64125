//! The stage between refreshing and publishing: takes what a refresh brought, asks the desk which feeds want
//! each item, and hands the writer one job with everything that belongs together.

use std::time::Duration;

use pergola_manners::decide::CHUNK;
use pergola_manners::loops::LoopChange;
use pergola_query::Scratch;
use pergola_store::archive::{Archive, Entry};
use tokio::sync::mpsc;

use crate::crawl::conclude::Refreshed;
use crate::crawl::driver::Delivery;
use crate::select::{Desk, Texts};
use crate::writer::{Append, Job, Writer};

/// A group is complete when nobody has come for so long: waking a thread and flushing the store cost as
/// much as a hundred rows.
const QUIET: Duration = Duration::from_millis(3);
/// It is complete after so many waits even if they keep coming,
const WAITS: usize = 10;
/// or when there are so many.
const MOST: usize = 256;

/// Selects until the last crawler is gone.
pub(crate) fn run(
    mut deliveries: mpsc::Receiver<Delivery>,
    desk: &Desk,
    archive: &Archive,
    writer: &Writer,
) {
    let mut scratch = Scratch::new();
    let mut gathered = Vec::new();
    let mut alone = true;
    while let Some(first) = deliveries.blocking_recv() {
        gathered.push(first);
        // News that somebody waits for mostly come alone, and then should not wait for others.
        if !alone || !deliveries.is_empty() {
            gather(&mut deliveries, &mut gathered);
        }
        alone = gathered.len() == 1;
        let _passing = desk.pass();
        let group = gathered.drain(..).map(|Delivery { refreshed, done }| {
            (job(&refreshed, desk, archive, &mut scratch), done)
        });
        writer.hand_over(group.collect());
    }
}

/// Waits for others as long as they keep coming.
#[expect(clippy::disallowed_methods, reason = "this thread has nothing else to do meanwhile")]
fn gather(deliveries: &mut mpsc::Receiver<Delivery>, gathered: &mut Vec<Delivery>) {
    for _ in 0..WAITS {
        std::thread::sleep(QUIET);
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
fn job(refreshed: &Refreshed, desk: &Desk, archive: &Archive, scratch: &mut Scratch) -> Job {
    let mut job = Job { appends: select(refreshed, desk, archive, scratch), ..Job::default() };
    let Refreshed { id, at, record, moved, state, known, news, link, .. } = refreshed;
    job.changes.put_state(*id, state);
    if *moved {
        job.changes.put_source(*id, record);
    }
    if state.unchanged_at.is_none() {
        job.changes.put_model(*id, state);
    }
    if let Some(known) = known {
        job.changes.put_known(*id, known);
    }
    match &refreshed.loop_change {
        LoopChange::AsBefore => {}
        LoopChange::Found(found) | LoopChange::Again(found) => job.changes.put_loop(*id, found),
        LoopChange::Gone => job.changes.delete_loop(*id),
    }
    if let Some(link) = link {
        job.changes.put_link(*id, link);
    }
    for chunk in news.chunks(CHUNK) {
        let items: Vec<_> = chunk.iter().map(|news| &news.item).collect();
        job.changes.put_chunk(*id, chunk[0].chunk, *at, &items);
    }
    job
}

/// Which feeds want the news.
fn select(
    refreshed: &Refreshed,
    desk: &Desk,
    archive: &Archive,
    scratch: &mut Scratch,
) -> Vec<Append> {
    let Refreshed { id, at, record, state, news, .. } = refreshed;
    if news.is_empty() {
        return Vec::new();
    }
    let title = record.title.as_deref().or(state.title.as_deref());
    let mut wanted = Vec::with_capacity(news.len());
    for news in news {
        let texts = Texts::of(&news.item, &record.url, title);
        wanted.push(desk.wanted(*id, &news.item, &texts, !news.edited, *at, scratch));
    }
    // What cannot be looked up is taken for not held: the writer will say what is wrong with the store.
    desk.hear(*id, news, &mut wanted, |feed, key| matches!(archive.member(feed, key), Ok(Some(_))));
    let appends = news.iter().zip(wanted).flat_map(|(news, feeds)| {
        let entry = Entry {
            key: news.key,
            source: *id,
            chunk: news.chunk,
            index: news.index,
            at: *at,
            changed_at: *at,
        };
        feeds.into_iter().map(move |feed| Append { feed, entry, edited: news.edited })
    });
    appends.collect()
}
