//! The sources as an OPML list, out and in.

use std::sync::Arc;

use axum::Json as Answer;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use pergola_feed::opml::Opml;
use pergola_query::syntax::{SourceRef, Statement};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asked::{bad_request, is_json, json, unread};
use super::work::{blocking, to_the_end};
use crate::node::{NewSource, Node};
use crate::publish::Problem;

/// Reasons for skipping that are told.
const SKIPPED: usize = 1_000;

/// A list to be taken over, if it is not sent by itself.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedList {
    /// The list, in OPML.
    opml: String,
    /// A feed of this name is made that reads all of it.
    feed: Option<String>,
}

/// What became of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Imported {
    /// Sources added.
    new: usize,
    /// Sources that were there.
    known: usize,
    /// Entries that are no sources; the first thousand.
    skipped: Vec<Skipped>,
}

/// An entry that is no source.
#[derive(Debug, Serialize, ToSchema)]
struct Skipped {
    /// What stands there.
    url: String,
    /// Why it was skipped.
    reason: String,
}

/// The feeds among the sources, as OPML. Pages and lists have no place in it.
#[utoipa::path(get, path = "/api/v1/opml", security(("token" = [])),
    responses((status = 200, body = String, content_type = "text/x-opml")))]
pub(super) async fn export(State(node): State<Arc<Node>>) -> Result<Response, Problem> {
    let text = blocking(node.blocking(), move || {
        let outlines = node.outlines()?;
        let title = Some(format!("Sources of {}", node.config().node.name));
        Ok(Opml { title, outlines }.write())
    });
    let headers = [
        (CONTENT_TYPE, "text/x-opml; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"sources.opml\""),
    ];
    Ok((headers, text.await?).into_response())
}

/// Adds everything on a list, in one commit.
#[utoipa::path(post, path = "/api/v1/opml", security(("token" = [])),
    request_body(content((AskedList = "application/json"), (String = "text/x-opml"))),
    responses((status = 200, body = Imported), (status = 400, body = Problem),
        (status = 409, body = Problem)))]
pub(super) async fn import(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Answer<Imported>, Problem> {
    let body = body.map_err(unread)?;
    let (list, feed) = blocking(node.blocking(), move || read(&headers, &body)).await?;
    let (sources, skipped) = sources_on(&list);
    let query = feed.map(|feed| query(&feed, &sources)).transpose()?;
    to_the_end(async move {
        if let Some(query) = &query {
            // What is wrong with it is wrong before anything was changed.
            node.explain_text(query, "feed")?;
        }
        let added = node.add_sources(sources).await?;
        if let Some(query) = &query {
            node.run_script(query, "feed").await?;
        }
        let (new, known) = (added.new.len(), added.known.len());
        Ok(Answer(Imported { new, known, skipped }))
    })
    .await
}

fn read(headers: &HeaderMap, body: &[u8]) -> Result<(Opml, Option<String>), Problem> {
    let (list, feed) = if is_json(headers) {
        let AskedList { opml, feed } = json(body)?;
        (Opml::parse(opml.as_bytes()), feed)
    } else {
        (Opml::parse(body), None)
    };
    let list = list.map_err(|error| {
        let problem = Problem::new(StatusCode::BAD_REQUEST, "no list", error.to_string());
        problem.hint("send the OPML file that another reader exported")
    })?;
    Ok((list, feed))
}

fn sources_on(list: &Opml) -> (Vec<NewSource>, Vec<Skipped>) {
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    for (_, outline) in list.subscriptions() {
        let url = outline.feed.clone().unwrap_or_default();
        let title = (!outline.text.is_empty()).then(|| outline.text.clone());
        match NewSource::feed(&url) {
            Ok(source) => sources.push(NewSource { title, ..source }),
            Err(error) if skipped.len() < SKIPPED => {
                skipped.push(Skipped { url, reason: error.to_string() });
            }
            Err(_) => {}
        }
    }
    (sources, skipped)
}

/// The statement that makes a feed of sources.
fn query(name: &str, sources: &[NewSource]) -> Result<String, Problem> {
    let mut urls: Vec<&str> = sources.iter().map(|source| source.url.as_str()).collect();
    urls.sort_unstable();
    urls.dedup();
    if urls.is_empty() {
        return Err(bad_request("there is no source on the list, so no feed can be made of it"));
    }
    let clauses: Vec<String> =
        urls.into_iter().map(|url| SourceRef::Url(url.to_owned()).to_string()).collect();
    let text = format!("CREATE FEED {name} AS RETURN {};", clauses.join(" | "));
    // A name that is more than a name would make something else of the statement.
    let made = pergola_query::parse(&text).ok().map(|script| script.statements);
    match made.as_deref() {
        Some([one]) if matches!(&one.value, Statement::Create(feed) if feed.name.value == name) => {
            Ok(text)
        }
        _ => {
            Err(bad_request(format!("a feed cannot be made of this list under the name {name:?}"))
                .hint(
                    "a name consists of letters, digits and _; a feed reads at most 20000 sources",
                ))
        }
    }
}
