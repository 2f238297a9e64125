//! Logging in and out.

mod begun;
mod openid;
mod person;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use http::header::{RETRY_AFTER, SET_COOKIE, USER_AGENT};
use http::{Extensions, HeaderMap, StatusCode};
use pergola_accounts::UserId;
use pergola_accounts::secret::Token;
use pergola_config::Config;
use pergola_node::node::PeopleError;
use pergola_pages::inside::login::{self, Login};
use serde::Deserialize;

use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::{Circumstances, Visitor};
use crate::{cookie, identity, led};

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/login", get(show).post(log_in))
        .route("/logout", post(log_out))
        .merge(openid::routes())
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    next: String,
    #[serde(default)]
    note: String,
}

async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    about: Circumstances,
    Query(Wanted { next, note }): Query<Wanted>,
) -> Response {
    let next = led::local(&next);
    if visitor != Visitor::Stranger {
        return Redirect::to(&format!("./{next}")).into_response();
    }
    let wanted = note;
    let note = match wanted.as_str() {
        "ended" => Some("Your session has ended. Log in again to go on."),
        "out" => Some("You have logged out."),
        "password" => Some("Your password is changed. Log in with the new one."),
        _ => None,
    };
    let config = site.node.config();
    let out = (wanted == "out").then(|| logout_at(&site)).flatten();
    let login = Login {
        root: "./",
        no_users: !about.has_users,
        next,
        note,
        elsewhere: elsewhere(&config),
        out: out.as_deref(),
        ..Login::default()
    };
    page(&login::page(&login))
}

/// What people call the provider, if they can log in there.
fn elsewhere(config: &Config) -> Option<&str> {
    config.openid.as_ref().map(|own| own.label.as_str())
}

/// Where somebody logs out at the provider as well.
fn logout_at(site: &Site) -> Option<String> {
    let settings = site.node.config().openid.clone()?;
    let provider = site.identity.provider_so_far(&settings)?;
    let back = identity::own(&site.node, "login");
    Some(identity::client(&settings, &back).logout_at(&provider, &back)?.into())
}

/// The login once more, with why it was not possible.
fn refusal(site: &Site, root: &str, next: &str, status: StatusCode, wrong: &str) -> Response {
    let config = site.node.config();
    // If it is not known who has an account, it is not told that nobody has.
    let no_users = site.node.users().is_ok_and(|users| users.is_empty());
    let elsewhere = elsewhere(&config);
    let login = Login { root, next, wrong: Some(wrong), elsewhere, no_users, ..Login::default() };
    page_with(status, &login::page(&login))
}

#[derive(Deserialize)]
struct Credentials {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

async fn log_in(
    State(site): State<Site>,
    visitor: Visitor,
    about: Circumstances,
    extensions: Extensions,
    headers: HeaderMap,
    Form(sent): Form<Credentials>,
) -> Result<Response, Failure> {
    let next = led::local(&sent.next);
    let user = match site.node.check_password(&sent.name, &sent.password, about.address).await {
        Ok(user) => user,
        Err(error) => return refused(&site, &sent, next, error),
    };
    let next = format!("./{next}");
    begin_session(&site, (visitor, user.id), &extensions, &headers, &next).await
}

/// Lets somebody in, and leads it to a page.
async fn begin_session(
    site: &Site,
    (visitor, user): (Visitor, UserId),
    extensions: &Extensions,
    headers: &HeaderMap,
    next: &str,
) -> Result<Response, Failure> {
    if let Visitor::User(before) = visitor {
        site.node.close_session(&before.token).await?;
    }
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let token = site.node.open_session(user, agent).await?;
    let mut answer = Redirect::to(next).into_response();
    show_session(site, extensions, &mut answer, Some(&token));
    Ok(answer)
}

fn refused(
    site: &Site,
    sent: &Credentials,
    next: &str,
    error: PeopleError,
) -> Result<Response, Failure> {
    let (status, wrong, wait) = match &error {
        PeopleError::WrongPassword => {
            let wrong = "The name or the password is wrong.".to_owned();
            (StatusCode::FORBIDDEN, wrong, None)
        }
        PeopleError::TooEarly(early) => {
            let wait = early.seconds.ceil().max(1.0) as u64;
            let seconds = if wait == 1 { "second" } else { "seconds" };
            let wrong =
                format!("Too many wrong tries. Wait {wait} {seconds}, then you can try again.");
            (StatusCode::TOO_MANY_REQUESTS, wrong, Some(wait))
        }
        _ => return Err(error.into()),
    };
    let config = site.node.config();
    let login = Login {
        root: "./",
        name: &sent.name,
        next,
        wrong: Some(&wrong),
        elsewhere: elsewhere(&config),
        ..Login::default()
    };
    let mut answer = page_with(status, &login::page(&login));
    if let Some(wait) = wait {
        answer.headers_mut().insert(RETRY_AFTER, wait.into());
    }
    Ok(answer)
}

async fn log_out(
    State(site): State<Site>,
    visitor: Visitor,
    extensions: Extensions,
) -> Result<Response, Failure> {
    if let Visitor::User(member) = visitor {
        site.node.close_session(&member.token).await?;
    }
    let mut answer = Redirect::to("./login?note=out").into_response();
    show_session(&site, &extensions, &mut answer, None);
    Ok(answer)
}

/// Tells a browser to show a session from now on, or none.
pub(crate) fn show_session(
    site: &Site,
    extensions: &Extensions,
    answer: &mut Response,
    token: Option<&Token>,
) {
    let cookie = cookie::to_show(extensions, &site.node.config(), token);
    answer.headers_mut().append(SET_COOKIE, cookie);
}
