//! The language as text: words in, typed tree out, and back again.

mod dates;
mod keyword;
mod lexer;
mod limits;
mod parser;
mod print;
mod span;
mod tree;

pub use dates::Moment;
pub use keyword::Keyword;
pub use limits::Limits;
pub use parser::{parse, parse_with};
pub use span::{Span, Spanned};
pub use tree::{
    AlterAction, Bracket, Compare, ExplainTarget, Expr, Feed, FeedBody, Field, Filter, Name,
    OptionKind, Options, OrderBy, Period, PublishedTest, Script, SourceClause, SourceRef,
    Statement, Test, TextOp, Unit,
};
