//! The REST API, health checks, and the description of both. The types are in `pergola-api`.
//!
//! One table lists every route with who may use it, so no route can be reached without its check. A running
//! node's server and the command line on an opened node use the same router.
//!
//! Never: a change by a caller who may not make it; a request or response of unbounded size; a failure of the
//! node that is not in the log.

mod about_page;
pub(crate) mod access;
mod address;
mod annex;
mod backup;
mod feeds;
mod health;
mod in_process;
mod items;
mod lists;
mod look;
mod notifications;
mod openapi;
mod operation;
mod profiles;
mod refusal;
mod removed;
mod request;
mod search;
mod search_page;
mod sources;
mod users;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, delete, get, patch, post, put};
use http::Method;
use pergola_api::Code;

use crate::node::Node;
use crate::publish::Refusal;
use access::Access::{Anybody, Operator};
use access::Rule;
pub use access::{Access, is_cross_site};
pub use annex::Annex;
pub use in_process::InProcess;

/// Bytes of a request.
const REQUEST_BYTES: usize = 1 << 20;
/// Bytes of a request that imports a list.
const LIST_BYTES: usize = 16 << 20;

/// Where to read on.
const DESCRIPTION: &str = "all routes are described at /api/openapi.json";

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

/// Every route with its method and who may use it, those of pages for people included.
pub fn listed() -> Vec<(Method, &'static str, Access)> {
    let all = routes().into_iter().chain(pages());
    all.map(|route| (route.method, route.path, route.access)).collect()
}

/// A route, and who may use it.
struct Route {
    method: Method,
    path: &'static str,
    access: Access,
    handler: MethodRouter<Arc<Node>>,
}

/// Every route of the API.
fn routes() -> Vec<Route> {
    let read = |path, access, handler| Route { method: Method::GET, path, access, handler };
    let write = |path, handler| Route { method: Method::POST, path, access: Operator, handler };
    let remove = |path, handler| Route { method: Method::DELETE, path, access: Operator, handler };
    let change = |path, handler| Route { method: Method::PATCH, path, access: Operator, handler };
    let replace = |path, handler| Route { method: Method::PUT, path, access: Operator, handler };
    let import = post(lists::import).layer(DefaultBodyLimit::max(LIST_BYTES));
    vec![
        read("/api/v1/status", Anybody, get(operation::status)),
        read("/api/v1/sources", Operator, get(sources::list)),
        write("/api/v1/sources", post(sources::add)),
        read("/api/v1/sources/{id}", Operator, get(sources::show)),
        read("/api/v1/folders", Operator, get(sources::folders)),
        write("/api/v1/look", post(look::look)),
        change("/api/v1/sources/{id}", patch(sources::change)),
        remove("/api/v1/sources/{id}", delete(sources::remove)),
        write("/api/v1/sources/{id}/restore", post(removed::restore_source)),
        write("/api/v1/sources/{id}/refresh", post(sources::refresh)),
        read("/api/v1/removed", Operator, get(removed::list)),
        read("/api/v1/feeds", Anybody, get(feeds::list)),
        write("/api/v1/feeds", post(feeds::run)),
        read("/api/v1/feeds/{name}", Anybody, get(feeds::show)),
        remove("/api/v1/feeds/{name}", delete(feeds::remove)),
        write("/api/v1/feeds/{name}/restore", post(removed::restore_feed)),
        read("/api/v1/feeds/{name}/readers", Operator, get(feeds::readers)),
        replace("/api/v1/feeds/{name}/readers", put(feeds::set_readers)),
        read("/api/v1/feeds/{name}/notifications", Operator, get(notifications::list)),
        write("/api/v1/feeds/{name}/notifications", post(notifications::add)),
        remove("/api/v1/feeds/{name}/notifications/{id}", delete(notifications::remove)),
        write("/api/v1/feeds/{name}/notifications/{id}/resume", post(notifications::resume)),
        write("/api/v1/feeds/{name}/notifications/{id}/test", post(notifications::test)),
        read("/api/v1/feeds/{name}/explain", Operator, get(feeds::explain)),
        read("/api/v1/feeds/{name}/suggestions", Operator, get(search::suggestions)),
        read("/api/v1/profiles", Operator, get(profiles::mesh)),
        read("/api/v1/search", Anybody, get(search::search)),
        write("/api/v1/explain", post(feeds::explain_query)),
        read("/api/v1/feeds/{name}/items", Anybody, get(items::list)),
        read("/api/v1/opml", Operator, get(lists::export)),
        write("/api/v1/opml", import),
        read("/api/v1/config", Operator, get(operation::config)),
        read("/api/v1/config/keys", Operator, get(operation::keys)),
        replace("/api/v1/config/{key}", put(operation::set_key)),
        remove("/api/v1/config/{key}", delete(operation::unset_key)),
        write("/api/v1/reload", post(operation::reload)),
        write("/api/v1/budget", post(operation::set_budget)),
        read("/api/v1/budget/prediction", Operator, get(operation::predict)),
        read("/api/v1/names", Operator, get(operation::names)),
        read("/api/v1/neighbours", Operator, get(operation::neighbours)),
        read("/api/v1/history", Operator, get(operation::history)),
        read("/api/v1/users", Operator, get(users::list)),
        write("/api/v1/users", post(users::add)),
        read("/api/v1/users/{user}", Operator, get(users::show)),
        change("/api/v1/users/{user}", patch(users::change)),
        remove("/api/v1/users/{user}", delete(users::remove)),
        read("/api/v1/users/{user}/export", Operator, get(annex::pass)),
        write("/api/v1/users/{user}/import", post(annex::pass)),
        read("/api/v1/backup", Operator, get(backup::download)),
        read("/healthz", Anybody, get(health::alive)),
        read("/readyz", Anybody, get(health::ready)),
        read("/metrics", Anybody, get(health::metrics)),
        read("/api/openapi.json", Anybody, get(openapi::document)),
    ]
}

/// Pages for people. They are not part of the description for programs.
fn pages() -> Vec<Route> {
    let read = |path, handler| Route { method: Method::GET, path, access: Anybody, handler };
    vec![read("/search", get(search_page::page)), read("/about", get(about_page::page))]
}

async fn no_such_route() -> Refusal {
    Refusal::new(Code::NoSuchRoute, "no route has this path").hint(DESCRIPTION)
}

async fn no_such_method() -> Refusal {
    Refusal::new(Code::NoSuchMethod, "this route does not take this method").hint(DESCRIPTION)
}
