//! What the configuration allows in memory: the sum of its limits.

use pergola_config::Config;
use serde::Serialize;

/// One part of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What takes it.
    pub what: &'static str,
    /// How much it may take.
    pub bytes: f64,
}

pub(super) fn parts(config: &Config) -> Vec<Part> {
    vec![Part { what: "store.cache", bytes: config.store.cache as f64 }]
}
