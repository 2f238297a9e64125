//! What happened, line by line, and a digest of it. Two runs of one seed have the same digest.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pergola_outside::locks::Mutex;
use tokio::time::Instant;

/// The trace of one run. Cheap to clone.
#[derive(Clone)]
pub struct Trace(Arc<Mutex<Inner>>);

struct Inner {
    began: Instant,
    hasher: DefaultHasher,
    lines: u64,
    /// Lines are printed as they come.
    shown: bool,
}

impl Trace {
    /// Begins now, which is the instant 0 of the run.
    pub fn begin(shown: bool) -> Self {
        let (began, hasher) = (Instant::now(), DefaultHasher::new());
        Self(Arc::new(Mutex::new(Inner { began, hasher, lines: 0, shown })))
    }

    /// Seconds since the run began, in the true time of the simulated world.
    pub fn now(&self) -> f64 {
        self.0.lock().began.elapsed().as_secs_f64()
    }

    /// Something happened.
    pub fn tell(&self, what: fmt::Arguments<'_>) {
        let mut inner = self.0.lock();
        let at = inner.began.elapsed();
        let line = what.to_string();
        (at, &line).hash(&mut inner.hasher);
        inner.lines += 1;
        if inner.shown {
            println!("{:>14.3} {line}", at.as_secs_f64());
        }
    }

    /// The digest of everything so far, and how many lines that is.
    pub fn digest(&self) -> (u64, u64) {
        let inner = self.0.lock();
        (inner.hasher.finish(), inner.lines)
    }
}
