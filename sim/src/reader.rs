//! Those who read the feeds of nodes: over gRPC with a cursor, over HTTP, and some who should not.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::Network as _;
use pergola_proto::v1::FetchRequest;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_store::archive::{Archive, FeedId};
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Request, Status};

use crate::chance::Chance;
use crate::host::Life;
use crate::net::Way;
use crate::promises::reading::{Following, Polling};
use crate::web::{DAWN, call};
use crate::world::World;

/// How long a reader waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A reader of one feed of one node.
pub struct Reader {
    pub world: Arc<World>,
    pub life: Life,
    pub node: usize,
    pub feed: &'static str,
    /// What it shows the node.
    pub token: Option<String>,
    pub chance: Chance,
}

/// What it has read.
pub type Shared = Arc<Mutex<Following>>;

impl Reader {
    fn way(&self) -> Way {
        Way { net: Arc::clone(&self.world.net), life: self.life.clone() }
    }

    fn client(&self) -> SyndicationClient<Channel> {
        let (way, address) = (self.way(), self.world.machines[self.node].host.address);
        let connector = tower::service_fn(move |_: Uri| {
            let way = way.clone();
            async move {
                let connection = way.connect(std::net::SocketAddr::new(address, 80)).await;
                connection.map(TokioIo::new)
            }
        });
        let name = &self.world.machines[self.node].host.name;
        let uri: Uri = format!("http://{name}").parse().unwrap_or_default();
        SyndicationClient::new(Endpoint::from(uri).connect_with_connector_lazy(connector))
    }

    fn request(&self, message: FetchRequest) -> Request<FetchRequest> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token
            && let Ok(value) = format!("Bearer {token}").parse()
        {
            request.metadata_mut().insert("authorization", value);
        }
        request.set_timeout(PATIENCE);
        request
    }

    async fn pause(&mut self, least: f64, most: f64) {
        let wait = self.chance.between(least, most);
        tokio::time::sleep(Duration::from_secs_f64(wait)).await;
    }

    /// Follows the feed for ever.
    pub async fn follow(mut self, following: Shared) {
        let mut cursor = String::new();
        let mut feed = None;
        loop {
            self.pause(300.0, 1_500.0).await;
            let read = self.read(&mut cursor, &mut feed, &following);
            if let Ok(Err(status)) = tokio::time::timeout(3 * PATIENCE, read).await
                && matches!(status.code(), Code::InvalidArgument | Code::Internal | Code::DataLoss)
            {
                let (node, feed) = (self.node, self.feed);
                self.world.promises.broken(format!("a reader of n{node} {feed}: {status}"));
            }
        }
    }

    /// Reads as far as there is something to be read.
    async fn read(
        &mut self,
        cursor: &mut String,
        feed: &mut Option<FeedId>,
        following: &Shared,
    ) -> Result<(), Status> {
        let mut client = self.client();
        loop {
            let limit = 1 + self.chance.below(40) as u32;
            let newest = if cursor.is_empty() { u32::MAX } else { 0 };
            let (name, from) = (self.feed.to_owned(), cursor.clone());
            let message = FetchRequest { feed: name, cursor: from, limit, newest, hints: false };
            let page = client.fetch(self.request(message.clone())).await?.into_inner();
            // A request that is repeated, because its answer was lost, is answered the same way.
            if self.chance.happens(0.05) {
                let again = client.fetch(self.request(message)).await?.into_inner();
                let numbers = |page: &pergola_proto::v1::FetchResponse| -> Vec<u64> {
                    let new = page.entries.iter().filter(|entry| !entry.edited);
                    new.map(|entry| entry.sequence).collect()
                };
                if !numbers(&again).starts_with(&numbers(&page)) {
                    let (node, feed) = (self.node, self.feed);
                    let promises = &self.world.promises;
                    promises.broken(format!("n{node} {feed}: another answer to the same request"));
                }
            }
            self.take(&page, feed, following);
            cursor.clone_from(&page.cursor);
            if !page.more {
                return Ok(());
            }
        }
    }

    fn take(
        &self,
        page: &pergola_proto::v1::FetchResponse,
        feed: &mut Option<FeedId>,
        following: &Shared,
    ) {
        let machine = &self.world.machines[self.node];
        let durable = machine.disk.durable().map(Archive::new);
        if feed.is_none()
            && let Some(archive) = &durable
            && let Ok(feeds) = archive.feeds()
        {
            *feed = feeds.into_iter().find(|(_, feed)| feed.name == self.feed).map(|(id, _)| id);
        }
        let mut following = following.lock();
        following.page(page, durable.as_ref().zip(*feed));
        if !page.entries.is_empty() {
            let (node, feed) = (self.node, self.feed);
            let (count, all) = (page.entries.len(), following.count());
            self.world.trace.tell(format_args!("n{node} {feed} tells {count} of {all}"));
        }
    }

    /// Polls the documents of the feed for ever.
    pub async fn poll(mut self, mut polling: Polling) {
        loop {
            self.pause(3_600.0, 10_800.0).await;
            let got = tokio::time::timeout(PATIENCE, self.get(".json")).await;
            if let Ok(Some((200, body))) = got {
                polling.document(&body);
            }
        }
    }

    /// Tries for ever to read what is not for it.
    pub async fn pry(mut self) {
        loop {
            self.pause(3_600.0, 14_400.0).await;
            let forms = [".json", ".atom", ".rss", ""];
            let form = forms[self.chance.below(forms.len())];
            let got = tokio::time::timeout(PATIENCE, self.get(form)).await;
            if let Ok(Some((200..300, _))) = got {
                self.found_out(&format!("http{form}"));
            }
            let mut client = self.client();
            let (feed, newest) = (self.feed.to_owned(), u32::MAX);
            let message = FetchRequest { feed, newest, ..FetchRequest::default() };
            let fetched = tokio::time::timeout(PATIENCE, client.fetch(self.request(message))).await;
            if let Ok(Ok(_)) = fetched {
                self.found_out("gRPC");
            }
        }
    }

    fn found_out(&self, how: &str) {
        let (node, feed) = (self.node, self.feed);
        self.world.promises.broken(format!("a stranger reads {feed} of n{node} over {how}"));
    }

    /// The status and body of a document of the feed, if there is an answer.
    async fn get(&self, form: &str) -> Option<(u16, Vec<u8>)> {
        let host = &self.world.machines[self.node].host;
        let url = format!("http://{}/feeds/{}{form}", host.name, self.feed);
        let request = reqwest::Request::new(http::Method::GET, url.parse().ok()?);
        let address = std::net::SocketAddr::new(host.address, 80);
        let stream = self.way().connect(address).await.ok()?;
        let now = DAWN + self.world.trace.now();
        let response = call(stream, request, &host.name, now).await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.bytes().await.ok()?.to_vec()))
    }
}
