//! Parses the text of queries into trees.
//!
//! It is a recursive descent parser without a parser library. Each rule of the grammar records what it
//! would accept, so that an error lists exactly what is allowed at its position and suggests only such
//! words. Parser combinators hide that list, or make each rule repeat it.

mod cursor;
mod filter;
mod options;

use super::limits::Limits;
use super::tree::{
    AlterAction, ExplainTarget, Feed, FeedBody, Filter, Name, Options, Script, SourceClause,
    SourceRef, Statement,
};
use crate::error::{ErrorKind, QueryError};
use crate::keyword::Keyword;
use crate::span::Spanned;
use cursor::Cursor;

/// Parses statements separated by `;`, with the default [`Limits`].
pub fn parse(text: &str) -> Result<Script, QueryError> {
    parse_with(text, &Limits::default())
}

/// Parses statements with other limits.
pub fn parse_with(text: &str, limits: &Limits) -> Result<Script, QueryError> {
    let mut cursor = Cursor::new(text, limits)?;
    let mut script = Script::default();
    loop {
        while cursor.eat_sign(";")? {}
        if cursor.at_end() {
            return Ok(script);
        }
        let start = cursor.span();
        let statement = statement(&mut cursor)?;
        script.statements.push(Spanned::new(statement, start.to(cursor.last_span())));
        if script.statements.len() > limits.statements {
            let kind = ErrorKind::TooMuch { what: "statements", limit: limits.statements };
            return Err(QueryError::new(kind, start));
        }
        if !cursor.at_end() && !cursor.at_sign(";") {
            return Err(cursor.unexpected());
        }
    }
}

fn statement(cursor: &mut Cursor<'_>) -> Result<Statement, QueryError> {
    if cursor.eat(Keyword::Create)? {
        Ok(Statement::Create(Box::new(create(cursor)?)))
    } else if cursor.eat(Keyword::Drop)? {
        cursor.expect(Keyword::Feed)?;
        Ok(Statement::Drop(cursor.name("the feed's name")?))
    } else if cursor.eat(Keyword::Alter)? {
        cursor.expect(Keyword::Feed)?;
        let name = cursor.name("the feed's name")?;
        Ok(Statement::Alter(name, Box::new(alter(cursor)?)))
    } else if cursor.eat(Keyword::Explain)? {
        if cursor.eat(Keyword::Create)? {
            return Ok(Statement::Explain(ExplainTarget::Proposed(Box::new(create(cursor)?))));
        }
        cursor.eat(Keyword::Feed)?;
        Ok(Statement::Explain(ExplainTarget::Named(cursor.name("the feed's name")?)))
    } else {
        Err(cursor.unexpected())
    }
}

/// Parses what follows `CREATE`.
fn create(cursor: &mut Cursor<'_>) -> Result<Feed, QueryError> {
    cursor.expect(Keyword::Feed)?;
    let name = cursor.name("the feed's name")?;
    cursor.expect(Keyword::As)?;
    Ok(Feed { name, body: body(cursor)? })
}

fn body(cursor: &mut Cursor<'_>) -> Result<FeedBody, QueryError> {
    cursor.expect(Keyword::Return)?;
    let sources = sources(cursor)?;
    let filter =
        if cursor.eat(Keyword::Where)? { filter::filter(cursor)? } else { Filter::default() };
    Ok(FeedBody { sources, filter, options: options::options(cursor)? })
}

/// Parses what follows the name in `ALTER FEED name`.
fn alter(cursor: &mut Cursor<'_>) -> Result<AlterAction, QueryError> {
    if cursor.eat(Keyword::As)? {
        Ok(AlterAction::Replace(body(cursor)?))
    } else if cursor.eat(Keyword::Where)? {
        Ok(AlterAction::Filter(filter::filter(cursor)?))
    } else if cursor.eat(Keyword::Add)? {
        Ok(AlterAction::Add(sources(cursor)?))
    } else if cursor.eat(Keyword::Remove)? {
        let mut gone = vec![source(cursor)?];
        while cursor.eat_sign("|")? {
            gone.push(source(cursor)?);
        }
        Ok(AlterAction::Remove(gone))
    } else if cursor.eat(Keyword::Set)? {
        let options = options::options(cursor)?;
        if options == Options::default() {
            return Err(cursor.unexpected());
        }
        Ok(AlterAction::Set(options))
    } else if cursor.eat(Keyword::Reset)? {
        Ok(AlterAction::Reset(options::option_kinds(cursor)?))
    } else if cursor.eat(Keyword::Rename)? {
        cursor.expect(Keyword::To)?;
        Ok(AlterAction::Rename(cursor.name("the new name")?))
    } else {
        Err(cursor.unexpected())
    }
}

/// Parses sources joined by `|`, with optional variables.
fn sources(cursor: &mut Cursor<'_>) -> Result<Vec<SourceClause>, QueryError> {
    let mut list = Vec::new();
    loop {
        cursor.count_source()?;
        let source = source(cursor)?;
        let variable = if cursor.eat(Keyword::As)? { Some(variable(cursor)?) } else { None };
        list.push(SourceClause { source, variable });
        if !cursor.eat_sign("|")? {
            return Ok(list);
        }
    }
}

fn source(cursor: &mut Cursor<'_>) -> Result<Spanned<SourceRef>, QueryError> {
    let start = cursor.span();
    let spanned = |source, cursor: &Cursor<'_>| Spanned::new(source, start.to(cursor.last_span()));
    if cursor.at_string("a source's address in quotes") {
        let url = cursor.string("a source's address in quotes")?;
        return Ok(spanned(SourceRef::Url(url.value), cursor));
    }
    if cursor.eat(Keyword::Opml)? {
        let list = cursor.string("the list's address in quotes")?;
        return Ok(spanned(SourceRef::Opml(list.value), cursor));
    }
    // A feed may be called Folder, so only the string after it tells.
    if cursor.at(Keyword::Folder) {
        let word = cursor.advance()?;
        if cursor.at_string("the folder's name in quotes") {
            let folder = cursor.string("the folder's name in quotes")?;
            return Ok(spanned(SourceRef::Folder(folder.value), cursor));
        }
        return Ok(spanned(SourceRef::Feed(cursor.written(word).to_owned()), cursor));
    }
    if cursor.eat(Keyword::Peer)? {
        let node = cursor.string("the peer's address in quotes")?.value;
        cursor.expect(Keyword::Feed)?;
        let feed = cursor.name("the feed's name")?.value;
        return Ok(spanned(SourceRef::Peer { node, feed }, cursor));
    }
    cursor.eat(Keyword::Feed)?;
    let name = cursor.name("a feed's name")?;
    Ok(spanned(SourceRef::Feed(name.value), cursor))
}

/// `$name`, without its `$`.
fn variable(cursor: &mut Cursor<'_>) -> Result<Name, QueryError> {
    match cursor.take_variable()? {
        Some(name) => Ok(name),
        None => Err(cursor.unexpected()),
    }
}
