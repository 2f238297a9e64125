//! The chain in real time: each node is told at once when the one before it has news. Beside it, on links of
//! the same kind, bare round trips: a fetch of the same answer from a server that has it in memory.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::serve::ListenerExt;
use pergola_config::{BudgetRule, Config};
use pergola_manners::Cooperation;
use pergola_newsroom::Process;
use pergola_newsroom::serve::{Newsroom, Source};
use pergola_node::node::{NewSource, Node, Running};
use pergola_node::publish::Follower;
use pergola_outside::clock::Clock;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_proto::v1::syndication_server::{Syndication, SyndicationServer};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::codegen::tokio_stream::Empty;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::link::slow;
use super::{Args, WINDOW};
use crate::bench::ask_at_once;

/// Time that a node has to end.
const GRACE: Duration = Duration::from_secs(10);
/// An item that takes longer was not told of.
const PATIENCE: Duration = Duration::from_secs(5);
/// Items until every node watches the one before it, at most.
const TRIES: usize = 60;
/// Round trips on each link, and those before that are not counted.
const ROUND_TRIPS: usize = 100;
const WARMING: usize = 20;
const FEED: &str = "News";
const SOURCE: &str = "news";

/// What watching gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Watched {
    /// Milliseconds that each link took, each way.
    pub delay_ms: u64,
    /// Items.
    pub items: usize,
    /// From being published by the first node until it could be read at the last, of the item in the middle.
    pub median_ms: f64,
    /// The sum over the links of a bare round trip.
    pub round_trips_ms: f64,
    /// The first over the second.
    pub ratio: f64,
}

/// Watches items on their way over so many links.
pub(super) async fn measure(args: &Args, delay_ms: u64) -> Result<Watched> {
    let delay = Duration::from_millis(delay_ms);
    let mut tasks = JoinSet::new();
    let mut chain = Chain::start(args, delay, &mut tasks).await?;
    let mut tries = 0;
    while chain.send().await?.is_none() {
        tries += 1;
        if tries == TRIES {
            bail!("nothing came through the chain in {TRIES} tries");
        }
    }
    let mut ages = Vec::new();
    for _ in 0..args.watched {
        ages.push(chain.send().await?.context("an item did not come through the chain")?);
    }
    let answer = chain.last_answer().await?;
    let mut round_trips = 0.0;
    for _ in 0..args.hops {
        round_trips += round_trip(&answer, delay, &chain.clock, &mut tasks).await?;
    }
    chain.stop().await;
    let (median_ms, round_trips_ms) = (1e3 * median(ages), 1e3 * round_trips);
    let ratio = median_ms / round_trips_ms;
    Ok(Watched { delay_ms, items: args.watched, median_ms, round_trips_ms, ratio })
}

/// The nodes: the first reads a source, and each of the others the node before it.
struct Chain {
    clock: Clock,
    newsroom: Newsroom,
    nodes: Vec<Running>,
    source: String,
    /// Told when the first and the last node have published something.
    first: Follower<()>,
    last: Follower<()>,
    _folder: tempfile::TempDir,
}

impl Chain {
    async fn start(args: &Args, delay: Duration, tasks: &mut JoinSet<()>) -> Result<Self> {
        let (clock, folder) = (Clock::real(), tempfile::tempdir()?);
        let (time, listener) = (clock.clone(), TcpListener::bind("127.0.0.1:0").await?);
        let press = format!("http://{}", listener.local_addr()?);
        // It publishes when it is told to.
        let silent = Process::Constant { rate: 1e-9 };
        let newsroom = Newsroom::builder(Arc::new(move || time.now()))
            .seed(args.seed)
            .base_url(&press)
            .sources([Source::new(SOURCE, silent).window(WINDOW)])
            .build()?;
        serve(listener, newsroom.router(), tasks);
        let source = format!("{press}/sources/{SOURCE}");
        let (mut nodes, mut url) = (Vec::new(), source.clone());
        for hop in 0..=args.hops {
            let mut config = Config::default();
            config.node.data = folder.path().join(format!("node-{hop}"));
            config.schedule.cycle = Duration::from_secs(1);
            config.budget.rule = BudgetRule::Refreshes { per_minute: 60.0 };
            config.peers.cooperate = Cooperation { hints: false, watch: true, archive: true };
            ask_at_once(&mut config);
            let node = Node::open_here(config, clock.clone()).await?;
            node.add_sources(vec![NewSource::feed(&url)?]).await?;
            let script = format!("CREATE FEED {FEED} AS RETURN \"{url}\" WINDOW {WINDOW};");
            node.run_script(&script, "bench").await?;
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = linked(listener.local_addr()?, delay, tasks).await?;
            url = format!("http://{address}/feeds/{FEED}.atom");
            nodes.push(node.start(listener)?);
        }
        let changes = |running: Option<&Running>| {
            Ok::<_, anyhow::Error>(running.context("a chain has nodes")?.node.changes())
        };
        let (first, last) = (changes(nodes.first())?, changes(nodes.last())?);
        Ok(Self { clock, newsroom, nodes, source, first, last, _folder: folder })
    }

