//! `pergola feed`: what is published.

mod tail;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::Client;
use super::failure::Failure;
use super::screen::{Cell, Column, Screen, count, facts, harmless, relative, table};
use super::search;

/// The most that is read of a file of statements.
const MOST: u64 = 1 << 20;

/// What is published.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola feed create -f volcanoes.fql\n  pergola feed tail \
                        Volcanoes")]
pub(super) enum Command {
    /// Publish what a query asks for; statements may also change and drop feeds
    #[command(after_help = "Example:\n  pergola feed create 'CREATE FEED Volcanoes AS RETURN \
                            \"https://example.org/rss\" WHERE ITEM CONTAINS \"volcano\"'\n  pergola \
                            feed create -f volcanoes.fql")]
    Create(Create),
    /// Show what is published
    #[command(after_help = "Example:\n  pergola feed list")]
    List,
    /// Show one feed and what it reads
    #[command(after_help = "Example:\n  pergola feed show Volcanoes")]
    Show(Which),
    /// Say how a query is carried out, and what it is believed to keep
    #[command(
        after_help = "Example:\n  pergola feed explain Volcanoes\n  pergola feed explain -f \
                            volcanoes.fql"
    )]
    Explain(Explain),
    /// Show sources that are about the same and that the feed does not read
    #[command(after_help = "Example:\n  pergola feed suggest Volcanoes --limit 5")]
    Suggest(search::Suggest),
    /// Show or say who may read a feed
    #[command(
        after_help = "Example:\n  pergola feed readers Volcanoes\n  pergola feed readers Volcanoes \
                            alice bob\n  pergola feed readers Volcanoes --anybody"
    )]
    Readers(Readers),
    /// Publish a feed no more; its items go
    #[command(after_help = "Example:\n  pergola feed drop Volcanoes")]
    Drop(Which),
    /// Follow a feed's items as they come
    #[command(
        after_help = "Example:\n  pergola feed tail Volcanoes\n  pergola feed tail Volcanoes \
                            --since 0 --json"
    )]
    Tail(tail::Args),
}

/// Statements, or the file that holds them.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Create {
    /// Statements of the query language
    query: Option<String>,
    /// A file of statements; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A feed that is there, or the file of one that is not.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Explain {
    /// A feed that is there
    name: Option<String>,
    /// A file with the query of a feed that is not there yet; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A feed, and who may read it.
#[derive(Debug, Args)]
pub(super) struct Readers {
    /// Its name
    name: String,
    /// Those who may read it from now on, by their names in the configuration; for others it is not there
    #[arg(conflicts_with_all = ["anybody", "nobody"])]
    readers: Vec<String>,
    /// Let anybody read it
    #[arg(long, conflicts_with = "nobody")]
    anybody: bool,
    /// Let nobody read it but whoever runs the node
    #[arg(long)]
    nobody: bool,
}

/// One feed.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// Its name
    name: String,
}

