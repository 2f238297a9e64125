//! What code uses by name: things that are forbidden to a crate, and accesses to the outside world.

use super::Violation;
use super::crates::Package;
use super::rules::{Edge, Forbidden};
use super::scan::{Token, tokens};

/// Packages that a crate depends on and words that it uses, though they are forbidden to it.
pub(super) fn forbidden(package: &Package, rules: &[Forbidden]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for rule in rules.iter().filter(|rule| rule.package == package.name) {
        for dependency in package.dependencies() {
            if rule.dependencies.contains(&dependency.as_str()) {
                violations.push(format!(
                    "{}/Cargo.toml: it depends on {dependency}, which is forbidden to it: {}",
                    package.name, rule.why
                ));
            }
        }
        for file in &package.files {
            for token in tokens(&file.code) {
                if rule.words.contains(&token.text) {
                    let place = package.place(file, token.at);
                    violations.push(format!(
                        "{place}: `{}` is forbidden in {}: {}",
                        token.text, package.name, rule.why
                    ));
                }
            }
        }
    }
    violations
}

/// Accesses to the outside world in files in which they are not allowed.
pub(super) fn outside_of_edges(package: &Package, edges: &[Edge]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in &package.files {
        let tokens = tokens(&file.code);
        for edge in edges.iter().filter(|edge| !is_listed(&file.path, edge.files)) {
            let path: Vec<&str> = edge.path.split("::").collect();
            for number in (0..tokens.len()).filter(|&number| stands_at(&tokens, number, &path)) {
                violations.push(format!(
                    "{}: `{}` is {}; take it from what the node was built with, or list the file in EDGES of \
                     tests/it/architecture/rules.rs",
                    package.place(file, tokens[number].at),
                    edge.path,
                    edge.what
                ));
            }
        }
    }
    violations
}

fn is_listed(path: &str, files: &[&str]) -> bool {
    files.iter().any(|file| *file == path || (file.ends_with('/') && path.starts_with(file)))
}

/// Whether the words of a path stand here, joined by `::`.
fn stands_at(tokens: &[Token<'_>], number: usize, path: &[&str]) -> bool {
    path.iter().enumerate().all(|(n, word)| {
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
        is(number + 2 * n, word) && (n == 0 || is(number + 2 * n - 1, "::"))
    })
}
