//! The people who have an account: list, add, change, remove.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use pergola_accounts::{Role, Wanted};
use pergola_api::Instant;
use pergola_api::user::{
    AddUserRequest, ChangeUserRequest, Password, UserDetail, UserList, UserRole, UserStatus,
};
use pergola_store::people::{NewUser, User, UserChange};

use super::request::{Json, Named};
use super::work::{blocking, to_the_end};
use crate::node::{MOST_NUMBERS, Mistake, Node, PeopleError, Stream};
use crate::publish::Refusal;

pub(super) async fn list(State(node): State<Arc<Node>>) -> Result<Answer<UserList>, Refusal> {
    blocking(node.blocking(), move || {
        let mut users: Vec<UserStatus> = node.users()?.into_iter().map(status).collect();
        users.sort_by_cached_key(|user| user.name.to_lowercase());
        Ok(Answer(UserList { users }))
    })
    .await
}

pub(super) async fn add(
    State(node): State<Arc<Node>>,
    Json(AddUserRequest { name, role, password }): Json<AddUserRequest>,
) -> Result<(StatusCode, Answer<UserStatus>), Refusal> {
    to_the_end(async move {
        let first = node.users()?.is_empty();
        let usual = if first { UserRole::Admin } else { UserRole::Reader };
        let (role, password) = (role_of(role.unwrap_or(usual)), password.map(|Password(own)| own));
        let id = node.add_user(NewUser { name, role, password, subject: None }).await?;
        let added = node.user(id)?.ok_or_else(|| unknown(&id.0.to_string()))?;
        Ok((StatusCode::CREATED, Answer(status(added))))
    })
    .await
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<Answer<UserDetail>, Refusal> {
    blocking(node.blocking(), move || {
        let user = found(&node, &name)?;
        let starred = node.stream(user.id, &Stream::Starred, &Wanted::newest(MOST_NUMBERS))?;
        Ok(Answer(UserDetail {
            subscriptions: node.subscriptions(user.id)?.len(),
            starred: starred.items.len(),
            sessions: node.sessions_of(user.id)?.len(),
            app_passwords: node.app_passwords(user.id)?.len(),
            user: status(user),
        }))
    })
    .await
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    Named(name): Named,
    Json(ChangeUserRequest { role, password }): Json<ChangeUserRequest>,
) -> Result<Answer<UserStatus>, Refusal> {
    to_the_end(async move {
        let id = found(&node, &name)?.id;
        let (role, password) = (role.map(role_of), password.map(|Password(own)| own));
        node.change_user(id, UserChange { role, password, ..UserChange::default() }).await?;
        Ok(Answer(status(found(&node, &name)?)))
    })
    .await
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Named(name): Named,
) -> Result<StatusCode, Refusal> {
    to_the_end(async move {
        let id = found(&node, &name)?.id;
        node.remove_user(id).await?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

fn found(node: &Node, name: &str) -> Result<User, Refusal> {
    node.find_user(name)?.ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Refusal {
    let name = name.chars().take(100).collect();
    PeopleError::from(Mistake::UnknownUser(name)).into()
}

fn role_of(role: UserRole) -> Role {
    match role {
        UserRole::Admin => Role::Admin,
        UserRole::Reader => Role::Reader,
    }
}

fn status(user: User) -> UserStatus {
    let role = if user.is_admin() { UserRole::Admin } else { UserRole::Reader };
    let created_at = Instant::from_unix(user.created_at);
    UserStatus { name: user.name, role, has_password: user.has_password, created_at }
}
