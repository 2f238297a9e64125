//! A feed as a form says it, and the query that it means.

use pergola_query::QueryError;
use pergola_query::syntax::{
    AlterAction, Expr, Feed, FeedBody, Field, Filter, Options, Period, Script, SourceClause,
    SourceRef, Spanned, Statement, Test, TextOp, Unit, parse,
};

/// A feed as a form says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    pub name: String,
    /// Every source of the node.
    pub all: bool,
    pub folders: Vec<String>,
    /// Addresses of sources that were chosen.
    pub sources: Vec<String>,
    /// Further addresses, one in a line.
    pub addresses: String,
    /// Words and phrases of which an item has one, one in a line or between commas.
    pub contain: String,
    /// Words and phrases of which an item has none.
    pub exclude: String,
    /// Items in a document, if something is said.
    pub window: String,
    /// Days that items are kept, if something is said.
    pub keep: String,
}

/// Why a form means no query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsaid {
    /// The field.
    pub field: &'static str,
    pub why: &'static str,
}

impl Draft {
    /// The statement that creates the feed.
    pub fn query(&self) -> Result<String, Unsaid> {
        let name = self.name.trim();
        if name.is_empty() {
            return Err(Unsaid { field: "name", why: "The feed needs a name." });
        }
        let body = FeedBody {
            sources: self.clauses()?,
            filter: Filter { common: self.filter(), brackets: Vec::new() },
            options: self.options()?,
        };
        let feed = Feed { name: Spanned::unplaced(name.to_owned()), body };
        Ok(printed(Statement::Create(Box::new(feed))))
    }

    fn clauses(&self) -> Result<Vec<SourceClause>, Unsaid> {
        let mut sources: Vec<SourceRef> = Vec::new();
        if self.all {
            sources.push(SourceRef::Opml("all".to_owned()));
        } else {
            sources.extend(self.folders.iter().cloned().map(SourceRef::Folder));
            let addresses = self.addresses.lines().map(str::trim).filter(|line| !line.is_empty());
            let chosen = self.sources.iter().map(String::as_str);
            for address in chosen.chain(addresses) {
                let source = SourceRef::Url(address.to_owned());
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
        if sources.is_empty() {
            let why = "Choose at least one source or folder, all sources, or give an address.";
            return Err(Unsaid { field: "sources", why });
        }
        let clause = |source| SourceClause { source: Spanned::unplaced(source), variable: None };
        Ok(sources.into_iter().map(clause).collect())
    }

    fn filter(&self) -> Option<Expr> {
        let contains = |phrase: &str| {
            let value = phrase.into();
            Expr::from(Test::Text { field: Field::Item, op: TextOp::Contains, value })
        };
        let wanted = Expr::any(phrases(&self.contain).map(contains).collect());
        let unwanted = Expr::any(phrases(&self.exclude).map(contains).collect());
        let unwanted = unwanted.map(|unwanted| Expr::Not(Box::new(unwanted)));
        Expr::all(wanted.into_iter().chain(unwanted).collect())
    }

    fn options(&self) -> Result<Options, Unsaid> {
        let number = |text: &str, field, why| match text.trim() {
            "" => Ok(None),
            text => match text.parse::<u32>() {
                Ok(number) if number > 0 => Ok(Some(number)),
                _ => Err(Unsaid { field, why }),
            },
        };
        let window = number(&self.window, "window", "The number of items must be 1 or more.")?;
        let keep = number(&self.keep, "keep", "The number of days must be 1 or more.")?;
        let keep = keep.map(|count| Period { count, unit: Unit::Days });
        Ok(Options { window, keep, ..Options::default() })
    }
}

/// What stands in lines or between commas.
fn phrases(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ',']).map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// The statement that gives a feed another name, if that can be one.
pub fn renamed(from: &str, to: &str) -> Result<String, QueryError> {
    let name = |name: &str| Spanned::unplaced(name.trim().to_owned());
    let text = printed(Statement::Alter(name(from), Box::new(AlterAction::Rename(name(to)))));
    // A name with a blank or a semicolon would be another statement.
    let script = parse(&text)?;
    match &script.statements[..] {
        [one] if printed(one.value.clone()) == text => Ok(text),
        _ => parse(&format!("ALTER FEED {} RENAME TO ;", from.trim())).map(|_| text),
    }
}

fn printed(statement: Statement) -> String {
    Script { statements: vec![Spanned::unplaced(statement)] }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            name: " Volcanoes ".to_owned(),
            sources: vec!["https://a.example/rss".to_owned()],
            ..Draft::default()
        }
    }

    #[test]
    fn a_form_means_a_query() {
        let draft = Draft {
            folders: vec!["Tech/\"Rust\"".to_owned()],
            addresses: "https://b.example/\n\n https://a.example/rss ".to_owned(),
            contain: "volcano, lava flow\neruption".to_owned(),
            exclude: "film".to_owned(),
            window: "30".to_owned(),
            keep: "7".to_owned(),
            ..draft()
        };
        let query = draft.query().unwrap();
        assert_eq!(
            query,
            "CREATE FEED Volcanoes AS\n\
             RETURN FOLDER \"Tech/\\\"Rust\\\"\" |\n       \
             \"https://a.example/rss\" |\n       \
             \"https://b.example/\"\n\
             WHERE (ITEM CONTAINS \"volcano\" OR ITEM CONTAINS \"lava flow\" OR ITEM CONTAINS \"eruption\") \
             AND NOT ITEM CONTAINS \"film\"\n\
             WINDOW 30 KEEP 7 DAYS;\n"
        );
        assert!(parse(&query).is_ok());
        let all = Draft { all: true, ..draft };
        assert!(all.query().unwrap().contains("RETURN OPML \"all\"\nWHERE"));
    }

    #[test]
    fn what_is_missing_or_no_number_is_named_by_its_field() {
        let field = |draft: Draft| draft.query().unwrap_err().field;
        assert_eq!(field(Draft::default()), "name");
        assert_eq!(field(Draft { sources: Vec::new(), ..draft() }), "sources");
        assert_eq!(field(Draft { window: "many".to_owned(), ..draft() }), "window");
        assert_eq!(field(Draft { keep: "0".to_owned(), ..draft() }), "keep");
    }

    #[test]
    fn only_a_name_can_be_the_new_name() {
        assert_eq!(renamed("A", "B-2").unwrap(), "ALTER FEED A RENAME TO B-2;\n");
        for wild in ["", "B; DROP FEED A", "B -- x", "B C", "<b>", "B;"] {
            assert!(renamed("A", wild).is_err(), "{wild}");
        }
    }
}
