//! `pergola feed`: what is published.

mod notify;
mod tail;
mod trial;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use pergola_api::feed::{
    Applied, ExplainRequest, FeedDetail, FeedReaders, FeedStatus, QueryRequest, ReadSource,
};
use pergola_api::source::RemovedFeed;
use serde_json::json;

use super::client::Client;
use super::failure::{Failure, not_removed};
use super::screen::{Cell, Column, Screen, count, facts, harmless, relative, table};
use super::search;

/// Bytes of a file of statements, at most.
const MOST: u64 = 1 << 20;

/// Manage feeds
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola feed create -f volcanoes.fql\n  pergola feed tail \
                        Volcanoes")]
pub(super) enum Command {
    /// Create a feed from a query; statements can also change and drop feeds
    #[command(after_help = "Example:\n  pergola feed create 'CREATE FEED Volcanoes AS RETURN \
                            \"https://example.org/rss\" WHERE ITEM CONTAINS \"volcano\"'\n  pergola \
                            feed create -f volcanoes.fql")]
    Create(Create),
    /// List feeds
    #[command(after_help = "Example:\n  pergola feed list")]
    List,
    /// Show one feed and what it reads
    #[command(after_help = "Example:\n  pergola feed show Volcanoes")]
    Show(Which),
    /// Explain what a query reads, keeps and costs, and what it finds among the stored items
    #[command(
        after_help = "Example:\n  pergola feed explain Volcanoes\n  pergola feed explain -f \
                            volcanoes.fql"
    )]
    Explain(Explain),
    /// Suggest sources about the same subject that the feed does not read
    #[command(after_help = "Example:\n  pergola feed suggest Volcanoes --limit 5")]
    Suggest(search::Suggest),
    /// Show or set who may read a feed
    #[command(
        after_help = "Example:\n  pergola feed readers Volcanoes\n  pergola feed readers Volcanoes \
                            alice bob\n  pergola feed readers Volcanoes --anybody"
    )]
    Readers(Readers),
    /// Send new entries of a feed to webhooks or by e-mail
    #[command(
        after_help = "Example:\n  pergola feed notify Volcanoes --webhook https://example.org/hook\n  \
                            pergola feed notify Volcanoes --mail ada@example.org --every day\n  pergola feed \
                            notify Volcanoes"
    )]
    Notify(notify::Args),
    /// Drop a feed and its items; for a week it can be restored
    #[command(after_help = "Example:\n  pergola feed drop Volcanoes")]
    Drop(Which),
    /// List the feeds that were dropped and can be restored
    #[command(after_help = "Example:\n  pergola feed removed")]
    Removed,
    /// Restore a dropped feed with its items
    #[command(after_help = "Example:\n  pergola feed restore Volcanoes")]
    Restore(Which),
    /// Print a feed's items as they come
    #[command(
        after_help = "Example:\n  pergola feed tail Volcanoes\n  pergola feed tail Volcanoes \
                            --since 0 --json"
    )]
    Tail(tail::Args),
}

/// Statements, or a file with statements.
#[derive(Debug, Args)]
pub(super) struct Create {
    /// Statements of the query language
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    query: Option<String>,
    /// A file with statements; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Run the statements even if an address in them leads nowhere
    #[arg(long)]
    force: bool,
}

/// A feed, or a file with the query of a feed.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Explain {
    /// The name of a feed
    name: Option<String>,
    /// A file with the query of a feed that does not exist yet; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A feed, and who may read it.
#[derive(Debug, Args)]
pub(super) struct Readers {
    /// The name of the feed
    name: String,
    /// Who may read it from now on, by the names in the configuration; for everybody else the feed does
    /// not exist
    #[arg(conflicts_with_all = ["anybody", "nobody"])]
    readers: Vec<String>,
    /// Let anybody read it
    #[arg(long, conflicts_with = "nobody")]
    anybody: bool,
    /// Let only the operator of the node read it
    #[arg(long)]
    nobody: bool,
}

/// One feed.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// The name of the feed
    name: String,
}

impl Command {
    /// Refuses a query that says nothing, before anything is opened or made.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Create(Create { query: Some(query), .. }) if query.trim().is_empty() => {
                let example = "pergola feed create 'CREATE FEED News AS RETURN OPML \"all\"'";
                Err(Failure::new("there is no statement to run")
                    .code("not-one-statement")
                    .hint(format!("write one: {example}"))
                    .into())
            }
            _ => Ok(()),
        }
    }
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Create(Create { query, file, force }) => {
            let query = query.map_or_else(|| statements(file.as_deref()), Ok)?;
            let done = client.run_statements(&QueryRequest { query, force }).await?;
            screen.show(&done, || {
                let warnings =
                    done.warnings.iter().map(|it| format!("warning: {}\n", harmless(it)));
                done.applied.iter().map(applied).chain(warnings).collect()
            })
        }
        Command::List => list(client, screen).await,
        Command::Show(Which { name }) => {
            let feed = client.feed(&name).await?;
            screen.show(&feed, || shown(&feed, screen))
        }
        Command::Explain(Explain { name, file }) => {
            let explained = match name {
                Some(name) => client.explain_feed(&name).await?,
                None => {
                    let query = statements(file.as_deref())?;
                    client.explain_query(&ExplainRequest::new(query)).await?
                }
            };
            screen.show(&explained, || trial::explained(&explained))
        }
        Command::Suggest(args) => search::suggest(args, client, screen).await,
        Command::Readers(args) => readers(args, client, screen).await,
        Command::Notify(args) => notify::run(args, client, screen).await,
        Command::Drop(Which { name }) => {
            client.drop_feed(&name).await?;
            screen
                .show(&json!({ "dropped": name }), || format!("dropped feed {}\n", harmless(&name)))
        }
        Command::Removed => {
            let list = client.removed().await?;
            screen.show(&json!({ "feeds": list.feeds }), || removed(&list.feeds, screen))
        }
        Command::Restore(Which { name }) => {
            let feed = client.restore_feed(&name).await;
            let feed = feed.map_err(|error| not_removed(error, "pergola feed removed"))?;
            screen.show(&feed, || {
                let items = count(feed.published, "item");
                format!("restored feed {}, which has published {items}\n", harmless(&feed.name))
            })
        }
        Command::Tail(args) => tail::run(args, client, screen).await,
    }
}

