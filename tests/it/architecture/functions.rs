//! The length of functions.

use super::Violation;
use super::crates::Package;
use super::scan::{closing, tokens};

/// Functions with more lines than they may have, from `fn` to the last brace.
pub(super) fn too_long(package: &Package, most: usize) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in &package.files {
        let tokens = tokens(&file.code);
        for (number, token) in tokens.iter().enumerate() {
            let Some(name) = tokens.get(number + 1).filter(|name| name.is_word()) else { continue };
            if token.text != "fn" {
                continue;
            }
            let Some(body) = body(&tokens, number) else { continue };
            let end = tokens[closing(&tokens, body)].at;
            let lines = file.line(end) - file.line(token.at) + 1;
            if lines > most {
                violations.push(format!(
                    "{}: `{}` has {lines} lines, and {most} are allowed; split it",
                    package.place(file, token.at),
                    name.text
                ));
            }
        }
    }
    violations
}

/// The brace that opens the body of the function at `number`; a method of a trait may have none.
fn body(tokens: &[super::scan::Token<'_>], number: usize) -> Option<usize> {
    let mut at = number;
    while at < tokens.len() {
        match tokens[at].text {
            "{" => return Some(at),
            ";" => return None,
            "(" | "[" => at = closing(tokens, at),
            _ => {}
        }
        at += 1;
    }
    None
}
