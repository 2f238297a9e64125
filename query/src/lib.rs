//! The query language of Pergola, and the matcher for many standing queries.
//!
//! A feed is a query: a union of sources, each with a filter. This crate parses queries ([`parse`]),
//! checks them against the existing feeds ([`Catalogue`]), decides which of very many feeds keep an item
//! ([`Matcher`]), learns how much of each source passes ([`Selectivity`]), and explains what a feed reads
//! and costs ([`explain()`]). It does no I/O, and the time is an argument.
//!
//! ```
//! use pergola_query::{Catalogue, ItemView, Matcher, QueryId, Scratch, SourceId, parse};
//!
//! let text = r#"
//!     CREATE FEED Volcanoes AS
//!     RETURN "https://news.example.org/rss" AS $news | "https://pictures.example.org/rss" AS $pictures
//!     WHERE $news[ITEM CONTAINS "volcano" OR "eruption"] AND $pictures[CATEGORY = "volcano"];
//! "#;
//! let script = parse(text).map_err(|error| error.render(text, "feeds.fql"))?;
//!
//! let mut catalogue = Catalogue::new();
//! catalogue.run(&script).map_err(|error| error.render(text, "feeds.fql"))?;
//! let body = catalogue.get("Volcanoes").ok_or("the feed was just created")?;
//!
//! let mut matcher = Matcher::new();
//! let mut sources = [SourceId(1), SourceId(2)].into_iter();
//! matcher.add(QueryId(7), body, None, |_| sources.next().into_iter().collect())
//!     .map_err(|error| error.to_string())?;
//!
//! let item = ItemView { title: "An eruption in Iceland", ..ItemView::default() };
//! let mut scratch = Scratch::new();
//! let now = 1_774_958_400;
//! assert_eq!(matcher.matches(SourceId(1), &item, now, &mut scratch).len(), 1);
//! assert_eq!(matcher.matches(SourceId(2), &item, now, &mut scratch).len(), 0);
//! # Ok::<(), String>(())
//! ```
//!
//! # Modules, from the bottom up
//!
//! - `span`: positions in the text of a query.
//! - `keyword`: the keywords of the language.
//! - `nearest`: the word that a misspelt one was meant to be.
//! - `error`: errors in queries, and how they are shown.
//! - `syntax`: the parser, the tree and the printer.
//! - `text`: words, and when they are equal.
//! - `ids`: numbers of sources and queries.
//! - `item`: an item as queries see it.
//! - `condition`: compiled filters.
//! - `lint`: warnings about filters that are probably wrong.
//! - `catalogue`: the feeds of a node, and what a statement does to them.
//! - `standalone`: one feed evaluated by itself.
//! - `matcher`: all feeds evaluated at once.
//! - `profile`: the words that a feed asks for.
//! - `selectivity`: the share of items that a feed keeps.
//! - `explain`: what a feed reads and costs.

mod catalogue;
mod condition;
mod error;
mod explain;
mod ids;
mod item;
mod keyword;
mod lint;
mod matcher;
mod nearest;
mod profile;
mod selectivity;
mod span;
mod standalone;
pub mod syntax;
pub mod text;

pub use catalogue::{Catalogue, Change};
pub use error::{ErrorKind, Expected, QueryError};
pub use explain::{Cost, Explanation, FoundBy, Read, explain};
pub use ids::{QueryId, SourceId};
pub use item::ItemView;
pub use lint::warnings;
pub use matcher::{Match, Matcher, Scratch};
pub use nearest::nearest;
pub use profile::profile;
pub use selectivity::{AgedCount, Estimate, HALF_LIFE, Selectivity, SelectivityParts};
pub use standalone::{FeedFilter, PreparedItem, reasons};
pub use syntax::{Limits, parse, parse_with};
