//! `pergola search`, `pergola feed suggest` and `pergola profiles`: sources and feeds by subject.

use pergola_api::mesh::ProfilesRequest;
use pergola_api::search::{
    FoundKind, SearchRequest, SearchResult, SearchResults, SearchedPeers, SilentPeer,
    SuggestRequest,
};

use super::client::Client;
use super::screen::{Cell, Column, Screen, harmless, table};

/// Find sources and feeds by subject, here and at peers
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola search \"iceland volcano\"\n  pergola search chess \
                        --peers --limit 5 --json")]
pub(super) struct Args {
    /// Words to search for
    #[arg(required = true, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    words: Vec<String>,
    /// At most this many results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
    /// Also ask the peers that the node reads from
    #[arg(long)]
    peers: bool,
}

/// The feed to find sources for.
#[derive(Debug, clap::Args)]
pub(super) struct Suggest {
    /// The name of the feed
    name: String,
    /// At most this many results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    limit: u16,
}

/// How much to write.
#[derive(Debug, clap::Args)]
pub(super) struct Profiles {
    /// At most this many words for each source and feed
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=100))]
    words: u16,
}

/// Finds sources and feeds.
pub(super) async fn search(args: Args, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let request = SearchRequest {
        q: args.words.join(" "),
        limit: Some(args.limit.into()),
        peers: args.peers,
    };
    let results = client.search(&request).await?;
    screen.show(&results, || {
        let missing = results.peers.as_ref().map(missing).unwrap_or_default();
        shown(&results, screen, "nothing found") + &missing
    })
}

/// The peers whose results are missing, a line each.
fn missing(peers: &SearchedPeers) -> String {
    let mut lines = String::new();
    for SilentPeer { node, url, why } in &peers.silent {
        let [node, url, why] = [node, url, why].map(|text| harmless(text));
        lines += &format!("{node} at {url} did not answer: {why}\n");
    }
    match peers.left_out {
        0 => {}
        1 => lines += "1 more peer was not asked\n",
        more => lines += &format!("{more} more peers were not asked\n"),
    }
    lines
}

/// Finds sources for a feed.
pub(super) async fn suggest(args: Suggest, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let request = SuggestRequest { limit: Some(args.limit.into()) };
    let results = client.suggestions(&args.name, &request).await?;
    let none = "no suggestions; add more sources, or wait until the feed has published more items";
    screen.show(&results, || shown(&results, screen, none))
}

/// Writes what everything is about, as JSON in any case: programs read it.
pub(super) async fn profiles(
    args: Profiles,
    client: &Client,
    screen: &Screen,
) -> anyhow::Result<()> {
    let mesh = client.profiles(&ProfilesRequest { words: Some(args.words.into()) }).await?;
    Ok(screen.line(&serde_json::to_string_pretty(&mesh)?)?)
}

fn shown(results: &SearchResults, screen: &Screen, none: &'static str) -> String {
    let row = |found: &SearchResult| -> Vec<Cell> {
        let kind = match (found.kind, &found.node) {
            (FoundKind::Peer, Some(node)) => format!("feed of {node}"),
            (FoundKind::Peer, None) => "feed of a peer".to_owned(),
            (FoundKind::Source, Some(node)) => format!("source, feed of {node}"),
            (FoundKind::Source, None) => "source".to_owned(),
            (FoundKind::Feed, _) => "feed".to_owned(),
        };
        vec![
            format!("{:.3}", found.score).into(),
            kind.into(),
            (&found.name).into(),
            (&found.url).into(),
            found.terms.iter().take(5).cloned().collect::<Vec<_>>().join(", ").into(),
        ]
    };
    let rows = results.found.iter().map(row);
    let columns = [
        Column::right("score"),
        Column::left("kind"),
        Column::cut("name"),
        Column::cut("url"),
        Column::cut("about"),
    ];
    table(screen, columns, rows, none)
}
