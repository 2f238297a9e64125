//! The page of a user's own account.

use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use http::header::USER_AGENT;
use http::{Extensions, HeaderMap, StatusCode};
use pergola_accounts::Session;
use pergola_accounts::secret::Digest;
use pergola_feed::Timestamp;
use pergola_node::node::PeopleError;
use pergola_pages::inside::account::{self, Account, AppPassword, Elsewhere};
use pergola_store::people::UserChange;
use serde::Deserialize;

use crate::answer::{Failure, page, page_with};
use crate::login::show_session;
use crate::site::Site;
use crate::visitor::{Circumstances, Member, Owner, Reader, Visitor};

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/settings/account", get(show))
        .route("/settings/account/password", post(set_password))
        .route("/settings/account/app-passwords", post(make))
        .route("/settings/account/revoke", post(revoke))
        .route("/settings/account/close", post(close))
        .route("/settings/account/close-others", post(close_others))
}

#[derive(Deserialize)]
struct Noted {
    #[serde(default)]
    note: String,
}

async fn show(
    State(site): State<Site>,
    reader: Reader,
    Query(Noted { note }): Query<Noted>,
) -> Result<Response, Failure> {
    let Visitor::User(member) = &reader.visitor else {
        return Ok(page(&account::without(reader.visitor.viewer())));
    };
    let note = match note.as_str() {
        "password" => Some("Your password is changed."),
        "connected" => Some("Your account is connected: you can log in so from now on."),
        "disconnected" => Some("Your account is disconnected: you log in with your password."),
        "revoked" => Some("The app password is revoked."),
        "closed" => Some("The session is ended."),
        "others" => Some("All other sessions are ended."),
        _ => None,
    };
    shown(&site, member, StatusCode::OK, Account { root: "../", note, ..Account::default() }).await
}

/// The account with what is to be told besides.
async fn shown(
    site: &Site,
    member: &Member,
    status: StatusCode,
    told: Account,
) -> Result<Response, Failure> {
    let (user, own) = (member.id, member.token.digest());
    let (own_user, passwords, sessions) = site
        .ask(move |node| {
            Ok((node.user(user)?, node.app_passwords(user)?, node.open_sessions(user)?))
        })
        .await?;
    let connected = own_user.as_ref().is_some_and(|user| user.subject.is_some());
    let config = site.node.config();
    let elsewhere =
        config.openid.as_ref().map(|own| Elsewhere { label: own.label.clone(), connected });
    let passwords = passwords.into_iter().map(|(number, password)| AppPassword {
        number,
        name: password.name,
        created_at: date(password.created_at),
        used_at: password.used_at.map(date),
    });
    let mut sessions: Vec<account::Session> =
        sessions.into_iter().map(|(digest, session)| told_of(digest, session, own)).collect();
    sessions.sort_by_key(|session| (!session.own, std::cmp::Reverse(session.seen_at)));
    let account = Account {
        without_password: own_user.is_some_and(|user| !user.has_password),
        elsewhere,
        app_passwords: passwords.collect(),
        sessions,
        ..told
    };
    let viewer = Visitor::User(member.clone());
    Ok(page_with(status, &account::page(viewer.viewer(), &member.name, &account)))
}

fn told_of(digest: Digest, session: Session, own: Digest) -> account::Session {
    account::Session {
        key: key(&digest),
        agent: session.agent,
        created_at: date(session.created_at),
        seen_at: date(session.seen_at),
        own: digest == own,
    }
}

/// What a session is known by on the page. Nobody finds the token by it.
fn key(digest: &Digest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn date(at: f64) -> Timestamp {
    Timestamp::from_unix(at as i64)
}

/// The account with why something was not possible.
async fn refused(site: &Site, member: &Member, error: PeopleError) -> Result<Response, Failure> {
    let (status, wrong) = match &error {
        PeopleError::WrongPassword => {
            (StatusCode::FORBIDDEN, "The password until now is wrong.".to_owned())
        }
        PeopleError::TooEarly(_) => (StatusCode::TOO_MANY_REQUESTS, sentence(&error.to_string())),
        PeopleError::Mistake(_) => (StatusCode::BAD_REQUEST, sentence(&error.to_string())),
        _ => return Err(error.into()),
    };
    let told = Account { root: "../../", wrong: Some(wrong), ..Account::default() };
    shown(site, member, status, told).await
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).chain(['.']).collect()
}

#[derive(Deserialize)]
struct Passwords {
    #[serde(default)]
    password: String,
    #[serde(default)]
    new_password: String,
}

async fn set_password(
    State(site): State<Site>,
    Owner(member): Owner,
    about: Circumstances,
    extensions: Extensions,
    headers: HeaderMap,
    Form(sent): Form<Passwords>,
) -> Result<Response, Failure> {
    let checked = site.node.check_password(&member.name, &sent.password, about.address).await;
    let change = UserChange { password: Some(sent.new_password), ..UserChange::default() };
    let changed = match checked {
        Ok(_) => site.node.change_user(member.id, change).await,
        Err(error) => Err(error),
    };
    match changed {
        Ok(()) => begin_again(&site, &member, &extensions, &headers, "password").await,
        Err(error) => refused(&site, &member, error).await,
    }
}

/// All sessions have ended, and this one goes on as another.
async fn begin_again(
    site: &Site,
    member: &Member,
    extensions: &Extensions,
    headers: &HeaderMap,
    note: &str,
) -> Result<Response, Failure> {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let token = site.node.open_session(member.id, agent).await?;
    let mut answer = Redirect::to(&format!("../account?note={note}")).into_response();
    show_session(site, extensions, &mut answer, Some(&token));
    Ok(answer)
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

async fn make(
    State(site): State<Site>,
    Owner(member): Owner,
    Form(Named { name }): Form<Named>,
) -> Result<Response, Failure> {
    match site.node.make_app_password(member.id, &name).await {
        Ok((_, password)) => {
            let made = Some((name.trim().to_owned(), password));
            let told = Account { root: "../../", made, ..Account::default() };
            shown(&site, &member, StatusCode::OK, told).await
        }
        Err(error) => refused(&site, &member, error).await,
    }
}

#[derive(Deserialize)]
struct Numbered {
    number: u32,
}

async fn revoke(
    State(site): State<Site>,
    Owner(member): Owner,
    Form(Numbered { number }): Form<Numbered>,
) -> Result<Response, Failure> {
    site.node.revoke_app_password(member.id, number).await?;
    Ok(Redirect::to("../account?note=revoked").into_response())
}

#[derive(Deserialize)]
struct Which {
    session: String,
}

async fn close(
    State(site): State<Site>,
    Owner(member): Owner,
    Form(Which { session }): Form<Which>,
) -> Result<Response, Failure> {
    let open = site.node.open_sessions(member.id)?;
    if let Some((digest, _)) = open.into_iter().find(|(digest, _)| key(digest) == session) {
        site.node.end_session(member.id, digest).await?;
    }
    Ok(Redirect::to("../account?note=closed").into_response())
}

async fn close_others(State(site): State<Site>, Owner(member): Owner) -> Result<Response, Failure> {
    let own = member.token.digest();
    for (digest, _) in site.node.open_sessions(member.id)? {
        if digest != own {
            site.node.end_session(member.id, digest).await?;
        }
    }
    Ok(Redirect::to("../account?note=others").into_response())
}
