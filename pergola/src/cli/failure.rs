//! Error messages: what went wrong, why, and what to do next.

mod advice;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use pergola_api::ClientError;

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure without a hint.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    /// Says what to do next.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Prints a failure and returns the exit code. A closed pipe is no failure.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    let closed = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    if closed.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    // If this fails, too, there is nobody left to tell.
    let _ = io::stderr().write_all(told(error).as_bytes());
    ExitCode::FAILURE
}

/// Prints a hint although nothing failed.
pub(super) fn advise(hint: &str) {
    // A hint that cannot be printed is no failure.
    let _ = io::stderr().write_all(format!("hint: {hint}\n").as_bytes());
}

/// The failure, its causes as far as they say something new, and the hint.
pub(super) fn told(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    // The message about a mistake in a query starts with "error: " itself.
    let mut text = format!("error: {}\n", said.strip_prefix("error: ").unwrap_or(&said));
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            let _ = writeln!(text, "  because: {cause}");
            said.push_str(&cause);
        }
    }
    if let Some(hint) = hint(error) {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// The hint of the command, or else of the node. The chain of causes hides the types of contexts, so the error
/// itself is asked for them.
fn hint(error: &anyhow::Error) -> Option<String> {
    let own = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.clone());
    own.or_else(|| error.downcast_ref::<ClientError>().and_then(advice::advice))
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