    /// Publishes an item and returns the seconds that it took from the first node to the last, if it came.
    async fn send(&mut self) -> Result<Option<f64>> {
        self.first.mark_unchanged();
        self.last.mark_unchanged();
        self.newsroom.publish_now(SOURCE, 1)?;
        let node = &self.nodes[0].node;
        let id = node.find_source(&self.source).context("the source is gone")?;
        let refresh = node.request_refresh(id);
        let Ok(told) = tokio::time::timeout(PATIENCE, self.first.changed()).await else {
            return Ok(None);
        };
        told?;
        let published = self.clock.now();
        let Ok(told) = tokio::time::timeout(PATIENCE, self.last.changed()).await else {
            return Ok(None);
        };
        told?;
        let age = self.clock.now() - published;
        // The refresh has long been over; the next one must not find it under way.
        refresh.await.context("the first node's refresh was not finished")?;
        Ok(Some(age))
    }

    /// The last item as the first node gives it.
    async fn last_answer(&self) -> Result<v1::FetchResponse> {
        let address = format!("http://{}", self.nodes[0].address());
        let mut client = SyndicationClient::connect(address).await?;
        let newest = v1::FetchRequest { feed: FEED.into(), newest: 1, ..Default::default() };
        Ok(client.fetch(newest).await?.into_inner())
    }

    async fn stop(mut self) {
        while let Some(node) = self.nodes.pop() {
            node.stop(GRACE).await;
        }
    }
}

/// Where to reach an address over a link that takes so long each way.
async fn linked(
    target: SocketAddr,
    delay: Duration,
    tasks: &mut JoinSet<()>,
) -> Result<SocketAddr> {
    if delay.is_zero() { Ok(target) } else { slow(target, delay, tasks).await }
}

fn serve(listener: TcpListener, router: Router, tasks: &mut JoinSet<()>) {
    let listener = listener.tap_io(|connection| {
        // Without it only slower.
        let _ = connection.set_nodelay(true);
    });
    tasks.spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "the benchmark's own server ended");
        }
    });
}

/// Seconds of a bare round trip, the one in the middle.
async fn round_trip(
    answer: &v1::FetchResponse,
    delay: Duration,
    clock: &Clock,
    tasks: &mut JoinSet<()>,
) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = linked(listener.local_addr()?, delay, tasks).await?;
    let service = SyndicationServer::new(Bare(answer.clone()));
    serve(listener, Routes::new(service).into_axum_router(), tasks);
    let mut client = SyndicationClient::connect(format!("http://{address}")).await?;
    let mut trips = Vec::new();
    for trip in 0..WARMING + ROUND_TRIPS {
        let start = clock.now();
        client.fetch(v1::FetchRequest { feed: FEED.into(), ..Default::default() }).await?;
        if trip >= WARMING {
            trips.push(clock.now() - start);
        }
    }
    Ok(median(trips))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// A server that gives one answer.
struct Bare(v1::FetchResponse);

#[tonic::async_trait]
impl Syndication for Bare {
    type WatchStream = Empty<Result<v1::WatchResponse, Status>>;

    async fn list_feeds(
        &self,
        _: Request<v1::ListFeedsRequest>,
    ) -> Result<Response<v1::ListFeedsResponse>, Status> {
        Err(Status::unimplemented("it only gives one answer"))
    }

    async fn describe(
        &self,
        _: Request<v1::DescribeRequest>,
    ) -> Result<Response<v1::DescribeResponse>, Status> {
        Err(Status::unimplemented("it only gives one answer"))
    }

    async fn search(
        &self,
        _: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchResponse>, Status> {
        Err(Status::unimplemented("it only gives one answer"))
    }

    async fn fetch(
        &self,
        _: Request<v1::FetchRequest>,
    ) -> Result<Response<v1::FetchResponse>, Status> {
        Ok(Response::new(self.0.clone()))
    }

    async fn watch(
        &self,
        _: Request<v1::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("it only gives one answer"))
    }
}
