//! Reading: a stream of items, with everything that is followed beside it.

mod item;
mod search;
mod side;

use std::collections::HashMap;

use maud::{Markup, html};
use pergola_feed::{Item, NodeId, Timestamp};
use url::form_urlencoded::Serializer;

use crate::assets;
use crate::frame::{Frame, Place, Viewer};

pub use item::page as item_page;
pub use side::{Entry, Group, Side};

/// What is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Chosen {
    /// Everything that is followed.
    All,
    /// What is starred.
    Starred,
    /// A feed of the node, by its number.
    Feed(u32),
    /// A source, by its number.
    Source(u32),
    /// A folder, and those inside it.
    Folder(String),
}

impl Chosen {
    /// As it stands in addresses and forms.
    pub fn field(&self) -> (&'static str, String) {
        match self {
            Self::All => ("all", String::new()),
            Self::Starred => ("starred", String::new()),
            Self::Feed(number) => ("feed", number.to_string()),
            Self::Source(number) => ("source", number.to_string()),
            Self::Folder(name) => ("folder", name.clone()),
        }
    }

    /// What scripts know it by.
    fn key(&self) -> String {
        let (name, value) = self.field();
        format!("{name}={value}")
    }
}

/// A place in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub chosen: Chosen,
    /// What is read already is not shown.
    pub unread_only: bool,
    /// Only what has these words.
    pub search: Option<String>,
    /// Where the page begins, as the one before it says.
    pub after: Option<String>,
}

impl View {
    /// Its address, from the node's own.
    pub fn address(&self) -> String {
        self.query(None)
    }

    /// Its address with an item open.
    fn opening(&self, number: u64) -> String {
        format!("{}#item-{number}", self.query(Some(number)))
    }

    fn query(&self, open: Option<u64>) -> String {
        let (name, value) = self.chosen.field();
        let mut query = Serializer::for_suffix(String::from("read?"), "read?".len());
        query.append_pair(name, &value);
        if let Some(search) = &self.search {
            query.append_pair("q", search);
        } else if !self.unread_only && self.chosen != Chosen::Starred {
            query.append_pair("show", "all");
        }
        if let Some(after) = &self.after {
            query.append_pair("after", after);
        }
        if let Some(open) = open {
            query.append_pair("open", &open.to_string());
        }
        query.finish()
    }
}

/// An item of a stream.
#[derive(Debug, Clone)]
pub struct Shown {
    pub number: u64,
    pub item: Item,
    /// What is followed that shows it.
    pub from: Chosen,
    /// What that is called.
    pub from_title: String,
    /// The number of the source that delivered it.
    pub source: u32,
    pub dated: Timestamp,
    pub read: bool,
    pub starred: bool,
    /// Where a search has found it: parts of its text, and which of them are marked.
    pub snippet: Vec<(String, bool)>,
}

/// What is known of the nodes that items have passed.
#[derive(Debug, Clone)]
pub struct Nodes {
    /// This one.
    pub here: NodeId,
    /// The names of others, by their ids.
    pub names: HashMap<String, String>,
}

/// Where a picture is loaded from, below the node's own address: made from the source that delivered the item, and the
/// address that it gives.
pub type PictureAddress<'a> = dyn Fn(u32, &str) -> String + 'a;

/// What items are shown with.
#[derive(Clone, Copy)]
pub struct Inside<'a> {
    pub nodes: &'a Nodes,
    /// Links stand in the place of pictures if there is nothing.
    pub pictures: Option<&'a PictureAddress<'a>>,
}

/// A page of a stream.
#[derive(Debug, Clone)]
pub struct Stream {
    pub title: String,
    pub view: View,
    pub side: Side,
    pub items: Vec<Shown>,
    /// The item that is open.
    pub open: Option<u64>,
    /// Where the next page begins, if there is more.
    pub next: Option<String>,
    /// When everything had arrived that is marked by marking all of it.
    pub until: Option<f64>,
    pub note: Option<&'static str>,
    /// Why a search cannot be made.
    pub wrong: Option<String>,
}

/// A page of a stream, and what is followed.
pub fn page(viewer: Viewer<'_>, stream: &Stream, inside: Inside<'_>) -> Markup {
    let view = &stream.view;
    let content = html! {
        div.reader {
            (side::side(&stream.side, &stream.view.chosen))
            div.stream {
                (heading(stream))
                (search::form(stream))
                @if let Some(note) = stream.note { p.card.note role="status" { (note) } }
                @if stream.items.is_empty() {
                    @if stream.view.search.is_some() { (search::nothing(stream)) } @else { (nothing(stream)) }
                }
                @for shown in &stream.items {
                    (item::article(shown, &stream.view, inside, stream.open == Some(shown.number)))
                }
                @if let Some(next) = &stream.next {
                    @let older = View { after: Some(next.clone()), ..stream.view.clone() };
                    p { a.button rel="next" href={ "./" (older.address()) } {
                        @if view.search.is_some() { "Older items with these words" } @else { "Older items" }
                    } }
                }
            }
        }
        (shortcuts())
    };
    frame(viewer, &stream.title, "./").page(script("./"), content)
}

fn frame<'a>(viewer: Viewer<'a>, title: &'a str, root: &'a str) -> Frame<'a> {
    Frame { title, root, place: Some(Place::Read), viewer }
}

fn script(root: &str) -> Markup {
    html! { script src=(assets::address(root, "read.js")) defer {} }
}

fn heading(stream: &Stream) -> Markup {
    let view = &stream.view;
    let first = View { after: None, ..view.clone() };
    let other = View { unread_only: !view.unread_only, ..first.clone() };
    let (name, value) = view.chosen.field();
    html! {
        h1 { (stream.title) }
        div.row.tools {
            @if view.chosen != Chosen::Starred && view.search.is_none() {
                a.button href={ "./" (other.address()) } {
                    @if view.unread_only { "Show what is read, too" } @else { "Only unread" }
                }
            }
            @if view.after.is_some() {
                a.button href={ "./" (first.address()) } { "Newest" }
            }
            @if let Some(until) = stream.until {
                form method="post" action="./read/mark-all" {
                    input type="hidden" name=(name) value=(value);
                    input type="hidden" name="until" value=(until);
                    input type="hidden" name="back" value=(first.address());
                    button { "Mark all as read" }
                }
            }
            button.keys type="button" hidden { "Keys" }
        }
    }
}

fn nothing(stream: &Stream) -> Markup {
    let view = &stream.view;
    let all = View { unread_only: false, after: None, ..view.clone() };
    html! {
        div.card {
            @match &view.chosen {
                Chosen::Starred => p { "You have starred nothing yet. A star keeps an item for as long as you want." },
                Chosen::All if stream.side.is_empty() => {
                    p { "You follow nothing yet. " a href="./read/subscriptions" { "Subscribe" } " to something." }
                }
                _ if view.unread_only => {
                    p { "Everything is read. " a href={ "./" (all.address()) } { "Show what is read, too" } }
                }
                _ => p { "Nothing has come yet." },
            }
        }
    }
}

/// The keys, for those who ask; without scripts there are none.
fn shortcuts() -> Markup {
    let keys = [
        ("j", "next item"),
        ("k", "previous item"),
        ("o", "open or close it"),
        ("m", "mark as read or unread"),
        ("s", "star, or take the star away"),
        ("v", "visit the page of the item"),
        ("/", "search"),
        ("?", "these keys"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl.keys { @for (key, what) in keys { dt { kbd { (key) } } dd { (what) } } }
            form method="dialog" { button { "Close" } }
        }
    }
}

#[cfg(test)]
mod tests;
