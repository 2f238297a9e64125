//! `/about`: the page that the node's user agent names.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::request::Parameters;
use super::work::blocking;
use crate::node::Node;
use crate::publish::Refusal;
use crate::publish::pages;
use crate::publish::pages::about::Ledger;

/// Which hosts the ledger shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hosts {
    host: String,
}

pub(super) async fn page(
    State(node): State<Arc<Node>>,
    hosts: Result<Parameters<Hosts>, Refusal>,
    headers: HeaderMap,
) -> Response {
    let ledger = match hosts {
        Ok(Parameters(Hosts { host })) => {
            let asked = Arc::clone(&node);
            blocking(node.blocking(), move || Ok(Ledger::read(asked.archive(), &host)?)).await
        }
        Err(refusal) => Err(refusal),
    };
    match ledger {
        Ok(ledger) => {
            let conduct = node.conduct(ledger.wanted());
            let page = pages::about::page(node.imprint(), &conduct, &ledger);
            pages::respond(StatusCode::OK, &page)
        }
        Err(refusal) => refusal.answer(&headers),
    }
}
