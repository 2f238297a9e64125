//! A progress bar for long runs. It shows only on a terminal and only on standard error, so that
//! results can be piped and logs stay clean.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps done out of a known number; the bar goes away when this is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for `total` steps; `what` is a word for them.
    pub fn new(total: u64, what: impl Into<String>) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar =
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{msg} {wide_bar} {pos}/{len}  {elapsed} (about {eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_message(what.into());
        Self { bar }
    }

    /// Counts one more step, from any thread.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_from_many_threads_all_count() {
        let progress = Progress { bar: ProgressBar::hidden() };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..250).for_each(|_| progress.step()));
            }
        });
        assert_eq!(progress.bar.position(), 1000);
    }
}
