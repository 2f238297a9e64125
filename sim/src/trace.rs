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
    /// What is printed as it comes.
    shown: Shown,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    Lines,
    /// Every message, too.
    All,
}

impl Trace {
    /// Begins now, which is the instant 0 of the run.
    pub fn begin(shown: Shown) -> Self {
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
        if inner.shown != Shown::Nothing {
            println!("{:>14.3} {line}", at.as_secs_f64());
        }
    }

    /// Something small happened, such as a message. It is in the digest, but only printed if all is.
    pub fn detail(&self, what: &'static str, from: usize, to: usize) {
        let mut inner = self.0.lock();
        let at = inner.began.elapsed();
        (at, what, from, to).hash(&mut inner.hasher);
        if inner.shown == Shown::All {
            println!("{:>14.3}   {what} {from} {to}", at.as_secs_f64());
        }
    }

    /// The digest of everything so far, and how many lines that is.
    pub fn digest(&self) -> (u64, u64) {
        let inner = self.0.lock();
        (inner.hasher.finish(), inner.lines)
    }
}
