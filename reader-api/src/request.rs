//! What an app asks for, read from its parameters.

use std::str::FromStr;

use crate::form::Form;
use crate::instant::instant;
use crate::item_id::{BadItemId, ItemId};
use crate::stream::{FeedRef, State, Stream, label_name};

/// Items of a page if the app does not say.
const USUAL: usize = 20;

/// Why a request cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// A parameter that must be there.
    #[error("the parameter `{0}` is missing: {1}")]
    Missing(&'static str, &'static str),
    /// A number that is none.
    #[error("`{name}` is `{value}`: it must be a number")]
    NotANumber { name: &'static str, value: String },
    /// Not an item.
    #[error(transparent)]
    BadItemId(#[from] BadItemId),
    /// Something is to be left out that cannot be.
    #[error("`xt` is `{0}`: only items in a state can be left out, such as {1}")]
    CannotExclude(String, String),
    /// Labels are for feeds.
    #[error("`{0}` cannot be put on an item: labels are folders, and feeds are in folders")]
    ItemLabel(String),
    /// No such action.
    #[error("`ac` is `{0}`: it must be subscribe, edit or unsubscribe")]
    NoAction(String),
    /// Not a feed.
    #[error("`{0}` is no feed: send feed/NUMBER or feed/ADDRESS")]
    NotAFeed(String),
    /// Not a label.
    #[error("`{0}` is no label: send user/-/label/NAME")]
    NotALabel(String),
}

/// Where the items of a page come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    All,
    Starred,
    Label(String),
    Feed(FeedRef),
    /// From nowhere: what was asked for cannot be, or other servers have it.
    Nothing,
}

/// A page of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// What was asked for, as the answer names it.
    pub stream: Stream,
    pub scope: Scope,
    /// Only those that are read, or only those that are not.
    pub read: Option<bool>,
    /// Only those that are starred, or only those that are not.
    pub starred: Option<bool>,
    /// Only those that came at this instant or later.
    pub from: Option<f64>,
    /// Only those that came at this instant or earlier.
    pub to: Option<f64>,
    pub oldest_first: bool,
    pub limit: usize,
    /// Where the page before has ended.
    pub continuation: Option<String>,
}

impl Selection {
    /// Reads the parameters `s n c r ot nt xt it`. `path` is the stream in the address, if there is one; `most` is the
    /// most items of a page.
    pub fn read(form: &Form, path: Option<&str>, most: usize) -> Result<Self, BadRequest> {
        let stream = Stream::parse(path.or(form.first("s")).unwrap_or_default());
        let limit = number::<usize>(form, "n")?.filter(|n| *n > 0).unwrap_or(USUAL).min(most);
        let mut page = Self {
            stream: stream.clone(),
            scope: Scope::All,
            read: None,
            starred: None,
            from: form.first("ot").and_then(instant),
            to: form.first("nt").and_then(instant),
            oldest_first: form.first("r") == Some("o"),
            limit,
            continuation: form.first("c").map(str::to_owned),
        };
        page.include(stream);
        form.all("it").for_each(|id| page.include(Stream::parse(id)));
        for id in form.all("xt").filter(|id| !id.trim().is_empty()) {
            page.exclude(id)?;
        }
        // Starred items stay when their feeds have let go of them.
        if page.scope == Scope::All && page.starred == Some(true) {
            page.scope = Scope::Starred;
        }
        Ok(page)
    }

    /// Only what is in this stream, too.
    fn include(&mut self, stream: Stream) {
        match stream {
            Stream::State(State::ReadingList) => {}
            Stream::State(State::Read) => self.narrow(Some(true), None),
            Stream::State(State::KeptUnread) => self.narrow(Some(false), None),
            Stream::State(State::Starred) => self.narrow(None, Some(true)),
            Stream::Label(name) => self.within(Scope::Label(name)),
            Stream::Feed(feed) => self.within(Scope::Feed(feed)),
            Stream::Other(_) => self.scope = Scope::Nothing,
        }
    }

    /// Nothing of what is in this stream.
    fn exclude(&mut self, id: &str) -> Result<(), BadRequest> {
        match Stream::parse(id) {
            Stream::State(State::ReadingList) => self.scope = Scope::Nothing,
            Stream::State(State::Read) => self.narrow(Some(false), None),
            Stream::State(State::KeptUnread) => self.narrow(Some(true), None),
            Stream::State(State::Starred) => self.narrow(None, Some(false)),
            Stream::Other(_) => {}
            Stream::Label(_) | Stream::Feed(_) => {
                return Err(BadRequest::CannotExclude(id.to_owned(), State::Read.id()));
            }
        }
        Ok(())
    }

    fn narrow(&mut self, read: Option<bool>, starred: Option<bool>) {
        let clash =
            |own: Option<bool>, new: Option<bool>| own.zip(new).is_some_and(|(a, b)| a != b);
        if clash(self.read, read) || clash(self.starred, starred) {
            self.scope = Scope::Nothing;
        }
        (self.read, self.starred) = (self.read.or(read), self.starred.or(starred));
    }

