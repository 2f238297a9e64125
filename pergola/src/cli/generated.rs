//! `pergola completions` and `pergola man`: generated from the definition of the command line.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use serde_json::json;

use super::Cli;
use super::failure::Failure;
use super::screen::Screen;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola completions bash > \
                        ~/.local/share/bash-completion/completions/pergola\n  pergola completions zsh \
                        > ~/.zfunc/_pergola")]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the man pages to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola man ~/.local/share/man/man1")]
pub(super) struct Man {
    /// The folder; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn completions(args: &Completions, screen: &Screen) -> anyhow::Result<()> {
    Ok(screen.bytes(&script(args.shell))?)
}

fn script(shell: Shell) -> Vec<u8> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pergola", &mut script);
    script
}

pub(super) fn man(args: &Man, screen: &Screen) -> anyhow::Result<()> {
    let cannot_write = || Failure::new(format!("cannot write to {}", args.folder.display()));
    std::fs::create_dir_all(&args.folder).with_context(cannot_write)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(cannot_write)?;
    screen.show(&json!({ "folder": args.folder }), || {
        format!("man pages written to {}\n", args.folder.display())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::ValueEnum as _;

    use super::*;

    /// Every command that is shown, with those above it, such as `["source", "add"]`.
    fn commands() -> Vec<Vec<String>> {
        fn below(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
            for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
                let path = [path, &[command.get_name().to_owned()]].concat();
                below(command, &path, all);
                all.push(path);
            }
        }
        let mut all = Vec::new();
        below(&Cli::command(), &[], &mut all);
        assert!(all.contains(&vec!["source".to_owned(), "add".to_owned()]), "{all:?}");
        all
    }

    #[test]
    fn every_shell_completes_every_command() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).unwrap();
            for path in commands() {
                let name = path.last().unwrap();
                let words = script.split(|c: char| !c.is_alphanumeric() && c != '-');
                assert!(words.into_iter().any(|word| word == name), "{shell}: {path:?}");
            }
        }
    }

    #[test]
    fn every_command_has_a_man_page() {
        let folder = tempfile::tempdir().unwrap();
        clap_mangen::generate_to(Cli::command(), folder.path()).unwrap();
        let written: BTreeSet<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|page| page.unwrap().file_name().into_string().unwrap())
            .collect();
        let expected = commands().into_iter().map(|path| format!("pergola-{}.1", path.join("-")));
        let expected: BTreeSet<String> = expected.chain(["pergola.1".to_owned()]).collect();
        assert_eq!(written, expected);
        let page = std::fs::read_to_string(folder.path().join("pergola-source-add.1")).unwrap();
        assert!(page.contains("no\\-refresh"), "{page}");
    }
}
