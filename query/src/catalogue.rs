//! The feeds of a node, and what a statement would do to them.
//!
//! The caller first checks a statement, which gives a change, and then applies the change. It can
//! store the change in between. A script with an error changes nothing.

mod check;
mod feeds;

use crate::error::{ErrorKind, QueryError};
use crate::syntax::{
    AlterAction, ExplainTarget, FeedBody, Name, OptionKind, Options, Script, SourceRef, Spanned,
    Statement,
};
use check::check_body;
use feeds::Feeds;

/// All feeds by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    feeds: Feeds,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Create {
        name: String,
        body: FeedBody,
    },
    Replace {
        name: String,
        body: FeedBody,
    },
    /// Renames a feed, also in the feeds that read it.
    Rename {
        from: String,
        to: String,
    },
    Drop {
        name: String,
    },
    /// Changes nothing: the feed, which need not exist, is to be explained.
    Explain {
        name: String,
        body: FeedBody,
    },
}

impl Catalogue {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self, name: &str) -> Option<&FeedBody> {
        self.feeds.get(name)
    }

    /// All names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.feeds.names()
    }

    /// The feeds that read the feed `name`.
    pub fn readers(&self, name: &str) -> impl Iterator<Item = &str> {
        self.feeds.readers(name)
    }

    /// What a statement would do, or what is wrong with it.
    pub fn check(&self, statement: &Statement) -> Result<Change, QueryError> {
        match statement {
            Statement::Create(feed) => {
                self.feeds.must_be_free(&feed.name)?;
                check_body(&feed.name, &feed.body, &self.feeds)?;
                Ok(Change::Create { name: feed.name.value.clone(), body: feed.body.clone() })
            }
            Statement::Drop(name) => {
                self.feeds.must_exist(name)?;
                let readers: Vec<String> = self.readers(&name.value).map(str::to_owned).collect();
                if readers.is_empty() {
                    return Ok(Change::Drop { name: name.value.clone() });
                }
                let help = format!("drop or alter `{}` first", readers[0]);
                let kind = ErrorKind::StillRead { feed: name.value.clone(), readers };
                Err(QueryError::new(kind, name.span).help(help))
            }
            Statement::Alter(name, action) => self.check_alter(name, action),
            Statement::Explain(ExplainTarget::Named(name)) => {
                let body = self.feeds.must_exist(name)?.clone();
                Ok(Change::Explain { name: name.value.clone(), body })
            }
            Statement::Explain(ExplainTarget::Proposed(feed)) => {
                check_body(&feed.name, &feed.body, &self.feeds)?;
                Ok(Change::Explain { name: feed.name.value.clone(), body: feed.body.clone() })
            }
        }
    }

    /// Applies a change that [`Catalogue::check`] has returned.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Create { name, body } | Change::Replace { name, body } => {
                self.feeds.insert(name, body);
            }
            Change::Drop { name } => {
                self.feeds.remove(&name);
            }
            Change::Rename { from, to } => {
                if let Some(body) = self.feeds.remove(&from) {
                    self.feeds.insert(to.clone(), body);
                }
                for clause in self.feeds.bodies_mut().flat_map(|body| &mut body.sources) {
                    match &mut clause.source.value {
                        SourceRef::Feed(name) if *name == from => name.clone_from(&to),
                        _ => {}
                    }
                }
            }
            Change::Explain { .. } => {}
        }
    }

    /// Checks and applies the statements of a script in order: all of them, or none if one fails.
    pub fn run(&mut self, script: &Script) -> Result<Vec<Change>, QueryError> {
        let mut changes = Vec::with_capacity(script.statements.len());
        let mut before: Vec<(String, Option<FeedBody>)> = Vec::new();
        for statement in &script.statements {
            let change = match self.check(&statement.value) {
                Ok(change) => change,
                Err(error) => {
                    for (name, body) in before.into_iter().rev() {
                        match body {
                            Some(body) => self.feeds.insert(name, body),
                            None => drop(self.feeds.remove(&name)),
                        }
                    }
                    return Err(error);
                }
            };
            for name in self.touched(&change) {
                let body = self.feeds.get(&name).cloned();
                before.push((name, body));
            }
            self.apply(change.clone());
            changes.push(change);
        }
        Ok(changes)
    }

    /// The feeds that a change affects.
    fn touched(&self, change: &Change) -> Vec<String> {
        match change {
            Change::Create { name, .. } | Change::Replace { name, .. } | Change::Drop { name } => {
                vec![name.clone()]
            }
            Change::Rename { from, to } => {
                let readers = self.readers(from).map(str::to_owned);
                [from.clone(), to.clone()].into_iter().chain(readers).collect()
            }
            Change::Explain { .. } => Vec::new(),
        }
    }

    fn check_alter(&self, name: &Name, action: &AlterAction) -> Result<Change, QueryError> {
        let mut body = self.feeds.must_exist(name)?.clone();
        match action {
            AlterAction::Rename(to) => {
                self.feeds.must_be_free(to)?;
                return Ok(Change::Rename { from: name.value.clone(), to: to.value.clone() });
            }
            AlterAction::Replace(new) => body = new.clone(),
            AlterAction::Filter(filter) => body.filter = filter.clone(),
            AlterAction::Add(sources) => body.sources.extend(sources.iter().cloned()),
            AlterAction::Remove(sources) => remove_sources(name, &mut body, sources)?,
            AlterAction::Set(options) => body.options = merged(body.options, *options),
            AlterAction::Reset(kinds) => {
                kinds.iter().for_each(|kind| reset(&mut body.options, *kind));
            }
        }
        check_body(name, &body, &self.feeds).map_err(|mut error| {
            // After a removal the error is in the old text, not in this statement.
            if matches!(action, AlterAction::Remove(_)) {
                error.span = name.span;
            }
            error
        })?;
        Ok(Change::Replace { name: name.value.clone(), body })
    }
}

fn remove_sources(
    name: &Name,
    body: &mut FeedBody,
    gone: &[Spanned<SourceRef>],
) -> Result<(), QueryError> {
    let feed = || name.value.clone();
    for source in gone {
        let Some(at) = body.sources.iter().position(|clause| clause.source == *source) else {
            return Err(QueryError::new(ErrorKind::NotRead { feed: feed() }, source.span));
        };
        body.sources.remove(at);
    }
    if body.sources.is_empty() {
        let error = QueryError::new(ErrorKind::ReadsNothing { feed: feed() }, name.span);
        return Err(error.help(format!("to remove the feed, write DROP FEED {}", name.value)));
    }
    Ok(())
}

/// The old options, overridden by the new ones.
fn merged(old: Options, new: Options) -> Options {
    Options {
        window: new.window.or(old.window),
        keep: new.keep.or(old.keep),
        order: new.order.or(old.order),
        weight: new.weight.or(old.weight),
        novel: new.novel.or(old.novel),
    }
}

fn reset(options: &mut Options, kind: OptionKind) {
    match kind {
        OptionKind::Window => options.window = None,
        OptionKind::Keep => options.keep = None,
        OptionKind::Order => options.order = None,
        OptionKind::Weight => options.weight = None,
        OptionKind::Novel => options.novel = None,
    }
}