    fn within(&mut self, scope: Scope) {
        self.scope = match &self.scope {
            Scope::All => scope,
            own if *own == scope => scope,
            _ => Scope::Nothing,
        };
    }
}

fn number<T: FromStr>(form: &Form, name: &'static str) -> Result<Option<T>, BadRequest> {
    let value = form.first(name).map(str::trim);
    let bad =
        |value: &str| BadRequest::NotANumber { name, value: value.chars().take(100).collect() };
    value.map(|value| value.parse().map_err(|_| bad(value))).transpose()
}

/// The items that a request names.
pub fn items(form: &Form) -> Result<Vec<ItemId>, BadRequest> {
    let ids = form.all("i").filter(|id| !id.trim().is_empty());
    Ok(ids.map(str::parse).collect::<Result<_, _>>()?)
}

/// What becomes of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marking {
    pub items: Vec<ItemId>,
    pub read: Option<bool>,
    pub starred: Option<bool>,
}

impl Marking {
    /// Reads the parameters `i a r`. States that other servers have are passed over.
    pub fn read(form: &Form) -> Result<Self, BadRequest> {
        let items = items(form)?;
        if items.is_empty() {
            return Err(BadRequest::Missing("i", "say which items are meant"));
        }
        let (mut read, mut starred) = (None, None);
        for (id, added) in [("a", true), ("r", false)]
            .into_iter()
            .flat_map(|(name, added)| form.all(name).map(move |id| (id, added)))
        {
            match Stream::parse(id) {
                Stream::State(State::Read) => read = read.or(Some(added)),
                Stream::State(State::KeptUnread) if added => read = read.or(Some(false)),
                Stream::State(State::Starred) => starred = starred.or(Some(added)),
                Stream::Label(_) => return Err(BadRequest::ItemLabel(id.to_owned())),
                Stream::State(_) | Stream::Feed(_) | Stream::Other(_) => {}
            }
        }
        Ok(Self { items, read, starred })
    }
}

/// A whole stream is read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadAll {
    pub stream: Stream,
    /// What has come until then; nothing stands for now.
    pub until: Option<f64>,
}

impl ReadAll {
    /// Reads the parameters `s ts`.
    pub fn read(form: &Form) -> Result<Self, BadRequest> {
        let id = form.first("s").ok_or(BadRequest::Missing("s", "say which stream is read"))?;
        Ok(Self { stream: Stream::parse(id), until: form.first("ts").and_then(instant) })
    }
}

/// What is done to subscriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Subscribe,
    Edit,
    Unsubscribe,
}

/// A change of subscriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editing {
    pub action: Action,
    /// The feeds, each with its new title.
    pub feeds: Vec<(FeedRef, Option<String>)>,
    /// Labels that they get.
    pub add: Vec<String>,
    /// Labels that they lose.
    pub remove: Vec<String>,
}

impl Editing {
    /// Reads the parameters `ac s t a r`. The first `t` is for the first `s`, and so on.
    pub fn read(form: &Form) -> Result<Self, BadRequest> {
        let action = match form.first("ac") {
            Some("subscribe") => Action::Subscribe,
            Some("edit") => Action::Edit,
            Some("unsubscribe") => Action::Unsubscribe,
            other => return Err(BadRequest::NoAction(other.unwrap_or_default().to_owned())),
        };
        let mut titles = form.all("t").map(str::trim);
        let mut feeds = Vec::new();
        for id in form.all("s").filter(|id| !id.trim().is_empty()) {
            let feed = FeedRef::parse(id).ok_or_else(|| BadRequest::NotAFeed(id.to_owned()))?;
            let title = titles.next().filter(|title| !title.is_empty()).map(str::to_owned);
            feeds.push((feed, title));
        }
        if feeds.is_empty() {
            return Err(BadRequest::Missing("s", "say which feeds are meant"));
        }
        let labels = |name| form.all(name).filter_map(label_name).collect();
        Ok(Self { action, feeds, add: labels("a"), remove: labels("r") })
    }
}

/// The feed that is to be added at once.
pub fn quick_add(form: &Form) -> Result<FeedRef, BadRequest> {
    let missing = BadRequest::Missing("quickadd", "say the address of a feed");
    form.first("quickadd").and_then(FeedRef::parse).ok_or(missing)
}

/// A label and the name that it gets; without one it goes. Reads the parameters `s t dest`.
pub fn label_change(form: &Form) -> Result<(String, Option<String>), BadRequest> {
    let id = form.first("s").or_else(|| form.first("t"));
    let id = id.ok_or(BadRequest::Missing("s", "say which label is meant"))?;
    let label = |id: &str| label_name(id).ok_or_else(|| BadRequest::NotALabel(id.to_owned()));
    Ok((label(id)?, form.first("dest").map(label).transpose()?))
}

#[cfg(test)]
mod tests;
