//! The order of the modules in a crate.
//!
//! The documentation of a crate lists its modules under [`HEADING`], one line each. A module may use only modules
//! that stand above it in that list, that is, below it in the architecture.

use std::collections::HashMap;

use super::Violation;
use super::crates::{Package, SourceFile};
use super::paths::{Reference, references};
use super::scan::{Token, closing, tokens};

/// The heading of the list.
pub(super) const HEADING: &str = "# Modules, from the bottom up";
/// Crates with fewer modules need no list.
const FEW: usize = 3;

/// The modules of a crate in the order of its list; nothing if it has none.
pub(super) fn order(root: &SourceFile) -> Option<Vec<String>> {
    let mut lines = root.text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.find(|line| line.trim() == HEADING)?;
    let section = lines.take_while(|line| !line.trim_start().starts_with('#'));
    let name = |line: &str| {
        let (name, what) = line.trim_start().strip_prefix("- `")?.split_once("`:")?;
        (!what.trim().is_empty()).then(|| name.to_owned())
    };
    Some(section.filter_map(name).collect())
}

/// Modules that are missing in the list, or listed and missing, and arrows that point up.
pub(super) fn violations(package: &Package) -> Vec<Violation> {
    let Some(root) = package.root() else { return Vec::new() };
    let modules = package.modules();
    let root_path = format!("{}/src/{}", package.name, root.path);
    let Some(order) = order(root) else {
        if modules.len() < FEW {
            return Vec::new();
        }
        return vec![format!(
            "{root_path}: there is no list of the {} modules; add one to the documentation of the crate, under \
             `//! {HEADING}`, a line for each: //! - `name`: what it holds",
            modules.len()
        )];
    };
    let mut violations = Vec::new();
    for module in modules.iter().filter(|module| !order.contains(module)) {
        violations.push(format!(
            "{root_path}: the list of modules lacks `{module}`; add it after the modules that it uses"
        ));
    }
    for (number, module) in order.iter().enumerate() {
        if !modules.contains(module) {
            violations
                .push(format!("{root_path}: `{module}` is listed, but there is no such module"));
        } else if order[..number].contains(module) {
            violations.push(format!("{root_path}: `{module}` is listed twice"));
        }
    }
    let names = RootNames::new(root, &modules);
    let checked = Checked { package, root_path: &root_path, order: &order, names: &names };
    for file in package.files.iter().filter(|file| !file.module.is_empty()) {
        let mut arrows: Vec<Violation> =
            references(file).iter().filter_map(|found| checked.arrow(file, found)).collect();
        // Of several names that one line takes from one module, the first is enough.
        let head = |arrow: &Violation| arrow.split(" (").next().map(str::to_owned);
        arrows.dedup_by_key(|arrow| head(arrow));
        violations.extend(arrows);
    }
    violations
}

struct Checked<'a> {
    package: &'a Package,
    root_path: &'a str,
    order: &'a [String],
    names: &'a RootNames,
}

impl Checked<'_> {
    /// What is wrong with a path in a file, if anything is.
    fn arrow(&self, file: &SourceFile, found: &Reference) -> Option<Violation> {
        let from = &file.module[0];
        let written = format!("crate::{}", found.path.join("::"));
        let place = self.package.place(file, found.at);
        let to = match found.path.first().map(String::as_str) {
            None | Some("*") => {
                return Some(format!(
                    "{place}: `{from}` imports the root of the crate as a whole; name what it needs"
                ));
            }
            Some(name) if self.names.modules.contains(&name.to_owned()) => name.to_owned(),
            Some(_) if found.is_macro => return None,
            Some(name) => match self.names.origin(name)? {
                Origin::Module(module) => module.clone(),
                Origin::Defined => {
                    return Some(format!(
                        "{place}: `{from}` uses `{written}`, which {} defines above all modules; move it into a \
                         module below `{from}`",
                        self.root_path
                    ));
                }
                Origin::Hidden => {
                    return Some(format!(
                        "{place}: nobody can tell from which module `{written}` comes; name it in the `pub use` \
                         of {} instead of `*`, or import it from its module",
                        self.root_path
                    ));
                }
            },
        };
        let rank = |module: &str| self.order.iter().position(|other| other == module);
        let (own, other) = (rank(from)?, rank(&to)?);
        (own < other).then(|| {
            format!(
                "{place}: `{from}` → `{to}` points up (`{written}`): {} lists `{to}` above `{from}`; move what is \
                 used down, hand it in from above, or change the order of the list",
                self.root_path
            )
        })
    }
}

/// Where a name at the root of a crate comes from.
enum Origin {
    /// Re-exported from a module.
    Module(String),
    /// A type, trait or function that stands in the root itself.
    Defined,
    /// It may come from a module that is re-exported as a whole.
    Hidden,
}

/// The names that other modules can find at the root of a crate.
struct RootNames {
    modules: Vec<String>,
    known: HashMap<String, Origin>,
    has_globs: bool,
}

impl RootNames {
    fn new(root: &SourceFile, modules: &[String]) -> Self {
        let tokens = tokens(&root.code);
        let mut names = Self { modules: modules.to_vec(), known: HashMap::new(), has_globs: false };
        let mut number = 0;
        while number < tokens.len() {
            match tokens[number].text {
                "use" => {
                    names.add_use(&tokens, number + 1, None);
                }
                "struct" | "enum" | "trait" | "union" | "fn" => {
                    if let Some(name) = tokens.get(number + 1).filter(|name| name.is_word()) {
                        names.known.insert(name.text.to_owned(), Origin::Defined);
                    }
                }
                // The bodies of what is defined here hold no names of the root.
                "{" => number = closing(&tokens, number),
                _ => {}
            }
            number += 1;
        }
        names
    }

    /// Notes the names of a use tree that begins at `number` and lies in `module`, if it lies in one of ours.
    /// Returns the number of the token after it.
    fn add_use(&mut self, tokens: &[Token<'_>], mut number: usize, module: Option<&str>) -> usize {
        let mut module = module.map(str::to_owned);
        let mut last = "";
        while let Some(token) = tokens.get(number) {
            match token.text {
                "{" => {
                    let end = closing(tokens, number);
                    let mut member = number + 1;
                    while member < end {
                        member = self.add_use(tokens, member, module.as_deref()) + 1;
                    }
                    return end + 1;
                }
                "*" => self.has_globs |= module.is_some(),
                "crate" | "self" => {}
                name => {
                    last = name;
                    if module.is_none() && self.modules.iter().any(|known| known == name) {
                        module = Some(name.to_owned());
                    } else if module.is_none() {
                        // Another crate's.
                        module = Some(String::new());
                    }
                }
            }
            number += 1;
            match tokens.get(number).map(|next| next.text) {
                Some("::") => number += 1,
                Some("as") => {
                    last = tokens.get(number + 1).map_or("", |name| name.text);
                    number += 2;
                    break;
                }
                _ => break,
            }
        }
        if let Some(module) = module.filter(|module| !module.is_empty() && !last.is_empty()) {
            self.known.insert(last.to_owned(), Origin::Module(module));
        }
        number
    }

    /// Where a name comes from; nothing for constants, macros and names of other crates.
    fn origin(&self, name: &str) -> Option<&Origin> {
        let hidden = self.has_globs.then_some(&Origin::Hidden);
        self.known.get(name).or(hidden)
    }
}
