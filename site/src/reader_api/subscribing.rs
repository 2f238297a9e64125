//! Following feeds and sources, leaving them, and the folders that they are in.
//!
//! An admin who follows an address that the node does not know adds the source. Everybody else follows what is there.
//! No call here removes a source: to unsubscribe only ends following it.

use axum::Json;
use axum::extract::State;
use pergola_accounts::UserId;
use pergola_api::source::AddSourceRequest;
use pergola_feed::opml::{folder_name, is_inside};
use pergola_node::node::{Follow, Followed, Mistake, Node, PeopleError, SourceError, Subscribed};
use pergola_reader_api::FeedRef;
use pergola_reader_api::answer::QuickAdded;
use pergola_reader_api::request::{self, Action, Editing};
use pergola_reader_api::stream::feed_id;
use pergola_store::archive::{FeedId, SourceId};
use pergola_store::people::User;

use super::reading::followed;
use super::refused::{Refused, ok};
use super::streams::Addresses;
use super::who::Change;
use super::{ask, to_the_end};
use crate::site::Site;

/// What changes of how something is followed.
#[derive(Debug, Clone, Default)]
struct Way {
    title: Option<String>,
    add: Vec<String>,
    remove: Vec<String>,
}

/// Follows, changes, or leaves.
pub(super) async fn edit(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<&'static str, Refused> {
    let Editing { action, feeds, add, remove } = Editing::read(&call.form)?;
    to_the_end(async move {
        for (feed, title) in feeds {
            let way = Way { title, add: add.clone(), remove: remove.clone() };
            match action {
                Action::Subscribe => {
                    let what = meant(&site, &call.user, &feed).await?;
                    follow(&site, call.id(), what, way).await?;
                }
                Action::Edit => {
                    let own = known(&site, call.id(), feed).await?;
                    follow(&site, call.id(), own.what, way).await?;
                }
                Action::Unsubscribe => {
                    let own = known(&site, call.id(), feed).await?;
                    site.node.unsubscribe(call.id(), own.what).await?;
                }
            }
        }
        Ok(ok())
    })
    .await
}

