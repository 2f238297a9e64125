//! The output: aligned text for people, JSON for programs.
//!
//! Titles and messages come from strangers, so control characters are replaced: a feed must not be able to move
//! the cursor, set the window's title or write a line of its own.

mod progress;
mod table;
mod words;

use std::io::{self, IsTerminal as _, Write as _};

use pergola_outside::clock::Clock;
use serde::Serialize;

use super::settings::Settings;
pub(super) use progress::Progress;
pub(super) use table::{Cell, Column, Tone, facts, table};
pub(super) use words::{clock, count, instant, known_percent, relative, size, span};

/// Standard output, and how to write to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    /// Write JSON.
    pub(super) json: bool,
    /// Characters in a line, if they are limited.
    width: Option<usize>,
    colours: bool,
    /// What the clock of the node shows, in Unix seconds.
    pub(super) now: f64,
}

impl Screen {
    pub(super) fn new(settings: &Settings) -> Self {
        let terminal = io::stdout().is_terminal();
        let told = settings.variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let asked = || {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
            (size.ws_col > 0).then_some(usize::from(size.ws_col))
        };
        Self {
            json: settings.options.json,
            width: told.or_else(|| if terminal { asked() } else { None }),
            colours: terminal && settings.variable("NO_COLOR").is_none(),
            now: Clock::real().now(),
        }
    }

    /// The same for a node whose clock shows `now`.
    pub(super) fn at(self, now: f64) -> Self {
        Self { now, ..self }
    }

    /// Writes the document as JSON for a program, or the text for a person.
    pub(super) fn show(
        &self,
        document: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        match self.json {
            true => Ok(self.line(&serde_json::to_string_pretty(document)?)?),
            false => Ok(self.text(&text())?),
        }
    }

    /// Writes a line.
    pub(super) fn line(&self, line: &str) -> io::Result<()> {
        self.text(&format!("{line}\n"))
    }

    /// Writes lines as they are.
    pub(super) fn text(&self, text: &str) -> io::Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes as they are.
    pub(super) fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// A stranger's text in one line, without control characters.
pub(super) fn harmless(text: &str) -> String {
    let visible = |c: char| match c {
        c if c.is_whitespace() => ' ',
        // Marks that change the direction of what follows.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.trim().chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_command_the_terminal() {
        assert_eq!(
            harmless(" a\x1b[31mb\nc\u{202e}d\u{9b}2J"),
            "a\u{fffd}[31mb c\u{fffd}d\u{fffd}2J"
        );
    }
}
