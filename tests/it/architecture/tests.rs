//! The checks find what they are for: small crates in which something was done wrong on purpose.

use super::crates::{Package, too_large};
use super::functions::too_long;
use super::rules::{CrateRule, Edge, Forbidden};
use super::scan::{without_comments_and_literals, without_tests};
use super::{drawing, manifests, modules, uses};

/// A crate of these files.
fn package(name: &str, files: &[(&str, &str)]) -> Package {
    package_with(name, "", files)
}

fn package_with(name: &str, dependencies: &str, files: &[(&str, &str)]) -> Package {
    let manifest = format!("[package]\nname = \"pergola-{name}\"\n[dependencies]\n{dependencies}");
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Package::new(name, &manifest, &files)
}

const ROOT: &str = "\
//! A crate.
//!
//! # Modules, from the bottom up
//!
//! - `low`: what everybody needs
//! - `middle`: more, in a sentence
//!   that goes on
//! - `high`: the rest
//!
//! # Something else
//!
//! - `other`: no module

mod high;
mod low;
pub mod middle;
pub use high::{Roof, tower::Spire as Top};
pub use other_crate::Thing;
pub const ANSWER: u8 = 42;
#[cfg(test)]
mod samples;
";

/// The violations of a crate with `text` in one of its files.
fn arrows(path: &str, text: &str) -> Vec<String> {
    let mut files = vec![("lib.rs", ROOT), ("low.rs", ""), ("middle.rs", ""), ("high.rs", "")];
    files.retain(|(other, _)| *other != path);
    files.push((path, text));
    modules::violations(&package("example", &files))
}

#[test]
fn an_arrow_that_points_down_is_fine() {
    for text in [
        "use crate::low::Thing;",
        "use crate::{low, middle::{self, part::Thing}};",
        "fn f() { crate::middle::g(); super::low::g(); }",
        "pub(in crate::high) fn f() {} pub(crate) fn g() { self::f() }",
        "use crate::Thing; const X: u8 = crate::ANSWER; type Own = crate::Roof;",
    ] {
        assert_eq!(arrows("high.rs", text), [""; 0], "{text}");
    }
}

#[test]
fn an_arrow_that_points_up_is_found_with_its_place_and_what_to_do() {
    let found = arrows("low.rs", "\n\nuse crate::middle::Thing;\n");
    let [arrow] = &found[..] else { panic!("{found:?}") };
    for part in [
        "example/src/low.rs:3: `low` → `middle`",
        "crate::middle::Thing",
        "example/src/lib.rs lists `middle` above `low`",
        "move what is used down",
    ] {
        assert!(arrow.contains(part), "{part} in {arrow}");
    }
}

#[test]
fn an_arrow_is_found_however_it_is_written() {
    for (path, text) in [
        ("low.rs", "use crate::{ANSWER, high::{self, Roof}};"),
        ("low.rs", "fn f() -> crate::high::Roof { todo() }"),
        ("low.rs", "use super::high;"),
        ("low.rs", "use super::{high::Roof as Lid, ANSWER};"),
        ("low.rs", "mod inner { use super::super::high; }"),
        ("low/cellar.rs", "use super::super::middle::Thing;"),
        ("low/cellar.rs", "use super::super::{middle::Thing};"),
        ("low/cellar/deep.rs", "use super::super::super::high::Roof;"),
        ("middle/mod.rs", "use crate::high;"),
        ("low.rs", "macro_rules! m { () => { $crate::high::f() } }"),
        // By names that the root takes from a module.
        ("low.rs", "use crate::Roof;"),
        ("low.rs", "use super::Top;"),
        ("middle.rs", "fn f() { crate::Roof::new() }"),
    ] {
        let found = arrows(path, text);
        assert_eq!(found.len(), 1, "{path}: {text}: {found:?}");
        assert!(found[0].contains("points up"), "{found:?}");
    }
}

#[test]
fn what_only_looks_like_an_arrow_is_none() {
    for text in [
        "// use crate::high;\n/* crate::high /* nested */ crate::high */",
        "/// See [`crate::high`].\nfn f() {}",
        r##"const A: &str = "crate::high"; const B: &str = r#"" crate::high"#; const C: &[u8] = b"crate::high";"##,
        "fn f<'a>(x: &'a str) -> char { '\"' } // \" crate::high",
        "const QUOTE: char = '\\''; const MORE: &str = \"\\\" crate::high\";",
        "#[cfg(test)]\nmod tests { use crate::high::Roof; }",
        "#[cfg(test)] use crate::high::{Roof, tower};\n#[test]\nfn t() { crate::high::f(); }",
        "#[tokio::test(flavor = \"multi_thread\")]\nasync fn t() { crate::high::f().await }",
        "struct S { #[cfg(test)] roof: crate::high::Roof, own: u8 }",
        "fn f() { let high = 1; other::high::f(high) }",
    ] {
        assert_eq!(arrows("low.rs", text), [""; 0], "{text}");
    }
    for path in ["low/tests.rs", "low/tests/roofs.rs", "samples.rs", "samples/one.rs"] {
        assert_eq!(arrows(path, "use crate::high::Roof;"), [""; 0], "{path}");
    }
}

