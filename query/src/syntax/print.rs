//! Prints trees as text in canonical form.
//!
//! Parsing the text gives the same tree. The short form is expanded, keywords are in capitals, and each
//! source and bracket has its own line.

use std::fmt::{self, Display, Formatter, Write};

use super::tree::{
    AlterAction, Compare, ExplainTarget, Expr, Feed, FeedBody, Field, Filter, Literal, OptionKind,
    Options, OrderBy, Period, PublishedTest, Script, SourceClause, SourceRef, Statement, Test,
    TextOp, Unit,
};

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, statement) in self.statements.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n" };
            writeln!(f, "{gap}{};", statement.value)?;
        }
        Ok(())
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(feed) => write!(f, "{feed}"),
            Self::Drop(name) => write!(f, "DROP FEED {}", name.value),
            Self::Alter(name, action) => write!(f, "ALTER FEED {} {action}", name.value),
            Self::Explain(ExplainTarget::Named(name)) => write!(f, "EXPLAIN FEED {}", name.value),
            Self::Explain(ExplainTarget::Proposed(feed)) => write!(f, "EXPLAIN {feed}"),
        }
    }
}

impl Display for AlterAction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replace(body) => write!(f, "AS\n{body}"),
            Self::Filter(filter) => write!(f, "WHERE {filter}"),
            Self::Add(sources) => {
                f.write_str("ADD ")?;
                joined(f, sources, " |\n    ")
            }
            Self::Remove(sources) => {
                f.write_str("REMOVE ")?;
                joined(f, sources.iter().map(|source| &source.value), " |\n       ")
            }
            Self::Set(options) => write!(f, "SET {options}"),
            Self::Reset(kinds) => {
                f.write_str("RESET ")?;
                joined(f, kinds, " ")
            }
            Self::Rename(name) => write!(f, "RENAME TO {}", name.value),
        }
    }
}

impl Display for Feed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "CREATE FEED {} AS\n{}", self.name.value, self.body)
    }
}

impl Display for FeedBody {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("RETURN ")?;
        joined(f, &self.sources, " |\n       ")?;
        if self.filter != Filter::default() {
            write!(f, "\nWHERE {}", self.filter)?;
        }
        if self.options != Options::default() {
            write!(f, "\n{}", self.options)?;
        }
        Ok(())
    }
}

impl Display for SourceClause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source.value)?;
        match &self.variable {
            Some(variable) => write!(f, " AS ${}", variable.value),
            None => Ok(()),
        }
    }
}

impl Display for SourceRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => write!(f, "{}", Quoted(url)),
            Self::Opml(list) => write!(f, "OPML {}", Quoted(list)),
            Self::Folder(name) => write!(f, "FOLDER {}", Quoted(name)),
            Self::Feed(name) => write!(f, "FEED {name}"),
            Self::Peer { node, feed } => write!(f, "PEER {} FEED {feed}", Quoted(node)),
        }
    }
}

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some(common) = &self.common {
            match common {
                Expr::Or(_) if !self.brackets.is_empty() => write!(f, "({common})")?,
                _ => write!(f, "{common}")?,
            }
            gap = " AND\n      ";
        }
        for bracket in &self.brackets {
            write!(f, "{gap}${}[{}]", bracket.variable.value, bracket.expr)?;
            gap = " AND\n      ";
        }
        Ok(())
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let nested = |f: &mut Formatter<'_>, expr: &Expr, wrap: bool| {
            if wrap { write!(f, "({expr})") } else { write!(f, "{expr}") }
        };
        match self {
            Self::And(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { " AND " })?;
                    nested(f, part, matches!(part, Self::Or(_) | Self::And(_)))?;
                }
                Ok(())
            }
            Self::Or(parts) => joined(f, parts, " OR "),
            Self::Not(inner) => {
                f.write_str("NOT ")?;
                nested(f, inner, matches!(**inner, Self::And(_) | Self::Or(_)))
            }
            Self::Test(test) => write!(f, "{}", test.value),
        }
    }
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { field, op, value } => write!(f, "{field} {op} {}", value.value),
            Self::OneOf { field, values } => {
                write!(f, "{field} IN (")?;
                joined(f, values.iter().map(|value| &value.value), ", ")?;
                f.write_char(')')
            }
            Self::Published(test) => write!(f, "PUBLISHED {test}"),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.exact { "EXACT " } else { "" }, Quoted(&self.text))
    }
}

impl Display for PublishedTest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(compare, moment) => write!(f, "{compare} \"{moment}\""),
            Self::Between(first, last) => write!(f, "BETWEEN \"{first}\" AND \"{last}\""),
            Self::Within(period) => write!(f, "WITHIN {period}"),
        }
    }
}

impl Display for Options {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [
            self.window.map(|window| format!("WINDOW {window}")),
            self.keep.map(|keep| format!("KEEP {keep}")),
            self.order.map(|order| format!("ORDER BY {order}")),
            self.weight.map(|weight| format!("WEIGHT {weight}")),
            self.novel.map(|beta| match beta {
                Self::NOVEL => "NOVEL".to_owned(),
                beta => format!("NOVEL {beta}"),
            }),
        ];
        joined(f, parts.iter().flatten(), " ")
    }
}

impl Display for Period {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.unit)
    }
}

/// Displays each variant of an enum as one word.
macro_rules! words {
    ($($kind:ident { $($variant:ident $text:literal),* })*) => {
        $(impl Display for $kind {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $text,)* })
            }
        })*
    };
}

words! {
    Field { Title "TITLE", Content "CONTENT", Author "AUTHOR", Link "LINK", Category "CATEGORY",
            Source "SOURCE", Item "ITEM" }
    TextOp { Contains "CONTAINS", Matches "MATCHES", Equal "=", NotEqual "!=" }
    Compare { Before "<", NotAfter "<=", After ">", NotBefore ">=", On "=", NotOn "!=" }
    Unit { Seconds "SECONDS", Minutes "MINUTES", Hours "HOURS", Days "DAYS", Weeks "WEEKS" }
    OptionKind { Window "WINDOW", Keep "KEEP", Order "ORDER BY", Weight "WEIGHT", Novel "NOVEL" }
    OrderBy { Published "PUBLISHED", Source "SOURCE" }
}

/// A quoted and escaped string.
struct Quoted<'s>(&'s str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

fn joined<T: Display>(
    f: &mut Formatter<'_>,
    parts: impl IntoIterator<Item = T>,
    between: &str,
) -> fmt::Result {
    for (index, part) in parts.into_iter().enumerate() {
        f.write_str(if index == 0 { "" } else { between })?;
        write!(f, "{part}")?;
    }
    Ok(())
}
