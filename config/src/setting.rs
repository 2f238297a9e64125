//! What was set, by the file, while a node ran or by the environment, before anything is checked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::Value;

use crate::origin::Origin;

/// A value that was set.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) value: Value,
    /// The value as messages may show it: a secret is masked.
    pub(crate) written: String,
    pub(crate) origin: Origin,
    /// Where relative paths in the value start: the folder of the file, or the working directory (empty).
    pub(crate) folder: PathBuf,
}

impl Setting {
    /// A default, or a value that was read from elsewhere.
    pub(crate) fn new(value: Value) -> Self {
        let written = value.to_string();
        Self { value, written, origin: Origin::Default, folder: PathBuf::new() }
    }

    /// Whether it is text whatever its type: a variable and what is stored hold nothing else.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.origin, Origin::Stored { .. } | Origin::Variable(_))
    }

    /// Of keys that exclude each other, those of the highest rank count.
    pub(crate) fn rank(&self) -> u8 {
        match self.origin {
            Origin::Default | Origin::Earlier { .. } | Origin::File { .. } => 0,
            Origin::Stored { .. } => 1,
            Origin::Variable(_) => 2,
        }
    }
}

/// What was set in one table.
#[derive(Clone)]
pub(crate) struct Fields {
    /// How messages call the table: `crawl`, `hosts."a.example"`, `source[2]`.
    pub(crate) title: String,
    /// The name that the file gives to the table: the host in `[hosts."a.example"]`.
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) set: BTreeMap<String, Setting>,
}

impl Fields {
    /// A table in which nothing is set.
    pub(crate) fn blank(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            name: String::new(),
            origin: Origin::Default,
            set: BTreeMap::new(),
        }
    }
}

/// Everything that was set.
#[derive(Default)]
pub(crate) struct Raw {
    /// By the name that all tables of a kind share: `crawl`, `hosts`, `source`.
    pub(crate) tables: BTreeMap<String, Vec<Fields>>,
}

impl Raw {
    /// The tables of a kind.
    pub(crate) fn all(&self, kind: &str) -> &[Fields] {
        self.tables.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The table of a kind that exists once, to set keys in it.
    pub(crate) fn only(&mut self, kind: &str) -> &mut Fields {
        let tables = self.tables.entry(kind.to_owned()).or_default();
        if tables.is_empty() {
            tables.push(Fields::blank(kind));
        }
        &mut tables[0]
    }

    /// Whether a key is set in a table that exists once.
    pub(crate) fn is_set(&self, kind: &str, key: &str) -> bool {
        self.all(kind).first().is_some_and(|fields| fields.set.contains_key(key))
    }

    /// Where each key and each table was set, by the names that messages use.
    pub(crate) fn origins(&self) -> BTreeMap<String, Origin> {
        let tables = self.tables.values().flatten();
        let keys = tables.clone().flat_map(|fields| {
            let named = |(key, setting): (&String, &Setting)| {
                (format!("{}.{key}", fields.title), setting.origin.clone())
            };
            fields.set.iter().map(named)
        });
        let titles = tables.clone().map(|fields| (fields.title.clone(), fields.origin.clone()));
        keys.chain(titles).collect()
    }
}
