//! Users: the people who have an account at a node.

mod taken_over;

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;
pub use taken_over::{LeftOut, TakenOver};

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UserRole {
    /// Changes everything: sources, feeds, settings and other users.
    Admin,
    /// Reads, and subscribes to what it may read.
    Reader,
}

impl UserRole {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Reader => "reader",
        }
    }
}

/// A user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserStatus {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: UserRole,
    /// Whether it can log in by a password.
    pub has_password: bool,
    /// When it was added.
    pub created_at: Instant,
}

/// All users, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserList {
    /// The users.
    pub users: Vec<UserStatus>,
}

/// A user, and what belongs to it and goes with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserDetail {
    /// The user.
    #[serde(flatten)]
    pub user: UserStatus,
    /// Feeds and sources that it follows.
    pub subscriptions: usize,
    /// Items that it has starred; 10,000 at most are counted.
    pub starred: usize,
    /// Sessions that are open.
    pub sessions: usize,
    /// Passwords for other programs.
    pub app_passwords: usize,
}

/// A password as it was typed. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(********)")
    }
}

/// A user to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddUserRequest {
    /// Letters and digits, and `.`, `_`, `-` and `@` after the first one.
    pub name: String,
    /// Without one, the first user is an admin and all others are readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<UserRole>,
    /// At least ten characters. Without one the user cannot log in by a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Password>,
}

/// What changes of a user; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeUserRequest {
    /// What it may do from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<UserRole>,
    /// Its new password. All its sessions end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Password>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_sent_and_never_printed() {
        let new = AddUserRequest {
            name: "ada".into(),
            role: Some(UserRole::Admin),
            password: Some(Password("correct horse".into())),
        };
        let json = serde_json::to_string(&new).unwrap();
        assert_eq!(json, r#"{"name":"ada","role":"admin","password":"correct horse"}"#);
        assert_eq!(serde_json::from_str::<AddUserRequest>(&json).unwrap(), new);
        assert!(!format!("{new:?}").contains("horse"));
    }
}
