//! The mesh: nodes that this one reads, and nodes that read it.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use pergola_pages::inside::mesh;

use crate::answer::{Failure, page};
use crate::site::Site;
use crate::visitor::Manager;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/mesh", get(show))
}

async fn show(State(site): State<Site>, Manager(visitor): Manager) -> Result<Response, Failure> {
    let around = site.client.neighbours().await?;
    Ok(page(&mesh::page(visitor.viewer(), &around)))
}
