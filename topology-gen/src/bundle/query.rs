//! What a feed of the mesh is in the query language.

use pergola_query::syntax::{
    Expr, FeedBody, Field, Filter, SourceClause, SourceRef, Spanned, Test, TextOp,
};

use crate::mesh::{Feed, Mesh, body_of};

/// Something that a feed reads.
pub(super) enum Read {
    /// A source, by its address.
    Source(String),
    /// A feed of the same node.
    Own(String),
    /// A feed of another node: where that is, and the feed's name.
    Peer(String, String),
}

impl Read {
    fn clause(self) -> SourceClause {
        let source = match self {
            Self::Source(url) => SourceRef::Url(url),
            Self::Own(feed) => SourceRef::Feed(feed),
            Self::Peer(node, feed) => SourceRef::Peer { node, feed },
        };
        SourceClause { source: Spanned::unplaced(source), variable: None }
    }
}

/// The statement that makes a feed: its own condition or its keywords, over what the graph says that it
/// reads.
pub(super) fn statement(mesh: &Mesh, feed: &Feed, read: Vec<Read>) -> Result<String, String> {
    let name = &feed.name;
    let mut body = match &feed.query {
        Some(query) => own_body(name, query)?,
        None => FeedBody { filter: keywords(mesh, feed), ..FeedBody::default() },
    };
    body.sources = read.into_iter().map(Read::clause).collect();
    let named = pergola_query::syntax::Feed { name: Spanned::unplaced(name.clone()), body };
    let text = format!("{named};");
    // A name of the mesh need not be one of the language.
    match pergola_query::parse(&text) {
        Ok(script) if script.statements.len() == 1 => Ok(text),
        _ => Err(format!(
            "feed `{name}` cannot be published under that name; begin it with a letter, use letters, \
             digits, `_` and single `-` between them, and no word of the query language"
        )),
    }
}

fn keywords(mesh: &Mesh, feed: &Feed) -> Filter {
    let test = |&number: &u32| {
        let value = mesh.dictionary.word(number).to_owned();
        Expr::Test(Spanned::unplaced(Test::Text {
            field: Field::Item,
            op: TextOp::Contains,
            value,
        }))
    };
    let any = Expr::any(feed.profile.keywords().iter().map(test).collect());
    Filter { common: any, brackets: Vec::new() }
}

/// What a query of the mesh file says, which was read there before.
fn own_body(name: &str, query: &str) -> Result<FeedBody, String> {
    let body = body_of(query)?;
    match body.filter.brackets.first() {
        None => Ok(body),
        Some(bracket) => Err(format!(
            "the query of feed `{name}` has a condition for `${}` alone, but which sources it reads \
             follows from the graph; make it a condition for all, or leave it out",
            bracket.variable.value
        )),
    }
}
