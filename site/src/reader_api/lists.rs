//! What a user follows as a list in OPML, and such a list followed.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use pergola_feed::address::is_masked;
use pergola_feed::opml::{FlawKind, Opml, Outline, folder_name};
use pergola_node::node::{Follow, Followed, Mistake, NewSource, PeopleError, SourceError};
use pergola_reader_api::FeedRef;
use pergola_store::archive::SourceKind;

use super::refused::{Refused, ok};
use super::streams::Addresses;
use super::subscribing::at;
use super::who::{Call, Change};
use super::{ask, to_the_end};
use crate::site::Site;

/// What the user follows. Addresses that are private or hold a secret are left out.
pub(super) async fn export(State(site): State<Site>, call: Call) -> Result<Response, Refused> {
    let title = format!("Subscriptions of {}", call.user.name);
    let list = ask(&site, move |node| {
        let (mut top, addresses) = (Folder::default(), Addresses::new(node));
        for own in node.subscriptions(call.id())? {
            let (address, home) = addresses.of(&own);
            if address.is_empty() || is_masked(&address) {
                continue;
            }
            let outline = Outline {
                text: own.title,
                feed: Some(address),
                home: Some(home).filter(|home| !home.is_empty()),
                ..Outline::default()
            };
            if own.folders.is_empty() {
                top.feeds.push(outline);
                continue;
            }
            for folder in own.folders {
                top.inside(&folder).feeds.push(outline.clone());
            }
        }
        Ok::<_, PeopleError>(Opml { title: Some(title), outlines: top.outlines() }.write())
    });
    let headers = [
        (CONTENT_TYPE, "text/x-opml; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"subscriptions.opml\""),
    ];
    Ok((headers, list.await?).into_response())
}

/// A folder, and those inside it.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    feeds: Vec<Outline>,
}

impl Folder {
    /// The folder of this name inside this one. Names have few parts.
    fn inside(&mut self, name: &str) -> &mut Self {
        name.split('/').fold(self, |folder, part| folder.folders.entry(part.into()).or_default())
    }

    fn outlines(self) -> Vec<Outline> {
        let folders = self.folders.into_iter().map(|(text, folder)| Outline {
            text,
            children: folder.outlines(),
            ..Outline::default()
        });
        folders.chain(self.feeds).collect()
    }
}

/// A subscription on a list.
struct Entry {
    address: String,
    title: Option<String>,
    folders: Vec<String>,
    kind: SourceKind,
}

/// Follows everything on a list. What an admin names and nobody knows is added.
pub(super) async fn import(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<String, Refused> {
    let body = call.body.clone();
    let entries = ask(&site, move |_| entries(&body)).await?;
    to_the_end(async move {
        if call.user.is_admin() {
            add_unknown(&site, &entries).await?;
        }
        let (all, mut followed) = (entries.len(), 0);
        for (what, entry) in known(&site, entries).await? {
            let user = call.id();
            let before = ask(&site, move |node| node.followed_as(user, what)).await?;
            match site.node.subscribe(user, what, entry.way(before.unwrap_or_default())).await {
                Ok(()) => followed += 1,
                Err(PeopleError::Mistake(Mistake::Unreadable(_))) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Ok(match all - followed {
            0 => ok().to_owned(),
            _ => format!("OK: {followed} of {all} are followed; the others are not known here\n"),
        })
    })
    .await
}

impl Entry {
    /// How it is followed from now on.
    fn way(self, before: Follow) -> Follow {
        let folders = match self.folders.is_empty() {
            true => before.folders,
            false => Some(before.folders.into_iter().flatten().chain(self.folders).collect()),
        };
        Follow { title: self.title.or(before.title), folders }
    }
}

/// The entries that the node has.
async fn known(site: &Site, entries: Vec<Entry>) -> Result<Vec<(Followed, Entry)>, Refused> {
    let found = ask(site, move |node| {
        let addresses = Addresses::new(node);
        let mut found = Vec::new();
        for entry in entries {
            let what = at(node, &addresses, &FeedRef::Address(entry.address.clone()))?;
            found.extend(what.map(|what| (what, entry)));
        }
        Ok::<_, SourceError>(found)
    });
    found.await
}

/// The subscriptions on a list, each once.
fn entries(body: &[u8]) -> Result<Vec<Entry>, Refused> {
    let (list, flaws) = Opml::inspect(body).map_err(|error| Refused::Bad(error.to_string()))?;
    if let Some(flaw) = flaws.iter().find(|flaw| flaw.kind != FlawKind::NoAddress) {
        let detail = "the list is cut off or too long, in line";
        return Err(Refused::Bad(format!("{detail} {}; nothing was imported", flaw.line)));
    }
    let mut entries: Vec<Entry> = Vec::new();
    for (path, outline) in list.subscriptions() {
        let Some(address) = outline.feed.clone() else { continue };
        let folder = folder_name(path);
        if let Some(own) = entries.iter_mut().find(|own| own.address == address) {
            own.folders.extend(folder);
            continue;
        }
        let kind = outline.page.clone().map_or(SourceKind::Feed, SourceKind::Page);
        let title = Some(outline.text.clone()).filter(|text| !text.is_empty());
        entries.push(Entry { address, title, folders: folder.into_iter().collect(), kind });
    }
    Ok(entries)
}

/// Adds the sources on a list that the node does not know. What is no address is left out.
async fn add_unknown(site: &Site, entries: &[Entry]) -> Result<(), Refused> {
    let addresses = Addresses::new(&site.node);
    let unknown = entries.iter().filter(|entry| addresses.feed_at(&entry.address).is_none());
    let new = unknown.filter_map(|entry| {
        let source = NewSource::feed(&entry.address).ok()?;
        Some(NewSource { kind: entry.kind.clone(), imported: true, ..source })
    });
    site.node.add_sources(new.collect()).await?;
    Ok(())
}