/// What is shown of a feed.
#[derive(Debug, Deserialize)]
struct Feed {
    name: String,
    query: String,
    sources: u64,
    published: u64,
    changed_at: Option<f64>,
    url: String,
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Create(Create { query, file }) => {
            let query = query.map_or_else(|| statements(file.as_deref()), Ok)?;
            let answer = client.post(&["feeds"], &json!({ "query": query })).await?;
            screen.show(&answer, || applied(&answer))
        }
        Command::List => list(client, screen).await,
        Command::Show(Which { name }) => {
            let answer = client.get(&["feeds", &name], &[]).await?.json().await?;
            screen.show(&answer, || shown(&answer, screen))
        }
        Command::Explain(Explain { name, file }) => {
            let answer = match name {
                Some(name) => client.get(&["feeds", &name, "explain"], &[]).await?.json().await?,
                None => {
                    let query = statements(file.as_deref())?;
                    client.post(&["explain"], &json!({ "query": query })).await?
                }
            };
            screen.show(&answer, || Ok(explained(&answer)))
        }
        Command::Suggest(args) => search::suggest(args, client, screen).await,
        Command::Readers(args) => readers(args, client, screen).await,
        Command::Drop(Which { name }) => {
            client.delete(&["feeds", &name]).await?;
            screen.show(&json!({ "dropped": name }), || {
                Ok(format!("feed {} is published no more\n", harmless(&name)))
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
    let answer = client.get(&["feeds"], &[]).await?.json().await?;
    screen.show(&answer, || {
        let row = |feed: &Feed| -> Vec<Cell> {
            vec![
                (&feed.name).into(),
                feed.sources.to_string().into(),
                feed.published.to_string().into(),
                relative(feed.changed_at, screen.now).into(),
                (&feed.url).into(),
            ]
        };
        let feeds = Vec::<Feed>::deserialize(&answer["feeds"])?;
        let rows: Vec<Vec<Cell>> = feeds.iter().map(row).collect();
        let columns = [
            Column::Text("feed"),
            Column::Number("sources"),
            Column::Number("items"),
            Column::Word("changed"),
            Column::Text("address"),
        ];
        Ok(table(screen, &columns, &rows, "no feeds; `pergola feed create QUERY` makes one"))
    })
}

async fn readers(args: Readers, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let Readers { name, readers, anybody, nobody } = args;
    let path = ["feeds", &name, "readers"];
    let answer = if readers.is_empty() && !anybody && !nobody {
        client.get(&path, &[]).await?.json().await?
    } else {
        let readers = (!anybody).then_some(readers);
        client.put(&path, &json!({ "readers": readers })).await?
    };
    screen.show(&answer, || {
        let names = Option::<Vec<String>>::deserialize(&answer["readers"])?;
        let who = match names.as_deref() {
            None => "anybody may read it".to_owned(),
            Some([]) => "nobody may read it but whoever runs the node".to_owned(),
            Some(names) => format!("{} may read it", harmless(&names.join(", "))),
        };
        Ok(format!("{}: {who}\n", harmless(&name)))
    })
}

fn shown(answer: &Value, screen: &Screen) -> anyhow::Result<String> {
    let feed = Feed::deserialize(answer)?;
    let mut text = facts(
        screen,
        &[
            ("feed", feed.name.into()),
            ("address", feed.url.into()),
            ("items", feed.published.to_string().into()),
            ("changed", relative(feed.changed_at, screen.now).into()),
            ("sources", feed.sources.to_string().into()),
            ("query", feed.query.into()),
        ],
    );
    let reads = answer["reads"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !reads.is_empty() {
        let number = |value: &Value| value.as_f64().map(|n| format!("{n:.3}")).unwrap_or_default();
        let row = |read: &Value| -> Vec<Cell> {
            vec![
                read["url"].as_str().unwrap_or_default().into(),
                number(&read["share"]).into(),
                number(&read["weight"]).into(),
            ]
        };
        let rows: Vec<Vec<Cell>> = reads.iter().map(row).collect();
        let columns = [Column::Text("reads"), Column::Number("share"), Column::Number("weight")];
        text.push('\n');
        text.push_str(&table(screen, &columns, &rows, ""));
    }
    Ok(text)
}

/// What statements have done, a line for each.
fn applied(answer: &Value) -> anyhow::Result<String> {
    let name = |value: &Value| harmless(value.as_str().unwrap_or_default());
    let mut text = String::new();
    for done in Vec::<Value>::deserialize(&answer["applied"])? {
        let items = || count(done["items"].as_u64().unwrap_or(0), "item");
        let line = match done["did"].as_str().unwrap_or_default() {
            "created" => {
                let sources = count(done["sources"].as_u64().unwrap_or(0), "new source");
                format!("created {} with {} and {sources}", name(&done["name"]), items())
            }
            "changed" => format!("changed {}, which gained {}", name(&done["name"]), items()),
            "renamed" => format!("renamed {} to {}", name(&done["from"]), name(&done["name"])),
            "dropped" => format!("dropped {}", name(&done["name"])),
            _ => explained(&done).trim_end().to_owned(),
        };
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// An explanation is laid out in lines of its own; what is in them is a stranger's all the same.
fn explained(answer: &Value) -> String {
    let lines = answer["text"].as_str().unwrap_or_default().lines();
    lines.map(|line| format!("{}{}\n", indent(line), harmless(line))).collect()
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}
