//! What every page works with.

use std::sync::Arc;

use axum::Router;
use pergola_api::Client;
use pergola_node::api::InProcess;
use pergola_node::node::{Node, PeopleError};
use pergola_pages::inside::overview::Link;

use crate::identity::Identity;
use crate::pictures::Pictures;

/// The site of a node.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) node: Arc<Node>,
    /// Calls the node's REST API as its operator.
    pub(crate) client: Arc<Client>,
    /// Who people are elsewhere.
    pub(crate) identity: Arc<Identity>,
    /// Where people see more than this node.
    pub(crate) beside: Option<Arc<Link>>,
    /// The pictures of items.
    pub(crate) pictures: Arc<Pictures>,
    /// The node without the site.
    pub(crate) inner: Router,
}

impl Site {
    /// The site of a node whose own routes are `inner`.
    pub(crate) fn new(node: Arc<Node>, beside: Option<Link>, inner: Router) -> Self {
        let client = Arc::new(InProcess::client(pergola_node::api::router(Arc::clone(&node))));
        let pictures = Arc::new(Pictures::new(node.new_token().ok()));
        let beside = beside.map(Arc::new);
        Self { node, client, identity: Arc::default(), beside, pictures, inner }
    }

    /// Asks the node something that waits for the disk.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Node) -> Result<T, PeopleError> + Send + 'static,
    ) -> Result<T, PeopleError> {
        let node = Arc::clone(&self.node);
        self.node.blocking().run(move || question(&node)).await?
    }
}
