//! Who may ask what.
//!
//! With a token, whoever knows it may do everything. Without one, callers on this machine may, and
//! nobody else: not through a proxy (it hides who asks), and not a web page in a browser on this machine,
//! neither by a request across sites nor by a name that was made to lead here.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, FORWARDED, HOST, HeaderName, ORIGIN, VIA, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::config::Config;
use crate::node::Node;
use crate::publish::Problem;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Anybody: it tells what is published anyway.
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

/// Lets a request through, or not.
pub(super) async fn check(State(rule): State<Rule>, request: Request, next: Next) -> Response {
    match refused(&rule, &request) {
        None => next.run(request).await,
        Some(problem) => {
            let unknown = problem.status == StatusCode::UNAUTHORIZED;
            let mut response = problem.into_response();
            if unknown {
                let scheme = HeaderValue::from_static("Bearer realm=\"pergola\"");
                response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            }
            response
        }
    }
}

/// Whether whoever asks may know and change everything.
pub(crate) fn is_operator(config: &Config, request: &Request) -> bool {
    not_the_operator(config, request).is_none()
}

fn refused(rule: &Rule, request: &Request) -> Option<Problem> {
    let config = &rule.node.config();
    if rule.changes && is_cross_site(config, request) {
        let detail = "a page of another site may not change this node";
        return Some(Problem::new(StatusCode::FORBIDDEN, "cross-site request", detail));
    }
    match rule.access {
        Access::Anybody => None,
        Access::Operator => not_the_operator(config, request),
    }
}

fn not_the_operator(config: &Config, request: &Request) -> Option<Problem> {
    let Some(token) = &config.api.token else { return refused_without_token(config, request) };
    match bearer(request.headers()) {
        Some(given) if token.matches(given) => None,
        given => {
            let detail = match given {
                Some(_) => "the token is not the one that this node was given",
                None => "this needs the node's token",
            };
            let problem = Problem::new(StatusCode::UNAUTHORIZED, "not allowed", detail);
            Some(problem.hint(
                "send `Authorization: Bearer TOKEN` with the value of api.token in the node's \
                 configuration",
            ))
        }
    }
}

fn refused_without_token(config: &Config, request: &Request) -> Option<Problem> {
    let detail = if !is_near(request) {
        "this node has no token, so it can be managed from its own machine only"
    } else if !is_own_name(config, request) {
        "this node has no token, so it must be addressed as localhost to be managed"
    } else {
        return None;
    };
    let problem = Problem::new(StatusCode::FORBIDDEN, "not allowed", detail);
    Some(problem.hint("set api.token in the node's configuration, restart it and send the token"))
}

/// The token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Asked by this machine itself, and not on behalf of somebody else.
fn is_near(request: &Request) -> bool {
    let passed_on = [
        FORWARDED,
        VIA,
        HeaderName::from_static("x-forwarded-for"),
        HeaderName::from_static("x-forwarded-host"),
        HeaderName::from_static("x-real-ip"),
    ];
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback())
        && !passed_on.iter().any(|header| request.headers().contains_key(header))
}

/// Asked under a name that leads here by right. A request without one did not come over a network.
fn is_own_name(config: &Config, request: &Request) -> bool {
    let Some(host) = host(request) else { return true };
    let name = host_name(host);
    let public = config.node.public_url.host_str();
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
        || public.is_some_and(|public| host_name(public).eq_ignore_ascii_case(name))
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

/// A host without its port and without the brackets of an IPv6 address.
fn host_name(host: &str) -> &str {
    if let Some((inside, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside;
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_without_its_port() {
        for (host, name) in [
            ("localhost:8080", "localhost"),
            ("localhost", "localhost"),
            ("[::1]:8080", "::1"),
            ("[::1]", "::1"),
            ("127.0.0.1:1", "127.0.0.1"),
        ] {
            assert_eq!(host_name(host), name);
        }
    }
}
