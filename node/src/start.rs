//! Starting a node: what it answers is put together and bound to a port.

use std::sync::Arc;

use axum::Router;
use tokio_util::sync::CancellationToken;

use crate::node::{Node, Running, StartError};
use crate::peer::Limits;
use crate::{api, peer};
use pergola_outside::surroundings::Listener;

impl Node {
    /// Crawls and serves from now on: feeds, the API, and other nodes.
    pub fn start(
        self: Arc<Self>,
        listener: impl Into<Box<dyn Listener>>,
    ) -> Result<Running, StartError> {
        self.start_behind(listener, |router| router)
    }

    /// … behind something that answers some requests itself and passes on the others.
    pub fn start_behind(
        self: Arc<Self>,
        listener: impl Into<Box<dyn Listener>>,
        front: impl FnOnce(Router) -> Router,
    ) -> Result<Running, StartError> {
        let stop = CancellationToken::new();
        let peers = peer::router(Arc::clone(&self), Limits::default(), stop.clone());
        let router = api::router(Arc::clone(&self)).merge(peers);
        self.run(listener.into(), router, front, stop)
    }
}
