//! The typed tree of a query.
//!
//! Trees are in normal form: an AND contains no AND, an OR contains no OR, and both have at least two
//! members ([`Expr::all`] and [`Expr::any`] ensure it). A filter stores its brackets apart from the
//! condition for all sources.

use super::dates::Moment;
use crate::span::{Span, Spanned};

/// A name and its position.
pub type Name = Spanned<String>;

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub statements: Vec<Spanned<Statement>>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `CREATE FEED name AS …`
    Create(Box<Feed>),
    /// `DROP FEED name`
    Drop(Name),
    /// `ALTER FEED name …`
    Alter(Name, Box<AlterAction>),
    /// `EXPLAIN …`
    Explain(ExplainTarget),
}

/// The feed that `EXPLAIN` explains.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplainTarget {
    /// An existing feed.
    Named(Name),
    /// A feed that need not exist.
    Proposed(Box<Feed>),
}

/// What `ALTER FEED` changes.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterAction {
    /// `AS RETURN …`: the whole body.
    Replace(FeedBody),
    /// `WHERE …`: the filter.
    Filter(Filter),
    /// `ADD source | …`
    Add(Vec<SourceClause>),
    /// `REMOVE source | …`
    Remove(Vec<Spanned<SourceRef>>),
    /// `SET option …`
    Set(Options),
    /// `RESET option …`: restores the defaults.
    Reset(Vec<OptionKind>),
    /// `RENAME TO name`
    Rename(Name),
}

/// A feed and its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    pub name: Name,
    pub body: FeedBody,
}

/// The definition of a feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedBody {
    /// At least one.
    pub sources: Vec<SourceClause>,
    pub filter: Filter,
    pub options: Options,
}

/// One source of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceClause {
    pub source: Spanned<SourceRef>,
    /// The variable, without its `$`, for use in brackets.
    pub variable: Option<Name>,
}

/// A reference to a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceRef {
    /// `"https://…"`: an address.
    Url(String),
    /// `OPML "…"`: each source of a list.
    Opml(String),
    /// `FOLDER "…"`: each source in a folder, or in a folder inside it.
    Folder(String),
    /// `FEED name`: another feed of this node.
    Feed(String),
    /// `PEER "https://…" FEED name`: a feed of another node.
    Peer {
        /// The address of the node.
        node: String,
        /// The name of the feed there.
        feed: String,
    },
}

/// What a feed keeps: a condition for all sources, and brackets for single ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// For every source; `None` if everything passes.
    pub common: Option<Expr>,
    /// Each for the source that it names.
    pub brackets: Vec<Bracket>,
}

/// `$variable[filter]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// The variable, without its `$`.
    pub variable: Name,
    pub expr: Expr,
}

/// A condition on one item.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Two or more, none of them an AND.
    And(Vec<Expr>),
    /// Two or more, none of them an OR.
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Test(Spanned<Test>),
}

impl Expr {
    /// Joins conditions with AND, in normal form; `None` if there are none.
    pub fn all(parts: Vec<Expr>) -> Option<Expr> {
        Self::join(parts, Self::And, |part| match part {
            Self::And(inner) => Ok(inner),
            other => Err(other),
        })
    }

    /// Joins conditions with OR, in normal form; `None` if there are none.
    pub fn any(parts: Vec<Expr>) -> Option<Expr> {
        Self::join(parts, Self::Or, |part| match part {
            Self::Or(inner) => Ok(inner),
            other => Err(other),
        })
    }

    fn join(
        parts: Vec<Expr>,
        wrap: fn(Vec<Expr>) -> Expr,
        open: fn(Expr) -> Result<Vec<Expr>, Expr>,
    ) -> Option<Expr> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match open(part) {
                Ok(inner) => flat.extend(inner),
                Err(single) => flat.push(single),
            }
        }
        if flat.len() > 1 { Some(wrap(flat)) } else { flat.pop() }
    }

    /// Calls `visit` with every test, left to right.
    pub fn each_test<'e>(&'e self, visit: &mut impl FnMut(&'e Spanned<Test>)) {
        match self {
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().for_each(|part| part.each_test(visit));
            }
            Self::Not(inner) => inner.each_test(visit),
            Self::Test(test) => visit(test),
        }
    }
}

