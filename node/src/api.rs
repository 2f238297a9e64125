//! What can be asked of a node: the REST API, how it is doing, and the description of both.
//!
//! Every route stands in one table with who may use it, so none can be reached without its check. The
//! server of a running node and the command line on an opened one use the same router.
//!
//! Never: a change by a caller who may not make it; an answer or a request of unbounded size; a failure
//! of our own that is not in the log.

pub(crate) mod access;
mod asked;
mod backup;
mod feeds;
mod health;
mod items;
mod lists;
mod openapi;
mod operation;
mod profiles;
mod refusal;
mod search;
mod search_page;
mod sources;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, delete, get, post, put};
use http::{Method, StatusCode};

use crate::node::Node;
use crate::publish::Problem;
use access::Access::{self, Anybody, Operator};
use access::Rule;

/// Bytes of a request.
const REQUEST_BYTES: usize = 1 << 20;
/// Bytes of a request that brings a list of sources.
const LIST_BYTES: usize = 16 << 20;

/// The routes of the API.
pub fn router(node: Arc<Node>) -> Router {
    let mut router = Router::new();
    for Route { method, path, access, handler } in routes().into_iter().chain(pages()) {
        let rule = Rule { node: Arc::clone(&node), access, changes: method != Method::GET };
        let check = from_fn_with_state(rule, access::check);
        router = router.route(path, handler.layer(check));
    }
    router
        .route("/api/{*path}", any(no_such_route))
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(REQUEST_BYTES))
        .with_state(node)
}

/// One way to ask something.
struct Route {
    method: Method,
    path: &'static str,
    access: Access,
    handler: MethodRouter<Arc<Node>>,
}

/// Every route, with who may use it.
fn routes() -> Vec<Route> {
    let read = |path, access, handler| Route { method: Method::GET, path, access, handler };
    let write = |path, handler| Route { method: Method::POST, path, access: Operator, handler };
    let remove = |path, handler| Route { method: Method::DELETE, path, access: Operator, handler };
    let replace = |path, handler| Route { method: Method::PUT, path, access: Operator, handler };
    let import = post(lists::import).layer(DefaultBodyLimit::max(LIST_BYTES));
    vec![
        read("/api/v1/status", Anybody, get(operation::status)),
        read("/api/v1/sources", Operator, get(sources::list)),
        write("/api/v1/sources", post(sources::add)),
        read("/api/v1/sources/{id}", Operator, get(sources::show)),
        remove("/api/v1/sources/{id}", delete(sources::remove)),
        write("/api/v1/sources/{id}/refresh", post(sources::refresh)),
        read("/api/v1/feeds", Anybody, get(feeds::list)),
        write("/api/v1/feeds", post(feeds::run)),
        read("/api/v1/feeds/{name}", Anybody, get(feeds::show)),
        remove("/api/v1/feeds/{name}", delete(feeds::remove)),
        read("/api/v1/feeds/{name}/readers", Operator, get(feeds::readers)),
        replace("/api/v1/feeds/{name}/readers", put(feeds::set_readers)),
        read("/api/v1/feeds/{name}/explain", Operator, get(feeds::explain)),
        read("/api/v1/feeds/{name}/suggestions", Operator, get(search::suggestions)),
        read("/api/v1/profiles", Operator, get(profiles::mesh)),
        read("/api/v1/search", Anybody, get(search::search)),
        write("/api/v1/explain", post(feeds::explain_query)),
        read("/api/v1/feeds/{name}/items", Anybody, get(items::list)),
        read("/api/v1/opml", Operator, get(lists::export)),
        write("/api/v1/opml", import),
        read("/api/v1/config", Operator, get(operation::config)),
        write("/api/v1/reload", post(operation::reload)),
        write("/api/v1/budget", post(operation::budget)),
        read("/api/v1/history", Operator, get(operation::history)),
        read("/api/v1/backup", Operator, get(backup::download)),
        read("/healthz", Anybody, get(health::alive)),
        read("/readyz", Anybody, get(health::ready)),
        read("/metrics", Anybody, get(health::metrics)),
        read("/api/openapi.json", Anybody, get(openapi::document)),
    ]
}

/// Pages that ask the same: for people, so no part of the description for programs.
fn pages() -> Vec<Route> {
    let search = get(search_page::page);
    vec![Route { method: Method::GET, path: "/search", access: Anybody, handler: search }]
}

async fn no_such_route() -> Problem {
    let detail = "nothing is asked under this address";
    let problem = Problem::new(StatusCode::NOT_FOUND, "no such route", detail);
    problem.hint("everything that can be asked is described at /api/openapi.json")
}

async fn no_such_method() -> Problem {
    let detail = "this address is asked by another method";
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no such method", detail);
    problem.hint("everything that can be asked is described at /api/openapi.json")
}