#[test]
fn the_root_is_above_all_modules() {
    let defines = ROOT.replace("pub const ANSWER", "pub struct Everything;\npub const ANSWER");
    let files = [("lib.rs", defines.as_str()), ("low.rs", "use crate::Everything;")];
    let found = modules::violations(&package("example", &files));
    assert!(found[0].contains("`crate::Everything`") && found[0].contains("move it"), "{found:?}");
    let globs = ROOT.replace("high::{Roof, tower::Spire as Top}", "high::*");
    let files = [("lib.rs", globs.as_str()), ("low.rs", "use crate::Roof;")];
    let found = modules::violations(&package("example", &files));
    assert!(found[0].contains("nobody can tell"), "{found:?}");
    let found = arrows("low.rs", "use crate::*;");
    assert!(found[0].contains("as a whole"), "{found:?}");
}

#[test]
fn the_list_must_be_there_and_complete() {
    let bare = "mod a;\nmod b;\nmod c;\n";
    let found = modules::violations(&package("example", &[("lib.rs", bare)]));
    assert!(found[0].contains("there is no list of the 3 modules"), "{found:?}");
    let few = modules::violations(&package("example", &[("lib.rs", "mod a;\nmod b;\n")]));
    assert_eq!(few, [""; 0]);
    let more = ROOT.replace("mod low;", "mod low;\nmod forgotten;");
    let found = modules::violations(&package("example", &[("lib.rs", more.as_str())]));
    assert!(found[0].contains("lacks `forgotten`"), "{found:?}");
    let less = ROOT.replace("mod low;\n", "");
    let found = modules::violations(&package("example", &[("lib.rs", less.as_str())]));
    assert!(found[0].contains("`low` is listed, but there is no such module"), "{found:?}");
    let twice = ROOT.replace("//! - `high`", "//! - `low`: again\n//! - `high`");
    let found = modules::violations(&package("example", &[("lib.rs", twice.as_str())]));
    assert!(found[0].contains("`low` is listed twice"), "{found:?}");
    // A line that says nothing does not count.
    let silent = ROOT.replace("- `low`: what everybody needs", "- `low`:");
    let found = modules::violations(&package("example", &[("lib.rs", silent.as_str())]));
    assert!(found[0].contains("lacks `low`"), "{found:?}");
}

#[test]
fn a_program_without_a_library_has_its_list_in_main() {
    let files = [("main.rs", ROOT), ("low.rs", "use crate::high;")];
    assert_eq!(modules::violations(&package("example", &files)).len(), 1);
    // Beside a library a program is a crate of its own.
    let files =
        [("lib.rs", ROOT), ("main.rs", "mod a; mod b; mod c;"), ("bin/x.rs", "use crate::a;")];
    assert_eq!(modules::violations(&package("example", &files)), [""; 0]);
}

const RULES: &[CrateRule] = &[("low", &[]), ("high", &["low"])];

#[test]
fn a_dependency_that_the_table_does_not_allow_is_found() {
    let packages =
        |low: &str, high: &str| [package_with("low", low, &[]), package_with("high", high, &[])];
    let fine = packages("serde = \"1\"", "pergola-low.workspace = true");
    assert_eq!(manifests::violations(&fine, RULES), [""; 0]);
    let wrong = packages("pergola-high = { path = \"../high\", optional = true }", "");
    let found = manifests::violations(&wrong, RULES);
    assert!(found[0].contains("low/Cargo.toml: low → high is not allowed"), "{found:?}");
    let renamed = packages("roof = { package = \"pergola-high\", path = \"../high\" }", "");
    assert_eq!(manifests::violations(&renamed, RULES).len(), 1);
    let target = packages("[target.'cfg(unix)'.dependencies]\npergola-high.workspace = true", "");
    assert_eq!(manifests::violations(&target, RULES).len(), 1);
    let tests = packages("[dev-dependencies]\npergola-high.workspace = true", "");
    assert_eq!(manifests::violations(&tests, RULES), [""; 0]);
}

#[test]
fn the_table_of_crates_is_complete_and_in_order() {
    let [low, high] = ["low", "high"].map(|name| package(name, &[]));
    let found = manifests::violations(&[low], RULES);
    assert!(found[0].contains("`high` is in CRATES") && found.len() == 1, "{found:?}");
    let found = manifests::violations(&[high], &[("high", &["low"]), ("low", &[])]);
    assert!(found[0].contains("`high` → `low` points up"), "{found:?}");
    let found = manifests::violations(&[package("new", &[])], &[]);
    assert!(found[0].contains("`new` is missing in CRATES"), "{found:?}");
}

