//! A node with its pages on its port.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use pergola_node::node::{Node, Running, StartError};
use pergola_outside::surroundings::Listener;
use pergola_pages::inside::overview::Link;

use crate::door::{identify, pass};
use crate::site::Site;
use crate::{
    account, feeds, live, login, lost, mesh, moving, overview, read, reader_api, settings, sources,
    users,
};

/// Crawls and serves from now on: what a node serves, and the pages for people.
pub fn start(
    node: Arc<Node>,
    listener: impl Into<Box<dyn Listener>>,
) -> Result<Running, StartError> {
    open(node, listener.into(), None)
}

/// The same for a node whose overview leads to a page beside it.
pub fn start_beside(
    node: Arc<Node>,
    listener: impl Into<Box<dyn Listener>>,
    beside: Link,
) -> Result<Running, StartError> {
    open(node, listener.into(), Some(beside))
}

fn open(
    node: Arc<Node>,
    listener: Box<dyn Listener>,
    beside: Option<Link>,
) -> Result<Running, StartError> {
    let own = Arc::clone(&node);
    node.start_behind(listener, |inner| router(Site::new(own, beside, inner)))
}

/// Every route of the site, and behind them those of the node.
fn router(site: Site) -> Router {
    let mut site = site;
    let inner = site.inner.clone().layer(moving::annex(Arc::clone(&site.node)));
    site.inner = inner.layer(from_fn_with_state(site.clone(), pass));
    Router::new()
        .merge(overview::routes())
        .merge(live::routes())
        .merge(lost::routes())
        .merge(sources::routes())
        .merge(feeds::routes())
        .merge(mesh::routes())
        .merge(settings::routes())
        .merge(login::routes())
        .merge(users::routes())
        .merge(account::routes())
        .merge(read::routes())
        .merge(moving::routes())
        .layer(from_fn_with_state(site.clone(), identify))
        .merge(reader_api::routes())
        .fallback(lost::pass_on)
        .with_state(site)
}
