//! Reads a bundle from its folder: the nodes, what they read and want, and their budgets.
//!
//! It reads the configurations of the nodes, not the graph that they were made from, so that changes to a
//! configuration count.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use pergola_query::syntax::{FeedBody, SourceRef, Statement};
use pergola_query::{FeedFilter, ItemView, PreparedItem};
use pergola_refresh::{ModelKind, StrategyKind};
use toml::{Table, Value};

use crate::mesh::{Channel, Feed, Origin, Wiring};

/// How to make a bundle, for error messages.
const MAKE_ONE: &str =
    "make one with `topology-gen bundle FOLDER --local --newsroom --speed 120 mesh.toml`";
/// Items that a feed shows by default.
const USUAL_WINDOW: i64 = 50;

#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) folder: PathBuf,
    /// How many times faster than real time its clock runs.
    pub(super) speed: f64,
    /// The address of its newsroom.
    pub(super) newsroom: String,
    /// The names of the sources.
    pub(super) sources: Vec<String>,
    /// Items that a source's document shows.
    pub(super) window: usize,
    /// Items that a feed's document shows.
    pub(super) feed_window: usize,
    /// Seconds between two decisions.
    pub(super) cycle: f64,
    pub(super) strategy: StrategyKind,
    pub(super) model: ModelKind,
    pub(super) nodes: Vec<Node>,
    /// Each feed after those that it reads.
    pub(super) feeds: Vec<Published>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    /// Without a slash at the end.
    pub(super) url: String,
    pub(super) token: String,
    /// Refreshes per minute.
    pub(super) budget: f64,
}

#[derive(Debug)]
pub(super) struct Published {
    pub(super) name: String,
    pub(super) node: usize,
    pub(super) inputs: Vec<Channel>,
    filter: FeedFilter,
}

impl Bundle {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let nodes = folder.join("nodes");
        ensure!(
            nodes.is_dir(),
            "{} is not a bundle: it has no folder `nodes`; {MAKE_ONE}",
            folder.display()
        );
        ensure!(
            folder.join("mesh").is_file(),
            "{} is a bundle of containers, not of processes: it has no script `mesh`; {MAKE_ONE}",
            folder.display()
        );
        let newsroom = folder.join("newsroom.toml");
        ensure!(
            newsroom.is_file(),
            "{} has no newsroom to say what was published; {MAKE_ONE}",
            folder.display()
        );
        let (sources, window) = world(&newsroom)?;
        let mut files: Vec<PathBuf> =
            fs::read_dir(&nodes)?.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        files.sort();
        ensure!(!files.is_empty(), "{} has no nodes; {MAKE_ONE}", folder.display());
        let mut configs = Vec::new();
        for file in &files {
            let config = Config::read(file, folder);
            configs.push(config.with_context(|| file.display().to_string())?);
        }
        let first = &configs[0];
        for (config, file) in configs.iter().zip(&files) {
            ensure!(
                config.common == first.common,
                "{} differs from {} in its clock, schedule or feeds.window; the lab needs the same values in \
                 all nodes",
                file.display(),
                files[0].display()
            );
        }
        let Common { speed, cycle, strategy, model, feed_window } = first.common.clone();
        let (newsroom, feeds) = wire(&configs, &sources)?;
        Ok(Self {
            folder: folder.to_owned(),
            speed,
            newsroom,
            sources,
            window,
            feed_window,
            cycle,
            strategy,
            model,
            nodes: configs.into_iter().map(|config| config.node).collect(),
            feeds,
        })
    }

    /// The wiring of the nodes. Each set of keywords is a topic, and a feed wants the topics that its query
    /// keeps.
    pub(super) fn wiring(&self, kinds: &[Vec<String>], of_source: &[Vec<u32>]) -> Wiring {
        let wanted = |feed: &Published| {
            let numbered = (0..).zip(kinds);
            numbered.filter(|(_, words)| feed.keeps(words)).map(|(kind, _)| kind).collect()
        };
        let origin = |(name, topics): (&String, &Vec<u32>)| Origin {
            name: name.clone(),
            topics: topics.clone(),
        };
        let feed = |feed: &Published| Feed {
            node: feed.node as u32,
            inputs: feed.inputs.clone(),
            wants: Some(wanted(feed)),
            studied: true,
        };
        Wiring {
            sources: self.sources.iter().zip(of_source).map(origin).collect(),
            nodes: self.nodes.iter().map(|node| node.name.clone()).collect(),
            feeds: self.feeds.iter().map(feed).collect(),
        }
    }
}

