//! Which crate depends on which, by the manifests.

use std::collections::HashMap;

use super::Violation;
use super::crates::Package;
use super::rules::CrateRule;

const TABLE: &str = "CRATES of tests/it/architecture/rules.rs";

/// Dependencies that the table does not allow, and crates that are missing in it or in the workspace.
pub(super) fn violations(packages: &[Package], rules: &[CrateRule]) -> Vec<Violation> {
    let mut violations = backwards(rules);
    let folders: HashMap<&str, &str> =
        packages.iter().map(|package| (package.package_name(), package.name.as_str())).collect();
    for (name, _) in rules {
        if !packages.iter().any(|package| package.name == *name) {
            violations
                .push(format!("`{name}` is in {TABLE}, but it is no member of the workspace"));
        }
    }
    for package in packages {
        let name = &package.name;
        let Some((_, allowed)) = rules.iter().find(|(rule, _)| rule == name) else {
            violations.push(format!("`{name}` is missing in {TABLE}; add it and what it may use"));
            continue;
        };
        for dependency in package.dependencies() {
            let Some(folder) = folders.get(dependency.as_str()) else { continue };
            if folder != name && !allowed.contains(folder) {
                violations.push(format!(
                    "{name}/Cargo.toml: {name} → {folder} is not allowed; remove the dependency, or allow it in \
                     {TABLE} and say why in the commit"
                ));
            }
        }
    }
    violations
}

/// Rules that allow a crate one that stands after it.
fn backwards(rules: &[CrateRule]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (number, (name, allowed)) in rules.iter().enumerate() {
        for other in *allowed {
            if !rules[..number].iter().any(|(before, _)| before == other) {
                violations.push(format!(
                    "{TABLE}: `{name}` → `{other}` points up; the table stands in order, from the bottom up"
                ));
            }
        }
    }
    violations
}
