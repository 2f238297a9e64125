//! Progress of what takes long, on standard error and on a terminal only.

use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that says how far a command is; gone when it is dropped.
#[derive(Debug)]
pub(in crate::cli) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Says what is being done.
    pub(in crate::cli) fn new(what: &'static str) -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_prefix(what);
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    pub(in crate::cli) fn rows(&self, rows: u64) {
        self.bar.set_message(format!("{} rows", HumanCount(rows)));
    }

    pub(in crate::cli) fn bytes(&self, bytes: u64) {
        self.bar.set_message(HumanBytes(bytes).to_string());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