impl Published {
    /// Whether it wants an item with these keywords.
    fn keeps(&self, words: &[String]) -> bool {
        let text = words.join(", ");
        let categories: Vec<&str> = words.iter().map(String::as_str).collect();
        let view = ItemView {
            title: &text,
            content: &text,
            categories: &categories,
            published: Some(0),
            ..ItemView::default()
        };
        let item = PreparedItem::new(view);
        (0..self.inputs.len()).any(|clause| self.filter.keeps(clause, &item, 0))
    }
}

/// The settings that must be the same in all nodes.
#[derive(Debug, Clone, PartialEq)]
struct Common {
    speed: f64,
    cycle: f64,
    strategy: StrategyKind,
    model: ModelKind,
    feed_window: usize,
}

struct Config {
    node: Node,
    common: Common,
    feeds: Vec<(String, FeedBody)>,
}

impl Config {
    fn read(file: &Path, folder: &Path) -> Result<Self> {
        let config: Table = fs::read_to_string(file)?.parse()?;
        let set = |section: &str, key: &str| config.get(section).and_then(|table| table.get(key));
        let needed = |section: &str, key: &str| {
            set(section, key).with_context(|| format!("{section}.{key} is missing"))
        };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let url = text(needed("node", "public_url")?)?.trim_end_matches('/').to_owned();
        let token = folder.join(format!("secrets/{name}.token"));
        let token = fs::read_to_string(&token).with_context(|| token.display().to_string())?;
        let budget = number(needed("budget", "refreshes_per_minute")?)?;
        let common = Common {
            speed: set("clock", "speed").map_or(Ok(1.0), number)?,
            cycle: set("schedule", "cycle").map_or(Ok(10.0), seconds)?,
            strategy: chosen(set("schedule", "strategy"), StrategyKind::Plan)?,
            model: chosen(set("schedule", "model"), ModelKind::Calendar)?,
            feed_window: set("feeds", "window").and_then(Value::as_integer).unwrap_or(USUAL_WINDOW)
                as usize,
        };
        let mut feeds = Vec::new();
        for feed in config.get("feed").and_then(Value::as_array).into_iter().flatten() {
            let query = text(feed.get("query").context("a feed has no query")?)?;
            let script = pergola_query::parse(query).map_err(|error| {
                anyhow::anyhow!("{}", error.render(query, &file.display().to_string()))
            })?;
            for statement in script.statements {
                let Statement::Create(feed) = statement.value else {
                    bail!("a statement of a feed is not CREATE FEED");
                };
                ensure!(
                    feed.body.options.window.is_none(),
                    "feed `{}` has a WINDOW of its own; the lab needs the same window for all feeds",
                    feed.name.value
                );
                feeds.push((feed.name.value, feed.body));
            }
        }
        ensure!(!feeds.is_empty(), "the node publishes no feed");
        let node = Node { name, url, token: token.trim().to_owned(), budget };
        Ok(Self { node, common, feeds })
    }
}

/// The names of the sources of the newsroom, and their window.
fn world(file: &Path) -> Result<(Vec<String>, usize)> {
    let name_of_file = || file.display().to_string();
    let table: Table = fs::read_to_string(file)?.parse().with_context(name_of_file)?;
    let sources = table.get("source").and_then(Value::as_array).map_or(&[][..], |all| all);
    let name = |source: &Value| {
        text(source.get("name").context("a source has no name")?).map(str::to_owned)
    };
    let names: Vec<String> =
        sources.iter().map(name).collect::<Result<_>>().with_context(name_of_file)?;
    let window = |source: &Value| source.get("window").and_then(Value::as_integer).unwrap_or(20);
    let first = sources
        .first()
        .map(window)
        .with_context(|| format!("{}: it has no source", name_of_file()))?;
    ensure!(
        sources.iter().all(|source| window(source) == first),
        "{}: the windows of the sources differ; the lab needs the same window for all sources",
        name_of_file()
    );
    Ok((names, first as usize))
}

