//! `pergola source`: what is crawled.

mod credentials;
mod shown;

use clap::{Args, Subcommand};
use pergola_api::next::RefreshRequest;
use pergola_api::source::{
    AddSourceRequest, ChangeSourceRequest, PageSelectors, SourceFilter, SourceStanding,
};
use pergola_feed::address::masked;
use pergola_manners::Cooperation;
use serde_json::json;

use super::client::Client;
use super::failure::{Failure, not_removed};
use super::screen::{Column, Screen, harmless, table};
use credentials::Given;
use shown::{already, changed, name, removed, report, row, shown};

/// Sources in one response.
const AT_ONCE: usize = 500;

/// Manage sources
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml\n  pergola \
                        source list --failing")]
pub(super) enum Command {
    /// Add a feed, a web page or an OPML list, and crawl it from now on
    #[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml --title \
                            News\n  pergola source add https://example.org/list.opml --list\n  \
                            pergola source add https://example.org/news --item article --link 'h2 a'\n  \
                            pergola source add https://feeds.example.org/feeds/Volcanoes \
                            --cooperate watch,archive\n  pergola source add \
                            https://members.example.org/feed --user bob --private")]
    Add(Box<Add>),
    /// List sources
    #[command(
        after_help = "Example:\n  pergola source list --failing\n  pergola source list --folder \
                            Tech"
    )]
    List(List),
    /// Show everything about one source
    #[command(after_help = "Example:\n  pergola source show 12\n  pergola source show \
                            https://example.org/feed.xml")]
    Show(Which),
    /// Change a source: title, folders, password, and whether it is paused or private
    #[command(
        after_help = "Example:\n  pergola source set 12 --folder Tech/Rust --folder Friends\n  \
                            pergola source set 12 --user bob --password-file bob.txt\n  pergola source \
                            set 12 --header-file token.txt\n  pergola source set 12 --no-folder \
                            --no-credentials --private"
    )]
    Set(Box<Set>),
    /// Remove a source; for a week it can be restored
    #[command(after_help = "Example:\n  pergola source remove 12")]
    Remove(Which),
    /// List the sources that were removed and can be restored
    #[command(after_help = "Example:\n  pergola source removed")]
    Removed,
    /// Restore a removed source, and crawl it again
    #[command(after_help = "Example:\n  pergola source restore 12")]
    Restore(Which),
    /// Refresh a source now, unless it is too early
    #[command(
        long_about = "Refresh a source now, unless it is too early: its site may have said when to come \
                      back, it may have failed a moment ago, and this node has a floor of its own. The \
                      refusal says what stands in the way, until when, and which key of the configuration \
                      changes that. --force asks anyway.",
        after_help = "Example:\n  pergola source refresh 12\n  pergola source refresh 12 --force"
    )]
    Refresh(Refresh),
}

/// A new source.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// Its URL; without https:// or http://, https is tried first
    url: String,
    /// Its title [default: the one that the source gives itself]
    #[arg(long)]
    title: Option<String>,
    /// How much its items count, compared with those of other sources [default: 1]
    #[arg(long, value_name = "FACTOR")]
    importance: Option<f32>,
    /// It is an OPML list: crawl the sources that it names
    #[arg(long, conflicts_with = "item")]
    list: bool,
    /// How to cooperate if another node publishes it: hints, watch, archive, or '' to fetch only its
    /// newest items [default: peers.cooperate in the configuration]
    #[arg(long, value_name = "WAYS")]
    cooperate: Option<Cooperation>,
    /// A folder to put it in, one inside another as Tech/Rust; may be repeated
    #[arg(long = "folder", value_name = "NAME")]
    folders: Vec<String>,
    /// Treat what it shows at first as old: feeds get only what it publishes later
    #[arg(long)]
    only_new: bool,
    /// Do not refresh it first, and keep it even if it turns out not to be a feed
    #[arg(long)]
    no_refresh: bool,
    /// Publish its address nowhere
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    credentials: Given,
    #[command(flatten)]
    page: Page,
}

/// What to change.
#[derive(Debug, Args)]
pub(super) struct Set {
    /// The number or URL of the source
    source: String,
    /// Its title from now on; '' for the one that the source gives itself
    #[arg(long)]
    title: Option<String>,
    /// How much its items count, compared with those of other sources
    #[arg(long, value_name = "FACTOR")]
    importance: Option<f32>,
    /// Pause it: nothing is asked of it until it is resumed
    #[arg(long)]
    pause: bool,
    /// Resume it
    #[arg(long, conflicts_with = "pause")]
    resume: bool,
    /// A folder that it is in from now on, one inside another as Tech/Rust; may be repeated
    #[arg(long = "folder", value_name = "NAME")]
    folders: Vec<String>,
    /// Take it out of all folders
    #[arg(long, conflicts_with = "folders")]
    no_folder: bool,
    /// Publish its address nowhere
    #[arg(long)]
    private: bool,
    /// Publish its address with its items again
    #[arg(long, conflicts_with = "private")]
    public: bool,
    /// Forget its user and password, or its header
    #[arg(long, conflicts_with_all = ["user", "header", "header_file"])]
    no_credentials: bool,
    #[command(flatten)]
    credentials: Given,
}

