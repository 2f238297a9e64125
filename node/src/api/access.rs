//! Who may use which route. [`pergola_port::access`] decides who a caller is and what it may read.
//!
//! A page of another site, open in a browser on this machine, cannot change the node.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use pergola_api::Code;
use pergola_config::Config;

use crate::node::Node;
use crate::publish::Refusal;
use pergola_port::access::{Caller, NotNear, TooOften};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody. The route tells only what is published and the caller may read.
    Anybody,
    /// Only whoever runs the node.
    Operator,
}

/// The rule for a route.
#[derive(Clone)]
pub(super) struct Rule {
    pub(super) node: Arc<Node>,
    pub(super) access: Access,
    /// Whether the route changes something.
    pub(super) changes: bool,
}

/// Lets a request through with its caller attached, or refuses it.
pub(super) async fn check(State(rule): State<Rule>, mut request: Request, next: Next) -> Response {
    match admitted(&rule, &request) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

fn admitted(rule: &Rule, request: &Request) -> Result<Caller, Refusal> {
    let node = &rule.node;
    if rule.changes && is_cross_site(&rule.node.config(), request) {
        let detail = "a page of another site may not change this node";
        return Err(Refusal::new(Code::CrossSite, detail));
    }
    let caller = node.caller(request);
    if let (Caller::Reader(_), Err(TooOften { seconds })) = (&caller, node.count_call(&caller)) {
        return Err(Refusal::too_often(seconds, rule.node.clock.now()));
    }
    if rule.access == Access::Anybody || caller.is_operator() {
        return Ok(caller);
    }
    if let Caller::Reader(reader) = &caller {
        let detail = format!("{} may read feeds and nothing else", reader.name);
        let refusal = Refusal::new(Code::NotAllowed, detail);
        return Err(refusal.hint("this needs the node's own token, api.token in its configuration"));
    }
    Err(match node.not_near(request) {
        None => needs_token(request.headers().contains_key(AUTHORIZATION)),
        Some(why) => without_token(why),
    })
}

fn needs_token(given: bool) -> Refusal {
    let refusal = match given {
        true => Refusal::new(Code::TokenUnknown, "the token is not the one of this node"),
        false => Refusal::new(Code::TokenNeeded, "this needs the node's token"),
    };
    refusal.hint(
        "send `Authorization: Bearer TOKEN` with the value of api.token in the node's configuration",
    )
}

fn without_token(why: NotNear) -> Refusal {
    let because = match why {
        NotNear::Far => "only its own machine can manage it",
        NotNear::Exposed => {
            "and because it has a public name or a proxy, it trusts nobody for coming from this machine"
        }
        NotNear::PassedOn => {
            "and a proxy has passed this request on, so nobody knows whether the operator sent it"
        }
        NotNear::OtherName => "it can be managed only under the name localhost",
        NotNear::OtherUser => {
            "and the program that sent this request does not run as the node's own user: it may be a proxy, or \
             somebody else on this machine"
        }
    };
    let so = if because.starts_with("and") { "" } else { "so " };
    Refusal::new(Code::LocalOnly, format!("this node has no token, {so}{because}")).hint(
        "set api.token in the node's configuration, restart it and send the token; `pergola` commands need none \
         where they may read the node's data folder",
    )
}

/// Whether a browser sent the request for a page of another site.
pub fn is_cross_site(config: &Config, request: &Request) -> bool {
    let headers = request.headers();
    // A page cannot forge it, and it is told also where `Origin` is hidden because no referrer is.
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin";
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
