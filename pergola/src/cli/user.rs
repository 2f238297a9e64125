//! `pergola user`: the people who read here.

mod moving;

use std::io::{self, Read as _};

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use pergola_api::user::{
    AddUserRequest, ChangeUserRequest, Password, UserDetail, UserRole, UserStatus,
};
use serde_json::json;

use super::client::Client;
use super::failure::Failure;
use super::screen::{Column, Screen, count, harmless, relative, table};

/// Bytes of standard input that are read for a password.
const MOST: u64 = 64 << 10;

/// Manage users
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Example:\n  pergola user add ada --password-stdin < ada.txt\n  pergola user \
                        list"
)]
pub(super) enum Command {
    /// Add a user; from the first one on, people log in to see the pages
    #[command(
        after_help = "Example:\n  pergola user add ada --password-stdin < ada.txt\n  pergola \
                            user add bob --role reader --password-stdin < bob.txt"
    )]
    Add(Add),
    /// List users
    #[command(after_help = "Example:\n  pergola user list")]
    List,
    /// Change the password of a user, and end all sessions of that user
    #[command(after_help = "Example:\n  pergola user password ada --password-stdin < ada.txt")]
    Password(NewPassword),
    /// Change what a user may do
    #[command(after_help = "Example:\n  pergola user role bob admin")]
    Role(NewRole),
    /// Import what a user has exported from another reader: subscriptions, stars, what was read
    ///
    /// FreshRSS (its ZIP file, or one of the files in it), Miniflux (OPML, or entries in JSON as its API answers them),
    /// OPML of any program, and what `pergola user export` writes. The command names each entry that it cannot use,
    /// imports the others, and exits with 1. Of a file that is cut off it imports nothing. On a node without users, the
    /// name is `operator`.
    #[command(after_help = "Example:\n  pergola user import ada freshrss-export.zip\n  pergola \
                            user import operator starred.json")]
    Import(moving::Import),
    /// Write everything that a user owns to a ZIP file, for `pergola user import` at another node
    ///
    /// Subscriptions with their folders (OPML), starred items with their contents (JSON Feed), what was read, settings.
    /// Passwords are not part of it.
    #[command(after_help = "Example:\n  pergola user export ada ada.zip")]
    Export(moving::Export),
    /// Remove a user and everything that the user owns; this cannot be undone
    #[command(after_help = "Example:\n  pergola user remove bob")]
    Remove(Which),
}

/// A new user.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// The name: letters and digits, and . _ - @ after the first one
    name: String,
    /// What the user may do [default: admin for the first user, else reader]
    #[arg(long)]
    role: Option<Role>,
    #[command(flatten)]
    password: Given,
}

/// A new password.
#[derive(Debug, Args)]
pub(super) struct NewPassword {
    /// The name of the user
    name: String,
    #[command(flatten)]
    password: Given,
}

/// Another role.
#[derive(Debug, Args)]
pub(super) struct NewRole {
    /// The name of the user
    name: String,
    /// What the user may do
    role: Role,
}

/// One user.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// The name of the user
    name: String,
}

/// How the password is given: never on the command line, where other users of the machine see it.
#[derive(Debug, Args)]
struct Given {
    /// Read the password from standard input
    #[arg(long, required = true)]
    password_stdin: bool,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    /// Change everything: sources, feeds, settings and other users
    Admin,
    /// Read, and subscribe to what it may read
    Reader,
}

impl From<Role> for UserRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Admin => Self::Admin,
            Role::Reader => Self::Reader,
        }
    }
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Add(Add { name, role, password }) => {
            let password = Some(password.read()?);
            let role = role.map(UserRole::from);
            let user = client.add_user(&AddUserRequest { name, role, password }).await?;
            screen
                .show(&user, || format!("added {} as {}\n", harmless(&user.name), user.role.name()))
        }
        Command::List => list(client, screen).await,
        Command::Password(NewPassword { name, password }) => {
            let change =
                ChangeUserRequest { password: Some(password.read()?), ..Default::default() };
            let user = client.change_user(&name, &change).await?;
            screen.show(&user, || {
                format!("{} has a new password; all sessions have ended\n", harmless(&user.name))
            })
        }
        Command::Role(NewRole { name, role }) => {
            let change = ChangeUserRequest { role: Some(role.into()), ..Default::default() };
            let user = client.change_user(&name, &change).await?;
            screen.show(&user, || {
                format!("{} is {} from now on\n", harmless(&user.name), user.role.name())
            })
        }
        Command::Import(args) => moving::import(args, client, screen).await,
        Command::Export(args) => moving::export(args, client, screen).await,
        Command::Remove(Which { name }) => {
            let user = client.user(&name).await?;
            client.remove_user(&name).await?;
            screen.show(&json!({ "removed": user }), || removed(&user))
        }
    }
}

impl Given {
    /// The first line of standard input.
    fn read(&self) -> anyhow::Result<Password> {
        let mut text = String::new();
        let read = io::stdin().lock().take(MOST).read_to_string(&mut text);
        read.context("cannot read the password from standard input")?;
        let password = text.trim_end_matches(['\r', '\n']);
        if password.is_empty() || password.contains('\n') {
            let hint = "write the password in one line, for instance from a file: < password.txt";
            let what = "standard input must hold one line with the password";
            return Err(Failure::new(what).hint(hint).into());
        }
        Ok(Password(password.to_owned()))
    }
}

async fn list(client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let all = client.users().await?;
    screen.show(&all, || {
        let columns = [
            Column::cut("user"),
            Column::left("role"),
            Column::left("password"),
            Column::left("added"),
        ];
        let rows = all.users.iter().map(|user: &UserStatus| {
            let password = if user.has_password { "yes" } else { "none" };
            vec![
                (&user.name).into(),
                user.role.name().into(),
                password.into(),
                relative(Some(user.created_at), screen.now).into(),
            ]
        });
        let nothing =
            "no users: whoever runs the node manages it; `pergola user add NAME --password-stdin` adds one";
        table(screen, columns, rows, nothing)
    })
}

fn removed(detail: &UserDetail) -> String {
    format!(
        "removed {} with {}, {}, {} and {}\n",
        harmless(&detail.user.name),
        count(detail.subscriptions as u64, "subscription"),
        count(detail.starred as u64, "starred item"),
        count(detail.sessions as u64, "session"),
        count(detail.app_passwords as u64, "app password"),
    )
}
