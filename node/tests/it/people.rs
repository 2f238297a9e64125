//! The people who read at a node, through what pages and programs use.

mod hidden;
mod logins;
mod reading;
mod staying;

use std::sync::Arc;

use pergola_accounts::{Role, UserId, Wanted};
use pergola_config::Config;
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Item, Timestamp};
use pergola_node::node::{Follow, Followed, NewSource, Node, Stream, close};
use pergola_outside::clock::Clock;
use pergola_store::archive::{ItemNumber, SourceId};
use pergola_store::people::NewUser;
use tempfile::TempDir;

use crate::house::quick_config;
use crate::origin::{Origin, Reply};

pub(crate) const PASSWORD: &str = "correct horse";
/// When the items of documents begin.
pub(crate) const START: i64 = 1_600_000_000;

/// A node that crawls only when it is told to, with sources that show what they are told to.
pub(crate) struct Study {
    pub(crate) node: Arc<Node>,
    pub(crate) origin: Origin,
    pub(crate) folder: TempDir,
}

impl Study {
    pub(crate) async fn open() -> Self {
        Self::open_with(|_| {}).await
    }

    pub(crate) async fn open_with(change: impl FnOnce(&mut Config)) -> Self {
        let (folder, origin) = (TempDir::new().unwrap(), Origin::builder().start().await);
        let mut config = quick_config(&folder);
        change(&mut config);
        let node = Node::open_here(config, Clock::real()).await.unwrap();
        Self { node, origin, folder }
    }

    /// Stops and opens the node again on the same folder.
    pub(crate) async fn reopened(self) -> Self {
        let Self { node, origin, folder } = self;
        close(node).await;
        let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
        Self { node, origin, folder }
    }

    /// A source with these items: their numbers and the seconds after [`START`] when they were published.
    pub(crate) async fn source(&self, path: &str, items: &[(u32, i64)]) -> SourceId {
        self.show(path, items);
        let new = NewSource::feed(self.origin.url(path).as_str()).unwrap();
        let id = self.node.add_sources(vec![new]).await.unwrap().new[0];
        self.refresh(id).await;
        id
    }

    pub(crate) fn show(&self, path: &str, items: &[(u32, i64)]) {
        let mut document = Document::new(Format::Atom);
        document.title = Some(format!("Source {path}"));
        document.items = items
            .iter()
            .map(|(number, at)| Item {
                title: Some(format!("Item {number}")),
                published: Some(Timestamp::from_unix(START + at)),
                ..Item::new(format!("urn:item:{number}"))
            })
            .collect();
        let reply = Reply::ok(write_atom(&document)).header("content-type", "application/atom+xml");
        self.origin.set(path, reply);
    }

    pub(crate) async fn refresh(&self, id: SourceId) {
        self.node.refresh_now(id, false).await.unwrap();
    }

    pub(crate) async fn user(&self, name: &str, role: Role) -> UserId {
        let (name, password) = (name.to_owned(), Some(PASSWORD.to_owned()));
        self.node.add_user(NewUser { name, role, password, subject: None }).await.unwrap()
    }

    pub(crate) async fn follow(&self, user: UserId, what: Followed, folders: &[&str]) {
        let folders = Some(folders.iter().map(|name| (*name).to_owned()).collect());
        self.node.subscribe(user, what, Follow { title: None, folders }).await.unwrap();
    }

    /// The titles of a stream, newest first.
    pub(crate) fn titles(&self, user: UserId, stream: &Stream) -> Vec<String> {
        self.titles_of(user, stream, &Wanted::newest(100))
    }

    pub(crate) fn titles_of(&self, user: UserId, stream: &Stream, wanted: &Wanted) -> Vec<String> {
        let page = self.node.stream_items(user, stream, wanted).unwrap();
        page.items.into_iter().map(|item| item.published.item.title.unwrap()).collect()
    }

    /// The numbers of all items that a user sees, newest first.
    pub(crate) fn numbers(&self, user: UserId, stream: &Stream) -> Vec<ItemNumber> {
        let page = self.node.stream(user, stream, &Wanted::newest(10_000)).unwrap();
        page.items.into_iter().map(|item| ItemNumber(item.number)).collect()
    }
}

pub(crate) fn items(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!("Item {number}")).collect()
}
