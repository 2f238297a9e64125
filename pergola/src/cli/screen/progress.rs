//! Progress of a long command, on standard error and only on a terminal.

use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that shows the progress; it disappears when this is dropped.
#[derive(Debug)]
pub(in crate::cli) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts the line with what is being done.
    pub(in crate::cli) fn new(what: &'static str) -> Self {
        // indicatif hides it if standard error is no terminal.
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
