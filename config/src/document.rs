//! The declaration of the whole file: a walk through all of its tables, in their order.
//!
//! Like the declaration of a table, the walk reads, shows or describes.

use crate::mistake::Mistake;
use crate::setting::{Fields, Raw};
use crate::table::{Key, Shown, Table};

/// All tables of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The name in the file.
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) about: &'static str,
    pub(crate) keys: Vec<Key>,
    /// The tables of the value that is shown.
    pub(crate) tables: Vec<ShownTable>,
}

/// How a kind of table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `[node]`. Each key is a variable, too.
    Once,
    /// `[hosts."example.org"]`.
    Named,
    /// `[[source]]`.
    List,
}

/// A table with its values.
#[derive(Clone, Debug)]
pub(crate) struct ShownTable {
    pub(crate) title: String,
    /// Where it was set, if it is known.
    pub(crate) origin: Option<String>,
    /// One for each key of the section.
    pub(crate) values: Vec<Shown>,
}

impl Section {
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The variable of a key, if the table exists once.
    pub(crate) fn variable(&self, key: &str) -> Option<String> {
        let once = self.form == Form::Once;
        once.then(|| format!("PERGOLA_{}__{}", self.name.to_uppercase(), key.to_uppercase()))
    }

    /// How the tables begin in the file.
    pub(crate) fn header(&self) -> String {
        match self.form {
            Form::Once => format!("[{}]", self.name),
            Form::Named => format!("[{}.\"example.org\"]", self.name),
            Form::List => format!("[[{}]]", self.name),
        }
    }
}

/// A walk through all tables. `C` is what the document means.
pub(crate) struct Document<'d, C> {
    pub(crate) raw: &'d Raw,
    pub(crate) mistakes: Vec<Mistake>,
    shown: Option<&'d C>,
    against: Option<&'d C>,
    pub(crate) sections: Vec<Section>,
}

impl<'d, C> Document<'d, C> {
    /// Reads what was set. What was set in nothing describes the document.
    pub(crate) fn read(raw: &'d Raw) -> Self {
        Self { raw, mistakes: Vec::new(), shown: None, against: None, sections: Vec::new() }
    }

    /// Shows a value and compares it with another. `nothing` is an empty [`Raw`].
    pub(crate) fn show(nothing: &'d Raw, shown: &'d C, against: &'d C) -> Self {
        Self { shown: Some(shown), against: Some(against), ..Self::read(nothing) }
    }

    /// A table that exists once. Returns what it means: what was read, or the value that is shown.
    pub(crate) fn once<T: Clone>(
        &mut self,
        name: &'static str,
        get: impl Fn(&C) -> &T,
        declare: impl FnOnce(&mut Table<'_, T>) -> T,
    ) -> T {
        let blank = Fields::blank(name);
        let fields = self.raw.all(name).first().unwrap_or(&blank);
        let (shown, against) = (self.shown.map(&get), self.against.map(&get));
        let mut table = Table::new(fields, &mut self.mistakes, shown, against);
        let read = declare(&mut table);
        let Table { about, keys, values, .. } = table;
        let tables = vec![ShownTable { title: name.to_owned(), origin: None, values }];
        self.sections.push(Section { name, form: Form::Once, about, keys, tables });
        shown.cloned().unwrap_or(read)
    }

    /// Tables of which there can be many. `get` returns those of a value that is shown; `declare` returns
    /// what one of them adds to the result.
    pub(crate) fn many<T, A: IntoIterator>(
        &mut self,
        name: &'static str,
        form: Form,
        get: impl Fn(&C) -> Vec<Existing<'_, T>>,
        mut declare: impl FnMut(&mut Table<'_, T>) -> A,
    ) -> Vec<A::Item> {
        let mut result = Vec::new();
        for fields in self.raw.all(name) {
            result.extend(declare(&mut Table::new(fields, &mut self.mistakes, None, None)));
        }
        let blank = Fields::blank(name);
        let mut ignored = Vec::new();
        let mut tables = Vec::new();
        for Existing { title, origin, value } in self.shown.map(&get).unwrap_or_default() {
            let mut table = Table::new(&blank, &mut ignored, Some(value), None);
            declare(&mut table);
            tables.push(ShownTable { title, origin, values: table.values });
        }
        let mut table = Table::new(&blank, &mut ignored, None, None);
        declare(&mut table);
        let Table { about, keys, .. } = table;
        self.sections.push(Section { name, form, about, keys, tables });
        result
    }
}

/// One of many tables of a value.
pub(crate) struct Existing<'v, T> {
    /// How messages call it: `source[1]`.
    pub(crate) title: String,
    /// Where it was set, if it is known.
    pub(crate) origin: Option<String>,
    pub(crate) value: &'v T,
}

/// The tables of a list. `origin` says where the one of a title was set.
pub(crate) fn numbered<'v, T>(
    name: &str,
    values: &'v [T],
    origin: impl Fn(&str, &T) -> Option<String>,
) -> Vec<Existing<'v, T>> {
    let existing = |(index, value)| {
        let title = format!("{name}[{}]", index + 1);
        Existing { origin: origin(&title, value), title, value }
    };
    values.iter().enumerate().map(existing).collect()
}