/// Follows one feed, and says which it is.
pub(super) async fn quick_add(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<Json<QuickAdded>, Refused> {
    let feed = request::quick_add(&call.form)?;
    let query = match &feed {
        FeedRef::Address(address) => address.clone(),
        FeedRef::Number(_) => feed.to_string(),
    };
    to_the_end(async move {
        let own = match meant(&site, &call.user, &feed).await {
            Ok(what) => follow(&site, call.id(), what, Way::default()).await,
            Err(error) => Err(error),
        };
        let (num_results, stream_id, stream_name, error) = match own {
            Ok(own) => (1, Some(feed_id(own.feed.0)), Some(own.title), None),
            // Apps look for the number, and show the text.
            Err(Refused::Bad(why) | Refused::Forbidden(why)) => (0, None, None, Some(why)),
            Err(other) => return Err(other),
        };
        Ok(Json(QuickAdded { num_results, query, stream_id, stream_name, error }))
    })
    .await
}

/// Something that the user follows already.
async fn known(site: &Site, user: UserId, feed: FeedRef) -> Result<Subscribed, Refused> {
    let named = feed.to_string();
    let found = ask(site, move |node| followed(node, user, &feed)).await?;
    found.ok_or_else(|| Refused::Bad(format!("you do not follow {named}")))
}

/// What a user means that wants to follow a feed. A source that an admin names and nobody knows is added.
async fn meant(site: &Site, user: &User, feed: &FeedRef) -> Result<Followed, Refused> {
    let (id, named) = (user.id, feed.clone());
    let there = ask(site, move |node| there(node, id, &named)).await?;
    match (there, feed) {
        (Some(what), _) => Ok(what),
        (None, FeedRef::Address(address)) if user.is_admin() => {
            let added = site.client.add_source(&AddSourceRequest::new(address.as_str())).await?;
            Ok(Followed::Source(SourceId(added.source.id)))
        }
        (None, feed) => Err(unknown(feed)),
    }
}

fn unknown(feed: &FeedRef) -> Refused {
    Refused::Forbidden(format!(
        "there is no {feed} here that you may follow; ask whoever manages this node to add it"
    ))
}

/// What is there by this number or address.
fn there(node: &Node, user: UserId, feed: &FeedRef) -> Result<Option<Followed>, PeopleError> {
    match followed(node, user, feed)? {
        Some(own) => Ok(Some(own.what)),
        None => Ok(at(node, &Addresses::new(node), feed)?),
    }
}

/// What the node has by this number or address.
pub(crate) fn at(
    node: &Node,
    addresses: &Addresses,
    feed: &FeedRef,
) -> Result<Option<Followed>, SourceError> {
    let address = match feed {
        FeedRef::Number(number) => {
            let found = node.feeds().into_iter().find(|card| card.id == FeedId(*number));
            return Ok(found.map(|card| Followed::Feed(card.id)));
        }
        FeedRef::Address(address) => address,
    };
    if let Some(own) = addresses.feed_at(address) {
        return Ok(Some(Followed::Feed(own)));
    }
    match node.find_source(address) {
        Ok(id) => Ok(Some(Followed::Source(id))),
        Err(SourceError::Unknown(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Follows something, or in another way.
async fn follow(
    site: &Site,
    user: UserId,
    what: Followed,
    way: Way,
) -> Result<Subscribed, Refused> {
    let how = ask(site, move |node| {
        let before = node.followed_as(user, what)?.unwrap_or_default();
        let title = way.title.or(before.title);
        if way.add.is_empty() && way.remove.is_empty() {
            return Ok::<_, PeopleError>(Follow { title, folders: before.folders });
        }
        let now = found(node, user, what)?.map(|own| own.folders).unwrap_or_default();
        let gone: Vec<String> = way.remove.iter().filter_map(|name| folder_name([name])).collect();
        let mut folders: Vec<String> = now.into_iter().filter(|own| !gone.contains(own)).collect();
        folders.extend(way.add);
        Ok(Follow { title, folders: Some(folders) })
    });
    let how = how.await?;
    site.node.subscribe(user, what, how).await.map_err(|error| match error {
        PeopleError::Mistake(Mistake::Unreadable(_)) => {
            Refused::Forbidden("you may not follow this; ask whoever manages this node".to_owned())
        }
        other => other.into(),
    })?;
    let own = ask(site, move |node| found(node, user, what)).await?;
    own.ok_or_else(|| Refused::Bad("it is gone again".to_owned()))
}

fn found(node: &Node, user: UserId, what: Followed) -> Result<Option<Subscribed>, PeopleError> {
    Ok(node.subscriptions(user)?.into_iter().find(|own| own.what == what))
}

/// Gives a folder another name.
pub(super) async fn rename_label(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<&'static str, Refused> {
    let (old, new) = request::label_change(&call.form)?;
    let missing = request::BadRequest::Missing("dest", "say what the label is called from now on");
    let new = new.ok_or(missing)?;
    to_the_end(async move { move_all(&site, call.id(), old, Some(new)).await }).await
}

/// Takes everything out of a folder.
pub(super) async fn drop_label(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<&'static str, Refused> {
    let (old, _) = request::label_change(&call.form)?;
    to_the_end(async move { move_all(&site, call.id(), old, None).await }).await
}

/// Moves everything that is in a folder into another one, or out of it; with the folders inside.
async fn move_all(
    site: &Site,
    user: UserId,
    old: String,
    new: Option<String>,
) -> Result<&'static str, Refused> {
    let name = folder_name([&old]).unwrap_or_default();
    let from = name.clone();
    let inside = ask(site, move |node| {
        let all = node.subscriptions(user)?.into_iter();
        let is_in = |own: &Subscribed| own.folders.iter().any(|folder| is_inside(folder, &from));
        Ok::<_, PeopleError>(all.filter(is_in).collect::<Vec<_>>())
    });
    let inside = inside.await?;
    if inside.is_empty() {
        return Err(Refused::Bad(format!("there is no label `{old}`")));
    }
    for own in inside {
        let (gone, stays): (Vec<_>, Vec<_>) =
            own.folders.into_iter().partition(|folder| is_inside(folder, &name));
        let rest = |folder: &String| format!("{}{}", new.as_deref()?, &folder[name.len()..]).into();
        let folders = stays.into_iter().chain(gone.iter().filter_map(rest)).collect();
        let what = own.what;
        let before = ask(site, move |node| node.followed_as(user, what)).await?.unwrap_or_default();
        let how = Follow { title: before.title, folders: Some(folders) };
        site.node.subscribe(user, what, how).await?;
    }
    Ok(ok())
}
