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
use crate::publish::respond;
use pergola_feed::Timestamp;
use pergola_pages::public::about::{self, HostRow, Ledger};
use pergola_store::archive::HostTally;

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
            blocking(node.blocking(), move || {
                let hosts = asked.archive().hosts()?.into_iter().map(row).collect();
                Ok(Ledger::new(&host, hosts))
            })
            .await
        }
        Err(refusal) => Err(refusal),
    };
    match ledger {
        Ok(ledger) => {
            let conduct = node.conduct(ledger.wanted());
            let imprint = node.imprint();
            let host = imprint.public_url.host_str();
            respond(StatusCode::OK, &about::page(&imprint.name, host, &conduct, &ledger))
        }
        Err(refusal) => refusal.answer(&headers),
    }
}

fn row((host, tally): (String, HostTally)) -> HostRow {
    HostRow {
        host,
        requests: tally.requests,
        not_modified: tally.not_modified,
        bytes: tally.bytes,
        pauses: tally.pauses,
        hints: tally.hints,
        last: Timestamp::from_unix(tally.last as i64),
    }
}
