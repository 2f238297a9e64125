//! The documentation does what it says: every block of code on every page is run or checked, and every link leads
//! somewhere.
//!
//! | block | what is done with it |
//! |---|---|
//! | `sh` | run, page by page and in order, against a node of its own; see `tests/documents/session.sh` |
//! | `toml`, `toml mesh`, `json mesh` | checked by `pergola config check` or `topology-gen stats`, in the same session |
//! | `json` | parsed |
//! | `query` | parsed, and run against example items where the page has them |
//! | `python` | compiled; `tests/python/client.py` is the running program |
//! | `rust` | compared with `snippets.rs`, which is compiled and run |
//! | `text` | nothing: output, drawings and grammar |
//!
//! Any other language fails. What a page supposes (files, sources, feeds) is made by `tests/documents/before/PAGE.sh`.
//! Commands that are checked and not run are listed in `tests/documents/only-checked.txt`, each with its reason. To
//! change that list:
//!
//! ```sh
//! PERGOLA_WRITE_DOCS=1 cargo test --workspace --test end-to-end documents
//! git diff tests/documents
//! ```

mod links;
mod page;
mod queries;
mod session;
mod site;
mod snippets;

use std::fs;
use std::process::Command;

use crate::harness::{missing, pergola, run, workspace};
use page::pages;

const LANGUAGES: &[&str] =
    &["sh", "toml", "toml mesh", "json mesh", "json", "query", "python", "rust", "text"];

/// Why a command of a page is checked and not run.
const REASONS: &[&str] =
    &["builds", "containers", "installs", "system", "minutes", "another-machine"];

/// An architecture that nobody can read in one sitting is not read.
const ARCHITECTURE_WORDS: usize = 1200;

#[test]
fn every_block_has_a_language_that_is_checked() {
    let pages = pages();
    let blocks = pages.iter().flat_map(|page| page.blocks.iter().map(move |block| (page, block)));
    let unknown = blocks.filter(|(_, block)| !LANGUAGES.contains(&block.info.as_str()));
    let unknown: Vec<_> = unknown
        .map(|(page, block)| format!("{}:{}: `{}`", page.path, block.line, block.info))
        .collect();
    assert!(unknown.is_empty(), "nothing checks these blocks:\n{}", unknown.join("\n"));
}

#[test]
fn json_blocks_are_json() {
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.info.starts_with("json")) {
            let parsed = serde_json::from_str::<serde_json::Value>(&block.text);
            assert!(parsed.is_ok(), "{}:{}: {parsed:?}", page.path, block.line);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_every_page_works() {
    let test = "every_command_of_every_page_works";
    if ["bash", "python3", "openssl", "curl"].iter().any(|program| missing(program, test)) {
        return;
    }
    let (mut failures, mut only_checked) = (String::new(), Vec::new());
    for page in pages().iter().filter(|page| page.blocks.iter().any(|block| block.info != "text")) {
        let ended = session::play(page).await;
        failures.push_str(&ended.failures);
        only_checked.extend(ended.only_checked.iter().map(|(why, what)| {
            assert!(
                REASONS.contains(&why.as_str()),
                "{}: `{what}`: no such reason: {why}",
                page.path
            );
            format!("{}: {why}: {what}\n", page.path)
        }));
    }
    assert!(failures.is_empty(), "commands of the documentation fail:\n{failures}");
    let (path, listed) =
        (workspace().join("tests/documents/only-checked.txt"), only_checked.concat());
    if std::env::var_os("PERGOLA_WRITE_DOCS").is_some() {
        return fs::write(path, listed).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        listed,
        "the commands that are checked and not run have changed; see the top of tests/it/documents.rs"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_named_in_the_text_exist() {
    let mut unknown = String::new();
    for page in pages().iter().filter(|page| page.path != "CHANGELOG.md") {
        for (line, code) in page.inline_code() {
            let Some(words) = code.strip_prefix("pergola ") else { continue };
            let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
            let mut command: Command = pergola();
            command.args(words.split(' ').take_while(is_name)).arg("--help");
            let answer = run(command).await;
            if answer.code != Some(0) {
                unknown.push_str(&format!("{}:{line}: `{code}`: {}\n", page.path, answer.stderr));
            }
        }
    }
    assert!(unknown.is_empty(), "there are no such commands:\n{unknown}");
}

#[test]
fn the_architecture_fits_into_one_sitting() {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let (before, rest) = text.split_once("<!-- modules:begin -->").expect("the drawing begins");
    let (_, after) = rest.split_once("<!-- modules:end -->").expect("the drawing ends");
    let words = before.split_whitespace().chain(after.split_whitespace()).count();
    assert!(
        words <= ARCHITECTURE_WORDS,
        "ARCHITECTURE.md has {words} words without its drawing, and may have {ARCHITECTURE_WORDS}"
    );
}
