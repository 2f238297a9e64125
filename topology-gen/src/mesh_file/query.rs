//! The query of a feed in a mesh file.

use pergola_query::syntax::{FeedBody, Statement};

/// Parses the query of a feed: `CREATE FEED …`, or only its condition.
pub(crate) fn body_of(query: &str) -> Result<FeedBody, String> {
    let whole = query.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("create"));
    let text = match whole {
        true => query.to_owned(),
        false => format!("CREATE FEED Wanted AS RETURN OPML \"all\" WHERE\n{query};"),
    };
    let script = pergola_query::parse(&text).map_err(|error| error.render(&text, "query"))?;
    let mut statements = script.statements.into_iter();
    match (statements.next().map(|statement| statement.value), statements.next()) {
        (Some(Statement::Create(feed)), None) => Ok(feed.body),
        (_, None) => Err("it must be CREATE FEED, or a condition".to_owned()),
        _ => Err("it must be a single statement".to_owned()),
    }
}
