//! The first page: how the node is doing.

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use pergola_api::Instant;
use pergola_api::operation::HistoryRange;
use pergola_api::source::{SourceFilter, SourcePage, SourceSort, SourceStanding};
use pergola_pages::inside::overview::{self, Overview, Period};
use serde::Deserialize;
use tower::ServiceExt as _;

use crate::answer::{Failure, page};
use crate::site::Site;
use crate::visitor::Visitor;

/// Sources of each standing that are named.
const NAMED: usize = 5;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/", get(show))
}

/// What the address of the page says.
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default)]
    period: String,
}

/// The overview for those who manage or read; everybody else sees the list of open feeds.
async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Query(said): Query<Said>,
    request: Request,
) -> Result<Response, Failure> {
    if visitor == Visitor::Stranger {
        let Ok(answer) = site.inner.clone().oneshot(request).await;
        return Ok(answer);
    }
    if !visitor.manages() {
        // Whoever only reads has nothing to look after.
        return Ok(Redirect::to("./read").into_response());
    }
    let period = Period::of(&said.period);
    let now = site.node.clock.now();
    let status = site.client.status().await?;
    let from = Some(Instant::from_unix(now - period.seconds()));
    let history = site.client.history(&HistoryRange { from, to: None }).await?;
    let mut troubled = Vec::new();
    for standing in [SourceStanding::Ended, SourceStanding::Failing, SourceStanding::Paused] {
        troubled.push(of_standing(&site, standing).await?);
    }
    Ok(page(&overview::page(&Overview {
        viewer: visitor.viewer(),
        status: &status,
        history: &history.samples,
        period,
        troubled: &troubled,
        now,
        beside: site.beside.as_deref(),
    })))
}

async fn of_standing(site: &Site, standing: SourceStanding) -> Result<SourcePage, Failure> {
    let filter = SourceFilter {
        standing: Some(standing),
        sort: Some(SourceSort::LastRefresh),
        descending: true,
        limit: Some(NAMED),
        ..SourceFilter::default()
    };
    Ok(site.client.sources(&filter).await?)
}