#[test]
fn the_real_table_stands_in_order() {
    let found = manifests::violations(&[], super::rules::CRATES);
    assert!(found.iter().all(|violation| !violation.contains("points up")), "{found:?}");
}

#[test]
fn forbidden_packages_and_words_are_found() {
    let rules = [Forbidden {
        package: "pure",
        dependencies: &["tokio"],
        words: &["Instant"],
        why: "it is pure",
    }];
    let files = [("lib.rs", "// Instant\nuse std::time::{Duration, Instant};\n")];
    let found = uses::forbidden(&package_with("pure", "tokio = \"1\"", &files), &rules);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("pure/Cargo.toml: it depends on tokio"), "{found:?}");
    assert!(found[1].contains("pure/src/lib.rs:2: `Instant` is forbidden in pure: it is pure"));
    assert_eq!(uses::forbidden(&package("other", &files), &rules), [""; 0]);
}

#[test]
fn the_outside_world_is_touched_in_listed_files_only() {
    let edges = [Edge { path: "Instant::now", what: "a clock", files: &["clock.rs", "outside/"] }];
    let code = "fn f() { std::time::Instant::now(); }";
    let files = [("clock.rs", code), ("outside/real.rs", code), ("crawl/lanes.rs", code)];
    let found = uses::outside_of_edges(&package("node", &files), &edges);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("node/src/crawl/lanes.rs:1: `Instant::now` is a clock"),
        "{found:?}"
    );
    let other = [("a.rs", "fn f() { Instant::new(); instant.now(); let s = \"Instant::now\"; }")];
    assert_eq!(uses::outside_of_edges(&package("node", &other), &edges), [""; 0]);
}

/// A function of so many lines.
fn function(lines: usize) -> String {
    format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
}

#[test]
fn a_function_that_is_too_long_is_found() {
    let found = |text: &str| too_long(&package("example", &[("lib.rs", text)]), 80);
    assert_eq!(found(&function(80)), [""; 0]);
    let long = found(&format!("\n{}", function(81)));
    assert_eq!(long, ["example/src/lib.rs:2: `long` has 81 lines, and 80 are allowed; split it"]);
    // Where it stands, and what its signature looks like, does not matter.
    let method = format!("impl<const N: usize> S<N> {{\n{}}}\n", function(81));
    assert_eq!(found(&method).len(), 1);
    let signature = "fn long(\n    x: [u8; 3],\n) -> Result<[u8; 3], E>\nwhere\n    E: Fn(),\n{";
    let wide = function(81).replace("fn long() {", signature);
    assert_eq!(found(&wide).len(), 1);
    // Braces in literals and comments do not count, nor do tests.
    let braces = function(80).replacen("step();", "f('{', \"{\"); // {", 1);
    assert_eq!(found(&braces), [""; 0]);
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(200));
    assert_eq!(found(&tests), [""; 0]);
    let declared = format!("trait T {{ fn short(&self); }}\n{}", function(80));
    assert_eq!(found(&declared), [""; 0]);
}

#[test]
fn a_crate_that_is_too_large_is_found() {
    let large = package("large", &[("lib.rs", "\n\n\n"), ("tests.rs", "\n\n")]);
    assert_eq!(too_large(&large, 5), None);
    assert!(too_large(&large, 4).unwrap().contains("large/src has 5 lines"));
}

#[test]
fn a_drawing_shows_crates_and_modules_in_their_order_and_replaces_the_old_one() {
    let low = package("low", &[("lib.rs", ROOT)]);
    let drawing = drawing::draw(&[low], RULES);
    assert_eq!(drawing, "low\n    low, middle, high\nhigh  → low\n");
    let document = "Before.\n<!-- modules:begin -->\nold\n<!-- modules:end -->\nAfter.\n";
    let expected = format!(
        "Before.\n<!-- modules:begin -->\n```text\n{drawing}```\n<!-- modules:end -->\nAfter.\n"
    );
    assert_eq!(drawing::replaced(document, &drawing).unwrap(), expected);
    assert_eq!(drawing::replaced(&expected, &drawing).unwrap(), expected);
    assert!(drawing::replaced("nothing", &drawing).unwrap_err().contains("modules:begin"));
}

#[test]
fn blanking_moves_no_line_and_no_column() {
    let text = "let a = \"x\ny\"; // é\nlet b = 'é'; #[cfg(test)]\nmod t { fn f() {} }\nlet c;";
    let code = without_comments_and_literals(text);
    let (code, _) = without_tests(&code);
    assert_eq!((code.len(), code.lines().count()), (text.len(), text.lines().count()));
    assert_eq!(code.find("let c"), text.find("let c"));
    assert!(!code.contains('x') && !code.contains("fn f"), "{code}");
}
