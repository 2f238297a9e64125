//! Who an app reads for.
//!
//! An app that logs in with an app password gets a key that holds it: it is valid until the app password is revoked. An app
//! that logs in with the password of an account gets the key of a session. On a node without accounts,
//! whoever runs it reads as the built-in user: from this machine with any name and password, from elsewhere with the
//! node's own token as the password.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use pergola_accounts::secret::{Digest, Token as Secret};
use pergola_accounts::{UserId, app_password};
use pergola_api::Code;
use pergola_node::api::is_cross_site;
use pergola_node::node::PeopleError;
use pergola_port::access::Caller;
use pergola_reader_api::Form;
use pergola_reader_api::answer::Login;
use pergola_reader_api::login::{self, Token};
use pergola_store::people::User;

use super::refused::Refused;
use crate::answer::Failure;
use crate::site::Site;

/// The secret in the key of the built-in user, who needs none on this machine.
const HERE: &str = "here";

/// A call of an app that has logged in.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) user: User,
    pub(super) form: Form,
    pub(super) body: Bytes,
    key: String,
}

impl Call {
    pub(super) fn id(&self) -> UserId {
        self.user.id
    }
}

impl FromRequest<Site> for Call {
    type Rejection = Refused;

    async fn from_request(request: Request, site: &Site) -> Result<Self, Refused> {
        let (parts, body) = request.into_parts();
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let unknown = || Refused::Unknown { at_login: false };
        let key = header.and_then(login::key).ok_or_else(unknown)?.to_owned();
        let asked = Request::from_parts(parts, ());
        let user = with_key(site, &key, &asked).await?.ok_or_else(unknown)?;
        let (parts, ()) = asked.into_parts();
        let (form, body) = read(Request::from_parts(parts, body), site).await?;
        Ok(Self { user, form, body, key })
    }
}

/// A call that changes something. If it carries a token, that is the right one.
#[derive(Debug)]
pub(super) struct Change(pub(super) Call);

impl FromRequest<Site> for Change {
    type Rejection = Refused;

    async fn from_request(request: Request, site: &Site) -> Result<Self, Refused> {
        let call = Call::from_request(request, site).await?;
        match Token::of(call.form.first("T")) {
            Token::Sent(given) if !secret_of(&call.key).is_form_token(given) => {
                Err(Refused::BadToken)
            }
            Token::Sent(_) | Token::None => Ok(Self(call)),
        }
    }
}

/// The parameters of a request, and its body.
async fn read(request: Request, site: &Site) -> Result<(Form, Bytes), Refused> {
    let query = request.uri().query().map(str::to_owned);
    let is_form = is_form(request.headers());
    let body = Bytes::from_request(request, site).await;
    let body = body.map_err(|error| Refused::Bad(error.body_text()))?;
    let fields: &[u8] = if is_form { &body } else { b"" };
    Ok((Form::parse(query.as_deref(), fields), body))
}

/// Whether a body is a form: what says nothing of itself is one.
fn is_form(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(CONTENT_TYPE) else { return true };
    kind.to_str().is_ok_and(|kind| {
        kind.trim().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
    })
}

