//! A transcript: what is said, what is typed, and what is printed.
//!
//! Lines that begin with `# ` are prose, those with `$ ` are commands, and those with `> ` continue a command.
//! Everything up to the next of these is the output.

use std::fmt;

#[derive(Default)]
pub(super) struct Transcript {
    pub(super) steps: Vec<Step>,
    /// Prose after the last command.
    end: Vec<String>,
}

#[derive(Default)]
pub(super) struct Step {
    prose: Vec<String>,
    pub(super) command: String,
    pub(super) output: String,
}

impl Transcript {
    pub(super) fn parse(text: &str) -> Self {
        let mut transcript = Self::default();
        for line in text.lines() {
            let steps = &mut transcript.steps;
            if line.starts_with('#') {
                transcript.end.push(line.to_owned());
            } else if let Some(command) = line.strip_prefix("$ ") {
                let prose = std::mem::take(&mut transcript.end);
                steps.push(Step { prose, command: command.to_owned(), output: String::new() });
            } else if let Some(more) = line.strip_prefix("> ") {
                let step = steps.last_mut().expect("a command goes before its continuation");
                step.command.push_str(&format!("\n{more}"));
            } else if let Some(step) = steps.last_mut() {
                step.output.push_str(&format!("{line}\n"));
            }
        }
        transcript
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            step.prose.iter().try_for_each(|line| writeln!(f, "{line}"))?;
            writeln!(f, "$ {}", step.command.replace('\n', "\n> "))?;
            for line in step.output.trim_end().lines() {
                let is_output = !line.starts_with(['#', '$', '>']);
                assert!(is_output, "this line cannot stand in a transcript: {line}");
                writeln!(f, "{}", line.trim_end())?;
            }
            writeln!(f)?;
        }
        self.end.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Fails with the first difference, and how to accept it.
pub(super) fn assert_same(reviewed: &str, played: &str) {
    if reviewed == played {
        return;
    }
    let (old, new): (Vec<_>, Vec<_>) = (reviewed.lines().collect(), played.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let around = |lines: &[&str]| {
        lines[same.saturating_sub(6).min(lines.len())..(same + 6).min(lines.len())].join("\n")
    };
    panic!(
        "line {} of the transcript differs.\n--- reviewed:\n{}\n--- printed now:\n{}\n---\nIf the new one is \
         right, set PERGOLA_WRITE_TRANSCRIPTS=1, run the test again and review the difference.",
        same + 1,
        around(&old),
        around(&new),
    );
}
