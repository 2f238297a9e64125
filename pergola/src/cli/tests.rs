//! Everything that a message tells people to type exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use super::Cli;

/// The texts in double quotes of a source file, without its tests; broken lines are joined.
fn texts(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut texts = Vec::new();
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|c| *c != '\n').is_some() {},
            // A quote as a character.
            '\'' if rest.peek() == Some(&'"') => drop(rest.next()),
            '"' => texts.push(text(&mut rest)),
            _ => {}
        }
    }
    texts
}

fn text(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '"' => break,
            '\\' => match rest.next() {
                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                Some('n') => text.push('\n'),
                Some(escaped) => text.push(escaped),
                None => {}
            },
            c => text.push(c),
        }
    }
    text
}

/// The Rust files at a place.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let entries =
        entries.filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "rs"));
    entries.flat_map(|path| files(&path)).collect()
}

fn texts_at(places: &[&str]) -> Vec<String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = places.iter().flat_map(|place| files(&workspace.join(place)));
    let files = files.filter(|file| !file.ends_with("cli/tests.rs"));
    files.flat_map(|file| texts(&fs::read_to_string(file).unwrap())).collect()
}

/// The commands that a text quotes, with something in the place of what is filled in.
fn commands(text: &str) -> Vec<Vec<String>> {
    let quoted = text.split('`').skip(1).step_by(2);
    let word = |word: &str| match word {
        "URL" => "https://example.org/".to_owned(),
        word if word.contains('{') => "1".to_owned(),
        word => word.to_owned(),
    };
    let quoted = quoted.filter(|quoted| quoted.starts_with("pergola "));
    quoted.map(|quoted| quoted.split_whitespace().map(word).collect()).collect()
}

fn options(command: &clap::Command, into: &mut BTreeSet<String>) {
    into.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned));
    command.get_subcommands().for_each(|command| options(command, into));
}

/// Every key of the configuration, as the manual lists them: `crawl.floor`.
fn keys() -> BTreeSet<String> {
    let (mut keys, mut section) = (BTreeSet::new(), String::new());
    for line in pergola_config::manual().lines() {
        if let Some(title) = line.strip_prefix("## `[") {
            section = title.trim_start_matches('[').split([']', '.']).next().unwrap().to_owned();
        } else if let Some(entry) = line.strip_prefix("- **`") {
            keys.insert(format!("{section}.{}", entry.split('`').next().unwrap()));
        }
    }
    keys
}

/// What advises: the doctor, the hints of the commands and of the node, and the configuration's warnings.
const ADVICE: [&str; 6] = [
    "pergola/src/doctor/checks.rs",
    "pergola/src/doctor/checks",
    "pergola/src/cli/failure/advice.rs",
    "pergola/src/cli/overview.rs",
    "node/src/api/refusal.rs",
    "config/src/warnings.rs",
];

#[test]
fn every_command_that_a_message_names_exists() {
    let texts = texts_at(&["pergola/src/cli.rs", "pergola/src/cli", "pergola/src/doctor"]);
    let texts = texts.into_iter().chain(texts_at(&ADVICE[4..]));
    let commands: BTreeSet<Vec<String>> = texts.flat_map(|text| commands(&text)).collect();
    assert!(commands.len() > 10, "{commands:?}");
    assert!(commands.iter().any(|command| command.contains(&"--failing".to_owned())));
    for command in commands {
        if let Err(error) = Cli::try_parse_from(&command) {
            assert_eq!(error.kind(), ErrorKind::MissingRequiredArgument, "{command:?}: {error}");
        }
    }
}

#[test]
fn every_option_and_key_that_an_advice_names_exists() {
    let (keys, mut known) = (keys(), BTreeSet::new());
    options(&Cli::command(), &mut known);
    let sections: BTreeSet<&str> =
        keys.iter().filter_map(|key| Some(key.split_once('.')?.0)).collect();
    let (mut seen_options, mut seen_keys) = (0, 0);
    for text in texts_at(&ADVICE) {
        let outside = |c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c));
        for word in text.split(outside).map(|word| word.trim_end_matches('.')) {
            if let Some(option) = word.strip_prefix("--").filter(|option| !option.is_empty()) {
                assert!(known.contains(option), "there is no --{option}: {text}");
                seen_options += 1;
            }
            let section = word.split_once('.').map(|(section, _)| section);
            if section.is_some_and(|section| sections.contains(section)) {
                assert!(keys.contains(word), "there is no key {word}: {text}");
                seen_keys += 1;
            }
        }
    }
    assert!(seen_options > 5 && seen_keys > 10, "{seen_options} options, {seen_keys} keys");
}

#[test]
fn a_command_or_key_that_does_not_exist_would_be_noticed() {
    let text =
        texts("fn f() { g(\"see `pergola source list \\\n   --standing {x}`\"); } // \"no\"");
    assert_eq!(text, ["see `pergola source list --standing {x}`"]);
    let found = commands(&text[0]);
    assert_eq!(found, [["pergola", "source", "list", "--standing", "1"].map(str::to_owned)]);
    assert_eq!(Cli::try_parse_from(&found[0]).unwrap_err().kind(), ErrorKind::UnknownArgument);
    assert!(keys().contains("crawl.allow_private") && !keys().contains("crawl.allow_privat"));
}
