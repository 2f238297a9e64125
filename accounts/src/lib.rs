//! The people who read at a node: who they are, how they prove it, and what each of them has read.
//!
//! Pure: everything is told the time and the random bytes it needs. No clock, no randomness of its own, no I/O.
//!
//! Never: a password, a session's token or an app password that can be had back from what is stored; a comparison of
//! secrets whose time depends on them; a try to log in that costs nothing after many wrong ones.
//!
//! # Modules, from the bottom up
//! - `secret`: random tokens, their digests, and comparisons that take the same time
//! - `name`: what a user may be called
//! - `password`: hashing and checking passwords
//! - `user`: a user, its role and preferences
//! - `session`: sessions of users who have logged in
//! - `app_password`: passwords for other programs
//! - `tries`: limits on tries to log in
//! - `following`: what a user follows
//! - `row`: one entry of a feed, as it is listed for people
//! - `table`: the entries of one feed by date
//! - `index`: which feeds hold an item
//! - `reader`: what one user has read, and what is left
//! - `library`: the tables of all feeds and the readers of them
//! - `page`: a part of a stream of items, in order

pub mod app_password;
pub mod following;
mod index;
pub mod library;
pub mod name;
mod page;
pub mod password;
mod reader;
pub mod row;
pub mod secret;
pub mod session;
mod table;
pub mod tries;
pub mod user;

pub use app_password::AppPassword;
pub use following::Following;
pub use library::Library;
pub use name::UserName;
pub use page::{Cursor, Listed, Page, Scope, Wanted};
pub use reader::{Counts, Reader};
pub use row::Row;
pub use session::Session;
pub use user::{Preferences, Role, UserId, UserRecord};
