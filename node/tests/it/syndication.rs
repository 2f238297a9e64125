//! The service for other nodes, as a client of it sees it.

mod cursors;
mod describing;
mod health;
mod limits;
mod reading;
mod watching;

use pergola_config::Config;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use serde_json::json;
use tempfile::TempDir;
use tonic::transport::Channel;

use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

type Client = SyndicationClient<Channel>;

/// A node that publishes one source whole as the feed `Paper`, and what the source shows.
struct Stand {
    origin: Origin,
    house: House,
    client: Client,
    items: Vec<(String, String)>,
    /// Bytes that each item has besides, twice.
    padding: usize,
}

impl Stand {
    async fn open() -> Self {
        let folder = TempDir::new().unwrap();
        let config = quick_config(&folder);
        Self::open_with(folder, config).await
    }

    async fn open_with(folder: TempDir, config: Config) -> Self {
        let origin = Origin::builder().page("/paper.json", document(&[], 0)).start().await;
        let house = House::open(folder, config).await;
        let client = connect(&house).await;
        let stand = Self { origin, house, client, items: Vec::new(), padding: 0 };
        stand.create().await;
        stand
    }

    async fn create(&self) {
        let url = self.origin.url("/paper.json");
        let query = format!(r#"CREATE FEED Paper AS RETURN "{url}" WINDOW 5;"#);
        self.house.node().run_script(&query, "test").await.unwrap();
    }

    /// The source shows so many items more; waits until they are published.
    async fn publish(&mut self, count: usize) {
        let before = self.items.len();
        for number in before..before + count {
            let id = format!("http://items.example/{number}");
            self.items.push((id, format!("title {number}")));
        }
        self.show().await;
        let all = self.items.len() as u64;
        self.until("the items to be published", |tally| tally.next >= all).await;
    }

    /// The source shows an item otherwise; waits until that is published.
    async fn edit(&mut self, number: usize, title: &str) {
        let before = self.tally().edition;
        self.items[number].1 = title.to_owned();
        self.show().await;
        self.until("the edit to be published", |tally| tally.edition > before).await;
    }

    async fn show(&self) {
        self.origin.set("/paper.json", document(&self.items, self.padding));
    }

    fn tally(&self) -> pergola_store::archive::FeedTally {
        self.house.node().listing("Paper").unwrap().tally
    }

    async fn until(&self, what: &str, done: impl Fn(&pergola_store::archive::FeedTally) -> bool) {
        eventually(what, async || {
            let tally = self.tally();
            if done(&tally) { Ok(()) } else { Err(format!("{tally:?}")) }
        })
        .await;
    }

    async fn restart(self) -> Self {
        let house = self.house.restart().await;
        let client = connect(&house).await;
        Self { house, client, ..self }
    }

    async fn fetch(&mut self, cursor: &str) -> v1::FetchResponse {
        self.ask(v1::FetchRequest { cursor: cursor.into(), ..asked() }).await
    }

    async fn ask(&mut self, request: v1::FetchRequest) -> v1::FetchResponse {
        self.client.fetch(request).await.unwrap().into_inner()
    }

    async fn watch(&mut self, cursor: &str) -> tonic::Streaming<v1::WatchResponse> {
        let request = v1::WatchRequest { feed: "Paper".into(), cursor: cursor.into() };
        self.client.watch(request).await.unwrap().into_inner()
    }
}

async fn connect(house: &House) -> Client {
    let client = SyndicationClient::connect(house.url("")).await.unwrap();
    client.max_decoding_message_size(pergola_node::wire::MESSAGE_BYTES)
}

fn asked() -> v1::FetchRequest {
    v1::FetchRequest { feed: "Paper".into(), ..v1::FetchRequest::default() }
}

fn titles(response: &v1::FetchResponse) -> Vec<&str> {
    let title = |entry: &'_ v1::Entry| entry.item.as_ref().unwrap().title.is_some();
    assert!(response.entries.iter().all(title));
    response
        .entries
        .iter()
        .map(|entry| entry.item.as_ref().unwrap().title.as_deref().unwrap())
        .collect()
}

fn numbers(response: &v1::FetchResponse) -> Vec<u64> {
    response.entries.iter().map(|entry| entry.sequence).collect()
}

/// The document that shows some items, newest first.
fn document(items: &[(String, String)], padding: usize) -> Reply {
    let padding = "x".repeat(padding);
    let items: Vec<_> = items
        .iter()
        .rev()
        .map(|(id, title)| {
            let content = format!("{title} {padding}");
            json!({"id": id, "title": title, "url": id, "content_text": content, "summary": padding})
        })
        .collect();
    let document = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Paper",
        "items": items,
    });
    Reply::ok(document.to_string()).header("content-type", "application/feed+json")
}
