//! Callers: who they are, what they may read and how much they may take.

use std::sync::Arc;

use http::Request;
use pergola_config::Limits;
use pergola_store::archive::FeedId;

use super::Node;
use pergola_port::access::{Caller, NotNear, TooOften};
use pergola_port::serve::{Favour, Favoured};

/// What whoever watches over a node asks.
const HEALTH: [&str; 4] = ["/healthz", "/readyz", "/metrics", "/grpc.health.v1.Health/Check"];

impl Node {
    /// Which requests are answered even if there are too many connections.
    pub(super) fn favour(self: &Arc<Self>) -> Favour {
        let node = Arc::clone(self);
        Arc::new(move |request| {
            if HEALTH.contains(&request.uri().path()) {
                return Some(Favoured::Health);
            }
            node.caller(request).is_operator().then_some(Favoured::Operator)
        })
    }

    /// Who sends a request.
    pub fn caller<B>(&self, request: &Request<B>) -> Caller {
        self.access.caller(request)
    }

    /// Why a request was not taken for one of the operator's, although the node has no token.
    pub fn not_near<B>(&self, request: &Request<B>) -> Option<NotNear> {
        self.access.not_near(request)
    }

    /// Counts a call, or says when the caller may call again.
    pub fn count_call(&self, caller: &Caller) -> Result<(), TooOften> {
        self.access.count(caller)
    }

    /// Counts a call of another node that was refused because there were too many.
    pub fn count_refused_call(&self) {
        self.metrics.peer_calls_refused.inc();
    }

    /// What a caller may take.
    pub fn limits_of(&self, caller: &Caller) -> Limits {
        self.access.limits(caller)
    }

    /// Whether a feed exists for a caller.
    pub fn may_read(&self, caller: &Caller, feed: FeedId) -> bool {
        self.access.may_read(caller, feed)
    }

    /// Those who may read a feed; nothing if anybody may.
    pub fn readers_of(&self, feed: FeedId) -> Option<Vec<String>> {
        self.access.readers_of(feed).map(|names| names.to_vec())
    }
}
