//! What a source is shown to let the node in: from a file, a variable or a prompt, so that no secret need stand on
//! the command line, where other users of the machine see it.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use pergola_api::source::GivenCredentials;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::cli::failure::Failure;

/// Holds the password if no file does.
const PASSWORD_VARIABLE: &str = "PERGOLA_SOURCE_PASSWORD";
/// Holds the header if no option does.
const HEADER_VARIABLE: &str = "PERGOLA_SOURCE_HEADER";
/// Bytes of a file that holds a secret.
const MOST: u64 = 64 << 10;

/// What a source is shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "For a source that needs a password or a header")]
pub(super) struct Given {
    /// A user; the password comes from --password-file, from the variable PERGOLA_SOURCE_PASSWORD, or is
    /// asked for
    #[arg(long, value_name = "NAME", conflicts_with_all = ["header", "header_file"])]
    user: Option<String>,
    /// A file that holds only the password; - is standard input
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// A header to send, such as 'X-Token: abc'; the name alone takes the value from the variable
    /// PERGOLA_SOURCE_HEADER
    #[arg(long, value_name = "HEADER")]
    header: Option<String>,
    /// A file that holds only such a header; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "header")]
    header_file: Option<PathBuf>,
}

impl Given {
    /// The credentials, if there are any.
    pub(super) fn read(self) -> anyhow::Result<Option<GivenCredentials>> {
        let Self { user, password_file, header, header_file } = self;
        if let Some(user) = user {
            let password = password(&user, password_file.as_deref())?;
            return Ok(Some(GivenCredentials::Password { user, password }));
        }
        let header = match header_file {
            Some(file) => Some(content(&file)?),
            None => header,
        };
        header.map(|header| parsed(&header, variable(HEADER_VARIABLE))).transpose()
    }
}

/// The header that a text stands for; the name alone stands for the header with this value.
fn parsed(header: &str, value: Option<String>) -> anyhow::Result<GivenCredentials> {
    let (header, value) = match (header.split_once(':'), value) {
        (Some((name, value)), _) => (name, value.to_owned()),
        (None, Some(value)) => (header, value),
        (None, None) => {
            let hint = format!("write 'Name: value', or set {HEADER_VARIABLE} to the value");
            return Err(Failure::new("the header has no value").hint(hint).into());
        }
    };
    let (header, value) = (header.trim().to_owned(), value.trim().to_owned());
    Ok(GivenCredentials::Header { header, value })
}

fn password(user: &str, file: Option<&Path>) -> anyhow::Result<String> {
    match (file, variable(PASSWORD_VARIABLE)) {
        (Some(file), _) => content(file),
        (None, Some(password)) => Ok(password),
        (None, None) if io::stdin().is_terminal() => Ok(asked(user)?),
        (None, None) => Err(Failure::new(format!("there is no password for {user}"))
            .hint(format!("give it with --password-file, or in the variable {PASSWORD_VARIABLE}"))
            .into()),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What a file holds, without the end of its line.
fn content(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = match file.as_os_str() == "-" {
        true => io::stdin().lock().take(MOST).read_to_string(&mut text),
        false => {
            std::fs::File::open(file).and_then(|file| file.take(MOST).read_to_string(&mut text))
        }
    };
    read.with_context(|| Failure::new(format!("cannot read {}", file.display())))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Asks for a password at the terminal, which does not show it.
fn asked(user: &str) -> io::Result<String> {
    let terminal = io::stdin();
    write!(io::stderr(), "Password of {user}: ")?;
    io::stderr().flush()?;
    let before = tcgetattr(&terminal)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
    let mut password = String::new();
    let read = terminal.lock().read_line(&mut password);
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    writeln!(io::stderr())?;
    read?;
    Ok(password.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_name_and_a_value() {
        let header = |header: &str, value: &str| GivenCredentials::Header {
            header: header.into(),
            value: value.into(),
        };
        assert_eq!(parsed("X-Token: a:b", None).unwrap(), header("X-Token", "a:b"));
        assert_eq!(parsed("X-Token", Some("abc".into())).unwrap(), header("X-Token", "abc"));
        let error = parsed("X-Token", None).unwrap_err().to_string();
        assert_eq!(error, "the header has no value");
    }
}
