//! Metrics of WebSub, both ways. Labels come from fixed vocabularies.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::register::Register;

type ByOutcome = Family<[(&'static str, &'static str); 1], Counter>;

/// Metrics of WebSub.
#[derive(Default)]
pub struct Counts {
    /// Subscriptions at our hub.
    pub subscriptions: Gauge,
    /// Sources whose hub pushes to us.
    pub sources: Gauge,
    /// Items that a hub should have pushed and did not.
    pub missed: Counter,
    verifications: ByOutcome,
    deliveries: ByOutcome,
    pushes: ByOutcome,
    asks: ByOutcome,
}

impl Counts {
    /// Adds everything to a registry.
    pub(super) fn register(&self, to: &mut Register) {
        let help = "Subscriptions at this node's hub";
        to.register("websub_subscriptions", help, self.subscriptions.clone());
        let help = "Subscription requests at this node's hub by how their verification ended";
        to.register("websub_verifications", help, self.verifications.clone());
        let help = "Deliveries to subscribers by outcome";
        to.register("websub_deliveries", help, self.deliveries.clone());
        to.register("websub_sources", "Sources whose hub pushes to us", self.sources.clone());
        let help = "Requests to the hubs of sources by outcome";
        to.register("websub_requests", help, self.asks.clone());
        let help = "Documents that the hubs of sources pushed by outcome";
        to.register("websub_pushes", help, self.pushes.clone());
        let help = "Items that the hub of a source should have pushed and did not";
        to.register("websub_items_missed", help, self.missed.clone());
    }

    /// A verification at our hub has ended.
    pub fn verified(&self, outcome: &'static str) {
        self.verifications.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A delivery has ended.
    pub fn delivered(&self, outcome: &'static str) {
        self.deliveries.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A hub has pushed something.
    pub fn pushed(&self, outcome: &'static str) {
        self.pushes.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A request to a hub has ended.
    pub fn asked(&self, outcome: &'static str) {
        self.asks.get_or_create(&[("outcome", outcome)]).inc();
    }
}