impl Filter {
    /// The condition for items of a source with this variable; `None` if every item passes.
    pub fn for_variable(&self, variable: Option<&str>) -> Option<Expr> {
        let own = self.brackets.iter().filter(|b| Some(b.variable.value.as_str()) == variable);
        Expr::all(self.common.iter().cloned().chain(own.map(|b| b.expr.clone())).collect())
    }

    /// All conditions: the common one, then those in brackets.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.common.iter().chain(self.brackets.iter().map(|bracket| &bracket.expr))
    }
}

/// A single test of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// Compares a text with a string.
    Text { field: Field, op: TextOp, value: Spanned<Literal> },
    /// `field IN ("a", "b")`
    OneOf { field: Field, values: Vec<Spanned<Literal>> },
    /// `PUBLISHED …`
    Published(PublishedTest),
}

/// A string that a text is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Literal {
    pub text: String,
    /// `EXACT "…"`: accents count.
    pub exact: bool,
}

/// A text of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    Title,
    /// The content or, without one, the summary.
    Content,
    /// Any author.
    Author,
    Link,
    /// Any category.
    Category,
    /// The address or title of the source.
    Source,
    /// Everything a reader sees: title, content, authors, categories.
    Item,
}

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOp {
    /// Contains these words in sequence.
    Contains,
    /// Contains a match of a regular expression.
    Matches,
    /// Consists of exactly these words.
    Equal,
    /// Does not consist of exactly these words.
    NotEqual,
}

/// A test of the time of publication. An item without a time passes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedTest {
    Compare(Compare, Moment),
    /// From the start of the first to the end of the second.
    Between(Moment, Moment),
    /// At most this long ago.
    Within(Period),
}

/// How times are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `<`
    Before,
    /// `<=`
    NotAfter,
    /// `>`
    After,
    /// `>=`
    NotBefore,
    /// `=`
    On,
    /// `!=`
    NotOn,
}

/// A length of time, such as `7 DAYS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub count: u32,
    pub unit: Unit,
}

impl Period {
    pub fn seconds(self) -> i64 {
        i64::from(self.count)
            * match self.unit {
                Unit::Seconds => 1,
                Unit::Minutes => 60,
                Unit::Hours => 3600,
                Unit::Days => 86_400,
                Unit::Weeks => 604_800,
            }
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `SECONDS`
    Seconds,
    /// `MINUTES`
    Minutes,
    /// `HOURS`
    Hours,
    /// `DAYS`
    Days,
    /// `WEEKS`
    Weeks,
}

/// How a feed is published. The node has defaults for options that are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Number of items in a document.
    pub window: Option<u32>,
    /// How long items are kept.
    pub keep: Option<Period>,
    pub order: Option<OrderBy>,
    /// How much the feed counts when the node schedules refreshes.
    pub weight: Option<f64>,
    /// Keep only novel items. The value is β: how many standard deviations the similarity of an item to
    /// the feed may exceed the mean. The matcher ignores it; the owner of the feed's profile decides.
    pub novel: Option<f64>,
}

impl Options {
    /// β of `NOVEL` without a number.
    pub const NOVEL: f64 = 0.1;
}

/// One of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `WINDOW`
    Window,
    /// `KEEP`
    Keep,
    /// `ORDER BY`
    Order,
    /// `WEIGHT`
    Weight,
    /// `NOVEL`
    Novel,
}

/// How a feed orders its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderBy {
    /// Newest first; so are the items of a feed that says nothing.
    Published,
    /// Source by source, newest first in each.
    Source,
}

impl Spanned<Test> {
    pub fn into_expr(self) -> Expr {
        Expr::Test(self)
    }
}

impl From<&str> for Spanned<Literal> {
    fn from(text: &str) -> Self {
        Spanned::unplaced(Literal { text: text.to_owned(), exact: false })
    }
}

impl From<Test> for Expr {
    fn from(test: Test) -> Self {
        Spanned::new(test, Span::default()).into_expr()
    }
}
