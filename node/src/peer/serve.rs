//! The service itself: from a question to an answer.
//!
//! What waits for the disk runs on threads of its own, a bounded number at a time.

mod about;
pub(super) mod fetch;
mod head;
mod page;
mod recent;
mod watching;

use std::sync::Arc;

use pergola_proto::v1;
use pergola_proto::v1::syndication_server::Syndication;
use pergola_store::archive::ArchiveError;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::caller::Caller;
use super::cursor::Cursor;
use crate::node::Node;
use crate::publish::Listing;
use about::Estimates;
use head::Heads;
use page::Pager;
use pergola_peers::wire::millis;
use watching::Watching;

/// Feeds in one answer, unless fewer are asked for.
const FEEDS: usize = 1_000;
/// Feeds that a search finds, unless fewer are asked for.
const FOUND: usize = 50;
/// The longest name that is looked up.
const NAME_BYTES: usize = 1_000;

/// What answers the calls of other nodes.
#[derive(Clone)]
pub(super) struct Syndicate(Arc<Parts>);

struct Parts {
    node: Arc<Node>,
    pager: Pager,
    heads: Heads,
    estimates: Estimates,
    /// Pages being put together.
    workers: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Syndicate {
    pub(super) fn new(node: Arc<Node>, stop: CancellationToken) -> Self {
        let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get()) * 2;
        let pager = Pager::new(node.archive().clone(), node.imprint().clone());
        Self(Arc::new(Parts {
            heads: Heads::new(node.archive().clone(), pager.node(), node.blocking()),
            pager,
            estimates: Estimates::default(),
            workers: Arc::new(Semaphore::new(workers)),
            stop,
            node,
        }))
    }
}

impl Parts {
    /// The feed of this name, if it exists for this caller.
    fn feed(&self, name: &str, caller: &Caller) -> Result<Listing, Status> {
        let found = if name.len() > NAME_BYTES { None } else { self.node.listing(name) };
        let found = found.filter(|feed| caller.may_read(feed.id));
        found.ok_or_else(|| {
            if caller.is_wrong() {
                return Status::unauthenticated("the token is none that this node knows");
            }
            let shown: String = name.chars().take(80).collect();
            let help = "ListFeeds names those there are";
            Status::not_found(format!("there is no feed {shown:?}; {help}"))
        })
    }

    /// Runs work that waits for the disk.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Status> {
        let permit = Arc::clone(&self.workers).acquire_owned().await;
        let threads = self.node.blocking();
        let done = threads.run(move || {
            let _busy = permit;
            work()
        });
        match done.await {
            Ok(done) => done.map_err(|error| unreadable(&error)),
            Err(error) => {
                tracing::error!(%error, "an answer for another node ended early");
                Err(Status::internal("the node failed; its log says more"))
            }
        }
    }
}

/// What is kept cannot be read: the node's own trouble, which may pass.
fn unreadable(error: &ArchiveError) -> Status {
    tracing::error!(%error, "entries for another node could not be read");
    Status::unavailable("the entries cannot be read just now; the node's log says why")
}

/// The cursor that a question carries.
fn cursor(text: &str) -> Result<Option<Cursor>, Status> {
    let given = (!text.is_empty()).then(|| text.parse()).transpose();
    given.map_err(|bad: super::cursor::BadCursor| Status::invalid_argument(bad.to_string()))
}

#[tonic::async_trait]
impl Syndication for Syndicate {
    async fn list_feeds(
        &self,
        request: Request<v1::ListFeedsRequest>,
    ) -> Result<Response<v1::ListFeedsResponse>, Status> {
        let (parts, caller) = (&self.0, Caller::of(&request));
        let asked = request.into_inner();
        let limit = limited(asked.limit, FEEDS);
        let imprint = parts.node.imprint();
        let mut feeds: Vec<v1::FeedInfo> = parts
            .node
            .listings()
            .iter()
            .filter(|feed| feed.name > asked.after && caller.may_read(feed.id))
            .take(limit + 1)
            .map(|feed| about::feed_info(imprint, feed))
            .collect();
        let more = feeds.len() > limit;
        feeds.truncate(limit);
        let node = Some(about::node_info(imprint));
        Ok(Response::new(v1::ListFeedsResponse { node, feeds, more }))
    }

    async fn describe(
        &self,
        request: Request<v1::DescribeRequest>,
    ) -> Result<Response<v1::DescribeResponse>, Status> {
        let (parts, caller) = (Arc::clone(&self.0), Caller::of(&request));
        let feed = parts.feed(&request.into_inner().feed, &caller)?;
        let describing = Arc::clone(&parts);
        let describe = move || {
            let estimate = describing.estimates.of(&describing.node, feed.id)?;
            about::description(&describing.node, &feed, estimate, caller.is_operator())
        };
        Ok(Response::new(parts.blocking(describe).await?))
    }

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchResponse>, Status> {
        let (parts, caller) = (Arc::clone(&self.0), Caller::of(&request));
        let asked = request.into_inner();
        if asked.text.trim().is_empty() || asked.text.len() > NAME_BYTES {
            return Err(Status::invalid_argument(
                "search for some words, at most 1000 bytes of them",
            ));
        }
        let searching = Arc::clone(&parts);
        let search = move || {
            let limit = limited(asked.limit, FOUND);
            Ok(about::found(&searching.node, &asked.text, limit, |feed| caller.may_read(feed)))
        };
        Ok(Response::new(parts.blocking(search).await?))
    }

    /// Never called: the route of [`fetch`] comes before the generated server, which demands this.
    async fn fetch(
        &self,
        _: Request<v1::FetchRequest>,
    ) -> Result<Response<v1::FetchResponse>, Status> {
        Err(Status::unimplemented("fetches have a route of their own"))
    }

    type WatchStream = Watching;

    async fn watch(
        &self,
        request: Request<v1::WatchRequest>,
    ) -> Result<Response<Watching>, Status> {
        let (parts, caller) = (Arc::clone(&self.0), Caller::of(&request));
        let asked = request.into_inner();
        let feed = parts.feed(&asked.feed, &caller)?;
        let cursor = cursor(&asked.cursor)?;
        let (placing, listed) = (Arc::clone(&parts), feed.clone());
        let from = parts.blocking(move || placing.pager.place(&listed, cursor.as_ref())).await?;
        let news = parts.node.follow(feed.id);
        let news = news.ok_or_else(|| Status::not_found("the feed was dropped just now"))?;
        Ok(Response::new(Watching::new(parts, caller, feed.id, from, news)))
    }
}

/// What is asked for, within the node's own limit.
fn limited(asked: u32, most: usize) -> usize {
    match asked as usize {
        0 => most,
        some => some.min(most),
    }
}

/// When a feed last changed, if it ever did.
fn changed_at(tally: &pergola_store::archive::FeedTally) -> Option<i64> {
    (tally.edition > 0).then(|| millis(tally.changed_at))
}
