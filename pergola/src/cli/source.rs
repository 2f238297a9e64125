//! `pergola source`: what is crawled.

mod shown;

use clap::{Args, Subcommand};
use pergola_manners::Cooperation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::client::Client;
use super::screen::{Cell, Column, Screen, harmless, table};
use shown::{Report, Source, reported, row, shown};

/// Sources in one answer.
const AT_ONCE: usize = 500;

/// What is crawled.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml\n  pergola \
                        source list --failing")]
pub(super) enum Command {
    /// Crawl a feed, a page or an OPML list from now on
    #[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml --title \
                            News\n  pergola source add https://example.org/list.opml --list\n  \
                            pergola source add https://example.org/news --item article --link 'h2 a'\n  \
                            pergola source add https://feeds.example.org/feeds/Volcanoes \
                            --cooperate watch,archive")]
    Add(Box<Add>),
    /// Show what is crawled
    #[command(after_help = "Example:\n  pergola source list --failing")]
    List(List),
    /// Show how one source stands
    #[command(after_help = "Example:\n  pergola source show 12\n  pergola source show \
                            https://example.org/feed.xml")]
    Show(Which),
    /// Crawl a source no more
    #[command(after_help = "Example:\n  pergola source remove 12")]
    Remove(Which),
    /// Refresh a source now
    #[command(after_help = "Example:\n  pergola source refresh 12")]
    Refresh(Which),
}

/// A new source.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// Where it is
    url: Url,
    /// What to call it [default: as it calls itself]
    #[arg(long)]
    title: Option<String>,
    /// How much more it matters than other sources [default: 1]
    #[arg(long, value_name = "FACTOR")]
    importance: Option<f64>,
    /// It is an OPML list: crawl what it names
    #[arg(long, conflicts_with = "item")]
    list: bool,
    /// What to ask of it if another node publishes it: hints, watch, archive, or '' for nothing but
    /// its newest window [default: as peers.cooperate in the configuration says]
    #[arg(long, value_name = "WAYS")]
    cooperate: Option<Cooperation>,
    #[command(flatten)]
    page: Page,
    /// Do not refresh it first; it is kept even if it turns out to be no feed
    #[arg(long)]
    no_refresh: bool,
}

/// How to read a page that is no feed.
#[derive(Debug, Args, Serialize)]
#[command(next_help_heading = "For a page that is no feed")]
struct Page {
    /// One match for each item; the others are looked for inside of it
    #[arg(long, value_name = "CSS")]
    item: Option<String>,
    /// The item's title [default: the text of its link]
    #[arg(long = "item-title", value_name = "CSS", requires = "item")]
    #[serde(rename = "title", skip_serializing_if = "Option::is_none")]
    item_title: Option<String>,
    /// The item's link [default: its first one]
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The item's date
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The item's content
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// Which sources to show.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only those that fail
    #[arg(long)]
    failing: bool,
    /// Only those with this in their address or title
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

/// One source.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// Its number or its address
    source: String,
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Add(new) => add(*new, client, screen).await,
        Command::List(which) => list(which, client, screen).await,
        Command::Show(Which { source }) => {
            let answer = client.get(&["sources", &source], &[]).await?.json().await?;
            screen.show(&answer, || shown(&answer, screen))
        }
        Command::Remove(Which { source }) => {
            client.delete(&["sources", &source]).await?;
            screen.show(&json!({ "removed": source }), || {
                Ok(format!("source {} is crawled no more\n", harmless(&source)))
            })
        }
        Command::Refresh(Which { source }) => {
            let answer = client.post(&["sources", &source, "refresh"], &json!({})).await?;
            screen.show(&answer, || {
                Ok(reported(&Report::deserialize(&answer["report"])?, screen.now))
            })
        }
    }
}

async fn add(new: Add, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut body = json!({ "url": new.url, "refresh": !new.no_refresh, "list": new.list });
    if let Some(title) = new.title {
        body["title"] = title.into();
    }
    if let Some(importance) = new.importance {
        body["importance"] = importance.into();
    }
    if let Some(cooperate) = new.cooperate {
        body["cooperate"] = cooperate.names().into();
    }
    if new.page.item.is_some() {
        body["page"] = serde_json::to_value(&new.page)?;
    }
    let answer = client.post(&["sources"], &body).await?;
    screen.show(&answer, || {
        let source = Source::deserialize(&answer["source"])?;
        let name = harmless(source.title.as_deref().unwrap_or(&source.url));
        let report = Option::<Report>::deserialize(&answer["report"])?;
        let report = report.map(|report| reported(&report, screen.now)).unwrap_or_default();
        Ok(format!("source {}: {name}\n{report}", source.id))
    })
}

async fn list(which: List, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut all: Vec<Value> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut query = vec![("limit", AT_ONCE.to_string())];
        query.extend(after.take().map(|after| ("after", after)));
        query.extend(which.failing.then(|| ("standing", "failing".to_owned())));
        query.extend(which.search.clone().map(|text| ("search", text)));
        let mut answer = client.get(&["sources"], &query).await?.json().await?;
        let page = Vec::<Value>::deserialize(answer["sources"].take())?;
        all.extend(page);
        match answer["next"].as_u64() {
            Some(next) => after = Some(next.to_string()),
            None => break,
        }
    }
    let document = json!({ "sources": all });
    screen.show(&document, || {
        let rows: Result<Vec<Vec<Cell>>, _> =
            all.iter().map(|source| Source::deserialize(source).map(|s| row(&s, screen))).collect();
        let columns = [
            Column::Number("id"),
            Column::Text("source"),
            Column::Word("standing"),
            Column::Word("via"),
            Column::Number("items"),
            Column::Word("last refresh"),
            Column::Word("next refresh"),
            Column::Text("trouble"),
        ];
        let nothing = match which.failing {
            true => "no source fails",
            false => "no sources; `pergola source add URL` adds one",
        };
        Ok(table(screen, &columns, &rows?, nothing))
    })
}
