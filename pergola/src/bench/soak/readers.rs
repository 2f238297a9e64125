//! Everybody who reads the node all the time: over HTTP with conditions, over gRPC with a cursor, by `Watch`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use axum::http::StatusCode;
use axum::http::header::{ETAG, IF_NONE_MATCH};
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};

use super::edits::Named;
use crate::bench::client::plain;

/// The feed with every item.
pub(super) const EVERYTHING: &str = "Everything";
/// Between two documents that are read, and between two questions over gRPC.
const DOCUMENT_EVERY: Duration = Duration::from_millis(100);
const QUESTION_EVERY: Duration = Duration::from_millis(500);
/// A reader of documents makes new connections after so many, and hangs up in the middle of the last one.
const DOCUMENTS: usize = 50;
/// A watcher connects again after so many messages.
const MESSAGES: usize = 200;
/// The largest answer that a reader takes.
const LARGEST: usize = 32 << 20;

/// What the readers saw together.
#[derive(Default)]
pub(super) struct Tally {
    /// When each item first came to whoever follows `Everything` (milliseconds), by source and number.
    came: BTreeMap<String, BTreeMap<u64, i64>>,
    /// Items that came once more.
    pub(super) doubled: u64,
    /// The number that its next entry must have.
    next: u64,
    pub(super) edits: u64,
    pub(super) documents: u64,
    pub(super) unchanged: u64,
    pub(super) questions: u64,
    pub(super) messages: u64,
    /// What went wrong, the first few in words.
    pub(super) troubles: u64,
    pub(super) trouble: Vec<String>,
}

impl Tally {
    /// Items that were shown and never came.
    pub(super) fn lost(&self, shown: &BTreeMap<String, Vec<(u64, u64)>>) -> u64 {
        let missing = |name: &String, number: &u64| {
            self.came.get(name).is_none_or(|came| !came.contains_key(number))
        };
        let lost = shown.iter().map(|(name, ranges)| {
            let numbers = ranges.iter().flat_map(|&(from, to)| from..to);
            numbers.filter(|number| missing(name, number)).count() as u64
        });
        lost.sum()
    }

    /// Items that came.
    pub(super) fn items(&self) -> u64 {
        self.came.values().map(|came| came.len() as u64).sum()
    }

    /// Keeps what went wrong, if it is among the first.
    fn tell(&mut self, what: String) {
        if self.trouble.len() < 10 {
            self.trouble.push(what);
        }
    }

    fn take(&mut self, entry: &v1::Entry) -> Result<()> {
        if entry.edited {
            self.edits += 1;
            return Ok(());
        }
        ensure!(
            entry.sequence == self.next,
            "entry {} of `{EVERYTHING}` came when {} was next",
            entry.sequence,
            self.next
        );
        self.next += 1;
        let item = entry.item.as_ref().context("an entry without an item")?;
        let guid = item.guid.as_deref();
        let named = guid.and_then(Named::read).context("an item without an id of the newsroom")?;
        let came = self.came.entry(named.source.to_owned()).or_default();
        let at = entry.published_at_ms;
        match came.get(&named.number) {
            None => drop(came.insert(named.number, at)),
            Some(first) => {
                let hours = (at - first) as f64 / 3_600_000.0;
                let again =
                    format!("{} came again after {hours:.1} hours", guid.unwrap_or_default());
                self.doubled += 1;
                self.tell(again);
            }
        }
        Ok(())
    }
}

/// How somebody reads.
#[derive(Clone, Copy)]
enum Habit {
    /// Documents, over HTTP.
    Documents,
    /// What there is and what is new, over gRPC.
    Questions,
    /// Every entry of the feed with every item.
    Everything,
    /// Only told that a feed has changed.
    Watching(&'static str),
}

/// The readers of a node.
#[derive(Clone)]
pub(super) struct Readers {
    url: String,
    feeds: Vec<&'static str>,
    tally: Arc<Mutex<Tally>>,
    stop: CancellationToken,
}

impl Readers {
    pub(super) fn new(url: String, feeds: Vec<&'static str>) -> Self {
        Self { url, feeds, tally: Arc::default(), stop: CancellationToken::new() }
    }

