//! `[[feed]]`: feeds that the configuration declares.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pergola_feed::address::masked_in;
use pergola_query::syntax::{FeedBody, Statement};
use pergola_query::{Catalogue, parse};

use crate::codec::{Codec, list, path, quoted, text};
use crate::readers::Reader;
use crate::table::Table;

/// One feed that a `[[feed]]` creates.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredFeed {
    pub name: String,
    pub body: FeedBody,
    /// The statement that creates it, as the printer spells it.
    pub statement: String,
    /// Where it was declared: a file of statements, or a place in the configuration.
    pub origin: String,
    /// Who may read it. Without it everybody may.
    pub readers: Option<Vec<String>>,
}

impl DeclaredFeed {
    /// What the query allows but probably does not mean, shown in the statement.
    pub(crate) fn warnings(&self) -> Vec<String> {
        // The places in `body` are those of the original text, so the statement is parsed again.
        let script = parse(&self.statement).unwrap_or_default();
        let bodies = script.statements.iter().filter_map(|statement| match &statement.value {
            Statement::Create(feed) => Some(&feed.body),
            _ => None,
        });
        let found = bodies.flat_map(pergola_query::warnings);
        let rendered = found.map(|warning| warning.render_warning(&self.statement, &self.origin));
        rendered.map(|text| masked_in(&text).into_owned()).collect()
    }
}

/// The feeds that were declared so far. A feed may only read feeds that were declared before it.
#[derive(Default)]
pub(crate) struct DeclaredFeeds {
    /// Where each feed was declared.
    created: BTreeMap<String, String>,
    catalogue: Catalogue,
}

impl DeclaredFeeds {
    /// The feeds of the next table.
    pub(crate) fn declare(
        &mut self,
        table: &mut Table<'_, DeclaredFeed>,
        known: &[Reader],
    ) -> Vec<DeclaredFeed> {
        table.about("Feeds that the node publishes: a statement, or a file of statements.");
        let query = table.key("query", "A CREATE FEED statement.").optional(
            statement(),
            "CREATE FEED Volcanoes AS RETURN \"https://example.org/rss\" WHERE ITEM CONTAINS \"volcano\"",
            |feed| Some(feed.statement.clone()),
        );
        let file = table.key("file", "Or: a file of CREATE FEED statements.").excludes().optional(
            path(),
            "feeds.fql",
            |_| None,
        );
        let readers = table
            .key(
                "readers",
                "Who may read these feeds, by the names of [[reader]]. For everybody else they do not \
                 exist. Left out, everybody may read them.",
            )
            .optional(list(), vec!["alice"], |feed| feed.readers.clone());
        let readers = readers.map(|readers| checked_readers(table, readers, known));
        match statements(table, query, file) {
            Some((text, origin)) => self.create(table, &text, &origin, readers.as_deref()),
            None => Vec::new(),
        }
    }

    fn create(
        &mut self,
        table: &mut Table<'_, DeclaredFeed>,
        text: &str,
        origin: &str,
        readers: Option<&[String]>,
    ) -> Vec<DeclaredFeed> {
        let mut feeds = Vec::new();
        let script = match parse(text) {
            Ok(script) => script,
            Err(error) => {
                table.refuse_query(masked_in(&error.render(text, origin)).into_owned());
                return feeds;
            }
        };
        for statement in script.statements {
            let Statement::Create(feed) = &statement.value else {
                table.refuse_table("must only hold CREATE FEED statements");
                continue;
            };
            let name = feed.name.value.clone();
            if let Some(before) = self.created.get(&name) {
                let message = format!("must not create `{name}` again: {before} already does");
                table.refuse_table(&message);
                continue;
            }
            match self.catalogue.check(&statement.value) {
                Ok(change) => self.catalogue.apply(change),
                Err(error) => {
                    table.refuse_query(masked_in(&error.render(text, origin)).into_owned());
                }
            }
            self.created.insert(name.clone(), origin.to_owned());
            feeds.push(DeclaredFeed {
                name,
                body: feed.body.clone(),
                statement: statement.value.to_string(),
                origin: origin.to_owned(),
                readers: readers.map(<[String]>::to_vec),
            });
        }
        feeds
    }
}

/// A statement. Secrets in its addresses are not shown.
fn statement() -> Codec<String> {
    let plain = text();
    Codec::new(
        plain.allowed.clone(),
        move |setting| plain.read(setting),
        |text: &String| quoted(masked_in(text)),
    )
}

/// The statements of a table, and how messages call the place where they are.
fn statements(
    table: &mut Table<'_, DeclaredFeed>,
    query: Option<String>,
    file: Option<PathBuf>,
) -> Option<(String, String)> {
    match (table.is_set("query"), table.is_set("file")) {
        (true, false) => Some((query?, format!("{}, {}", table.origin(), table.title()))),
        (false, true) => {
            let path = file?;
            match std::fs::read_to_string(&path) {
                Ok(statements) => Some((statements, path.display().to_string())),
                Err(reason) => {
                    table.refuse("file", &format!("must be a file that can be read: {reason}"));
                    None
                }
            }
        }
        (true, true) => {
            table.refuse("file", "must not be set together with `query`");
            None
        }
        (false, false) => {
            table.refuse_table("must have a `query` or a `file`");
            None
        }
    }
}

/// The names in order, each once. A name without a `[[reader]]` is a mistake.
fn checked_readers(
    table: &mut Table<'_, DeclaredFeed>,
    mut readers: Vec<String>,
    known: &[Reader],
) -> Vec<String> {
    readers.sort();
    readers.dedup();
    let unknown = readers.iter().find(|name| !known.iter().any(|known| known.name == **name));
    if let Some(unknown) = unknown {
        table.refuse("readers", &format!("must name readers, but no [[reader]] is `{unknown}`"));
    }
    readers
}
