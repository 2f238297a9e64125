//! What is done for the people who read here: from what is stored to the commit that follows.
//!
//! A function here reads, decides and returns a [`Commit`](crate::commit::Commit); whoever calls it makes the commit, and
//! sees to it that nobody else changes the same user meanwhile.
//!
//! Never: an item shown to a user who follows no feed that holds it and has not starred it.

mod logins;
mod marks;
mod reading;
mod shown;
#[cfg(test)]
mod tests;
mod users;

use pergola_accounts::name::BadName;
use pergola_accounts::password::BadPassword;
use pergola_accounts::user::BadPreferences;

use crate::archive::ArchiveError;

pub use logins::{app_password_with, end_sessions, new_app_password, over_sessions, sessions_of};
pub use marks::{Star, bringing, brought, gone_marks, numbers_of, starring};
pub use reading::{Held, News, Reading, contents};
pub use shown::{
    Follow, Followed, Stream, StreamItem, StreamPage, Subscribed, Told, Unread, told_of_source,
};
pub use users::{
    NewUser, User, UserChange, add, change, check_removal, find, find_subject, known, operator,
    removal, users,
};

/// Why something cannot be done for a user.
#[derive(Debug, thiserror::Error)]
pub enum Mistake {
    /// A name that cannot be had.
    #[error(transparent)]
    BadName(#[from] BadName),
    /// A password that is not good enough.
    #[error(transparent)]
    BadPassword(#[from] BadPassword),
    /// Preferences that are too large.
    #[error(transparent)]
    BadPreferences(#[from] BadPreferences),
    /// Another user has the name.
    #[error("there is a user `{0}` already")]
    NameTaken(String),
    /// Another user logs in as the same person elsewhere.
    #[error("the user `{0}` has this OpenID subject already")]
    SubjectTaken(String),
    /// Nobody has this name or number.
    #[error("there is no user `{0}`")]
    UnknownUser(String),
    /// Nobody would be left who may change anything.
    #[error("`{0}` is the only admin: make somebody else an admin first")]
    LastAdmin(String),
    /// The built-in user cannot be changed so.
    #[error("the built-in user follows everything and has no password: add a user for yourself")]
    BuiltIn,
    /// Too many passwords for other programs.
    #[error("there are {0} app passwords already: revoke one first")]
    TooManyAppPasswords(usize),
    /// There is nothing like that, or the user may not read it.
    #[error("there is no {0} that this user may read")]
    Unreadable(String),
    /// The user does not follow it.
    #[error("this user does not follow {0}")]
    NotFollowed(String),
    /// The store cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}
