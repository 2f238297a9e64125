//! The statement that creates a feed of the mesh.

use pergola_query::syntax::{
    Expr, FeedBody, Field, Filter, SourceClause, SourceRef, Spanned, Test, TextOp,
};
use pergola_wiring::mesh::{Feed, Mesh};

use crate::mesh_file::body_of;

/// A statement with the condition of the feed's own query, or one made of its keywords. It reads what the
/// graph gives it.
pub(super) fn statement(
    mesh: &Mesh,
    feed: &Feed,
    reads: impl Iterator<Item = SourceRef>,
) -> Result<String, String> {
    let name = &feed.name;
    let mut body = match &feed.query {
        Some(query) => own_body(name, query)?,
        None => FeedBody { filter: keywords(mesh, feed), ..FeedBody::default() },
    };
    let clause = |source| SourceClause { source: Spanned::unplaced(source), variable: None };
    body.sources = reads.map(clause).collect();
    let named = pergola_query::syntax::Feed { name: Spanned::unplaced(name.clone()), body };
    let text = format!("{named};");
    // A valid name of the mesh may be invalid in the query language.
    match pergola_query::parse(&text) {
        Ok(script) if script.statements.len() == 1 => Ok(text),
        _ => Err(format!(
            "feed `{name}` cannot be published under that name; begin with a letter, use letters, digits, \
             `_` and single `-` between them, and no keyword of the query language"
        )),
    }
}

fn keywords(mesh: &Mesh, feed: &Feed) -> Filter {
    let test = |&number: &u32| {
        let value = mesh.dictionary.word(number).into();
        Expr::Test(Spanned::unplaced(Test::Text {
            field: Field::Item,
            op: TextOp::Contains,
            value,
        }))
    };
    let any = Expr::any(feed.profile.keywords().iter().map(test).collect());
    Filter { common: any, brackets: Vec::new() }
}

/// The query of a feed, without its sources. The mesh file was checked, so it can be parsed.
fn own_body(name: &str, query: &str) -> Result<FeedBody, String> {
    let body = body_of(query)?;
    match body.filter.brackets.first() {
        None => Ok(body),
        Some(bracket) => Err(format!(
            "the query of feed `{name}` has a condition for `${}` alone, but the graph decides which \
             sources it reads; make it a condition for all, or leave it out",
            bracket.variable.value
        )),
    }
}