    /// Starts all of them.
    pub(super) fn start(&self) -> Vec<tokio::task::JoinHandle<()>> {
        let habits = [Habit::Documents, Habit::Questions, Habit::Everything];
        let watching = self.feeds.iter().map(|&feed| Habit::Watching(feed));
        let all = habits.into_iter().chain(watching);
        all.map(|habit| tokio::spawn(self.clone().again(habit))).collect()
    }

    /// Ends them.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    pub(super) fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads again and again, and notes what goes wrong.
    async fn again(self, habit: Habit) {
        let mut cursor = String::new();
        while !self.stop.is_cancelled() {
            let done = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                done = self.read(habit, &mut cursor) => done,
            };
            if let Err(error) = done {
                self.note(&error);
                tokio::time::sleep(QUESTION_EVERY).await;
            }
        }
    }

    async fn read(&self, habit: Habit, cursor: &mut String) -> Result<()> {
        match habit {
            Habit::Documents => self.read_documents().await,
            Habit::Questions => self.ask_questions().await,
            Habit::Everything => self.follow(cursor).await,
            Habit::Watching(feed) => self.watch(feed).await,
        }
    }

    fn note(&self, error: &anyhow::Error) {
        let mut tally = self.tally();
        tally.troubles += 1;
        tally.tell(format!("{error:#}"));
    }

    /// Reads documents of all feeds in turn and in every format, and takes only what has changed.
    async fn read_documents(&self) -> Result<()> {
        let client = plain()?;
        let mut held: HashMap<String, axum::http::HeaderValue> = HashMap::new();
        let endings = [".atom", ".rss", ".json"];
        for number in 0..DOCUMENTS {
            tokio::time::sleep(DOCUMENT_EVERY).await;
            let (feed, ending) = (self.feeds[number % self.feeds.len()], endings[number % 3]);
            let url = format!("{}/feeds/{feed}{ending}", self.url);
            let mut request = client.get(&url);
            if let Some(tag) = held.get(&url) {
                request = request.header(IF_NONE_MATCH, tag);
            }
            let answer = request.send().await?;
            let unchanged = answer.status() == StatusCode::NOT_MODIFIED;
            ensure!(unchanged || answer.status() == StatusCode::OK, "{url}: {}", answer.status());
            held.extend(answer.headers().get(ETAG).map(|tag| (url.clone(), tag.clone())));
            if number + 1 < DOCUMENTS && !unchanged {
                let document = answer.bytes().await?;
                if ending == ".json" {
                    unique(&url, &serde_json::from_slice(&document)?)?;
                }
            }
            let mut tally = self.tally();
            tally.documents += 1;
            tally.unchanged += u64::from(unchanged);
        }
        Ok(())
    }

    /// Asks over gRPC what there is, what feeds are about and what is new in them.
    async fn ask_questions(&self) -> Result<()> {
        let mut client = self.connect().await?;
        for feed in self.feeds.iter().map(|&feed| feed.to_owned()) {
            tokio::time::sleep(QUESTION_EVERY).await;
            let listed = client.list_feeds(v1::ListFeedsRequest::default()).await?.into_inner();
            ensure!(listed.feeds.iter().any(|info| info.name == feed), "{feed} is not listed");
            client.describe(v1::DescribeRequest { feed: feed.clone() }).await?;
            client.search(v1::SearchRequest { text: feed.clone(), limit: 5 }).await?;
            let newest = v1::FetchRequest { feed, newest: 20, hints: true, ..Default::default() };
            client.fetch(newest).await?;
            self.tally().questions += 4;
        }
        Ok(())
    }

