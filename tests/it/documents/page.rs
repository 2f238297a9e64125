//! A page: its fenced blocks, its headings and its links.

use std::fs;
use std::path::Path;

use regex::Regex;

use crate::harness::workspace;

/// A page of the documentation.
pub(super) struct Page {
    /// Its path in the project.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The line of the fence that opens it; the first line of the page is 1.
    pub(super) line: usize,
    /// What stands behind the fence.
    pub(super) info: String,
    pub(super) text: String,
}

impl Page {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let path = path.strip_prefix(workspace()).unwrap().display().to_string();
        let blocks = blocks(&path, &text);
        Self { path, text, blocks }
    }

    /// The text outside blocks; lines inside are empty, so that numbers of lines stay.
    pub(super) fn prose(&self) -> Vec<&str> {
        let mut inside = false;
        let line = |line| {
            let fence = is_fence(line);
            inside ^= fence;
            if fence || inside { "" } else { line }
        };
        self.text.lines().map(line).collect()
    }

    /// What the part of an address after `#` may be here.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter_map(|line| {
            let rest = line.trim_start_matches('#');
            (rest.len() < line.len()).then(|| rest.strip_prefix(' ')).flatten()
        });
        headings.map(anchor).collect()
    }

    /// Where links and pictures lead, with their lines.
    pub(super) fn links(&self) -> Vec<(usize, String)> {
        let link = Regex::new(r"\]\(([^()\s]+)\)").unwrap();
        let code = Regex::new("`[^`]*`").unwrap();
        // A link may be broken over two lines, but never its address.
        let lines = self.prose().into_iter().enumerate();
        let found = lines.flat_map(|(index, line)| {
            let line = code.replace_all(line, "").into_owned();
            let each = link.captures_iter(&line).map(|found| (index + 1, found[1].to_owned()));
            each.collect::<Vec<_>>()
        });
        found.collect()
    }

    /// What stands between backticks, with the lines.
    pub(super) fn inline_code(&self) -> Vec<(usize, String)> {
        let code = Regex::new("`([^`]+)`").unwrap();
        let lines = self.prose().into_iter().enumerate();
        let found = lines.flat_map(|(index, line)| {
            let each = code.captures_iter(line).map(|found| (index + 1, found[1].to_owned()));
            each.collect::<Vec<_>>()
        });
        found.collect()
    }
}

/// Every page of the project, in the order of their paths.
pub(super) fn pages() -> Vec<Page> {
    let root = workspace();
    let mut paths = Vec::new();
    for folder in ["", "docs", "docs/decisions", "deploy", "deploy/mesh"] {
        paths.extend(files(&root.join(folder)));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.iter().map(|path| Page::read(path)).collect()
}

fn files(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path())
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

fn blocks(path: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match &mut open {
            None if is_fence(line) => {
                let info = line.trim().trim_start_matches('`').trim().to_owned();
                open = Some(Block { line: index + 1, info, text: String::new() });
            }
            Some(_) if is_fence(line) => blocks.extend(open.take()),
            Some(block) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(open.is_none(), "{path}: the block of line {} is never closed", open.unwrap().line);
    blocks
}

/// A heading as browsers find it: small letters, hyphens for blanks, no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let lower = kept.flat_map(char::to_lowercase);
    lower.map(|c| if c == ' ' { '-' } else { c }).collect()
}
