//! Who asks for a document, and whether the feed exists for it: the one way from a request to a feed.

use std::sync::Arc;

use axum::extract::Request;
use http::header::AUTHORIZATION;

use super::edition::Publication;
use super::refusal::Refusal;
use super::shelf::Shelf;
use pergola_port::access::{Caller, ClientCertificate, TooOften};

/// What was found under a name, if it exists for whoever asks. A name that nobody made and one that the
/// caller may not know are answered alike.
pub(super) fn admitted<T>(
    shelf: &Shelf,
    request: &Request,
    name: &str,
    found: Option<(Arc<Publication>, T)>,
) -> Result<(Arc<Publication>, T), Refusal> {
    let known = is_known(request);
    let found = match found {
        Some(found) if !known && shelf.is_open(found.0.id()) => return Ok(found),
        found => found,
    };
    let caller = caller(shelf, request);
    counted(shelf, &caller)?;
    match found {
        Some(found) if shelf.access.may_read(&caller, found.0.id()) => Ok(found),
        _ if matches!(caller, Caller::Stranger { wrong: true, .. }) => {
            Err(Refusal::unknown_token())
        }
        _ => Err(Refusal::unknown_feed(name, shelf.nearest(name, &caller))),
    }
}

/// Who sends a request.
pub(super) fn caller(shelf: &Shelf, request: &Request) -> Caller {
    shelf.access.caller(request)
}

/// Whether a request says who it comes from.
fn is_known(request: &Request) -> bool {
    request.headers().contains_key(AUTHORIZATION)
        || request.extensions().get::<ClientCertificate>().is_some()
}

/// Readers may take what they are allowed; documents for anybody are not counted.
fn counted(shelf: &Shelf, caller: &Caller) -> Result<(), Refusal> {
    match caller {
        Caller::Reader(_) => shelf
            .access
            .count(caller)
            .map_err(|TooOften { seconds }| Refusal::too_often(seconds, shelf.clock.now())),
        Caller::Operator | Caller::Stranger { .. } => Ok(()),
    }
}