/// How to read a web page.
#[derive(Debug, Args)]
#[command(next_help_heading = "For a web page that is not a feed")]
struct Page {
    /// Matches once for each item; the other selectors are applied inside the match
    #[arg(long, value_name = "CSS")]
    item: Option<String>,
    /// The item's title [default: the text of its link]
    #[arg(long = "item-title", value_name = "CSS", requires = "item")]
    item_title: Option<String>,
    /// The item's link [default: the first one]
    #[arg(long, value_name = "CSS", requires = "item")]
    link: Option<String>,
    /// The item's date
    #[arg(long, value_name = "CSS", requires = "item")]
    date: Option<String>,
    /// The item's content
    #[arg(long, value_name = "CSS", requires = "item")]
    content: Option<String>,
}

/// Which sources to list.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only those that fail
    #[arg(long)]
    failing: bool,
    /// Only those with this text in their URL or title
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Only those in this folder, or in one inside it
    #[arg(long, value_name = "NAME")]
    folder: Option<String>,
}

/// One source.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// The number or URL of the source
    source: String,
}

/// A source to refresh.
#[derive(Debug, Args)]
pub(super) struct Refresh {
    /// The number or URL of the source
    source: String,
    /// Ask although it is too early, except while the site itself has asked for quiet (Retry-After)
    #[arg(long)]
    force: bool,
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Add(new) => add(*new, client, screen).await,
        Command::List(which) => list(which, client, screen).await,
        Command::Show(Which { source }) => {
            let detail = client.source(&source).await?;
            screen.show(&detail, || shown(&detail, screen))
        }
        Command::Set(what) => set(*what, client, screen).await,
        Command::Removed => {
            let list = client.removed().await?;
            screen.show(&json!({ "sources": list.sources }), || removed(&list.sources, screen))
        }
        Command::Restore(Which { source }) => {
            let source = client.restore_source(&source).await;
            let source = source.map_err(|error| not_removed(error, "pergola source removed"))?;
            screen.show(&source, || format!("restored source {}: {}\n", source.id, name(&source)))
        }
        Command::Remove(Which { source }) => {
            client.remove_source(&source).await?;
            let source = masked(&source);
            screen.show(&json!({ "removed": source }), || {
                format!("removed source {}\n", harmless(&source))
            })
        }
        Command::Refresh(Refresh { source, force }) => {
            let refreshed = client.refresh_source(&source, RefreshRequest { force }).await?;
            screen.show(&refreshed, || report(&refreshed.report, screen.now))
        }
    }
}

async fn add(new: Add, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let Page { item, item_title, link, date, content } = new.page;
    let page = item.map(|item| PageSelectors { item, title: item_title, link, date, content });
    let ways = |ways: Cooperation| ways.names().into_iter().map(str::to_owned).collect();
    let request = AddSourceRequest {
        title: new.title,
        importance: new.importance,
        list: new.list,
        page,
        cooperate: new.cooperate.map(ways),
        folders: new.folders,
        only_new: new.only_new,
        refresh: !new.no_refresh,
        private: new.private,
        credentials: new.credentials.read()?,
        ..AddSourceRequest::new(new.url)
    };
    let added = client.add_source(&request).await?;
    screen.show(&added, || {
        let source = &added.source;
        if added.known {
            return already(source, &request.url);
        }
        let name = name(source);
        let report = added.report.as_ref().map(|it| report(it, screen.now)).unwrap_or_default();
        let note = added.note.as_ref().map(|note| format!("{}\n", harmless(note)));
        format!("source {}: {name}\n{}{report}", source.id, note.unwrap_or_default())
    })
}

async fn set(what: Set, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let folders = (what.no_folder || !what.folders.is_empty()).then_some(what.folders);
    let private = match (what.private, what.public) {
        (false, false) => None,
        (private, _) => Some(private),
    };
    let credentials = match what.no_credentials {
        true => Some(None),
        false => what.credentials.read()?.map(Some),
    };
    let paused = match (what.pause, what.resume) {
        (false, false) => None,
        (pause, _) => Some(pause),
    };
    let title = what.title.map(|title| Some(title).filter(|title| !title.is_empty()));
    let importance = what.importance;
    let change = ChangeSourceRequest { title, importance, paused, private, credentials, folders };
    if change == ChangeSourceRequest::default() {
        let hint = "give --title, --importance, --pause, --resume, --folder, --no-folder, --private, \
                    --public, --user, --header or --no-credentials";
        return Err(Failure::new("there is nothing to change").hint(hint).into());
    }
    let source = client.change_source(&what.source, &change).await?;
    screen.show(&source, || changed(&source))
}

async fn list(which: List, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let some = which.search.is_some() || which.folder.is_some();
    let mut filter = SourceFilter {
        standing: which.failing.then_some(SourceStanding::Failing),
        search: which.search,
        folder: which.folder,
        limit: Some(AT_ONCE),
        ..SourceFilter::default()
    };
    let mut sources = Vec::new();
    loop {
        let page = client.sources(&filter).await?;
        sources.extend(page.sources);
        filter.after = page.next;
        if filter.after.is_none() {
            break;
        }
    }
    screen.show(&json!({ "sources": sources }), || {
        let rows = sources.iter().map(|source| row(source, screen));
        let columns = [
            Column::right("id"),
            Column::cut("source"),
            Column::left("standing"),
            Column::left("via"),
            Column::right("items"),
            Column::left("refreshed"),
            Column::left("next"),
            Column::cut("folder"),
            Column::cut("trouble"),
        ];
        let nothing = match which.failing {
            true => "no source fails",
            false if some => "no source matches; `pergola source list` shows all",
            false => "no sources; `pergola source add URL` adds one",
        };
        table(screen, columns, rows, nothing)
    })
}
