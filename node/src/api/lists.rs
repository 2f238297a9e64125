//! Export and import of sources as OPML.

use std::collections::HashMap;
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
use pergola_feed::opml::{Flaw, FlawKind, Opml, folder_name};
use pergola_query::syntax::{SourceRef, Statement};
use pergola_store::archive::SourceKind;

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
    let (request, list, flaws) = blocking(node.blocking(), move || read(&headers, &body)).await?;
    let (mut sources, mut imported) = sources_on(&list);
    sources.iter_mut().for_each(|source| source.only_new = request.only_new);
    imported.tell_of(&flaws);
    let query = request.feed.map(|feed| query(&feed, &sources)).transpose()?;
    to_the_end(async move {
        if let Some(query) = &query {
            // Find mistakes before anything is changed.
            node.explicable(query, "feed")?;
        }
        let added = node.add_sources(sources).await?;
        if let Some(query) = &query {
            node.run_script(query, "feed").await?;
        }
        (imported.new, imported.known) = (added.new.len(), added.known.len());
        Ok(Answer(imported))
    })
    .await
}

/// What is to be imported, and what is wrong with it.
fn read(headers: &HeaderMap, body: &[u8]) -> Result<(ImportRequest, Opml, Vec<Flaw>), Refusal> {
    let request = match is_json(headers) {
        true => json(body)?,
        false => ImportRequest { opml: String::new(), feed: None, only_new: false },
    };
    let text = if is_json(headers) { request.opml.as_bytes() } else { body };
    let (list, flaws) = Opml::inspect(text).map_err(|error| {
        Refusal::new(Code::NotOpml, error.to_string())
            .hint("send an OPML file, such as another feed reader exports")
    })?;
    let cut = flaws.iter().find(|flaw| flaw.kind != FlawKind::NoAddress);
    let refused = cut.map(|flaw| {
        let what = match flaw.kind {
            FlawKind::TooMany => "the list has more entries than are read at once, from",
            _ => "the list is cut off: it ends in the middle, in",
        };
        let detail = format!("{what} line {}; nothing was imported", flaw.line);
        Refusal::new(Code::NotOpml, detail).hint("export or download it once more")
    });
    refused.map_or(Ok((request, list, flaws)), Err)
}

/// The sources on a list, each once, and what else is on it.
fn sources_on(list: &Opml) -> (Vec<NewSource>, Imported) {
    let mut sources: Vec<NewSource> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut imported = Imported::default();
    for (path, outline) in list.subscriptions() {
        let url = outline.feed.clone().unwrap_or_default();
        let title = (!outline.text.is_empty()).then(|| outline.text.clone());
        let mut source = match NewSource::feed(&url) {
            Ok(source) => source,
            Err(error) => {
                let (url, reason) = (masked_in(&url).into_owned(), error.to_string());
                imported.skip(SkippedEntry { line: None, title, url, reason });
                continue;
            }
        };
        let folder = folder_name(path);
        if let Some(folder) = folder.as_ref().filter(|folder| !imported.folders.contains(folder)) {
            imported.folders.push(folder.clone());
        }
        if let Some(&place) = places.get(source.url.as_str()) {
            let folders = &mut sources[place].folders;
            match folder.filter(|folder| !folders.contains(folder)) {
                Some(folder) => folders.push(folder),
                None => imported.duplicates += 1,
            }
            continue;
        }
        places.insert(source.url.to_string(), sources.len());
        source.kind = outline.page.clone().map_or(SourceKind::Feed, SourceKind::Page);
        let (folders, imported) = (folder.into_iter().collect(), true);
        sources.push(NewSource { title, folders, imported, ..source });
    }
    (sources, imported)
}

/// Tells what was not imported.
trait Report {
    fn skip(&mut self, entry: SkippedEntry);
    fn tell_of(&mut self, flaws: &[Flaw]);
}

impl Report for Imported {
    fn skip(&mut self, entry: SkippedEntry) {
        if self.skipped.len() < SKIPPED {
            self.skipped.push(entry);
        }
    }

    fn tell_of(&mut self, flaws: &[Flaw]) {
        self.without_address = flaws.len();
        for Flaw { line, text, .. } in flaws {
            let title = (!text.is_empty()).then(|| text.clone());
            let reason = "it has no address".to_owned();
            self.skip(SkippedEntry { line: Some(*line), title, url: String::new(), reason });
        }
    }
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
