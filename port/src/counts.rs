//! What is counted of the connections to a port.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

/// Counted for each reason.
pub type ByReason = Family<[(&'static str, &'static str); 1], Counter>;

/// What is counted of connections. Cheap to clone.
#[derive(Clone, Default)]
pub struct PortMetrics {
    /// Connections open.
    pub open: Gauge,
    /// Clients turned away.
    pub shed: ByReason,
    /// Clients that were too slow.
    pub cut: ByReason,
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
}
