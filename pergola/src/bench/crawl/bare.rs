//! The bare loop: reqwest, 64 at a time, conditional GET, feed-rs; nothing is stored.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, HeaderValue, IF_NONE_MATCH};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Args, timed};
use crate::bench::roles;

/// Requests at a time.
const PARALLEL: usize = 64;

type Known = Arc<Mutex<Option<HeaderValue>>>;

/// Answers lines until they end: first an address, then passes.
pub(super) fn run(args: &Args) -> Result<()> {
    let count = args.sources;
    tokio::runtime::Runtime::new()?.block_on(async {
        let client = crate::bench::client::plain()?;
        let mut sources: Vec<(String, Known)> = Vec::new();
        roles::answer(async |line| {
            if line.starts_with("http") {
                sources = (0..count)
                    .map(|n| (super::parts::address(line, n), Known::default()))
                    .collect();
                return Ok(serde_json::Value::Null);
            }
            Ok(serde_json::to_value(timed(pass(&client, &sources)).await?)?)
        })
        .await
    })
}

async fn pass(client: &reqwest::Client, sources: &[(String, Known)]) -> Result<u64> {
    let turns = Arc::new(Semaphore::new(PARALLEL));
    let mut tasks = JoinSet::new();
    for (url, known) in sources {
        let turn = Arc::clone(&turns).acquire_owned().await?;
        let (client, url, known) = (client.clone(), url.clone(), Arc::clone(known));
        tasks.spawn(async move {
            let items = fetch(&client, &url, &known).await;
            drop(turn);
            items
        });
    }
    let mut items = 0;
    while let Some(fetched) = tasks.join_next().await {
        items += fetched??;
    }
    Ok(items)
}

async fn fetch(client: &reqwest::Client, url: &str, known: &Known) -> Result<u64> {
    let etag = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut request = client.get(url).header(ACCEPT_ENCODING, "gzip");
    if let Some(etag) = etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    let response = request.send().await?;
    if response.status() == http::StatusCode::NOT_MODIFIED {
        return Ok(0);
    }
    let etag = response.headers().get(ETAG).cloned();
    let packed = response.headers().contains_key(CONTENT_ENCODING);
    let body = response.bytes().await?;
    let document = match packed {
        true => {
            let mut document = Vec::new();
            flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut document)?;
            feed_rs::parser::parse(&document[..])
        }
        false => feed_rs::parser::parse(&body[..]),
    };
    *known.lock().unwrap_or_else(PoisonError::into_inner) = etag;
    Ok(document.context("the newsroom writes clean feeds")?.entries.len() as u64)
}
