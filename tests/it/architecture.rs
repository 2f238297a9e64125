//! The architecture, checked: which crate may use which, in which order the modules of a crate stand, how long
//! functions and crates are, where a node touches the outside world, and the drawing of it all in
//! ARCHITECTURE.md.
//!
//! The checks read the sources as text. What they forbid is in `rules.rs`; that they find it when somebody adds
//! it is shown in `tests.rs`.

mod crates;
mod drawing;
mod functions;
mod manifests;
mod modules;
mod paths;
mod rules;
mod scan;
mod tests;
mod uses;

use std::fs;
use std::sync::LazyLock;

use crate::harness::workspace;
use crates::Package;

/// The crates of the workspace, read once.
static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| crates::packages(workspace()));

/// Something that breaks a rule: where, what, and what to do about it.
type Violation = String;

/// Fails with every violation on a line of its own.
fn none(violations: Vec<Violation>) {
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

fn of_each(check: impl Fn(&Package) -> Vec<Violation>) -> Vec<Violation> {
    PACKAGES.iter().flat_map(check).collect()
}

#[test]
fn no_module_uses_one_that_stands_above_it() {
    none(of_each(modules::violations));
}

#[test]
fn crates_depend_on_each_other_only_as_the_table_says() {
    none(manifests::violations(&PACKAGES, rules::CRATES));
}

#[test]
fn no_crate_uses_what_is_forbidden_to_it() {
    none(of_each(|package| uses::forbidden(package, rules::FORBIDDEN)));
}

#[test]
fn a_node_touches_the_outside_world_only_in_listed_files() {
    none(of_each(|package| match package.name.as_str() {
        "node" | "outside" => uses::outside_of_edges(package, rules::EDGES),
        _ => Vec::new(),
    }));
}

#[test]
fn no_function_and_no_crate_is_too_long() {
    none(of_each(|package| {
        let functions = functions::too_long(package, rules::LONGEST_FUNCTION);
        functions.into_iter().chain(crates::too_large(package, rules::LARGEST_CRATE)).collect()
    }));
}

/// With `PERGOLA_WRITE_DRAWING` set the drawing is written instead of compared.
#[test]
fn the_drawing_in_architecture_md_is_up_to_date() {
    let path = workspace().join("ARCHITECTURE.md");
    let document = fs::read_to_string(&path).unwrap();
    let drawing = drawing::draw(&PACKAGES, rules::CRATES);
    let updated = drawing::replaced(&document, &drawing).unwrap_or_else(|error| panic!("{error}"));
    if std::env::var_os("PERGOLA_WRITE_DRAWING").is_some() {
        fs::write(&path, updated).unwrap();
        return;
    }
    assert!(
        document == updated,
        "the drawing in ARCHITECTURE.md is out of date; write it with\n\
         PERGOLA_WRITE_DRAWING=1 cargo test --workspace --test end-to-end the_drawing\n\
         It should be:\n{drawing}"
    );
}
