//! `pergola feed notify`: who is sent the new entries of a feed.

use std::io::{self, Read as _};

use anyhow::Context as _;
use clap::ValueEnum;
use pergola_api::notification::{AddNotification, Mail, NotificationStatus, Often, Webhook};
use serde_json::json;

use crate::cli::client::Client;
use crate::cli::failure::Failure;
use crate::cli::screen::{Cell, Column, Screen, count, harmless, relative, table};

/// Bytes of standard input that are read for a secret.
const MOST: u64 = 4 << 10;

/// A feed, and who is notified; without an option all are listed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The name of the feed; without options, list its notifications
    name: String,
    /// Post new entries to this address as they come
    #[arg(long, value_name = "URL", conflicts_with_all = ["mail", "remove", "resume", "test"])]
    webhook: Option<String>,
    /// Read the secret that signs them from standard input [default: the node makes one up]
    #[arg(long, requires = "webhook")]
    secret_stdin: bool,
    /// Send digests of new entries to this address
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["remove", "resume", "test"])]
    mail: Option<String>,
    /// How often, at most
    #[arg(long, requires = "mail", default_value = "day")]
    every: Every,
    /// Remove this notification
    #[arg(long, value_name = "ID", conflicts_with_all = ["resume", "test"])]
    remove: Option<String>,
    /// Try again now what failed or is paused
    #[arg(long, value_name = "ID", conflicts_with = "test")]
    resume: Option<String>,
    /// Send a message that says that it is only a test
    #[arg(long, value_name = "ID")]
    test: Option<String>,
}

/// How often digests are sent.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Every {
    /// Once an hour
    Hour,
    /// Once a day
    Day,
    /// Once a week
    Week,
}

impl From<Every> for Often {
    fn from(every: Every) -> Self {
        match every {
            Every::Hour => Self::Hour,
            Every::Day => Self::Day,
            Every::Week => Self::Week,
        }
    }
}

pub(super) async fn run(args: Args, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let Args { name, webhook, secret_stdin, mail, every, remove, resume, test } = args;
    if let Some(url) = webhook {
        let secret = if secret_stdin { Some(read_secret()?) } else { None };
        let new = AddNotification::Webhook(Webhook { url, secret });
        return added(&client.add_notification(&name, &new).await?, screen);
    }
    if let Some(address) = mail {
        let new = AddNotification::Mail(Mail { address, every: every.into() });
        return added(&client.add_notification(&name, &new).await?, screen);
    }
    if let Some(id) = remove {
        client.remove_notification(&name, &id).await?;
        return screen.show(&json!({ "removed": id }), || format!("removed {}\n", harmless(&id)));
    }
    if let Some(id) = resume {
        let status = client.resume_notification(&name, &id).await?;
        return screen.show(&status, || format!("{} is tried again now\n", harmless(&id)));
    }
    if let Some(id) = test {
        let status = client.test_notification(&name, &id).await?;
        return screen.show(&status, || format!("{} took a test\n", target(&status)));
    }
    let list = client.notifications(&name).await?;
    screen.show(&list, || {
        let columns = [
            Column::left("id"),
            Column::cut("to"),
            Column::right("waiting"),
            Column::left("delivered"),
            Column::left("next"),
            Column::cut("state"),
        ];
        let rows = list.notifications.iter().map(|one| row(one, screen));
        table(screen, columns, rows, "no notifications; --webhook URL or --mail ADDRESS adds one")
    })
}

fn added(status: &NotificationStatus, screen: &Screen) -> anyhow::Result<()> {
    screen.show(status, || {
        let mut text = format!("added {}: new entries go to {}\n", status.id, target(status));
        if let Some(secret) = &status.secret {
            text.push_str(&format!(
                "they are signed with this secret, which is not shown again:\n{}\n",
                harmless(secret)
            ));
        }
        text
    })
}

fn row(one: &NotificationStatus, screen: &Screen) -> Vec<Cell> {
    let state = match (&one.error, one.paused) {
        (Some(error), true) => format!("paused: {error}"),
        (Some(error), false) => format!("{}: {error}", count(u64::from(one.failures), "failure")),
        (None, _) => "fine".to_owned(),
    };
    vec![
        (&one.id).into(),
        target(one).into(),
        one.waiting.to_string().into(),
        relative(one.delivered_at, screen.now).into(),
        relative(one.next_at, screen.now).into(),
        state.into(),
    ]
}

/// Where it goes.
fn target(one: &NotificationStatus) -> String {
    let every = one.every.map_or_else(String::new, |every| format!(", every {}", every.name()));
    let to = one.webhook.as_ref().or(one.mail.as_ref()).map_or("", String::as_str);
    format!("{}{every}", harmless(to))
}

/// The secret, never on the command line, where other users of the machine see it.
fn read_secret() -> anyhow::Result<String> {
    let mut text = String::new();
    let read = io::stdin().lock().take(MOST).read_to_string(&mut text);
    read.with_context(|| Failure::new("cannot read the secret from standard input"))?;
    let secret = text.trim();
    if secret.is_empty() {
        return Err(Failure::new("standard input has no secret")
            .hint("write the secret into a file and use `--secret-stdin < FILE`")
            .into());
    }
    Ok(secret.to_owned())
}
