//! Who has an account: adding, changing and removing users.

use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use http::StatusCode;
use pergola_api::ClientError;
use pergola_api::user::{AddUserRequest, ChangeUserRequest, Password, UserRole};
use pergola_pages::inside::users::{self, Told};
use serde::Deserialize;

use crate::answer::{Failure, page, page_with};
use crate::site::Site;
use crate::visitor::{Manager, Visitor};

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/settings/users", get(show).post(add))
        .route("/settings/users/role", post(set_role))
        .route("/settings/users/password", post(set_password))
        .route("/settings/users/remove", get(before_removal).post(remove))
}

#[derive(Deserialize)]
struct Noted {
    #[serde(default)]
    note: String,
}

async fn show(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Query(Noted { note }): Query<Noted>,
) -> Result<Response, Failure> {
    let note = match note.as_str() {
        "added" => Some("The user is added."),
        "changed" => Some("The user is changed."),
        "removed" => Some("The user is removed."),
        _ => None,
    };
    let all = site.client.users().await?;
    let told = Told { root: "../", note, ..Told::default() };
    Ok(page(&users::page(visitor.viewer(), &all.users, &told)))
}

#[derive(Deserialize)]
struct New {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    role: String,
}

async fn add(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Form(New { name, password, role }): Form<New>,
) -> Result<Response, Failure> {
    let (role, password) = (role_of(&role), Some(Password(password)));
    let new = AddUserRequest { name: name.clone(), role, password };
    match site.client.add_user(&new).await {
        Ok(_) => Ok(Redirect::to("./users?note=added").into_response()),
        Err(error) => refused(&site, &visitor, error, ("../", &name)).await,
    }
}

fn role_of(text: &str) -> Option<UserRole> {
    [UserRole::Admin, UserRole::Reader].into_iter().find(|role| role.name() == text)
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    password: String,
}

async fn set_role(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Form(Named { name, role, .. }): Form<Named>,
) -> Result<Response, Failure> {
    let change = ChangeUserRequest { role: role_of(&role), password: None };
    changed(&site, &visitor, &name, &change).await
}

async fn set_password(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Form(Named { name, password, .. }): Form<Named>,
) -> Result<Response, Failure> {
    let change = ChangeUserRequest { role: None, password: Some(Password(password)) };
    changed(&site, &visitor, &name, &change).await
}

async fn changed(
    site: &Site,
    visitor: &Visitor,
    name: &str,
    change: &ChangeUserRequest,
) -> Result<Response, Failure> {
    match site.client.change_user(name, change).await {
        Ok(_) => Ok(Redirect::to("../users?note=changed").into_response()),
        Err(error) => refused(site, visitor, error, ("../../", "")).await,
    }
}

async fn before_removal(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Query(Named { name, .. }): Query<Named>,
) -> Result<Response, Failure> {
    let detail = site.client.user(&name).await?;
    Ok(page(&users::removal(visitor.viewer(), &detail, None)))
}

async fn remove(
    State(site): State<Site>,
    Manager(visitor): Manager,
    Form(Named { name, .. }): Form<Named>,
) -> Result<Response, Failure> {
    match site.client.remove_user(&name).await {
        Ok(()) => Ok(Redirect::to("../users?note=removed").into_response()),
        Err(ClientError::Refused(problem)) => {
            let detail = site.client.user(&name).await?;
            let markup = users::removal(visitor.viewer(), &detail, Some(&problem.detail));
            Ok(page_with(problem.code.status(), &markup))
        }
        Err(error) => Err(error.into()),
    }
}

/// The page of users, with why something was not possible.
async fn refused(
    site: &Site,
    visitor: &Visitor,
    error: ClientError,
    (root, name): (&str, &str),
) -> Result<Response, Failure> {
    let ClientError::Refused(problem) = error else { return Err(error.into()) };
    let all = site.client.users().await?;
    let told = Told { root, note: None, wrong: Some(&problem.detail), name };
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_REQUEST);
    Ok(page_with(status, &users::page(visitor.viewer(), &all.users, &told)))
}
