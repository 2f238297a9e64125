//! Logging in and out.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use http::header::{RETRY_AFTER, SET_COOKIE, USER_AGENT};
use http::{Extensions, HeaderMap, StatusCode};
use pergola_accounts::secret::Token;
use pergola_node::node::PeopleError;
use pergola_pages::inside::login::{self, Login};
use serde::Deserialize;

use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::{Circumstances, Visitor};
use crate::{cookie, led};

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/login", get(show).post(log_in)).route("/logout", post(log_out))
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    next: String,
    #[serde(default)]
    note: String,
}

async fn show(
    visitor: Visitor,
    about: Circumstances,
    Query(Wanted { next, note }): Query<Wanted>,
) -> Response {
    let next = led::local(&next);
    if visitor != Visitor::Stranger {
        return Redirect::to(&format!("./{next}")).into_response();
    }
    let note = match note.as_str() {
        "ended" => Some("Your session has ended. Log in again to go on."),
        "out" => Some("You have logged out."),
        "password" => Some("Your password is changed. Log in with the new one."),
        _ => None,
    };
    page(&login::page(&Login { no_users: !about.has_users, next, note, ..Login::default() }))
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
        Err(error) => return refused(&sent, next, error),
    };
    if let Visitor::User(before) = visitor {
        site.node.close_session(&before.token).await?;
    }
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let token = site.node.open_session(user.id, agent).await?;
    let mut answer = Redirect::to(&format!("./{next}")).into_response();
    show_session(&site, &extensions, &mut answer, Some(&token));
    Ok(answer)
}

fn refused(sent: &Credentials, next: &str, error: PeopleError) -> Result<Response, Failure> {
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
    let login = Login { name: &sent.name, next, wrong: Some(&wrong), ..Login::default() };
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
