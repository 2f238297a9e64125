//! The configuration as a file: what holds, and where it was set.
//!
//! What is printed can be read again and means the same, except for secrets.

use std::fmt::{Display, Write as _};

use crate::config::Config;
use crate::document::{Document, Form, Section};
use crate::origin::Origin;
use crate::setting::Raw;
use crate::table::{Key, Role, Shown};

/// A key of the configuration, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredKey {
    /// Its full name.
    pub name: String,
    /// Its value as TOML, if it has one. Secrets are masked.
    pub value: Option<String>,
    pub origin: Origin,
    /// What it is for.
    pub help: String,
    /// Whether it can be set while the node runs.
    pub settable: bool,
}

impl Config {
    /// The configuration as TOML. Comments say where each value was set. Secrets are masked.
    pub fn show(&self) -> String {
        let mut shown = String::new();
        for section in self.compared_with(&Self::default()) {
            for table in &section.tables {
                let gap = if shown.is_empty() { "" } else { "\n" };
                let header = match section.form {
                    Form::Once | Form::Named => format!("[{}]", table.title),
                    Form::List => format!("[[{}]]", section.name),
                };
                let _ = writeln!(shown, "{gap}{header}{}", comment(table.origin.as_ref()));
                for (key, value) in section.keys.iter().zip(&table.values) {
                    self.write_line(&mut shown, &section, key, value);
                }
            }
        }
        shown
    }

    /// All tables with their values, and whether those differ from the values of another configuration.
    pub(crate) fn compared_with(&self, other: &Self) -> Vec<Section> {
        let nothing = Raw::default();
        let mut document = Document::show(&nothing, self, other);
        Self::declare(&mut document);
        document.sections
    }

    fn write_line(&self, to: &mut String, section: &Section, key: &Key, value: &Shown) {
        let once = section.form == Form::Once;
        let origin = self.origin_of(section, key).or((!value.differs).then_some(&Origin::Default));
        let (name, comment) = (&key.name, comment(origin.filter(|_| once)));
        let _ = match &value.text {
            _ if key.role == Role::SecretFile => Ok(()),
            Some(text) if key.role == Role::Secret => writeln!(to, "# {name} = {text}{comment}"),
            Some(text) => writeln!(to, "{name} = {text}{comment}"),
            None if once => writeln!(to, "# {name} is not set"),
            None => Ok(()),
        };
    }

    /// The value of a key as TOML, if it has one, and where it was set. Secrets are masked.
    pub fn key(&self, name: &str) -> Option<(Option<String>, Origin)> {
        let (table, key) = name.split_once('.')?;
        let sections = self.compared_with(&Self::default());
        let section = sections.iter().find(|it| it.name == table && it.form == Form::Once)?;
        let at = section.keys.iter().position(|declared| declared.name == key)?;
        let origin = self.origin_of(section, &section.keys[at]).cloned();
        let shown = section.tables.first()?.values.get(at)?;
        Some((shown.text.clone(), origin.unwrap_or(Origin::Default)))
    }

    /// Every key of the tables that are there once, in the order of the file.
    pub fn keys(&self) -> Vec<DeclaredKey> {
        let mut keys = Vec::new();
        for section in self.compared_with(&Self::default()) {
            let Some(table) = section.tables.first().filter(|_| section.form == Form::Once) else {
                continue;
            };
            let declared = section.keys.iter().zip(&table.values);
            for (key, shown) in declared.filter(|(key, _)| key.role != Role::SecretFile) {
                keys.push(DeclaredKey {
                    name: format!("{}.{}", section.name, key.name),
                    value: shown.text.clone(),
                    origin: self.origin_of(&section, key).cloned().unwrap_or(Origin::Default),
                    help: key.help.clone(),
                    settable: key.reloads && key.role == Role::Plain,
                });
            }
        }
        keys
    }

    /// Where a key was set. A secret may have come from a file.
    fn origin_of(&self, section: &Section, key: &Key) -> Option<&Origin> {
        let name = format!("{}.{}", section.name, key.name);
        let origins = [self.origins.get(&name), self.origins.get(&format!("{name}_file"))];
        origins.into_iter().flatten().max()
    }
}

fn comment(origin: Option<impl Display>) -> String {
    let Some(origin) = origin.map(|origin| origin.to_string()) else { return String::new() };
    let whole = origin == "default" || origin.starts_with("stored in ");
    if whole { format!(" # {origin}") } else { format!(" # from {origin}") }
}
