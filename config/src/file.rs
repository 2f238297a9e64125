//! The file: its tables and keys with their places; what is unknown or misplaced is found here.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{FEED, HOST, READER, SECTIONS, SOURCE, Section};
use super::problem::{Place, Problem};
use super::raw::{Fields, Raw, Setting, shown, value_of};

/// A file's text and where it is.
pub(super) struct File<'f> {
    path: &'f Path,
    text: &'f str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Raw {
    /// Takes over what a file says. One that is no TOML says nothing, and nothing else can be judged.
    pub(super) fn add_file(
        &mut self,
        file: &File<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(file.text);
        if !errors.is_empty() {
            let placed = errors.iter().map(|error| {
                let start = error.span().map_or(file.text.len(), |span| span.start);
                Problem::syntax(file.place(start), error.message())
            });
            return Err(placed.collect());
        }
        for (name, value) in table.into_inner() {
            let place = file.place(name.span().start);
            let name = name.into_inner();
            if let Some(section) = SECTIONS.iter().position(|section| section.name == name) {
                if let Some(table) = file.table(&name, &place, value, problems) {
                    let fields = file.fields(&name, place, &SECTIONS[section], table, problems);
                    self.sections[section] = fields;
                }
            } else if name == HOST.name {
                for (host, value) in file.table(&name, &place, value, problems).unwrap_or_default()
                {
                    let place = file.place(host.span().start);
                    let title = format!("hosts.\"{}\"", host.get_ref());
                    if let Some(table) = file.table(&title, &place, value, problems) {
                        let fields = file.fields(&title, place, &HOST, table, problems);
                        self.hosts.push((host.into_inner().into_owned(), fields));
                    }
                }
            } else if name == READER.name {
                self.readers = file.list(&READER, &place, value, problems);
            } else if name == SOURCE.name {
                self.sources = file.list(&SOURCE, &place, value, problems);
            } else if name == FEED.name {
                self.feeds = file.list(&FEED, &place, value, problems);
            } else {
                problems.push(Problem::unknown_table(place, &name));
            }
        }
        Ok(())
    }
}

impl<'f> File<'f> {
    pub(super) fn new(path: &'f Path, text: &'f str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Self { path, text, lines: std::iter::once(0).chain(after_newlines).collect() }
    }

    fn place(&self, offset: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[line - 1];
        let before = self.text.get(start..offset).unwrap_or_default();
        let file = self.path.display().to_string();
        Place::File { file, line, column: before.chars().count() + 1 }
    }

    /// The value as a table, or a problem.
    fn table<'i>(
        &self,
        name: &str,
        place: &Place,
        value: Spanned<DeValue<'i>>,
        problems: &mut Vec<Problem>,
    ) -> Option<DeTable<'i>> {
        match value.into_inner() {
            DeValue::Table(table) => Some(table),
            DeValue::Array(_) => {
                let message = format!("must be there once: write [{name}]");
                problems.push(Problem::table(place.clone(), &format!("[[{name}]]"), &message));
                None
            }
            _ => {
                let message = format!("must be a table: write [{name}]");
                problems.push(Problem::table(place.clone(), &format!("`{name}`"), &message));
                None
            }
        }
    }

    /// The value as a list of tables, or a problem.
    fn list(
        &self,
        section: &'static Section,
        place: &Place,
        value: Spanned<DeValue<'_>>,
        problems: &mut Vec<Problem>,
    ) -> Vec<Fields> {
        let DeValue::Array(tables) = value.into_inner() else {
            let message = format!("must be a list: write [[{}]] for each", section.name);
            problems.push(Problem::table(place.clone(), &format!("[{}]", section.name), &message));
            return Vec::new();
        };
        let mut list = Vec::new();
        for (index, value) in tables.into_iter().enumerate() {
            let place = self.place(value.span().start);
            let title = format!("{}[{}]", section.name, index + 1);
            if let Some(table) = self.table(&title, &place, value, problems) {
                list.push(self.fields(&title, place, section, table, problems));
            }
        }
        list
    }

    fn fields(
        &self,
        title: &str,
        place: Place,
        section: &'static Section,
        table: DeTable<'_>,
        problems: &mut Vec<Problem>,
    ) -> Fields {
        let folder = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let title = title.to_owned();
        let mut fields = Fields { title, section, place, folder, set: BTreeMap::new() };
        self.take(&mut fields, "", table, problems);
        fields
    }

    /// Takes over the keys of a table; those of a table within it are called `within.key`.
    fn take(
        &self,
        fields: &mut Fields,
        within: &str,
        table: DeTable<'_>,
        problems: &mut Vec<Problem>,
    ) {
        for (key, value) in table {
            let place = self.place(key.span().start);
            let name = format!("{within}{}", key.get_ref());
            let inner = format!("{name}.");
            let written = self.text.get(value.span()).unwrap_or_default().to_owned();
            if let Some(key) = fields.section.key(&name) {
                let written = shown(key, written);
                match value_of(value) {
                    Ok(value) => {
                        fields.set.insert(key.name, Setting { value, written, place });
                    }
                    Err(reason) => {
                        let name = format!("{}.{name}", fields.title);
                        problems.push(Problem::value(place, &name, &written, &reason));
                    }
                }
            } else if fields.section.keys.iter().any(|key| key.name.starts_with(&inner)) {
                let title = format!("{}.{name}", fields.title);
                if let Some(table) = self.table(&title, &place, value, problems) {
                    self.take(fields, &inner, table, problems);
                }
            } else {
                problems.push(Problem::unknown_key(place, &fields.title, &name, fields.section));
            }
        }
    }
}
