//! `[[feed]]`: the feeds that the node publishes from the start.

use std::collections::BTreeMap;

use pergola_query::syntax::{FeedBody, Statement};
use pergola_query::{Catalogue, parse};

use super::problem::Problem;
use super::raw::Fields;
use super::reader::Reader;
use super::values::{list, text};

/// One feed that a `[[feed]]` creates.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredFeed {
    /// Its name.
    pub name: String,
    /// What it consists of.
    pub body: FeedBody,
    /// The statement that creates it, in the printer's spelling.
    pub statement: String,
    /// Where it was written: a file of statements, or a place in the configuration.
    pub origin: String,
    /// Who may read it; without it, anybody.
    pub readers: Option<Vec<String>>,
}

impl DeclaredFeed {
    /// What the query allows and surely does not mean, shown against the statement.
    pub(super) fn warnings(&self) -> Vec<String> {
        // The places in `body` are those of the original text, so the statement is read again.
        let script = parse(&self.statement).unwrap_or_default();
        let bodies = script.statements.iter().filter_map(|statement| match &statement.value {
            Statement::Create(feed) => Some(&feed.body),
            _ => None,
        });
        let found = bodies.flat_map(pergola_query::warnings);
        found.map(|warning| warning.render_warning(&self.statement, &self.origin)).collect()
    }

    /// All feeds in order. A feed may only read feeds that were declared before it.
    pub(super) fn read_all(
        tables: &[Fields],
        known: &[super::Reader],
        problems: &mut Vec<Problem>,
    ) -> Vec<Self> {
        let mut all = All::default();
        for fields in tables {
            let mut reader = Reader::new(fields, problems);
            let readers = read_readers(&mut reader, known);
            if let Some((text, origin)) = read_text(fields, &mut reader) {
                all.add(&text, &origin, readers.as_deref(), &mut reader);
            }
        }
        all.feeds
    }
}

/// The statements of a table, and how messages call the place where they are.
fn read_text(fields: &Fields, reader: &mut Reader<'_>) -> Option<(String, String)> {
    match (reader.is_set("query"), reader.is_set("file")) {
        (true, false) => {
            let query = reader.optional("query", text)?;
            Some((query, format!("{}, {}", fields.place, fields.title)))
        }
        (false, true) => {
            let path = reader.optional("file", text)?;
            let path = reader.path("file", &path);
            match std::fs::read_to_string(&path) {
                Ok(query) => Some((query, path.display().to_string())),
                Err(reason) => {
                    reader.refuse("file", &format!("must be a file that can be read: {reason}"));
                    None
                }
            }
        }
        (true, true) => {
            reader.refuse("file", "must not be set together with `query`");
            None
        }
        (false, false) => {
            reader.refuse_table("must have a `query` or a `file`");
            None
        }
    }
}

/// Who may read the feeds of a table, if not anybody.
fn read_readers(reader: &mut Reader<'_>, known: &[super::Reader]) -> Option<Vec<String>> {
    let mut readers = reader.optional("readers", list)?;
    readers.sort();
    readers.dedup();
    let stranger = readers.iter().find(|name| !known.iter().any(|known| known.name == **name));
    if let Some(stranger) = stranger {
        reader.refuse("readers", &format!("must name readers, but no [[reader]] is `{stranger}`"));
    }
    Some(readers)
}

/// The feeds so far, and where each of them was created.
#[derive(Default)]
struct All {
    feeds: Vec<DeclaredFeed>,
    created: BTreeMap<String, String>,
    catalogue: Catalogue,
}

impl All {
    fn add(
        &mut self,
        text: &str,
        origin: &str,
        readers: Option<&[String]>,
        reader: &mut Reader<'_>,
    ) {
        let script = match parse(text) {
            Ok(script) => script,
            Err(error) => return reader.refuse_query(&error.render(text, origin)),
        };
        for statement in script.statements {
            let Statement::Create(feed) = &statement.value else {
                reader.refuse_table("must only hold CREATE FEED statements");
                continue;
            };
            let name = feed.name.value.clone();
            if let Some(before) = self.created.get(&name) {
                let message = format!("must not create `{name}` again: {before} already does");
                reader.refuse_table(&message);
                continue;
            }
            match self.catalogue.check(&statement.value) {
                Ok(change) => self.catalogue.apply(change),
                Err(error) => reader.refuse_query(&error.render(text, origin)),
            }
            self.created.insert(name.clone(), origin.to_owned());
            self.feeds.push(DeclaredFeed {
                name,
                body: feed.body.clone(),
                statement: statement.value.to_string(),
                origin: origin.to_owned(),
                readers: readers.map(<[String]>::to_vec),
            });
        }
    }
}
