//! The loose reading: every value with the place where it was set, nothing believed yet.
//!
//! The environment is laid over the file. An empty variable counts as not set.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::keys::{self, Key, SECRET, SECTIONS, Section};
use super::problem::{Place, Problem};
use super::secret::MASK;

/// A value, as it was written and where.
#[derive(Clone)]
pub(super) struct Setting {
    pub(super) value: toml::Value,
    /// As messages may show it: of a secret only stars.
    pub(super) written: String,
    pub(super) place: Place,
}

impl Setting {
    /// A key's default.
    pub(super) fn default_of(key: &Key) -> Option<Self> {
        let written = key.default?;
        let value = value_of(DeValue::parse(written).ok()?).ok()?;
        Some(Self { value, written: written.to_owned(), place: Place::Default })
    }

    /// Whether it was set by a variable, which can only hold text.
    pub(super) fn by_variable(&self) -> bool {
        matches!(self.place, Place::Variable(_))
    }
}

/// A table: what was set of a section.
#[derive(Clone)]
pub(super) struct Fields {
    /// How messages call it.
    pub(super) title: String,
    pub(super) section: &'static Section,
    pub(super) place: Place,
    /// The folder that paths in the file start from.
    pub(super) folder: PathBuf,
    pub(super) set: BTreeMap<&'static str, Setting>,
}

/// Everything that was set.
pub(super) struct Raw {
    /// In the order of [`SECTIONS`].
    pub(super) sections: Vec<Fields>,
    pub(super) hosts: Vec<(String, Fields)>,
    pub(super) readers: Vec<Fields>,
    pub(super) sources: Vec<Fields>,
    pub(super) feeds: Vec<Fields>,
}

impl Raw {
    /// Nothing set.
    pub(super) fn empty() -> Self {
        let fields = |section: &'static Section| Fields {
            title: section.name.to_owned(),
            section,
            place: Place::Default,
            folder: PathBuf::new(),
            set: BTreeMap::new(),
        };
        let sections = SECTIONS.iter().map(fields).collect();
        let (hosts, readers) = (Vec::new(), Vec::new());
        Self { sections, hosts, readers, sources: Vec::new(), feeds: Vec::new() }
    }

    /// The table of a section.
    pub(super) fn section(&self, name: &str) -> &Fields {
        let found = self.sections.iter().find(|fields| fields.section.name == name);
        found.expect("every section is in the table of keys")
    }

    /// Where each key of a section, and each other table, was set.
    pub(super) fn origins(&self) -> BTreeMap<String, Place> {
        let keys = self.sections.iter().flat_map(|fields| {
            let key = |(key, setting): (&&str, &Setting)| {
                (format!("{}.{key}", fields.title), setting.place.clone())
            };
            fields.set.iter().map(key)
        });
        let hosts = self.hosts.iter().map(|(_, fields)| fields);
        let tables = hosts.chain(&self.readers).chain(&self.sources);
        let tables = tables.map(|fields| (fields.title.clone(), fields.place.clone()));
        keys.chain(tables).collect()
    }

    /// Lays the environment over it.
    pub(super) fn add_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
        problems: &mut Vec<Problem>,
    ) {
        for (name, text) in environment {
            if !keys::is_ours(&name, &text) {
                continue;
            }
            let key = self.sections.iter_mut().find_map(|fields| {
                let section = fields.section;
                let is_it = |key: &&Key| keys::variable(section.name, key.name) == name;
                section.keys.iter().find(is_it).map(|key| (fields, key))
            });
            match key {
                None => problems.push(Problem::unknown_variable(&name)),
                Some(_) if text.trim().is_empty() => {}
                Some((fields, key)) => {
                    let written = shown(key, toml::Value::String(text.clone()).to_string());
                    let value = toml::Value::String(text);
                    let setting = Setting { value, written, place: Place::Variable(name) };
                    fields.set.insert(key.name, setting);
                }
            }
        }
    }
}

/// A value as messages may show it; an address may hold a password before its `@`.
pub(super) fn shown(key: &Key, written: String) -> String {
    let secret = key.name == SECRET || (written.contains("://") && written.contains('@'));
    if secret { MASK.to_owned() } else { written }
}

/// A parsed value, on its own.
pub(super) fn value_of(value: Spanned<DeValue<'_>>) -> Result<toml::Value, String> {
    toml::Value::deserialize(ValueDeserializer::from(value))
        .map_err(|error| error.message().to_owned())
}
