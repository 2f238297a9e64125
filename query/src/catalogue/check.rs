//! Checks beyond the grammar: unknown names, feeds that read themselves, and strings that are not
//! valid addresses, phrases or regular expressions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::feeds::{Feeds, read_feeds};
use crate::condition::Condition;
use crate::error::{ErrorKind, QueryError};
use crate::span::Span;
use crate::syntax::{Expr, FeedBody, Literal, Name, SourceRef, Spanned, Test, TextOp};
use crate::text::Phrase;

/// `OPML "all"`: every source of the node.
const EVERY_SOURCE: &str = "all";

/// Checks the body of a feed `name` against the existing feeds.
pub(super) fn check_body(name: &Name, body: &FeedBody, feeds: &Feeds) -> Result<(), QueryError> {
    check_variables(body)?;
    check_sources(name, body, feeds)?;
    for expr in body.filter.exprs() {
        Condition::compile(expr, &mut |_| ())?;
        check_stars(expr)?;
    }
    check_cycle(name, body, feeds)
}

fn check_variables(body: &FeedBody) -> Result<(), QueryError> {
    let mut known = BTreeSet::new();
    for variable in body.sources.iter().filter_map(|clause| clause.variable.as_ref()) {
        if !known.insert(variable.value.as_str()) {
            let kind = ErrorKind::DuplicateVariable(variable.value.clone());
            return Err(QueryError::new(kind, variable.span));
        }
    }
    for Spanned { value, span } in body.filter.brackets.iter().map(|bracket| &bracket.variable) {
        if !known.contains(value.as_str()) {
            let error = QueryError::new(ErrorKind::UnknownVariable(value.clone()), *span);
            let error = match known.len() {
                0 => error.help(format!("name a source with AS ${value}")),
                _ => error.nearest_of(value, known.iter().copied(), |near| format!("${near}")),
            };
            return Err(error);
        }
    }
    Ok(())
}

fn check_sources(name: &Name, body: &FeedBody, feeds: &Feeds) -> Result<(), QueryError> {
    let mut known = BTreeSet::new();
    for clause in &body.sources {
        let Spanned { value: source, span } = &clause.source;
        if !known.insert(source) {
            let error = QueryError::new(ErrorKind::DuplicateSource, *span);
            return Err(error.help("join the filters for one source with OR"));
        }
        match source {
            SourceRef::Url(url) | SourceRef::Peer { node: url, .. } if !is_web_address(url) => {
                let error = QueryError::new(ErrorKind::BadUrl(url.clone()), *span);
                return Err(if feeds.get(url).is_some() {
                    error.help(format!("for the feed of that name, write FEED {url}"))
                } else {
                    error.help("an address starts with http:// or https://")
                });
            }
            SourceRef::Opml(list) if list != EVERY_SOURCE && !is_web_address(list) => {
                let error = QueryError::new(ErrorKind::UnknownList(list.clone()), *span);
                let help = "write OPML \"all\" for every source, or the address of a list";
                return Err(error.help(help).nearest_of(list, [EVERY_SOURCE], str::to_owned));
            }
            SourceRef::Feed(feed) if *feed != name.value => {
                let feed = Spanned::new(feed.clone(), *span);
                feeds.must_exist(&feed)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A `*` that is not at the end of the last word finds nothing.
fn check_stars(expr: &Expr) -> Result<(), QueryError> {
    let mut found = None;
    expr.each_test(&mut |test| {
        let values: &[Spanned<Literal>] = match &test.value {
            Test::Text { op: TextOp::Matches, .. } | Test::Published(_) => &[],
            Test::Text { value, .. } => std::slice::from_ref(value),
            Test::OneOf { values, .. } => values.as_slice(),
        };
        let mut stars = values.iter().filter_map(misplaced_star);
        found = found.take().or_else(|| stars.next());
    });
    found.map_or(Ok(()), |span| {
        let help = "\"volcano*\" finds the words that begin with volcano; \
                    to find the character *, write MATCHES r\"\\*\"";
        Err(QueryError::new(ErrorKind::MisplacedStar, span).help(help))
    })
}

/// The place of a `*` that finds nothing. If the string has escapes, that of the whole string.
fn misplaced_star(value: &Spanned<Literal>) -> Option<Span> {
    let at = Phrase::misplaced(&value.value.text)?;
    let quoted = value.span.range();
    let is_as_written = quoted.len() == value.value.text.len() + 2;
    let star = quoted.start + 1 + at;
    Some(if is_as_written { Span::new(star, star + 1) } else { value.span })
}

/// Whether a text is `http://` or `https://` and a host, without white space or control characters.
fn is_web_address(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| lower.starts_with(scheme));
    scheme.is_some_and(|scheme| {
        let rest = &text[scheme.len()..];
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        !host.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
    })
}

/// Finds a cycle: a path along the feeds that it would read, back to its own name.
fn check_cycle(name: &Name, body: &FeedBody, feeds: &Feeds) -> Result<(), QueryError> {
    // Only the feed itself can read a feed that does not exist yet.
    let is_new = feeds.get(&name.value).is_none();
    for (first, source) in read_feeds(body) {
        if is_new && first != name.value {
            continue;
        }
        if let Some(mut path) = path_between(first, &name.value, feeds) {
            path.insert(0, name.value.clone());
            return Err(QueryError::new(ErrorKind::Cycle(path), source.span));
        }
    }
    Ok(())
}

/// The feeds on the path from `from` to `to`, including both.
fn path_between(from: &str, to: &str, feeds: &Feeds) -> Option<Vec<String>> {
    // No recursion: a long chain of feeds would overflow the stack.
    let mut reached_from: BTreeMap<&str, &str> = BTreeMap::from([(from, from)]);
    let mut pending = vec![from];
    while let Some(feed) = pending.pop() {
        if feed == to {
            let mut path = vec![to.to_owned()];
            let mut at = to;
            while at != from {
                at = reached_from.get(at)?;
                path.push(at.to_owned());
            }
            path.reverse();
            return Some(path);
        }
        for (next, _) in feeds.get(feed).into_iter().flat_map(read_feeds) {
            if let Entry::Vacant(unseen) = reached_from.entry(next) {
                unseen.insert(feed);
                pending.push(next);
            }
        }
    }
    None
}
