//! Error messages: what went wrong, why, and what to do next. With `--json` they are JSON, too: one object in one
//! line on standard error, with `code`, `message` and `hint`.

mod advice;

use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};
use std::process::ExitCode;

use pergola_api::{ClientError, Code};
use pergola_config::ConfigError;
use serde_json::{Value, json};

use super::settings::Settings;

/// The code of wrong arguments.
const USAGE: &str = "usage";
/// The code of whatever has no other.
const FAILED: &str = "failed";

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct Failure {
    what: String,
    hint: Option<String>,
    code: Option<&'static str>,
}

impl Failure {
    /// A failure without a hint.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None, code: None }
    }

    /// Says to programs what kind of failure it is.
    pub(super) fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Says what to do next.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// The failure of a command that restores: `list` is the command that shows what can be restored.
pub(super) fn not_removed(error: ClientError, list: &str) -> anyhow::Error {
    let code = match &error {
        ClientError::Refused(problem) if problem.code == Code::UnknownSource => "unknown-source",
        ClientError::Refused(problem) if problem.code == Code::UnknownFeed => "unknown-feed",
        _ => return error.into(),
    };
    let hint = format!("`{list}` shows what can be restored");
    Failure::new(error.to_string()).code(code).hint(hint).into()
}

/// Prints a failure, as text or as JSON, and returns the exit code. A closed pipe is no failure.
pub(super) fn report(error: &anyhow::Error, json: bool) -> ExitCode {
    let closed = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    if closed.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    say(&if json { format!("{}\n", object(error)) } else { told(error) });
    ExitCode::FAILURE
}

/// Prints what is wrong with the arguments, or the help that they ask for, and returns the exit code.
pub(super) fn report_usage(error: &clap::Error) -> ExitCode {
    // The arguments could not be read, but whoever wanted JSON has said so.
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let text = error.render().to_string();
        let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message).trim();
        say(&format!("{}\n", json!({ "code": USAGE, "message": message, "hint": rest.trim() })));
    } else {
        // If this fails, there is nobody left to tell.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints a hint although nothing failed.
pub(super) fn advise(hint: impl Display, settings: &Settings) {
    let note = || json!({ "note": hint.to_string() });
    say(&if settings.options.json { format!("{}\n", note()) } else { format!("hint: {hint}\n") });
}

fn say(text: &str) {
    // If this fails, there is nobody left to tell.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The failure for programs.
fn object(error: &anyhow::Error) -> Value {
    let said = error.to_string();
    let mut message = said.strip_prefix("error: ").unwrap_or(&said).to_owned();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    json!({ "code": code(error), "message": message, "hint": hint(error) })
}

/// The code of the command's failure, or else of the node's refusal.
fn code(error: &anyhow::Error) -> Value {
    if let Some(code) = error.downcast_ref::<Failure>().and_then(|failure| failure.code) {
        return code.into();
    }
    match error.downcast_ref::<ClientError>() {
        Some(ClientError::Refused(problem)) => json!(problem.code),
        Some(ClientError::Unreachable { .. }) => "unreachable".into(),
        _ if error.downcast_ref::<ConfigError>().is_some() => json!(Code::BadConfig),
        _ => FAILED.into(),
    }
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
    fn programs_are_told_the_same_in_one_object() {
        let cause = io::Error::other("the disk is on fire");
        let failure = Failure::new("no luck").code("bad-luck").hint("use water");
        let failed: Result<(), _> = Err(cause).context(failure);
        let expected = json!({
            "code": "bad-luck", "message": "no luck: the disk is on fire", "hint": "use water",
        });
        assert_eq!(object(&failed.unwrap_err()), expected);
        let refused = pergola_api::Problem::new(Code::UnknownFeed, "there is no feed `Newz`");
        let told = object(&ClientError::Refused(Box::new(refused)).into());
        assert_eq!(
            (&told["code"], &told["message"]),
            (&json!("unknown-feed"), &json!("there is no feed `Newz`"))
        );
        let other = object(&anyhow::anyhow!("odd"));
        assert_eq!(other, json!({ "code": "failed", "message": "odd", "hint": null }));
    }

    #[test]
    fn a_cause_that_was_said_already_is_not_repeated() {
        let error = anyhow::Error::new(io::Error::other("on fire")).context("no luck: on fire");
        assert_eq!(told(&error), "error: no luck: on fire\n");
    }
}
