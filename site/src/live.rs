//! News for open pages, as server-sent events: what has changed since the last event, ready to be shown.
//!
//! Every two seconds at most, and only if something has changed. The page says which sources it shows.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::Stream;
use futures_util::stream::unfold;
use pergola_api::operation::HistoryRange;
use pergola_api::source::SourceFilter;
use pergola_api::{ClientError, Instant};
use pergola_pages::figures::escaped;
use pergola_pages::inside::mesh;
use pergola_pages::inside::overview::{Period, live_charts, live_figures};
use pergola_pages::inside::sources::live_parts;
use serde::Deserialize;

use crate::site::Site;
use crate::visitor::Manager;

/// The time between two events at least. Real time: whoever looks at a page lives in it, whatever the node's clock shows.
const PAUSE: Duration = Duration::from_secs(2);
/// Minutes of history that the figures need.
const MINUTES: f64 = 10.0;
/// Sources that one page shows at most.
const SOURCES: usize = 100;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/live", get(live))
}

/// What a page shows.
#[derive(Debug, Default, Deserialize)]
struct Shown {
    /// Numbers of sources, separated by commas.
    #[serde(default)]
    sources: String,
    /// The period of its charts.
    charts: Option<String>,
    /// It shows the mesh, and nothing else.
    mesh: Option<String>,
}

/// What a page is about.
enum Subject {
    /// Figures of the node, and some of its sources.
    Figures {
        /// Their numbers, separated by commas.
        ids: String,
        /// The charts, and the interval up to which they are drawn.
        charts: Option<(Period, f64)>,
    },
    /// The nodes around this one.
    Mesh,
}

/// The parts of a page by the key that its elements carry, as HTML.
type Parts = BTreeMap<String, String>;

async fn live(
    State(site): State<Site>,
    _: Manager,
    Query(shown): Query<Shown>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let numbers = shown.sources.split(',').filter(|id| id.parse::<u32>().is_ok()).take(SOURCES);
    let ids = numbers.collect::<Vec<_>>().join(",");
    // The page was made just now, with its charts.
    let drawn = |period: Period| (period, period.interval_at(site.node.clock.now()));
    let charts = shown.charts.as_deref().map(Period::of).map(drawn);
    let shown = if shown.mesh.is_some() { Subject::Mesh } else { Subject::Figures { ids, charts } };
    let events = unfold((site, shown, Parts::new()), |(site, mut shown, sent)| async move {
        let (event, sent) = next(&site, &mut shown, sent).await?;
        Some((Ok(event), (site, shown, sent)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Waits until something differs from what was sent. Ends when the node stops, so that nobody waits for its pages.
async fn next(site: &Site, shown: &mut Subject, sent: Parts) -> Option<(Event, Parts)> {
    let mut first = sent.is_empty();
    loop {
        if !std::mem::take(&mut first) {
            tokio::time::sleep(PAUSE).await;
        }
        if !site.node.is_running() {
            return None;
        }
        let now = match parts(site, shown).await {
            Ok(now) => now,
            Err(error) => {
                tracing::warn!(%error, "an open page could not be kept up to date");
                return None;
            }
        };
        let news: BTreeMap<&String, &String> =
            now.iter().filter(|(key, html)| sent.get(*key) != Some(html)).collect();
        if !news.is_empty() {
            let event = Event::default().json_data(&news).ok()?;
            return Some((event, now));
        }
    }
}

async fn parts(site: &Site, shown: &mut Subject) -> Result<Parts, ClientError> {
    match shown {
        Subject::Figures { ids, charts } => {
            let mut parts = figures(site, ids).await?;
            if let Some(charts) = charts {
                parts.extend(charts_of(site, charts).await?);
            }
            Ok(parts)
        }
        Subject::Mesh => {
            let around = site.client.neighbours().await?;
            Ok(Parts::from([("mesh".to_owned(), mesh::live(&around).into_string())]))
        }
    }
}

async fn figures(site: &Site, ids: &str) -> Result<Parts, ClientError> {
    let now = site.node.clock.now();
    let status = site.client.status().await?;
    let from = Some(Instant::from_unix(now - MINUTES * 60.0));
    let history = site.client.history(&HistoryRange { from, to: None }).await?;
    let mut parts = Parts::new();
    for (key, _, value) in live_figures(&status, &history.samples) {
        parts.insert(key.to_owned(), escaped(&value));
    }
    if !ids.is_empty() {
        let filter = SourceFilter { ids: Some(ids.to_owned()), ..SourceFilter::default() };
        for source in site.client.sources(&filter).await?.sources {
            for (key, markup) in live_parts(&source, now) {
                parts.insert(format!("source-{}-{key}", source.id), markup.into_string());
            }
        }
    }
    Ok(parts)
}

/// The charts, once an interval is over.
async fn charts_of(site: &Site, charts: &mut (Period, f64)) -> Result<Parts, ClientError> {
    let (period, drawn) = *charts;
    let now = site.node.clock.now();
    let interval = period.interval_at(now);
    if interval == drawn {
        return Ok(Parts::new());
    }
    let from = Some(Instant::from_unix(now - period.seconds()));
    let history = site.client.history(&HistoryRange { from, to: None }).await?;
    *charts = (period, interval);
    let drawings = live_charts(&history.samples, period, now).into_iter();
    Ok(drawings.map(|(key, markup)| (key, markup.into_string())).collect())
}
