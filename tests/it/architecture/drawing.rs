//! The drawing of crates and modules in ARCHITECTURE.md.

use super::crates::Package;
use super::modules;
use super::rules::CrateRule;

const BEGIN: &str = "<!-- modules:begin -->";
const END: &str = "<!-- modules:end -->";
const WIDTH: usize = 100;

/// Every crate from the bottom up: what it may use, and its modules in their order.
pub(super) fn draw(packages: &[Package], rules: &[CrateRule]) -> String {
    let mut text = String::new();
    let width = rules.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, allowed) in rules {
        let uses = match allowed {
            [] => String::new(),
            some => format!("→ {}", some.join(", ")),
        };
        text += &wrapped(&format!("{name:width$}  "), &uses, width + 4);
        let package = packages.iter().find(|package| package.name == *name);
        let modules = package.map_or_else(Vec::new, |package| {
            let order = package.root().and_then(modules::order);
            order.unwrap_or_else(|| package.modules())
        });
        if !modules.is_empty() {
            text += &wrapped("    ", &modules.join(", "), 4);
        }
    }
    text
}

/// A text after `first`, broken at spaces, the further lines indented.
fn wrapped(first: &str, text: &str, indent: usize) -> String {
    let mut lines = vec![first.to_owned()];
    for (number, word) in text.split(' ').enumerate() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if number > 0 && last + 1 + word.chars().count() > WIDTH {
            lines.push(" ".repeat(indent));
        } else if number > 0 {
            lines.last_mut().expect("there is a line").push(' ');
        }
        lines.last_mut().expect("there is a line").push_str(word);
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A document with the drawing between its marks.
pub(super) fn replaced(document: &str, drawing: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("ARCHITECTURE.md has no line `{mark}` for the drawing");
    let (before, rest) = document.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{BEGIN}\n```text\n{drawing}```\n{END}{after}"))
}
