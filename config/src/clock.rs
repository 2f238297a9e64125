//! `[clock]`: how fast time passes, for experiments with many nodes.
//!
//! Processes that are told the same epoch and the same speed show the same time, whenever each of them was
//! started: a mesh can live through weeks in minutes.

use super::reader::Reader;
use super::show::Entry;
use super::values::above_zero;

/// Faster than this, the work itself does not keep up.
const FASTEST: f64 = 100_000.0;
/// The year 2200: an instant in milliseconds is far beyond.
const LATEST: f64 = 7_258_118_400.0;

/// `[clock]`: how fast time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Times real time; 1 is life.
    pub speed: f64,
    /// When it showed the real time, in seconds since 1970; without it, when the process started.
    pub epoch: Option<f64>,
}

impl Clock {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let epoch = reader.optional("epoch", |setting| {
            let seconds = above_zero(LATEST)(setting);
            seconds.map_err(|_| "must be an instant in seconds since 1970".to_owned())
        });
        Self { speed: reader.required("speed", above_zero(FASTEST)), epoch }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![
            ("speed", Some(self.speed.to_string())),
            ("epoch", self.epoch.map(|epoch| epoch.to_string())),
        ]
    }

    pub(super) fn warnings(&self) -> Option<String> {
        (self.speed != 1.0 && self.epoch.is_none()).then(|| {
            "`clock.speed` without `clock.epoch`: after a restart the node is back at the real time, \
             behind its own items; set `clock.epoch`, the same for all nodes"
                .to_owned()
        })
    }
}
