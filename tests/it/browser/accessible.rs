//! Everybody can use every page: axe-core's rules, in light and dark, and the keyboard alone.

use std::process::Command;

use serde_json::Value;

use super::pages::{Look, furnished};
use super::town::Town;
use super::window::{Scripts, Window};
use crate::harness::{missing, run, skipped, workspace};

/// Prints where the package with axe-core is, without importing it: it needs selenium, which nobody else does.
const WHERE: &str = "import importlib.util\n\
    print(importlib.util.find_spec('axe_selenium_python').submodule_search_locations[0])";

/// What keyboard focus reaches on a page, by pressing Tab, beside what it should reach.
const REACHABLE: &str = "const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]');\n\
    return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]\n\
      .filter((e) => shown(e) && !e.disabled).filter((e) => e.tabIndex < 0)\n\
      .map((e) => e.outerHTML.slice(0, 200));";

/// Terms and descriptions outside their list. This axe-core does not know that HTML lets a group stand between them.
const OUTSIDE_LIST: &str = "return [...document.querySelectorAll('dt, dd')]\n\
      .filter((e) => !e.matches('dl > *, dl > div > *')).map((e) => e.outerHTML.slice(0, 200));";

/// What is pressed by a script although no key leads there: elements with a role of something to press.
const ONLY_BY_POINTER: &str = "return [...document.querySelectorAll('[role=button], [role=link], [onclick]')]\n\
      .filter((e) => e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 200));";

#[tokio::test(flavor = "multi_thread")]
async fn every_page_passes_the_rules_of_axe_and_is_reached_by_keyboard() {
    let test = "every_page_passes_the_rules_of_axe_and_is_reached_by_keyboard";
    let Some(axe) = axe(test).await else { return };
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let town = Town::start().await;
    let mut wrong = Vec::new();
    for (name, path) in furnished(&town).await {
        for dark in [false, true] {
            Look { wide: true, dark }.at(&window).await;
            window.goes_to(&town.node().url(&path)).await;
            window.driver.script(&axe).await.unwrap();
            let found = "const done = arguments[arguments.length - 1];\n\
                axe.run({ resultTypes: ['violations'], rules: { dlitem: { enabled: false } } }).then((found) => done(found.violations), (e) => done(String(e)))";
            let found = window.driver.script_async(found).await.unwrap();
            let violations =
                found.as_array().unwrap_or_else(|| panic!("axe cannot run at {path}: {found}"));
            wrong.extend(violations.iter().map(|rule| told(name, dark, rule)));
        }
        let checks = [
            (REACHABLE, "left out by Tab"),
            (ONLY_BY_POINTER, "only for pointers"),
            (OUTSIDE_LIST, "outside its list"),
        ];
        for (script, what) in checks {
            let left_out = window.driver.script(script).await.unwrap();
            for one in left_out.as_array().unwrap() {
                wrong.push(format!("{name}: {what}: {one}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule that a page breaks, and where.
fn told(page: &str, dark: bool, rule: &Value) -> String {
    let scheme = if dark { "dark" } else { "light" };
    let places: Vec<String> = rule["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .take(4)
        .map(|node| {
            let summary = node["failureSummary"].as_str().unwrap_or_default();
            format!("\n    {} {}", node["html"], summary.lines().nth(1).unwrap_or_default().trim())
        })
        .collect();
    format!("{page} ({scheme}): {}: {}{}", rule["id"], rule["help"], places.join(""))
}

/// The text of axe-core; nothing if the test is to be skipped.
async fn axe(test: &str) -> Option<String> {
    let own = workspace().join("target/python/bin/python3");
    let python = if own.is_file() {
        own
    } else if missing("python3", test) {
        return None;
    } else {
        "python3".into()
    };
    let mut command = Command::new(python);
    command.args(["-c", WHERE]);
    let output = run(command).await;
    if output.code != Some(0) {
        skipped(test, "Python does not know axe_selenium_python; `.ci/run` installs it");
        return None;
    }
    let file = std::path::Path::new(output.stdout.trim()).join("node_modules/axe-core/axe.min.js");
    Some(
        std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display())),
    )
}
