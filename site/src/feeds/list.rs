//! The list of feeds.

use axum::extract::{Query, Request, State};
use axum::response::Response;
use http::Uri;
use pergola_pages::frame::Viewer;
use pergola_pages::inside::feeds::{self, Listed};
use serde::Deserialize;
use tower::ServiceExt as _;

use super::note;
use crate::answer::{Failure, page};
use crate::site::Site;
use crate::visitor::Visitor;

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    search: String,
    #[serde(default)]
    skip: usize,
    #[serde(default)]
    note: String,
}

/// Every feed for those who manage; everybody else sees the open ones.
pub(super) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
    mut request: Request,
) -> Result<Response, Failure> {
    let Viewer::Inside { manages: true, .. } = visitor.viewer() else {
        *request.uri_mut() = Uri::from_static("/");
        let Ok(answer) = site.inner.clone().oneshot(request).await;
        return Ok(answer);
    };
    let (feeds, removed) = (site.client.feeds().await?, site.client.removed().await?);
    let listed = Listed {
        feeds: &feeds.feeds,
        removed: &removed.feeds,
        search: &asked.search,
        skip: asked.skip,
        note: note(&asked.note),
    };
    Ok(page(&feeds::list(visitor.viewer(), &listed)))
}
