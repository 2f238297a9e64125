//! What the grammar cannot see: names that lead nowhere, feeds that read themselves, strings that are no
//! addresses, phrases or regular expressions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::catalogue::{Catalogue, read_feeds};
use crate::condition::Condition;
use crate::error::{ErrorKind, QueryError};
use crate::syntax::{FeedBody, Name, SourceRef, Spanned};

/// Checks what a feed of this name would consist of, among the feeds there are.
pub(crate) fn check_body(
    name: &Name,
    body: &FeedBody,
    catalogue: &Catalogue,
) -> Result<(), QueryError> {
    check_variables(body)?;
    check_sources(name, body, catalogue)?;
    for expr in body.filter.exprs() {
        Condition::compile(expr, &mut |_| ())?;
    }
    check_cycle(name, body, catalogue)
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

fn check_sources(name: &Name, body: &FeedBody, catalogue: &Catalogue) -> Result<(), QueryError> {
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
                return Err(if catalogue.get(url).is_some() {
                    error.help(format!("for the feed of that name write FEED {url}"))
                } else {
                    error.help("it begins with http:// or https://")
                });
            }
            SourceRef::Feed(feed) if *feed != name.value => {
                let feed = Spanned::new(feed.clone(), *span);
                catalogue.must_exist(&feed)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// `http://` or `https://`, a host, and nothing that would end an address.
fn is_web_address(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| lower.starts_with(scheme));
    scheme.is_some_and(|scheme| {
        let rest = &text[scheme.len()..];
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        !host.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
    })
}

/// Follows what the feed would read; coming back to its own name is a cycle.
fn check_cycle(name: &Name, body: &FeedBody, catalogue: &Catalogue) -> Result<(), QueryError> {
    // Nobody can read a feed that does not exist yet, except itself.
    let is_new = catalogue.get(&name.value).is_none();
    for (first, source) in read_feeds(body) {
        if is_new && first != name.value {
            continue;
        }
        if let Some(mut path) = path_between(first, &name.value, catalogue) {
            path.insert(0, name.value.clone());
            return Err(QueryError::new(ErrorKind::Cycle(path), source.span));
        }
    }
    Ok(())
}

/// The feeds from one that reads another down to it, both included.
fn path_between(from: &str, to: &str, catalogue: &Catalogue) -> Option<Vec<String>> {
    // No recursion: a chain of feeds can be longer than the thread's stack is deep.
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
        for (next, _) in catalogue.get(feed).into_iter().flat_map(read_feeds) {
            if let Entry::Vacant(unseen) = reached_from.entry(next) {
                unseen.insert(feed);
                pending.push(next);
            }
        }
    }
    None
}
