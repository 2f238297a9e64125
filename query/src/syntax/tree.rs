//! The typed tree of a query: what the parser builds, the printer writes and everything else reads.
//!
//! Trees are in one normal form: an AND never holds an AND, an OR never an OR, and both have at least
//! two members ([`Expr::all`] and [`Expr::any`] see to it). A filter keeps its brackets apart from what
//! holds for all sources, because that is what they mean.

use super::dates::Moment;
use super::span::{Span, Spanned};

/// A name and where it was written.
pub type Name = Spanned<String>;

/// Several statements, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The statements.
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

/// What `EXPLAIN` is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplainTarget {
    /// A feed that exists.
    Named(Name),
    /// A feed that is only proposed.
    Proposed(Box<Feed>),
}

/// What `ALTER FEED` changes.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterAction {
    /// `AS RETURN …`: everything.
    Replace(FeedBody),
    /// `WHERE …`: the filter.
    Filter(Filter),
    /// `ADD source | …`
    Add(Vec<SourceClause>),
    /// `REMOVE source | …`
    Remove(Vec<Spanned<SourceRef>>),
    /// `SET option …`
    Set(Options),
    /// `RESET option …`: back to the defaults.
    Reset(Vec<OptionKind>),
    /// `RENAME TO name`
    Rename(Name),
}

/// A feed: its name and what it consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// The name it is published under.
    pub name: Name,
    /// What it consists of.
    pub body: FeedBody,
}

/// What a feed consists of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedBody {
    /// What it reads; at least one.
    pub sources: Vec<SourceClause>,
    /// What it keeps.
    pub filter: Filter,
    /// How it is published.
    pub options: Options,
}

/// One source of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceClause {
    /// What is read.
    pub source: Spanned<SourceRef>,
    /// The variable, without its `$`, by which a bracket can name it.
    pub variable: Option<Name>,
}

/// What a source is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceRef {
    /// `"https://…"`: anything that can be fetched.
    Url(String),
    /// `OPML "…"`: each source of a list.
    Opml(String),
    /// `FEED name`: another feed of this node.
    Feed(String),
    /// `PEER "https://…" FEED name`: a feed of another node.
    Peer {
        /// Where the other node is.
        node: String,
        /// The feed's name there.
        feed: String,
    },
}

/// What a feed keeps: the common part of every source, and what brackets add for single ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Holds for every source; nothing means everything passes.
    pub common: Option<Expr>,
    /// Each holds for the source it names.
    pub brackets: Vec<Bracket>,
}

/// `$variable[filter]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// The variable, without its `$`.
    pub variable: Name,
    /// What its source's items must fulfil.
    pub expr: Expr,
}

/// A condition on one item.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All of them; two or more, none of them an AND.
    And(Vec<Expr>),
    /// Any of them; two or more, none of them an OR.
    Or(Vec<Expr>),
    /// The opposite.
    Not(Box<Expr>),
    /// A single test.
    Test(Spanned<Test>),
}

impl Expr {
    /// All of some conditions, in normal form. Nothing if there are none.
    pub fn all(parts: Vec<Expr>) -> Option<Expr> {
        Self::join(parts, Self::And, |part| match part {
            Self::And(inner) => Ok(inner),
            other => Err(other),
        })
    }

    /// Any of some conditions, in normal form. Nothing if there are none.
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
    /// What the items of a source with this variable must fulfil. Nothing: it is kept whole.
    pub fn for_variable(&self, variable: Option<&str>) -> Option<Expr> {
        let own = self.brackets.iter().filter(|b| Some(b.variable.value.as_str()) == variable);
        Expr::all(self.common.iter().cloned().chain(own.map(|b| b.expr.clone())).collect())
    }

    /// Its conditions: the common one first, then those in brackets.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.common.iter().chain(self.brackets.iter().map(|bracket| &bracket.expr))
    }
}

/// A single test of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// A text compared with a string.
    Text {
        /// Which text.
        field: Field,
        /// How.
        op: TextOp,
        /// With what.
        value: String,
    },
    /// `field IN ("a", "b")`
    OneOf {
        /// Which text.
        field: Field,
        /// The strings it may equal.
        values: Vec<String>,
    },
    /// `PUBLISHED …`
    Published(PublishedTest),
}

/// A text of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Its title.
    Title,
    /// Its content or summary.
    Content,
    /// Any of its authors.
    Author,
    /// Its link.
    Link,
    /// Any of its categories.
    Category,
    /// The address or the title of the source it came from.
    Source,
    /// All that a reader sees: title, content, authors, categories.
    Item,
}

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOp {
    /// Has these words, side by side.
    Contains,
    /// Has a part that fits a regular expression.
    Matches,
    /// Consists of exactly these words.
    Equal,
    /// Does not consist of exactly these words.
    NotEqual,
}

/// A test of the time an item was published. An item without one passes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedTest {
    /// Compared with a day or second.
    Compare(Compare, Moment),
    /// From the start of the first to the end of the second.
    Between(Moment, Moment),
    /// Not longer ago than this.
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

/// A length of time as written: `7 DAYS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// How many.
    pub count: u32,
    /// Of what.
    pub unit: Unit,
}

impl Period {
    /// Its length in seconds.
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

/// How a feed is published; what is not set is the node's default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// How many items a document shows.
    pub window: Option<u32>,
    /// How long items are kept.
    pub keep: Option<Period>,
    /// How items are ordered.
    pub order: Option<OrderBy>,
    /// How much the feed counts when the node decides when to look.
    pub weight: Option<f64>,
    /// Only items that say something new are kept: β, how far above the usual an item's similarity to what
    /// the feed has may be, in deviations. Whoever keeps the feed's profile decides; the matcher does not.
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
    /// Newest first.
    Published,
    /// Source by source, newest first in each.
    Source,
}

impl Spanned<Test> {
    /// As a condition.
    pub fn into_expr(self) -> Expr {
        Expr::Test(self)
    }
}

impl From<Test> for Expr {
    fn from(test: Test) -> Self {
        Spanned::new(test, Span::default()).into_expr()
    }
}
