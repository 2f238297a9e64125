//! What a file sets. Unknown keys, and tables in the wrong form, are found here.

use std::path::Path;

use serde::Deserialize as _;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Value};

use crate::document::{Form, Section};
use crate::mistake::Mistake;
use crate::origin::Origin;
use crate::setting::{Fields, Raw, Setting};
use crate::tables;

/// A file's text and where it is.
pub(crate) struct File<'f> {
    path: &'f Path,
    text: &'f str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Raw {
    /// Takes over what a file sets. If the file is not TOML, nothing else in it can be judged.
    pub(crate) fn add_file(
        &mut self,
        file: &File<'_>,
        mistakes: &mut Vec<Mistake>,
    ) -> Result<(), Vec<Mistake>> {
        let (table, errors) = DeTable::parse_recoverable(file.text);
        if !errors.is_empty() {
            let placed = errors.iter().map(|error| {
                let start = error.span().map_or(file.text.len(), |span| span.start);
                Mistake::syntax(file.origin(start), error.message())
            });
            return Err(placed.collect());
        }
        for (name, value) in table.into_inner() {
            let origin = file.origin(name.span().start);
            match tables::named(name.get_ref()) {
                Some(section) => {
                    let fields = Reading { file, section, mistakes }.section(origin, value);
                    self.tables.insert(section.name.to_owned(), fields);
                }
                None => mistakes.push(tables::unknown_table(origin, name.get_ref())),
            }
        }
        Ok(())
    }
}

impl<'f> File<'f> {
    pub(crate) fn new(path: &'f Path, text: &'f str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Self { path, text, lines: std::iter::once(0).chain(after_newlines).collect() }
    }

    fn origin(&self, offset: usize) -> Origin {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[line - 1];
        let before = self.text.get(start..offset).unwrap_or_default();
        let file = self.path.display().to_string();
        Origin::File { file, line, column: before.chars().count() + 1 }
    }
}

/// Reads the tables of one section.
struct Reading<'r, 'f> {
    file: &'r File<'f>,
    section: &'static Section,
    mistakes: &'r mut Vec<Mistake>,
}

impl Reading<'_, '_> {
    fn section(mut self, origin: Origin, value: Spanned<DeValue<'_>>) -> Vec<Fields> {
        let name = self.section.name;
        match self.section.form {
            Form::Once => self.fields(name, "", origin, value).into_iter().collect(),
            Form::Named => self.named(origin, value),
            Form::List => self.list(origin, value),
        }
    }

    fn named(&mut self, origin: Origin, value: Spanned<DeValue<'_>>) -> Vec<Fields> {
        let kind = self.section.name;
        let tables = self.table(kind, &origin, value).unwrap_or_default();
        let fields = tables.into_iter().filter_map(|(name, value)| {
            let origin = self.file.origin(name.span().start);
            let title = format!("{kind}.\"{}\"", name.get_ref());
            self.fields(&title, name.get_ref(), origin, value)
        });
        fields.collect()
    }

    fn list(&mut self, origin: Origin, value: Spanned<DeValue<'_>>) -> Vec<Fields> {
        let kind = self.section.name;
        let DeValue::Array(tables) = value.into_inner() else {
            let message = format!("must be a list: write [[{kind}]] for each");
            self.mistakes.push(Mistake::table(origin, &format!("[{kind}]"), &message));
            return Vec::new();
        };
        let fields = tables.into_iter().enumerate().filter_map(|(index, value)| {
            let origin = self.file.origin(value.span().start);
            self.fields(&format!("{kind}[{}]", index + 1), "", origin, value)
        });
        fields.collect()
    }

    /// What a table sets, if the value is a table.
    fn fields(
        &mut self,
        title: &str,
        name: &str,
        origin: Origin,
        value: Spanned<DeValue<'_>>,
    ) -> Option<Fields> {
        let table = self.table(title, &origin, value)?;
        let mut fields = Fields { name: name.to_owned(), origin, ..Fields::blank(title) };
        self.take(&mut fields, "", table);
        Some(fields)
    }

    /// The value as a table. If it is not one, that is a mistake.
    fn table<'i>(
        &mut self,
        title: &str,
        origin: &Origin,
        value: Spanned<DeValue<'i>>,
    ) -> Option<DeTable<'i>> {
        let (written, message) = match value.into_inner() {
            DeValue::Table(table) => return Some(table),
            DeValue::Array(_) => {
                (format!("[[{title}]]"), format!("must not be a list: write [{title}]"))
            }
            _ => (format!("`{title}`"), format!("must be a table: write [{title}]")),
        };
        self.mistakes.push(Mistake::table(origin.clone(), &written, &message));
        None
    }

    /// Takes over the keys of a table. Those of a table within it are called `within.key`.
    fn take(&mut self, fields: &mut Fields, within: &str, table: DeTable<'_>) {
        for (key, value) in table {
            let origin = self.file.origin(key.span().start);
            let name = format!("{within}{}", key.get_ref());
            let inner = format!("{name}.");
            if let Some(key) = self.section.key(&name) {
                let written = self.file.text.get(value.span()).unwrap_or_default();
                let written = key.masked(written.to_owned());
                match Value::deserialize(ValueDeserializer::from(value)) {
                    Ok(value) => {
                        let folder = self.file.path.parent().unwrap_or(Path::new("")).to_path_buf();
                        let setting = Setting { value, written, origin, folder };
                        fields.set.insert(name, setting);
                    }
                    Err(error) => {
                        let name = format!("{}.{name}", fields.title);
                        let reason = error.message();
                        self.mistakes.push(Mistake::value(origin, &name, &written, reason));
                    }
                }
            } else if self.section.keys.iter().any(|key| key.name.starts_with(&inner)) {
                let title = format!("{}.{name}", fields.title);
                if let Some(table) = self.table(&title, &origin, value) {
                    self.take(fields, &inner, table);
                }
            } else {
                let unknown = tables::unknown_key(origin, &fields.title, &name, self.section);
                self.mistakes.push(unknown);
            }
        }
    }
}