    /// Watches a feed for some messages.
    async fn watch(&self, feed: &str) -> Result<()> {
        let request = v1::WatchRequest { feed: feed.to_owned(), cursor: String::new() };
        let mut stream = self.connect().await?.watch(request).await?.into_inner();
        for _ in 0..MESSAGES {
            stream.message().await?.context("a stream has ended")?;
            self.tally().messages += 1;
        }
        Ok(())
    }

    /// Follows the feed with every item: is told of news, and fetches all of it from where it was.
    async fn follow(&self, cursor: &mut String) -> Result<()> {
        let mut client = self.connect().await?;
        let request = v1::WatchRequest { feed: EVERYTHING.to_owned(), cursor: cursor.clone() };
        let mut stream = client.watch(request).await?.into_inner();
        for _ in 0..MESSAGES {
            stream.message().await?.context("a stream has ended")?;
            self.tally().messages += 1;
            while self.fetch(&mut client, cursor).await? {}
        }
        Ok(())
    }

    /// Fetches what is new; returns whether there is more.
    async fn fetch(
        &self,
        client: &mut SyndicationClient<Channel>,
        cursor: &mut String,
    ) -> Result<bool> {
        let request = v1::FetchRequest {
            feed: EVERYTHING.to_owned(),
            cursor: cursor.clone(),
            // The first time: everything that there is.
            newest: if cursor.is_empty() { u32::MAX } else { 0 },
            ..Default::default()
        };
        let page = client.fetch(request).await?.into_inner();
        let passed = page.expired + page.skipped;
        if page.restarted || passed > 0 {
            bail!("{passed} entries of `{EVERYTHING}` were passed over");
        }
        let mut tally = self.tally();
        for entry in &page.entries {
            tally.take(entry)?;
        }
        *cursor = page.cursor;
        Ok(page.more)
    }

    async fn connect(&self) -> Result<SyndicationClient<Channel>> {
        let channel = Endpoint::try_from(self.url.clone())?.connect().await?;
        Ok(SyndicationClient::new(channel).max_decoding_message_size(LARGEST))
    }
}

/// No two items of a document have the same id.
fn unique(url: &str, document: &Value) -> Result<()> {
    let items = document["items"].as_array().context("a JSON Feed without items")?;
    let mut ids = HashSet::new();
    for item in items {
        let id = item["id"].as_str().context("an item without an id")?;
        ensure!(ids.insert(id), "{url} shows {id} twice");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sequence: u64, number: u64) -> v1::Entry {
        let guid = format!("tag:newsroom.example,2026:source-0001/{number}/1790000000");
        let item = v1::Item { guid: Some(guid), ..Default::default() };
        v1::Entry { sequence, item: Some(item), ..Default::default() }
    }

    #[test]
    fn what_is_lost_or_doubled_or_out_of_order_is_found() {
        let mut tally = Tally::default();
        for (sequence, number) in [(0, 7), (1, 8), (2, 8)] {
            tally.take(&entry(sequence, number)).unwrap();
        }
        tally.take(&v1::Entry { edited: true, ..entry(0, 7) }).unwrap();
        let shown = BTreeMap::from([("source-0001".to_owned(), vec![(7, 10)])]);
        assert_eq!((tally.lost(&shown), tally.doubled), (1, 1));
        assert_eq!((tally.items(), tally.edits), (2, 1));
        assert!(tally.take(&entry(4, 9)).is_err());
        let expired = v1::Entry { published_at_ms: 9 * 86_400_000, ..entry(3, 7) };
        tally.take(&expired).unwrap();
        assert_eq!(tally.doubled, 2);
    }

    #[test]
    fn a_document_that_shows_an_item_twice_is_refused() {
        let document = |ids: [&str; 2]| serde_json::json!({ "items": ids.map(|id| serde_json::json!({ "id": id })) });
        assert!(unique("f", &document(["a", "b"])).is_ok());
        assert!(unique("f", &document(["a", "a"])).is_err());
    }
}
