//! A user's subscriptions: subscribe, rename, put into folders, unsubscribe.

use std::collections::HashSet;

use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::StatusCode;
use pergola_api::source::{SourceFilter, SourceKind};
use pergola_feed::Timestamp;
use pergola_node::node::{Follow, PeopleError, Subscribed};
use pergola_pages::inside::read::Chosen;
use pergola_pages::inside::subscriptions::{self, Others, Subscription, Subscriptions};
use serde::Deserialize;

use super::chosen::{self, Named};
use crate::answer::{Failure, page_with};
use crate::site::Site;
use crate::visitor::{Reader, Visitor};

/// Subscriptions of a page.
const AT_ONCE: usize = 50;
/// Feeds and sources that are offered.
const OFFERED: usize = 50;
/// Sources that are looked at for them.
const LOOKED_AT: usize = 500;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    find: String,
    page: Option<String>,
    #[serde(default)]
    note: String,
}

pub(super) async fn show(
    State(site): State<Site>,
    reader: Reader,
    Query(asked): Query<Asked>,
) -> Result<Response, Failure> {
    let note = match asked.note.as_str() {
        "followed" => Some("You follow it from now on."),
        "changed" => Some("It is changed."),
        "left" => Some("You follow it no more. What you have starred stays."),
        _ => None,
    };
    let told = Subscriptions { root: "../", note, ..Subscriptions::default() };
    shown(&site, &reader, &asked, StatusCode::OK, told).await
}

async fn shown(
    site: &Site,
    reader: &Reader,
    asked: &Asked,
    status: StatusCode,
    told: Subscriptions,
) -> Result<Response, Failure> {
    let user = reader.user;
    let mut own = site.ask(move |node| node.subscriptions(user)).await?;
    let followed: HashSet<Chosen> = own.iter().map(|one| chosen::of(one.what)).collect();
    let others = match reader.is_operator() {
        true => None,
        false => Some(others(site, reader, &asked.find, &followed).await?),
    };
    let wanted = asked.q.to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&wanted);
    own.retain(|one| {
        matches(&one.title)
            || one.address.as_deref().is_some_and(matches)
            || one.folders.iter().any(|folder| matches(folder))
    });
    own.sort_by_cached_key(|one| one.title.to_lowercase());
    let number = asked.page.as_deref().and_then(|page| page.parse().ok()).unwrap_or(1).max(1);
    let (total, before) = (own.len(), AT_ONCE.saturating_mul(number - 1));
    let all = Subscriptions {
        own: own.into_iter().skip(before).take(AT_ONCE).map(told_of).collect(),
        total,
        search: asked.q.clone(),
        page: number,
        more: total > before.saturating_add(AT_ONCE),
        others,
        ..told
    };
    Ok(page_with(status, &subscriptions::page(reader.visitor.viewer(), &all)))
}

fn told_of(one: Subscribed) -> Subscription {
    Subscription {
        what: chosen::of(one.what),
        title: one.title,
        folders: one.folders.join(", "),
        address: one.address,
        unread: one.unread,
        newest: one.newest.map(|at| Timestamp::from_unix(at as i64)),
    }
}

/// What a reader may follow, does not follow yet, and has this text in its title or address. Without a text only the
/// feeds of the node are offered.
async fn others(
    site: &Site,
    reader: &Reader,
    find: &str,
    followed: &HashSet<Chosen>,
) -> Result<Others, Failure> {
    let wanted = find.trim().to_lowercase();
    let mut found = Vec::new();
    for card in site.node.feeds() {
        let what = Chosen::Feed(card.id.0);
        let named = card.name.to_lowercase().contains(&wanted);
        if named && !followed.contains(&what) && may_read(site, &reader.visitor, card.id) {
            found.push((what, card.name, None));
        }
    }
    if !wanted.is_empty() {
        let (search, limit) = (Some(find.trim().to_owned()), Some(LOOKED_AT));
        let filter = SourceFilter { search, limit, ..SourceFilter::default() };
        for source in site.client.sources(&filter).await?.sources {
            let open = !source.private && source.credentials.is_none() || reader.visitor.manages();
            let what = Chosen::Source(source.id);
            if open && source.kind != SourceKind::List && !followed.contains(&what) {
                let title = source.title.unwrap_or_else(|| source.url.clone());
                found.push((what, title, Some(source.url)));
            }
        }
    }
    found.truncate(OFFERED);
    Ok(Others { find: find.to_owned(), found })
}

fn may_read(site: &Site, visitor: &Visitor, feed: pergola_store::archive::FeedId) -> bool {
    match visitor {
        Visitor::User(member) if !member.is_admin => {
            site.node.readers_of(feed).is_none_or(|names| names.contains(&member.name))
        }
        Visitor::Stranger => false,
        Visitor::User(_) | Visitor::Operator => true,
    }
}

/// Leads back with a note, or shows what was wrong.
async fn done(
    site: &Site,
    reader: &Reader,
    note: &str,
    result: Result<(), PeopleError>,
) -> Result<Response, Failure> {
    match result {
        Ok(()) => Ok(Redirect::to(&format!("../subscriptions?note={note}")).into_response()),
        Err(PeopleError::Mistake(mistake)) => {
            let wrong = Some(format!("That is not possible: {mistake}."));
            let told = Subscriptions { root: "../../", wrong, ..Subscriptions::default() };
            shown(site, reader, &Asked::default(), StatusCode::BAD_REQUEST, told).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn follow(
    State(site): State<Site>,
    reader: Reader,
    Form(named): Form<Named>,
) -> Result<Response, Failure> {
    let what = named.followed()?;
    let before = site.node.followed_as(reader.user, what)?;
    let how = before.unwrap_or_default();
    let result = site.node.subscribe(reader.user, what, how).await;
    done(&site, &reader, "followed", result).await
}

#[derive(Debug, Deserialize)]
pub(super) struct Changed {
    #[serde(flatten)]
    named: Named,
    #[serde(default)]
    title: String,
    #[serde(default)]
    folders: String,
}

pub(super) async fn change(
    State(site): State<Site>,
    reader: Reader,
    Form(Changed { named, title, folders }): Form<Changed>,
) -> Result<Response, Failure> {
    let what = named.followed()?;
    let folders: Vec<String> = folders
        .split(',')
        .map(|folder| folder.trim().to_owned())
        .filter(|folder| !folder.is_empty())
        .collect();
    let own = site.node.subscriptions(reader.user)?.into_iter().find(|one| one.what == what);
    let before = site.node.followed_as(reader.user, what)?.unwrap_or_default();
    // What stays as it was goes on to follow the source.
    let (same_title, same_folders) =
        own.map_or((false, false), |own| (own.title == title.trim(), own.folders == folders));
    let how = Follow {
        title: if same_title { before.title } else { Some(title) },
        folders: if same_folders { before.folders } else { Some(folders) },
    };
    let result = site.node.subscribe(reader.user, what, how).await;
    done(&site, &reader, "changed", result).await
}

pub(super) async fn leave(
    State(site): State<Site>,
    reader: Reader,
    Form(named): Form<Named>,
) -> Result<Response, Failure> {
    let result = site.node.unsubscribe(reader.user, named.followed()?).await;
    done(&site, &reader, "left", result).await
}
