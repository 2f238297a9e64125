//! The registry, and the names of what is in it: a metric without values yet is not in the text.

use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Metric, Registry, Unit};

/// What all names begin with.
const PREFIX: &str = "pergola";

/// Metrics and their names.
pub(super) struct Register {
    pub(super) registry: Registry,
    pub(super) names: Vec<String>,
    /// The names under which their values are told.
    pub(super) samples: Vec<String>,
}

impl Register {
    pub(super) fn new() -> Self {
        Self { registry: Registry::with_prefix(PREFIX), names: Vec::new(), samples: Vec::new() }
    }

    pub(super) fn register(&mut self, name: &str, help: &str, metric: impl Metric) {
        self.note(format!("{PREFIX}_{name}"), metric.metric_type());
        self.registry.register(name, help, metric);
    }

    pub(super) fn register_with_unit(
        &mut self,
        name: &str,
        help: &str,
        unit: Unit,
        metric: impl Metric,
    ) {
        self.note(format!("{PREFIX}_{name}_{}", unit.as_str()), metric.metric_type());
        self.registry.register_with_unit(name, help, unit, metric);
    }

    fn note(&mut self, name: String, kind: MetricType) {
        let endings: &[&str] = match kind {
            MetricType::Counter => &["_total"],
            MetricType::Histogram => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        self.samples.extend(endings.iter().map(|ending| format!("{name}{ending}")));
        self.names.push(name);
    }
}
