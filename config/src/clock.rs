//! `[clock]`: how fast time passes, for experiments with many nodes.
//!
//! Processes with the same epoch and the same speed show the same time, whenever each of them was started.
//! A mesh can live through weeks in minutes.

use crate::codec::{above_zero, number};
use crate::table::Table;

/// Faster than this, the work itself does not keep up.
const FASTEST: f64 = 100_000.0;
/// The year 2200. An instant in milliseconds would be far beyond.
const LATEST: f64 = 7_258_118_400.0;

/// `[clock]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Times real time.
    pub speed: f64,
    /// In seconds since 1970. Without it: the start of the process.
    pub epoch: Option<f64>,
}

impl Clock {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about(
            "For experiments only: many nodes and a newsroom that live through weeks in minutes. Real \
             sources publish no faster, and the node would poll their hosts too often.",
        );
        let instant =
            number("an instant in seconds since 1970", |second| second > 0.0 && second <= LATEST);
        Self {
            speed: table
                .key("speed", "How many times faster than real time. Network timeouts stay real.")
                .required(above_zero(FASTEST), 1.0, |clock| clock.speed),
            epoch: table
                .key(
                    "epoch",
                    "The instant at which the clock shows the real time, in seconds since 1970. \
                     Processes with the same epoch and speed show the same time. Left out, it is the \
                     start of the process.",
                )
                .optional(instant, 1_790_000_000, |clock| clock.epoch),
        }
    }
}
