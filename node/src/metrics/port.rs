//! What is counted of the connections to the node's port.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::register::Register;

type ByReason = Family<[(&'static str, &'static str); 1], Counter>;

/// What is counted of connections. Cheap to clone.
#[derive(Clone, Default)]
pub struct PortMetrics {
    /// Connections open.
    pub open: Gauge,
    shed: ByReason,
    cut: ByReason,
    /// TLS handshakes that failed.
    pub failed_handshakes: Counter,
}

impl PortMetrics {
    /// A client was turned away.
    pub fn shed(&self, reason: &'static str) {
        self.shed.get_or_create(&[("reason", reason)]).inc();
    }

    /// A client was too slow.
    pub fn cut(&self, reason: &'static str) {
        self.cut.get_or_create(&[("reason", reason)]).inc();
    }

    pub(super) fn register(&self, to: &mut Register) {
        to.register("connections", "Connections open", self.open.clone());
        let shed =
            "Clients turned away because there were too many connections, by whose they were";
        to.register("connections_shed", shed, self.shed.clone());
        let cut = "Clients that were too slow, by what they were too slow with";
        to.register("connections_cut", cut, self.cut.clone());
        let failed = "Secured connections that did not come about";
        to.register("handshakes_failed", failed, self.failed_handshakes.clone());
    }
}
