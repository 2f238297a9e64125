//! Exports: subscriptions as OPML, starred items as JSON Feed.

use std::collections::{BTreeMap, HashMap};

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use pergola_accounts::{UserId, Wanted};
use pergola_feed::opml::{Opml, Outline};
use pergola_feed::write::write_json;
use pergola_feed::{Document, Format, Text, disarm};
use pergola_node::node::{Followed, MOST_ITEMS, Node, PeopleError, Stream, Subscribed};
use pergola_store::archive::FeedId;

use crate::answer::Failure;
use crate::site::Site;
use crate::visitor::Reader;

pub(super) async fn subscriptions(
    State(site): State<Site>,
    reader: Reader,
) -> Result<Response, Failure> {
    let list = site.ask(move |node| list(node, reader.user)).await?;
    Ok(file("text/x-opml; charset=utf-8", "subscriptions.opml", list.write()))
}

/// What a user follows. Blocks.
pub(crate) fn list(node: &Node, user: UserId) -> Result<Opml, PeopleError> {
    let all = node.subscriptions(user)?;
    let names: HashMap<FeedId, String> =
        node.feeds().into_iter().map(|card| (card.id, card.name)).collect();
    let config = node.config();
    let address = |one: &Subscribed| match one.what {
        Followed::Source(_) => one.address.clone(),
        Followed::Feed(feed) => {
            let name = names.get(&feed)?;
            Some(config.node.public_url.join(&format!("feeds/{name}.atom")).ok()?.to_string())
        }
    };
    let title = Some(format!("Subscriptions at {}", config.node.name));
    Ok(Opml { title, outlines: outlines(&all, address) })
}

/// A folder on the way to being an outline.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    inside: Vec<Outline>,
}

impl Folder {
    fn outlines(self) -> Vec<Outline> {
        let folders = self.folders.into_iter().map(|(text, folder)| {
            let children = folder.outlines();
            Outline { text, children, ..Outline::default() }
        });
        folders.chain(self.inside).collect()
    }
}

/// Folders inside folders, and what is followed; one that is in several folders is there several times. What has no
/// address that may be told is left out.
fn outlines(all: &[Subscribed], address: impl Fn(&Subscribed) -> Option<String>) -> Vec<Outline> {
    let mut root = Folder::default();
    for one in all {
        let Some(feed) = address(one) else { continue };
        let outline = Outline {
            text: one.title.clone(),
            feed: Some(feed),
            home: one.home.clone(),
            ..Outline::default()
        };
        if one.folders.is_empty() {
            root.inside.push(outline.clone());
        }
        for name in &one.folders {
            let mut folder = &mut root;
            for part in name.split('/') {
                folder = folder.folders.entry(part.to_owned()).or_default();
            }
            folder.inside.push(outline.clone());
        }
    }
    root.outlines()
}

pub(super) async fn starred(State(site): State<Site>, reader: Reader) -> Result<Response, Failure> {
    let user = reader.user;
    let asked = site.ask(move |node| {
        let mut document = Document::new(Format::Json);
        document.title = Some(format!("Starred at {}", node.config().node.name));
        document.description = Some(Text::plain("Newest first"));
        let mut wanted = Wanted::newest(MOST_ITEMS);
        loop {
            let page = node.stream_items(user, &Stream::Starred, &wanted)?;
            document.items.extend(page.items.into_iter().map(|item| {
                let mut item = item.published.item;
                disarm(&mut item);
                item
            }));
            wanted.after = page.next;
            if wanted.after.is_none() {
                return Ok(write_json(&document));
            }
        }
    });
    Ok(file("application/feed+json; charset=utf-8", "starred.json", asked.await?))
}

/// A file to keep.
pub(crate) fn file(kind: &'static str, name: &str, content: impl Into<Body>) -> Response {
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    (headers, content.into()).into_response()
}

#[cfg(test)]
mod tests {
    use pergola_store::archive::SourceId;

    use super::*;

    #[test]
    fn folders_inside_folders_are_kept() {
        let one = |title: &str, folders: &[&str]| Subscribed {
            what: Followed::Source(SourceId(1)),
            feed: FeedId(1),
            title: title.into(),
            folders: folders.iter().map(|name| (*name).to_owned()).collect(),
            address: None,
            home: None,
            since: 0.0,
            unread: 0,
            newest: None,
        };
        let all = [one("A", &["Tech/Rust", "Friends"]), one("B", &[]), one("secret", &[])];
        let told =
            |one: &Subscribed| (one.title != "secret").then(|| format!("http://{}/", one.title));
        let text = Opml { title: None, outlines: outlines(&all, told) }.write();
        let list = Opml::parse(text.as_bytes()).unwrap();
        let names: Vec<_> = list.outlines.iter().map(|outline| outline.text.as_str()).collect();
        assert_eq!(names, ["Friends", "Tech", "B"]);
        assert_eq!(list.outlines[1].children[0].text, "Rust");
        assert_eq!(list.outlines[1].children[0].children[0].text, "A");
        assert!(!text.contains("secret"), "{text}");
    }
}
