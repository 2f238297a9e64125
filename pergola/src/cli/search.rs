//! `pergola search` and `pergola feed suggest`: what there is about a subject.

use serde::Deserialize;
use serde_json::Value;

use super::client::Client;
use super::screen::{Cell, Column, Screen, harmless, table};

/// A text to search for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola search \"iceland volcano\"\n  pergola search chess \
                        --peers --limit 5 --json")]
pub(super) struct Args {
    /// Words; several are searched for together
    #[arg(required = true)]
    words: Vec<String>,
    /// Results at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Also ask the peers that the node reads from
    #[arg(long)]
    peers: bool,
}

/// A feed for which sources are sought.
#[derive(Debug, clap::Args)]
pub(super) struct Suggest {
    /// Its name
    name: String,
    /// Results at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
}

/// How much is written of each.
#[derive(Debug, clap::Args)]
pub(super) struct Profiles {
    /// Words of each source and feed at most
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=100))]
    words: u16,
}

#[derive(Debug, Deserialize)]
struct Found {
    kind: String,
    name: String,
    url: String,
    node: Option<String>,
    score: f64,
    terms: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Peers {
    left_out: usize,
    silent: Vec<Silent>,
}

#[derive(Debug, Deserialize)]
struct Silent {
    node: String,
    url: String,
    why: String,
}

/// Finds sources and feeds.
pub(super) async fn search(args: Args, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let (words, limit) = (args.words.join(" "), args.limit.to_string());
    let peers = args.peers.to_string();
    let asked = [("q", words), ("limit", limit), ("peers", peers)];
    let answer = client.get(&["search"], &asked).await?.json().await?;
    screen.show(&answer, || {
        let none = "nothing here is about that";
        Ok(shown(&answer, screen, none)? + &missing(&answer["peers"])?)
    })
}

/// Whose answer is missing, a line each.
fn missing(peers: &Value) -> anyhow::Result<String> {
    let Some(peers) = Option::<Peers>::deserialize(peers)? else { return Ok(String::new()) };
    let mut lines = String::new();
    for Silent { node, url, why } in &peers.silent {
        let [node, url, why] = [node, url, why].map(|text| harmless(text));
        lines += &format!("{node} at {url} has not answered: {why}\n");
    }
    match peers.left_out {
        0 => {}
        1 => lines += "1 more peer was not asked\n",
        more => lines += &format!("{more} more peers were not asked\n"),
    }
    Ok(lines)
}

/// Finds sources for a feed.
pub(super) async fn suggest(args: Suggest, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let limit = args.limit.to_string();
    let asked = [("limit", limit)];
    let answer = client.get(&["feeds", &args.name, "suggestions"], &asked).await?.json().await?;
    let none =
        "no source that the feed does not read is about the same; add some, and let it publish";
    screen.show(&answer, || shown(&answer, screen, none))
}

/// Writes what everything is about: JSON in any case, because programs read it.
pub(super) async fn profiles(
    args: Profiles,
    client: &Client,
    screen: &Screen,
) -> anyhow::Result<()> {
    let asked = [("words", args.words.to_string())];
    let answer: Value = client.get(&["profiles"], &asked).await?.json().await?;
    screen.show(&answer, || Ok(format!("{answer:#}\n")))
}

fn shown(answer: &Value, screen: &Screen, none: &'static str) -> anyhow::Result<String> {
    let row = |found: &Found| -> Vec<Cell> {
        let kind = match (found.kind.as_str(), &found.node) {
            ("peer", Some(node)) => format!("feed of {node}"),
            (kind, Some(node)) => format!("{kind}, feed of {node}"),
            (kind, None) => kind.to_owned(),
        };
        vec![
            format!("{:.3}", found.score).into(),
            kind.into(),
            (&found.name).into(),
            (&found.url).into(),
            found.terms.iter().take(5).cloned().collect::<Vec<_>>().join(", ").into(),
        ]
    };
    let found = Vec::<Found>::deserialize(&answer["found"])?;
    let rows: Vec<Vec<Cell>> = found.iter().map(row).collect();
    let columns = [
        Column::Number("score"),
        Column::Word("kind"),
        Column::Text("name"),
        Column::Text("address"),
        Column::Text("about"),
    ];
    Ok(table(screen, &columns, &rows, none))
}
