//! The paths in a file: those that begin with `crate`, `super` or `self`, as paths from the root of the crate, and
//! those into other crates, with what `use` abbreviates spelt out.

use super::crates::SourceFile;
use super::scan::{Token, closing, tokens};

/// A path from the root of the crate, and where it stands. A glob ends in `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) path: Vec<String>,
    pub(super) at: usize,
    /// The name of a macro: `crate::name!`.
    pub(super) is_macro: bool,
}

/// Every such path of a file. The paths of a group, `use crate::{a, b::c}`, are counted one by one.
pub(super) fn references(file: &SourceFile) -> Vec<Reference> {
    let tokens = tokens(&file.code);
    let mut references = Vec::new();
    // The modules that the code is in, one entry for each open brace.
    let mut scopes: Vec<Option<String>> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => scopes.push(inline_module(&tokens, number)),
            "}" => _ = scopes.pop(),
            "crate" | "super" | "self" if begins_path(&tokens, number) => {
                let inline = scopes.iter().flatten().cloned();
                let scope: Vec<String> = file.module.iter().cloned().chain(inline).collect();
                expand(&tokens, number, &scope, &mut references);
            }
            _ => {}
        }
    }
    references
}

/// The name of the module whose body opens at `number`, if it is one.
fn inline_module(tokens: &[Token<'_>], number: usize) -> Option<String> {
    let [keyword, name] = tokens.get(number.checked_sub(2)?..number)? else { return None };
    (keyword.text == "mod").then(|| name.text.to_owned())
}

/// Whether a path begins here. The path in `pub(in crate::a)` is none: it says who may see something.
fn begins_path(tokens: &[Token<'_>], number: usize) -> bool {
    let before = |back: usize| number.checked_sub(back).map_or("", |at| tokens[at].text);
    let continues = before(1) == "::";
    let is_visibility = before(1) == "in" && before(2) == "(";
    let has_segments = tokens.get(number + 1).is_some_and(|next| next.text == "::");
    !continues && !is_visibility && has_segments
}

/// Follows a path from the token at `number`, which belongs to `base`, through its groups. Returns the number of
/// the token after it.
fn expand(
    tokens: &[Token<'_>],
    number: usize,
    base: &[String],
    found: &mut Vec<Reference>,
) -> usize {
    let mut path = base.to_vec();
    let (at, mut number) = (tokens[number].at, number);
    while let Some(token) = tokens.get(number) {
        match token.text {
            "crate" => path.clear(),
            "super" => _ = path.pop(),
            "self" => {}
            "{" => {
                let end = closing(tokens, number);
                let mut member = number + 1;
                while member < end {
                    member = expand(tokens, member, &path, found);
                    // Past the comma, and past `as name`.
                    while member < end && tokens[member - 1].text != "," {
                        member += 1;
                    }
                }
                return end + 1;
            }
            name => path.push(name.to_owned()),
        }
        number += 1;
        match tokens.get(number) {
            Some(next) if next.text == "::" => number += 1,
            _ => break,
        }
    }
    let is_macro = tokens.get(number).is_some_and(|next| next.text == "!");
    found.push(Reference { path, at, is_macro });
    number
}

/// Every path of a file into another crate, such as `std::time::Instant`, and where it stands. A name that `use`
/// has imported stands for its path.
pub(super) fn foreign(file: &SourceFile) -> Vec<Reference> {
    let tokens = tokens(&file.code);
    let mut imported: Vec<Reference> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        if token.text == "use" && tokens.get(number + 1).is_some_and(|next| next.is_word()) {
            expand(&tokens, number + 1, &[], &mut imported);
        }
    }
    let mut found = imported.clone();
    for (number, token) in tokens.iter().enumerate() {
        let begins = token.is_word()
            && tokens.get(number + 1).is_some_and(|next| next.text == "::")
            && (number == 0 || tokens[number - 1].text != "::");
        if begins && !matches!(token.text, "crate" | "super" | "self" | "Self") {
            let mut inline = Vec::new();
            expand(&tokens, number, &[], &mut inline);
            found.extend(inline.into_iter().map(|reference| spelt_out(reference, &imported)));
        }
    }
    found
}

/// The path with its first name replaced by what was imported under that name.
fn spelt_out(reference: Reference, imported: &[Reference]) -> Reference {
    let first = reference.path.first();
    match imported.iter().find(|import| import.path.last() == first && import.path.len() > 1) {
        Some(import) => {
            Reference { path: [&import.path[..], &reference.path[1..]].concat(), ..reference }
        }
        None => reference,
    }
}
