//! The feeds of a node by name, and what a statement would do to them.
//!
//! A statement is first checked, which yields the change it stands for, and the change is then applied:
//! a caller can store it in between, and a script with an error in it changes nothing.

use std::collections::BTreeMap;

use crate::check::check_body;
use crate::error::{ErrorKind, QueryError};
use crate::syntax::{
    AlterAction, ExplainTarget, FeedBody, Name, OptionKind, Options, Script, SourceRef, Spanned,
    Statement,
};

/// All feeds by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    feeds: BTreeMap<String, FeedBody>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// There is a new feed.
    Create {
        /// Its name.
        name: String,
        /// What it consists of.
        body: FeedBody,
    },
    /// A feed is another now.
    Replace {
        /// Its name.
        name: String,
        /// What it consists of now.
        body: FeedBody,
    },
    /// A feed has another name, also where other feeds read it.
    Rename {
        /// Its name before.
        from: String,
        /// Its name now.
        to: String,
    },
    /// A feed is gone.
    Drop {
        /// Its name.
        name: String,
    },
    /// Nothing changes; somebody wants to know about a feed, which need not exist.
    Explain {
        /// Its name.
        name: String,
        /// What it consists of.
        body: FeedBody,
    },
}

impl Catalogue {
    /// A catalogue without feeds.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a feed consists of.
    pub fn get(&self, name: &str) -> Option<&FeedBody> {
        self.feeds.get(name)
    }

    /// All names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.feeds.keys().map(String::as_str)
    }

    /// The feeds that read a feed.
    pub fn readers(&self, name: &str) -> impl Iterator<Item = &str> {
        let reads = move |body: &FeedBody| read_feeds(body).any(|(other, _)| other == name);
        self.feeds.iter().filter(move |(_, body)| reads(body)).map(|(name, _)| name.as_str())
    }

    /// What a statement would do, or what is wrong with it.
    pub fn check(&self, statement: &Statement) -> Result<Change, QueryError> {
        match statement {
            Statement::Create(feed) => {
                self.must_be_free(&feed.name)?;
                check_body(&feed.name, &feed.body, self)?;
                Ok(Change::Create { name: feed.name.value.clone(), body: feed.body.clone() })
            }
            Statement::Drop(name) => {
                self.must_exist(name)?;
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
                let body = self.must_exist(name)?.clone();
                Ok(Change::Explain { name: name.value.clone(), body })
            }
            Statement::Explain(ExplainTarget::Proposed(feed)) => {
                check_body(&feed.name, &feed.body, self)?;
                Ok(Change::Explain { name: feed.name.value.clone(), body: feed.body.clone() })
            }
        }
    }

    /// Makes a change that [`Catalogue::check`] has returned.
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
                for clause in self.feeds.values_mut().flat_map(|body| &mut body.sources) {
                    match &mut clause.source.value {
                        SourceRef::Feed(name) if *name == from => name.clone_from(&to),
                        _ => {}
                    }
                }
            }
            Change::Explain { .. } => {}
        }
    }

    /// Checks and applies the statements of a script in order: all of them, or none if one is wrong.
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
                            None => self.feeds.remove(&name),
                        };
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

    /// The feeds that a change makes different.
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
        let mut body = self.must_exist(name)?.clone();
        match action {
            AlterAction::Rename(to) => {
                self.must_be_free(to)?;
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
        check_body(name, &body, self).map_err(|mut error| {
            // What is wrong after a removal stands in the old text, not in this statement.
            if matches!(action, AlterAction::Remove(_)) {
                error.span = name.span;
            }
            error
        })?;
        Ok(Change::Replace { name: name.value.clone(), body })
    }

    pub(crate) fn must_exist(&self, name: &Name) -> Result<&FeedBody, QueryError> {
        self.get(&name.value).ok_or_else(|| {
            let kind = ErrorKind::UnknownFeed(name.value.clone());
            let error = QueryError::new(kind, name.span);
            error.nearest_of(&name.value, self.names(), str::to_owned)
        })
    }

    fn must_be_free(&self, name: &Name) -> Result<(), QueryError> {
        if self.get(&name.value).is_none() {
            return Ok(());
        }
        let error = QueryError::new(ErrorKind::FeedExists(name.value.clone()), name.span);
        Err(error.help(format!("to change it, write ALTER FEED {}", name.value)))
    }
}

/// The feeds that a feed reads, each with the source it is.
pub(crate) fn read_feeds(body: &FeedBody) -> impl Iterator<Item = (&str, &Spanned<SourceRef>)> {
    body.sources.iter().filter_map(|clause| match &clause.source.value {
        SourceRef::Feed(name) => Some((name.as_str(), &clause.source)),
        _ => None,
    })
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
        return Err(error.help(format!("to be rid of it, write DROP FEED {}", name.value)));
    }
    Ok(())
}

/// The first options, overruled by what the second ones set.
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
