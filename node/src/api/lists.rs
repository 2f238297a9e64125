//! Export and import of sources as OPML.

use std::sync::Arc;

use axum::Json as Answer;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use pergola_api::Code;
use pergola_api::operation::{ExportRequest, ImportRequest, Imported, SkippedEntry};
use pergola_feed::address::masked_in;
use pergola_feed::opml::Opml;
use pergola_query::syntax::{SourceRef, Statement};

use super::request::{Parameters, bad_request, is_json, json, unread};
use super::work::{blocking, to_the_end};
use crate::node::{NewSource, Node};
use crate::publish::Refusal;

/// Skipped entries that are reported.
const SKIPPED: usize = 1_000;

pub(super) async fn export(
    State(node): State<Arc<Node>>,
    Parameters(ExportRequest { secrets }): Parameters<ExportRequest>,
) -> Result<Response, Refusal> {
    let text = blocking(node.blocking(), move || {
        let outlines = node.outlines(secrets)?;
        let title = Some(format!("Sources of {}", node.config().node.name));
        Ok(Opml { title, outlines }.write())
    });
    let headers = [
        (CONTENT_TYPE, "text/x-opml; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"sources.opml\""),
    ];
    Ok((headers, text.await?).into_response())
}

pub(super) async fn import(
    State(node): State<Arc<Node>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Answer<Imported>, Refusal> {
    let body = body.map_err(unread)?;
    let (list, feed) = blocking(node.blocking(), move || read(&headers, &body)).await?;
    let (sources, skipped) = sources_on(&list);
    let query = feed.map(|feed| query(&feed, &sources)).transpose()?;
    to_the_end(async move {
        if let Some(query) = &query {
            // Find mistakes before anything is changed.
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

fn read(headers: &HeaderMap, body: &[u8]) -> Result<(Opml, Option<String>), Refusal> {
    let (list, feed) = if is_json(headers) {
        let ImportRequest { opml, feed } = json(body)?;
        (Opml::parse(opml.as_bytes()), feed)
    } else {
        (Opml::parse(body), None)
    };
    let list = list.map_err(|error| {
        Refusal::new(Code::NotOpml, error.to_string())
            .hint("send an OPML file, such as another feed reader exports")
    })?;
    Ok((list, feed))
}

fn sources_on(list: &Opml) -> (Vec<NewSource>, Vec<SkippedEntry>) {
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    for (_, outline) in list.subscriptions() {
        let url = outline.feed.clone().unwrap_or_default();
        let title = (!outline.text.is_empty()).then(|| outline.text.clone());
        match NewSource::feed(&url) {
            Ok(source) => sources.push(NewSource { title, ..source }),
            Err(error) if skipped.len() < SKIPPED => {
                let url = masked_in(&url).into_owned();
                skipped.push(SkippedEntry { url, reason: error.to_string() });
            }
            Err(_) => {}
        }
    }
    (sources, skipped)
}

/// The statement that creates a feed of these sources.
fn query(name: &str, sources: &[NewSource]) -> Result<String, Refusal> {
    let mut urls: Vec<&str> = sources.iter().map(|source| source.url.as_str()).collect();
    urls.sort_unstable();
    urls.dedup();
    if urls.is_empty() {
        return Err(bad_request("the list names no source, so no feed can be created from it"));
    }
    let clauses: Vec<String> =
        urls.into_iter().map(|url| SourceRef::Url(url.to_owned()).to_string()).collect();
    let text = format!("CREATE FEED {name} AS RETURN {};", clauses.join(" | "));
    // A name with more in it than a name would change the meaning of the statement.
    let made = pergola_query::parse(&text).ok().map(|script| script.statements);
    match made.as_deref() {
        Some([one]) if matches!(&one.value, Statement::Create(feed) if feed.name.value == name) => {
            Ok(text)
        }
        _ => Err(bad_request(format!("a feed named {name:?} cannot be created from this list"))
            .hint("a name consists of letters, digits and _; a feed reads at most 20000 sources")),
    }
}