/// Logs an app in.
pub(super) async fn login(State(site): State<Site>, request: Request) -> Response {
    if is_cross_site(&site.node.config(), &request) {
        let detail = "a page of another site may not log in here";
        return Failure::new(Code::CrossSite, detail).into_response();
    }
    log_in(&site, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn log_in(site: &Site, request: Request) -> Result<Response, Refused> {
    let caller = site.node.caller(&request);
    let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let agent = agent.unwrap_or("a reader app").to_owned();
    let (form, _) = read(request, site).await?;
    let (name, password) = (form.first("Email"), form.first("Passwd"));
    let (name, password) = (name.unwrap_or_default().trim(), password.unwrap_or_default());
    let key = match site.node.users()?.is_empty() {
        true => operator_key(site, &caller, password).await?,
        false => user_key(site, &caller, (name, password), &agent).await?,
    };
    if form.first("output") == Some("json") {
        return Ok(Json(Login { sid: &key, lsid: &key, auth: &key }).into_response());
    }
    Ok(login::answer(&key).into_response())
}

async fn operator_key(site: &Site, caller: &Caller, password: &str) -> Result<String, Refused> {
    let secret = if is_token(site, password) { password } else { HERE };
    if secret == HERE && !caller.is_operator() {
        return Err(Refused::Unknown { at_login: true });
    }
    let id = site.node.operator_user().await?;
    Ok(format!("{}.{secret}", id.0))
}

async fn user_key(
    site: &Site,
    caller: &Caller,
    (name, password): (&str, &str),
    agent: &str,
) -> Result<String, Refused> {
    let from = match caller {
        Caller::Stranger { address, .. } => *address,
        Caller::Operator | Caller::Reader(_) => None,
    };
    // Some apps insist on an address of mail.
    let name = match name.rsplit_once('@') {
        Some((before, _)) if site.node.find_user(name)?.is_none() => before,
        _ => name,
    };
    if app_password::may_be(password) {
        match site.node.check_app_password(name, password, from).await {
            Ok(user) => {
                let letters = password.chars().filter(|c| *c != '-' && !c.is_whitespace());
                return Ok(format!("{}.{}", user.id.0, letters.collect::<String>()));
            }
            Err(PeopleError::WrongPassword) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let user = site.node.check_password(name, password, from).await?;
    Ok(site.node.open_session(user.id, agent).await?.reveal())
}

/// Whether this is the node's own token.
fn is_token(site: &Site, given: &str) -> bool {
    site.node.config().api.token.as_ref().is_some_and(|own| own.matches(given))
}

/// The user of a key.
async fn with_key(
    site: &Site,
    key: &str,
    asked: &Request<()>,
) -> Result<Option<User>, PeopleError> {
    let Some((id, secret)) = key.split_once('.') else {
        return match Secret::parse(key) {
            Some(token) => site.node.session(&token).await,
            None => Ok(None),
        };
    };
    match id.parse().map(UserId) {
        Ok(UserId::OPERATOR) => operator(site, secret, asked).await,
        Ok(id) => with_app_password(site, id, secret).await,
        Err(_) => Ok(None),
    }
}

/// The built-in user, on a node without accounts.
async fn operator(
    site: &Site,
    secret: &str,
    asked: &Request<()>,
) -> Result<Option<User>, PeopleError> {
    let near = || site.node.caller(asked).is_operator();
    if !site.node.users()?.is_empty() || !(is_token(site, secret) || near()) {
        return Ok(None);
    }
    let id = site.node.operator_user().await?;
    Ok(site.node.user(id)?)
}

/// The user of an app password. Nobody can guess one, so wrong ones are not counted here: that would lock out apps that
/// have the right one.
async fn with_app_password(
    site: &Site,
    id: UserId,
    given: &str,
) -> Result<Option<User>, PeopleError> {
    let node = &site.node;
    let all = node.app_passwords(id)?;
    let Some((_, own)) = all.into_iter().find(|(_, own)| own.is(given)) else { return Ok(None) };
    let user = node.user(id)?;
    if let Some(user) = user.as_ref().filter(|_| own.used(node.clock.now()).is_some()) {
        // Checking it notes that it is used, which is worth nothing but a note.
        if let Err(error) = node.check_app_password(&user.name, given, None).await {
            tracing::warn!(%error, "it was not noted that an app password is used");
        }
    }
    Ok(user)
}

/// What makes the tokens of a key.
fn secret_of(key: &str) -> Secret {
    Secret::new(Digest::of(key.as_bytes()).0)
}

/// The token that changes carry.
pub(super) async fn token(call: Call) -> String {
    secret_of(&call.key).form_token()
}
