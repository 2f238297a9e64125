//! `Fetch`: the entries of a feed after a cursor.
//!
//! It has a route of its own. The generated server takes a whole message, so every answer would need its own
//! copy of the page; here all answers share the encoded entries.

use std::sync::Arc;

use axum::extract::{Request, State};
use pergola_proto::v1;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic::{Response, Status};

use super::page::Asked;
use super::{Syndicate, about, cursor, limited};
use crate::peer::QUESTION_BYTES;
use crate::peer::caller::Caller;
use pergola_peers::wire::{FetchAnswer, FetchCodec, MESSAGE_BYTES, hints_to_wire};

/// Entries in one answer, unless fewer are asked for.
const ENTRIES: usize = 1_000;

/// The path of the method.
pub(in crate::peer) const PATH: &str = "/pergola.v1.Syndication/Fetch";

/// Answers `Fetch`.
pub(in crate::peer) async fn fetch(
    State(syndicate): State<Syndicate>,
    request: Request,
) -> http::Response<Body> {
    let service = tower::service_fn(move |request| syndicate.clone().fetched(request));
    Grpc::new(FetchCodec)
        .apply_max_message_size_config(Some(QUESTION_BYTES), Some(MESSAGE_BYTES))
        .unary(service, request)
        .await
}

impl Syndicate {
    async fn fetched(
        self,
        request: tonic::Request<v1::FetchRequest>,
    ) -> Result<Response<FetchAnswer>, Status> {
        let (parts, caller) = (self.0, Caller::of(&request));
        let asked = request.into_inner();
        let feed = parts.feed(&asked.feed, &caller)?;
        let question = Asked {
            cursor: cursor(&asked.cursor)?,
            limit: limited(asked.limit, ENTRIES),
            newest: asked.newest,
            bytes: caller.message_bytes(),
        };
        let (paging, wants_hints) = (Arc::clone(&parts), asked.hints);
        let page = move || {
            let page = paging.pager.page(&feed, &question)?;
            let hints = match wants_hints {
                true => Some(paging.estimates.hints(&paging.node, feed.id)?),
                false => None,
            };
            Ok((page, hints, feed))
        };
        let (page, hints, feed) = parts.blocking(page).await?;
        parts.node.count_sent_entries(page.count);
        let rest = v1::FetchResponse {
            entries: Vec::new(),
            cursor: page.cursor.to_string(),
            more: page.more,
            // Damaged ones are gone for the caller, too.
            expired: page.expired + page.damaged,
            skipped: page.skipped,
            restarted: page.restarted,
            hints: hints.map(hints_to_wire),
            node: Some(about::node_info(parts.node.imprint())),
            window: u32::try_from(feed.window).unwrap_or(u32::MAX),
            title: feed.name,
        };
        Ok(Response::new(FetchAnswer { entries: page.entries.clone(), rest }))
    }
}
