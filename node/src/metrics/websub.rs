//! What is counted of pushing, both ways. Labels come from bounded vocabularies.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

type ByOutcome = Family<[(&'static str, &'static str); 1], Counter>;

/// What is counted of pushing.
#[derive(Default)]
pub struct Counts {
    /// Subscriptions at our hub.
    pub subscriptions: Gauge,
    /// Sources of which a hub tells us.
    pub sources: Gauge,
    /// Items of which a hub should have told us and did not.
    pub missed: Counter,
    verifications: ByOutcome,
    deliveries: ByOutcome,
    pushes: ByOutcome,
    asks: ByOutcome,
}

impl Counts {
    /// Adds everything to a registry.
    pub fn register(&self, to: &mut Registry) {
        let help = "Subscriptions at this node's hub";
        to.register("websub_subscriptions", help, self.subscriptions.clone());
        let help = "Subscription requests at this node's hub by how their verification ended";
        to.register("websub_verifications", help, self.verifications.clone());
        let help = "Deliveries to subscribers by outcome";
        to.register("websub_deliveries", help, self.deliveries.clone());
        to.register("websub_sources", "Sources of which a hub tells", self.sources.clone());
        let help = "Requests to the hubs of sources by outcome";
        to.register("websub_requests", help, self.asks.clone());
        let help = "Documents that the hubs of sources sent by what became of them";
        to.register("websub_pushes", help, self.pushes.clone());
        let help = "Items of which the hub of a source should have told and did not";
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

    /// A hub has sent something.
    pub fn pushed(&self, outcome: &'static str) {
        self.pushes.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A hub was asked for something.
    pub fn asked(&self, outcome: &'static str) {
        self.asks.get_or_create(&[("outcome", outcome)]).inc();
    }
}
