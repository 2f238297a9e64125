//! What went wrong, told to a person: what, why, and what to do next.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure about which nothing more is known.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    /// Says what to do next.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Prints a failure and says with which code to end. Whoever closed the pipe knows already.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    let closed = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    if closed.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    // Nobody is left to be told when even this fails.
    let _ = io::stderr().write_all(told(error).as_bytes());
    ExitCode::FAILURE
}

/// Says what to do next although nothing failed.
pub(super) fn advise(hint: &str) {
    // Advice that nobody can read is no failure.
    let _ = io::stderr().write_all(format!("hint: {hint}\n").as_bytes());
}

/// The failure, its causes as far as they say something new, and the hint.
pub(super) fn told(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    // A mistake in a query shows its place, and says itself that it is one.
    let mut text = format!("error: {}\n", said.strip_prefix("error: ").unwrap_or(&said));
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            let _ = writeln!(text, "  because: {cause}");
            said.push_str(&cause);
        }
    }
    // By the error and not by its chain, which hides the types of contexts.
    if let Some(hint) = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.as_deref())
    {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_failure_says_what_why_and_what_to_do() {
        let cause = io::Error::other("the disk is on fire");
        let failed: Result<(), _> = Err(cause).context(Failure::new("no luck").hint("use water"));
        let text = told(&failed.unwrap_err());
        assert_eq!(text, "error: no luck\n  because: the disk is on fire\nhint: use water\n");
    }

    #[test]
    fn that_it_is_an_error_is_said_once() {
        let error = Failure::new("error: `RETRUN` does not belong here\n --> query:1:19").into();
        assert_eq!(told(&error), "error: `RETRUN` does not belong here\n --> query:1:19\n");
    }

    #[test]
    fn a_cause_that_was_said_already_is_not_repeated() {
        let error = anyhow::Error::new(io::Error::other("on fire")).context("no luck: on fire");
        assert_eq!(told(&error), "error: no luck: on fire\n");
    }
}
