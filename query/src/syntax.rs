//! The language: parses text into a typed tree, and prints a tree as text.
//!
//! ```text
//! script    = statement { ";" statement } [ ";" ]
//! statement = "CREATE" "FEED" name "AS" body
//!           | "DROP" "FEED" name
//!           | "ALTER" "FEED" name change
//!           | "EXPLAIN" ( [ "FEED" ] name | "CREATE" "FEED" name "AS" body )
//! change    = "AS" body | "WHERE" filter | "ADD" sources | "REMOVE" source { "|" source }
//!           | "SET" option { option } | "RESET" option-name { option-name } | "RENAME" "TO" name
//! body      = "RETURN" sources [ "WHERE" filter ] { option }
//! sources   = source [ "AS" $variable ] { "|" source [ "AS" $variable ] }
//! source    = string | "OPML" string | "FOLDER" string | [ "FEED" ] name
//!           | "PEER" string "FEED" name
//! option    = "WINDOW" number | "KEEP" period | "ORDER" "BY" ( "PUBLISHED" | "SOURCE" )
//!           | "WEIGHT" number
//! filter    = any, in which brackets are joined by AND only
//! any       = all { "OR" all }
//! all       = single { "AND" single }
//! single    = "NOT" single | "(" any ")" | $variable "[" any "]" | test
//! test      = field ( "CONTAINS" | "MATCHES" | "=" | "!=" ) ( literal | "(" any ")" )
//!           | field "IN" "(" literal { "," literal } ")"
//!           | literal                         (uses the field and comparison before it)
//! literal   = [ "EXACT" ] string              (no EXACT after MATCHES)
//!           | "PUBLISHED" ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) date
//!           | "PUBLISHED" "BETWEEN" date "AND" date | "PUBLISHED" "WITHIN" period
//! field     = "TITLE" | "CONTENT" | "AUTHOR" | "LINK" | "CATEGORY" | "SOURCE" | "ITEM"
//! period    = number ( "SECONDS" | "MINUTES" | "HOURS" | "DAYS" | "WEEKS" )
//! ```
//!
//! Keywords may be in upper or lower case. Strings are in double or single quotes with the escapes
//! `\" \' \\ \n \t \r \u{…}`, or raw as `r"…"`. `--` starts a comment up to the end of the line. A
//! date is a string: `"2026-03-31"` means the whole day in UTC; a time is in RFC 3339 format.

mod dates;
mod inked;
mod lexer;
mod limits;
mod parser;
mod print;
mod tree;

pub use crate::keyword::Keyword;
pub use crate::span::{Span, Spanned};
pub use dates::Moment;
pub use inked::{Ink, inked};
pub use limits::Limits;
pub use parser::{parse, parse_with};
pub use tree::{
    AlterAction, Bracket, Compare, ExplainTarget, Expr, Feed, FeedBody, Field, Filter, Literal,
    Name, OptionKind, Options, OrderBy, Period, PublishedTest, Script, SourceClause, SourceRef,
    Statement, Test, TextOp, Unit,
};
