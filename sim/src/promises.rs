//! The promises of a node, written once. Whoever observes something tells it here; what breaks a promise is noted with
//! the instant, and the run fails.
//!
//! - `politeness`: what a node asks of sites: one request at a time, spacing, floors, Retry-After, the budget
//! - `reading`: what a reader is told: every item once, in order, numbers without gaps, nothing lost, nothing that is
//!   not durable, nothing that is not for it
//! - `rows`: what is stored: numbers without gaps, one entry per item, an item for each entry

pub mod politeness;
pub mod reading;
pub mod rows;

use std::sync::Arc;

use pergola_outside::locks::Mutex;

use crate::trace::Trace;

/// The promises of one run. Cheap to clone.
#[derive(Clone)]
pub struct Promises {
    broken: Arc<Mutex<Vec<String>>>,
    trace: Trace,
}

impl Promises {
    /// None is broken yet.
    pub fn new(trace: Trace) -> Self {
        Self { broken: Arc::default(), trace }
    }

    /// A promise is broken.
    pub fn broken(&self, how: String) {
        self.trace.tell(format_args!("BROKEN {how}"));
        let at = self.trace.now();
        self.broken.lock().push(format!("at {at:.3}: {how}"));
    }

    /// Whether one is broken.
    pub fn any_broken(&self) -> bool {
        !self.broken.lock().is_empty()
    }

    /// All that was broken.
    pub fn all_broken(&self) -> Vec<String> {
        self.broken.lock().clone()
    }
}
