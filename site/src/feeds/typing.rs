//! Requests of the editor during typing.

use axum::Json;
use axum::extract::State;
use pergola_api::source::SourceFilter;
use pergola_pages::inside::editor::{Offered, Wanted, offered, verdict, wanted};
use serde_json::{Value, json};

use super::look;
use crate::answer::Failure;
use crate::form::Fields;
use crate::site::Site;
use crate::visitor::Manager;

/// Words that are offered at once.
const OFFERED: usize = 12;

/// Whether a query can be read, and where it is wrong.
pub(super) async fn check(
    State(site): State<Site>,
    _: Manager,
    fields: Fields,
) -> Result<Json<Value>, Failure> {
    let looked = look(&site, fields.get("query"), false).await?;
    // The text is under the eyes of its writer already.
    let html = verdict(&looked.edited("")).into_string();
    let place = looked.problem.as_ref().and_then(|problem| problem.place.as_ref());
    Ok(Json(json!({ "html": html, "place": place, "wrong": looked.problem.is_some() })))
}

/// Words that could stand at the end of what was typed.
pub(super) async fn complete(
    State(site): State<Site>,
    _: Manager,
    fields: Fields,
) -> Result<Json<Value>, Failure> {
    let begun = wanted(fields.get("before"));
    let mut words = match begun.wanted {
        Wanted::Word { feed: true } => {
            let feeds = site.client.feeds().await?.feeds;
            let names: Vec<String> = feeds.into_iter().map(|feed| feed.name).collect();
            offered(&begun, &names, &[])
        }
        Wanted::Folder => offered(&begun, &[], &site.client.names().await?.folders),
        Wanted::Source => sources(&site, &begun.begun).await?,
        Wanted::Word { feed: false } | Wanted::Nothing => offered(&begun, &[], &[]),
    };
    words.truncate(OFFERED);
    let offers: Vec<Value> = words
        .into_iter()
        .map(|word| json!({ "insert": word.insert, "about": word.about }))
        .collect();
    // Scripts count in units of UTF-16.
    let length = begun.begun.encode_utf16().count();
    Ok(Json(json!({ "offered": offers, "begun": length })))
}

async fn sources(site: &Site, begun: &str) -> Result<Vec<Offered>, Failure> {
    let search = Some(begun.to_owned()).filter(|begun| !begun.is_empty());
    let filter = SourceFilter { search, limit: Some(OFFERED), ..SourceFilter::default() };
    let found = site.client.sources(&filter).await?.sources.into_iter();
    let offer = found.map(|it| Offered { insert: it.url, about: it.title.unwrap_or_default() });
    Ok(offer.collect())
}