/// The address of the newsroom, and all feeds, each after those that it reads.
fn wire(configs: &[Config], sources: &[String]) -> Result<(String, Vec<Published>)> {
    let mut waiting: Vec<(usize, &str, &FeedBody)> = Vec::new();
    for (node, config) in configs.iter().enumerate() {
        waiting.extend(config.feeds.iter().map(|(name, body)| (node, name.as_str(), body)));
    }
    let known: Vec<FeedAddress<'_>> =
        waiting.iter().map(|&(node, name, _)| (configs[node].node.url.as_str(), name)).collect();
    let mut newsroom: Option<String> = None;
    let mut numbers: HashMap<FeedAddress<'_>, u32> = HashMap::new();
    let mut feeds = Vec::new();
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut left = Vec::new();
        for (node, name, body) in waiting {
            let own = configs[node].node.url.as_str();
            let read = body.sources.iter().map(|clause| input(&clause.source.value, own, sources));
            let read: Vec<Input<'_>> = read
                .collect::<Result<_>>()
                .with_context(|| format!("feed `{name}` cannot be played"))?;
            let mut inputs = Vec::new();
            for input in &read {
                match input {
                    Input::Source { number, base } => {
                        newsroom.get_or_insert_with(|| (*base).to_owned());
                        inputs.push(Channel::Source(*number));
                    }
                    Input::Feed(feed) => {
                        ensure!(
                            known.contains(feed),
                            "feed `{name}` reads the feed `{}` of {}, which does not exist",
                            feed.1,
                            feed.0
                        );
                        inputs.extend(numbers.get(feed).copied().map(Channel::Feed));
                    }
                }
            }
            if inputs.len() < read.len() {
                left.push((node, name, body));
                continue;
            }
            numbers.insert((own, name), feeds.len() as u32);
            let filter = FeedFilter::compile(body)
                .map_err(|error| anyhow::anyhow!("feed `{name}`: {error}"))?;
            feeds.push(Published { name: name.to_owned(), node, inputs, filter });
        }
        ensure!(left.len() < before, "items would run in a cycle through feed `{}`", left[0].1);
        waiting = left;
    }
    Ok((newsroom.context("no feed reads a source of the newsroom")?, feeds))
}

/// The address of a node and the name of one of its feeds.
type FeedAddress<'a> = (&'a str, &'a str);

/// What a feed reads.
enum Input<'a> {
    /// A source, by its number, and the address of the newsroom.
    Source {
        number: u32,
        base: &'a str,
    },
    Feed(FeedAddress<'a>),
}

/// What a clause of a feed of the node at `own` reads.
fn input<'a>(source: &'a SourceRef, own: &'a str, sources: &[String]) -> Result<Input<'a>> {
    Ok(match source {
        SourceRef::Url(url) => {
            let (base, name) = url.rsplit_once("/sources/").unwrap_or((url, ""));
            let number = sources.iter().position(|other| other == name);
            let number = number
                .with_context(|| format!("it reads {url}, which the newsroom does not publish"))?;
            Input::Source { number: number as u32, base }
        }
        SourceRef::Opml(url) => bail!("it reads the list {url}; name its sources"),
        SourceRef::Folder(name) => bail!("it reads the folder {name}; name its sources"),
        SourceRef::Feed(feed) => Input::Feed((own, feed)),
        SourceRef::Peer { node, feed } => Input::Feed((node.trim_end_matches('/'), feed)),
    })
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().with_context(|| format!("{value} is not a string"))
}

fn number(value: &Value) -> Result<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    number.with_context(|| format!("{value} is not a number"))
}

/// A duration of a configuration, in seconds.
fn seconds(value: &Value) -> Result<f64> {
    let Some(written) = value.as_str() else { return number(value) };
    let unit = written.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let count: Option<f64> = written[..written.len() - unit.len()].parse().ok();
    let of = match unit.trim() {
        "ms" => Some(1e-3),
        "" | "s" => Some(1.0),
        "min" => Some(60.0),
        "h" => Some(3_600.0),
        _ => None,
    };
    let time = count.zip(of).map(|(count, of)| count * of);
    time.with_context(|| format!("`{written}` is not a duration such as \"10 s\""))
}

/// A strategy or model. `auto`, the default, is what a node with few sources uses.
fn chosen<T: std::str::FromStr>(value: Option<&Value>, auto: T) -> Result<T> {
    match value.and_then(Value::as_str) {
        None | Some("auto") => Ok(auto),
        Some(name) => {
            let kind = name.parse().ok();
            kind.with_context(|| format!("the lab has no strategy or model `{name}`"))
        }
    }
}
