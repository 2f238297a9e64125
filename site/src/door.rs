//! The door of the site: who comes in, with which forms.
//!
//! Never: a change because a page of another site asked for it, or by a form that another session was given.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use pergola_api::Code;
use pergola_node::api::is_cross_site;
use pergola_outside::surroundings::Neighbour;
use pergola_pages::forms;
use pergola_pages::inside::login;
use pergola_port::access::ByFolder;

use crate::answer::{Failure, page_with};
use crate::sent::{MOST, Sent};
use crate::site::Site;
use crate::visitor::{Face, Member, Visitor};
use crate::{cookie, led};

/// Bytes of a page; more are sent as they are.
const PAGE: usize = 8 << 20;
/// Where people upload what they bring along from another reader.
pub(crate) const IMPORT: &str = "/settings/account/import";
/// Bytes of such an upload.
pub(crate) const UPLOAD: usize = 129 << 20;
/// Where strangers may send a form to.
const LOGIN: &str = "/login";

/// Finds out who sends a request, refuses changes that another site or another session asks for, and gives every form
/// of the answer the token of the session.
pub(crate) async fn identify(State(site): State<Site>, request: Request, next: Next) -> Response {
    admit(site, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

async fn admit(site: Site, mut request: Request, next: Next) -> Result<Response, Failure> {
    let changes = !request.method().is_safe();
    if changes && is_cross_site(&site.node.config(), &request) {
        let detail = "a page of another site may not change this node";
        return Err(Failure::new(Code::CrossSite, detail));
    }
    let (visitor, about) = Face::of(&site, &request)?.visitor(&site).await?;
    if changes && request.uri().path() != LOGIN {
        match &visitor {
            Visitor::User(member) => match with_own_form(&visitor, member, request).await? {
                Ok(own) => request = own,
                Err(refused) => return personal(member, refused).await,
            },
            Visitor::Stranger if about.has_users => return logged_out(request).await,
            Visitor::Stranger | Visitor::Operator => {}
        }
    }
    request.extensions_mut().insert(visitor.clone());
    request.extensions_mut().insert(about);
    let answer = next.run(request).await;
    match visitor {
        Visitor::User(member) => personal(&member, answer).await,
        Visitor::Stranger | Visitor::Operator => Ok(answer),
    }
}

/// Refuses a form that does not carry the token of its session: it was opened before somebody logged in. What was typed
/// is shown, and can be sent again by whoever sees it.
async fn with_own_form(
    visitor: &Visitor,
    member: &Member,
    request: Request,
) -> Result<Result<Request, Response>, Failure> {
    let most = if request.uri().path() == IMPORT { UPLOAD } else { MOST };
    let (sent, request) = Sent::read(request, most).await?;
    if sent.token().is_some_and(|token| member.token.is_form_token(&token)) {
        return Ok(Ok(request));
    }
    let (root, to) = (led::root(request.uri().path()), wanted(&request));
    let markup = login::again(visitor.viewer(), &root, &to, &sent.typed());
    Ok(Err(page_with(StatusCode::FORBIDDEN, &markup)))
}

/// Where a form was sent to.
fn wanted(request: &Request) -> String {
    let whole = request.uri().path_and_query().map_or("", |whole| whole.as_str());
    led::local(whole).to_owned()
}

/// The session has ended while somebody was writing: what was typed is shown again.
async fn logged_out(request: Request) -> Result<Response, Failure> {
    let (root, to) = (led::root(request.uri().path()), wanted(&request));
    let (sent, _) = Sent::read(request, MOST).await?;
    Ok(page_with(StatusCode::FORBIDDEN, &login::ended(&root, &to, &sent.typed())))
}

/// A page for one person: not for caches that others share, and with the person's token in its forms.
async fn personal(member: &Member, answer: Response) -> Result<Response, Failure> {
    let is_page = answer
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !is_page {
        return Ok(answer);
    }
    let (mut parts, body) = answer.into_parts();
    let unreadable = |_| Failure::new(Code::Failed, "the page could not be made");
    let bytes = to_bytes(body, PAGE).await.map_err(unreadable)?;
    let text = forms::with_token(&String::from_utf8_lossy(&bytes), &member.token.form_token());
    parts.headers.insert(CONTENT_LENGTH, text.len().into());
    parts.headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(Response::from_parts(parts, Body::from(text)))
}

/// Before what the node itself answers: whoever manages it sees in a browser what the operator sees, and as soon as
/// somebody has an account, nobody is the operator for being near. The API for programs has its own rules.
pub(crate) async fn pass(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let for_people = request.method().is_safe() && !request.uri().path().starts_with("/api/");
    let is_known = cookie::shown(request.extensions(), request.headers()).is_some()
        || site.node.caller(&request).is_operator();
    if for_people && is_known {
        let found = match Face::of(&site, &request) {
            Ok(face) => face.visitor(&site).await,
            Err(error) => Err(error),
        };
        match found {
            Ok((Visitor::User(member), _)) if member.is_admin => {
                request.extensions_mut().insert(ByFolder);
            }
            Ok((Visitor::Operator, _)) => {}
            // If users cannot be read, nobody is trusted.
            _ => drop(request.extensions_mut().insert(Neighbour::nobody())),
        }
    }
    next.run(request).await
}
