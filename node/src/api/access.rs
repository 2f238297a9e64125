//! Who may use which route. Who somebody is and what it may read is decided in [`crate::access`].
//!
//! A web page in a browser on this machine changes nothing by a request across sites.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use pergola_config::Config;

use crate::access::{Caller, NotNear, TooOften};
use crate::node::Node;
use crate::publish::Problem;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Anybody: it tells what is published anyway, as far as the caller may read it.
    Anybody,
    /// Whoever runs the node.
    Operator,
}

/// What holds for a route.
#[derive(Clone)]
pub(super) struct Rule {
    pub(super) node: Arc<Node>,
    pub(super) access: Access,
    /// Whether it changes something.
    pub(super) changes: bool,
}

/// Lets a request through, and tells whoever answers who is calling; or not.
pub(super) async fn check(State(rule): State<Rule>, mut request: Request, next: Next) -> Response {
    match admitted(&rule, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

fn admitted(rule: &Rule, request: &Request) -> Result<Caller, Problem> {
    let node = &rule.node;
    if rule.changes && is_cross_site(&rule.node.config(), request) {
        let detail = "a page of another site may not change this node";
        return Err(Problem::new(StatusCode::FORBIDDEN, "cross-site request", detail));
    }
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let caller = node.caller(request.headers(), request.extensions(), authority);
    if let (Caller::Reader(_), Err(TooOften { seconds })) = (&caller, node.count_call(&caller)) {
        return Err(Problem::too_often(seconds, rule.node.clock.now()));
    }
    if rule.access == Access::Anybody || caller.is_operator() {
        return Ok(caller);
    }
    if let Caller::Reader(reader) = &caller {
        let detail = format!("{} may read feeds and nothing else", reader.name);
        let problem = Problem::new(StatusCode::FORBIDDEN, "not allowed", detail);
        return Err(problem.hint("this needs the node's own token, api.token in its configuration"));
    }
    match node.not_near(request.headers(), request.extensions(), authority) {
        None => Err(needs_token(request.headers().contains_key(AUTHORIZATION))),
        Some(NotNear::Far) => Err(without_token(
            "this node has no token, so it can be managed from its own machine only",
        )),
        Some(NotNear::OtherName) => Err(without_token(
            "this node has no token, so it must be addressed as localhost to be managed",
        )),
    }
}

fn needs_token(given: bool) -> Problem {
    let detail = match given {
        true => "the token is not the one that this node was given",
        false => "this needs the node's token",
    };
    Problem::new(StatusCode::UNAUTHORIZED, "not allowed", detail).hint(
        "send `Authorization: Bearer TOKEN` with the value of api.token in the node's configuration",
    )
}

fn without_token(detail: &str) -> Problem {
    let problem = Problem::new(StatusCode::FORBIDDEN, "not allowed", detail);
    problem.hint("set api.token in the node's configuration, restart it and send the token")
}

/// A browser sends it for a page of another site.
fn is_cross_site(config: &Config, request: &Request) -> bool {
    let headers = request.headers();
    if headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin") {
        return true;
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let Ok(origin) = origin.to_str() else { return true };
    if origin == config.node.public_url.origin().ascii_serialization() {
        return false;
    }
    match (origin.split_once("://"), host(request)) {
        (Some((_, origin)), Some(host)) => !origin.eq_ignore_ascii_case(host),
        _ => true,
    }
}

fn host(request: &Request) -> Option<&str> {
    let header = request.headers().get(HOST).map(|host| host.to_str().unwrap_or("?"));
    header.or_else(|| request.uri().authority().map(|authority| authority.as_str()))
}