/// The statements in a file, or on standard input.
fn statements(file: Option<&Path>) -> anyhow::Result<String> {
    let path = file.unwrap_or(Path::new("-"));
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().lock().take(MOST + 1).read_to_string(&mut text),
        false => {
            std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_string(&mut text))
        }
    };
    read.with_context(|| Failure::new(format!("cannot read {}", path.display())))?;
    if text.len() as u64 > MOST {
        anyhow::bail!("{} is larger than {} MiB", path.display(), MOST >> 20);
    }
    Ok(text)
}

async fn list(client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let list = client.feeds().await?;
    screen.show(&list, || {
        let row = |feed: &FeedStatus| -> Vec<Cell> {
            vec![
                (&feed.name).into(),
                feed.sources.to_string().into(),
                feed.published.to_string().into(),
                relative(feed.changed_at, screen.now).into(),
                (&feed.url).into(),
            ]
        };
        let rows = list.feeds.iter().map(row);
        let columns = [
            Column::cut("feed"),
            Column::right("sources"),
            Column::right("items"),
            Column::left("changed"),
            Column::cut("url"),
        ];
        table(screen, columns, rows, "no feeds; `pergola feed create QUERY` creates one")
    })
}

async fn readers(args: Readers, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let Readers { name, readers, anybody, nobody } = args;
    let set = if readers.is_empty() && !anybody && !nobody {
        client.readers(&name).await?
    } else {
        let readers = (!anybody).then_some(readers);
        client.set_readers(&name, &FeedReaders { readers }).await?
    };
    screen.show(&set, || {
        let who = match set.readers.as_deref() {
            None => "anybody may read it".to_owned(),
            Some([]) => "only the operator may read it".to_owned(),
            Some(names) => format!("{} may read it", harmless(&names.join(", "))),
        };
        format!("{}: {who}\n", harmless(&name))
    })
}

fn shown(feed: &FeedDetail, screen: &Screen) -> String {
    let FeedDetail { status, reads, .. } = feed;
    let mut text = facts(
        screen,
        [
            ("feed", (&status.name).into()),
            ("url", (&status.url).into()),
            ("items", status.published.to_string().into()),
            ("changed", relative(status.changed_at, screen.now).into()),
            ("sources", status.sources.to_string().into()),
            ("query", (&status.query).into()),
        ],
    );
    if !reads.is_empty() {
        let row = |read: &ReadSource| -> Vec<Cell> {
            let number = |number: f64| format!("{number:.3}");
            let share = read.share.map_or_else(|| "not known yet".to_owned(), number);
            vec![(&read.url).into(), share.into(), number(read.weight).into()]
        };
        let rows = reads.iter().map(row);
        let columns = [Column::cut("reads"), Column::right("share"), Column::right("weight")];
        text.push('\n');
        text.push_str(&table(screen, columns, rows, ""));
    }
    text
}

/// The feeds that were dropped.
fn removed(feeds: &[RemovedFeed], screen: &Screen) -> String {
    let row = |feed: &RemovedFeed| -> Vec<Cell> {
        vec![
            (&feed.name).into(),
            relative(Some(feed.removed_at), screen.now).into(),
            relative(Some(feed.restorable_until), screen.now).into(),
        ]
    };
    let columns = [Column::cut("feed"), Column::left("dropped"), Column::left("gone for good")];
    table(screen, columns, feeds.iter().map(row), "no feed was dropped in the last week")
}

/// What a statement did.
fn applied(applied: &Applied) -> String {
    match applied {
        Applied::Created { name, items, sources } => {
            let (items, sources) = (count_of(*items, "item"), count_of(*sources, "new source"));
            format!("created {} with {items} and {sources}\n", harmless(name))
        }
        Applied::Changed { name, items } => {
            format!("changed {}, which gained {}\n", harmless(name), count_of(*items, "item"))
        }
        Applied::Renamed { from, name } => {
            format!("renamed {} to {}\n", harmless(from), harmless(name))
        }
        Applied::Dropped { name } => format!("dropped {}\n", harmless(name)),
        Applied::Explained(explained) => trial::explained(explained),
    }
}

fn count_of(number: usize, thing: &str) -> String {
    count(number as u64, thing)
}

/// The lines of an explanation with their indentation. What they quote comes from strangers.
fn lines(text: &str) -> String {
    text.lines().map(|line| format!("{}{}\n", indent(line), harmless(line))).collect()
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
