//! What runs where, and who is told about whom.

use std::collections::{BTreeSet, HashMap};

use url::{Host, Url};

use super::{INNER_PORT, NEWSROOM, Options, Place, Published, query};
use crate::graph::{Link, Vertex};
use crate::hosts::Hosts;
use crate::mesh::Mesh;

/// The most nodes that one machine or one file is asked to hold.
const MOST_NODES: usize = 1_000;
/// The longest label of a host.
const LONGEST_LABEL: usize = 63;

/// Why a mesh cannot be put on nodes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum PlanError {
    #[error(
        "source `{name}` has no `url`, so no node could read it; give it one, or let a newsroom be \
         the world with --newsroom"
    )]
    NoAddress { name: String },
    #[error("source `{name}` has the url `{url}`, which is no http:// or https:// address")]
    BadAddress { name: String, url: String },
    #[error("{0}")]
    Query(String),
    #[error(
        "node `{name}` cannot be a host's name; use letters, digits and `-`, beginning with a letter, \
         at most {LONGEST_LABEL} of them"
    )]
    BadHost { name: String },
    #[error("nodes `{one}` and `{other}` would both be the host `{host}`; rename one of them")]
    SameHost { one: String, other: String, host: String },
    #[error("a node is called `{NEWSROOM}`, which is the name of the world; rename it")]
    NamedNewsroom,
    #[error("node `{name}` hosts no feed; give it one, or leave it out of `nodes`")]
    Idle { name: String },
    #[error(
        "{nodes} nodes are more than one bundle holds; {MOST_NODES} are the most (--nodes says how many share the feeds)"
    )]
    TooMany { nodes: usize },
    #[error("--publish names `{name}`, which is not one of the nodes{hint}")]
    UnknownNode { name: String, hint: String },
    #[error("--port is {port}, but {nodes} nodes need ports up to {}", *port as usize + nodes)]
    Ports { port: u16, nodes: usize },
    #[error("--looks-per-hour is {0}, but it must be a number above 0, up to 100000")]
    Looks(f64),
    #[error("--speed is {0}, but it must be a number above 0, up to 100000")]
    Speed(f64),
    #[error("--speed {0} needs --local and --newsroom: the world and all clocks must agree")]
    SpeedElsewhere(f64),
    #[error("`{0}` cannot be a namespace; use small letters, digits and `-`, at most 63 of them")]
    Namespace(String),
    #[error("--image must not be empty or have spaces")]
    Image,
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How it was to run.
    pub options: Options,
    /// The nodes, upstreams first as far as that is possible.
    pub nodes: Vec<Node>,
    /// What the world publishes, if there is one.
    pub world: Vec<WorldSource>,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name in the mesh.
    pub name: String,
    /// The name by which other containers find it.
    pub host: String,
    /// Its port on this machine, if it has one.
    pub port: Option<u16>,
    /// Where other nodes find it.
    pub url: String,
    /// Its feeds, those that are read by others of them first: name and statement.
    pub feeds: Vec<(String, String)>,
    /// The sources that it reads: name and address.
    pub sources: Vec<(String, String)>,
    /// Hosts in private networks that it reads from, and whether nodes live there.
    pub private: Vec<(String, bool)>,
    /// Nodes that it reads from and that come before it, by their places in the plan.
    pub after: Vec<usize>,
    /// Everything that it looks at.
    pub subscriptions: usize,
    /// Steps from the sources, by the longest way.
    pub level: u32,
}

/// A source of the newsroom.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSource {
    /// Its name.
    pub name: String,
    /// What it writes about.
    pub keywords: Vec<String>,
    /// How often.
    pub items_per_day: Option<f64>,
}

impl Plan {
    /// Puts a wired mesh on nodes.
    ///
    /// # Errors
    /// When a part of it cannot be there.
    pub fn new(
        mesh: &Mesh,
        links: &[Link],
        hosts: &Hosts,
        options: Options,
    ) -> Result<Self, PlanError> {
        check(&options, hosts)?;
        let labels = labels(hosts, &options)?;
        let origins = origins(mesh, &options)?;
        let levels = levels(mesh, links);
        let mut order: Vec<usize> = (0..hosts.names.len()).collect();
        let level_of = |node: usize| {
            let own = (0..mesh.feeds.len()).filter(|&feed| hosts.of[feed] as usize == node);
            own.map(|feed| levels[feed]).max()
        };
        let node_levels: Vec<u32> = (0..hosts.names.len())
            .map(|node| {
                level_of(node).ok_or_else(|| PlanError::Idle { name: hosts.names[node].clone() })
            })
            .collect::<Result<_, _>>()?;
        order.sort_by_key(|&node| node_levels[node]);
        let mut place_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &node)| place_of[node] = place);
        // Ports follow the names' own order, so that they are easy to find.
        let addresses: Vec<Address> = (0..hosts.names.len())
            .map(|node| Address::new(&options, &labels, hosts, node))
            .collect();
        let mut nodes = Vec::with_capacity(order.len());
        for (place, &node) in order.iter().enumerate() {
            let whole = Whole { mesh, links, hosts, origins: &origins, addresses: &addresses };
            let mut planned = whole.node(node, &levels, &options)?;
            planned.level = node_levels[node];
            let before = whole.peers(node).into_iter().map(|peer| place_of[peer]);
            planned.after = before.filter(|&other| other < place).collect();
            planned.after.sort_unstable();
            nodes.push(planned);
        }
        let world = match options.newsroom {
            true => mesh.sources.iter().map(|source| world_source(mesh, source)).collect(),
            false => Vec::new(),
        };
        Ok(Self { options, nodes, world })
    }

    /// Where the newsroom is found by nodes.
    pub fn newsroom_url(&self) -> String {
        newsroom_url(&self.options)
    }
}

fn check(options: &Options, hosts: &Hosts) -> Result<(), PlanError> {
    let nodes = hosts.names.len();
    if nodes > MOST_NODES {
        return Err(PlanError::TooMany { nodes });
    }
    if usize::from(options.port) + nodes > usize::from(u16::MAX) || options.port == 0 {
        return Err(PlanError::Ports { port: options.port, nodes });
    }
    let sound = |number: f64| number > 0.0 && number <= 100_000.0;
    if !sound(options.looks_per_hour) {
        return Err(PlanError::Looks(options.looks_per_hour));
    }
    if !sound(options.speed) {
        return Err(PlanError::Speed(options.speed));
    }
    if options.speed != 1.0 && !(options.newsroom && options.place == Place::Local) {
        return Err(PlanError::SpeedElsewhere(options.speed));
    }
    if options.place == Place::Kubernetes
        && label(&options.namespace).as_ref() != Some(&options.namespace)
    {
        return Err(PlanError::Namespace(options.namespace.clone()));
    }
    if options.image.is_empty() || options.image.contains(char::is_whitespace) {
        return Err(PlanError::Image);
    }
    if let Published::These(names) = &options.publish {
        for name in names {
            if !hosts.names.contains(name) {
                let near = crate::mesh::nearest(name, hosts.names.iter().map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return Err(PlanError::UnknownNode { name: name.clone(), hint });
            }
        }
    }
    Ok(())
}

/// A name as a label of a host: small letters, digits and hyphens.
fn label(name: &str) -> Option<String> {
    let label = name.to_ascii_lowercase().replace(['_', '.'], "-");
    let sound = label.starts_with(|c: char| c.is_ascii_lowercase())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.len() <= LONGEST_LABEL
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    sound.then_some(label)
}

fn labels(hosts: &Hosts, options: &Options) -> Result<Vec<String>, PlanError> {
    let mut taken: HashMap<String, &String> = HashMap::new();
    let mut labels = Vec::with_capacity(hosts.names.len());
    for name in &hosts.names {
        let host = label(name).ok_or_else(|| PlanError::BadHost { name: name.clone() })?;
        if options.newsroom && host == NEWSROOM {
            return Err(PlanError::NamedNewsroom);
        }
        if let Some(&one) = taken.get(&host) {
            return Err(PlanError::SameHost { one: one.clone(), other: name.clone(), host });
        }
        taken.insert(host.clone(), name);
        labels.push(host);
    }
    Ok(labels)
}

fn newsroom_url(options: &Options) -> String {
    match options.place {
        Place::Local => format!("http://127.0.0.1:{}", options.port),
        Place::Compose | Place::Kubernetes => format!("http://{NEWSROOM}:{INNER_PORT}"),
    }
}

/// Where each source is.
fn origins(mesh: &Mesh, options: &Options) -> Result<Vec<Url>, PlanError> {
    let origin = |source: &crate::mesh::Source| {
        let name = source.name.clone();
        let url = match (&source.url, options.newsroom) {
            (_, true) => format!("{}/sources/{name}", newsroom_url(options)),
            (Some(url), false) => url.clone(),
            (None, false) => return Err(PlanError::NoAddress { name }),
        };
        let parsed = Url::parse(&url).ok();
        let sound = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        parsed.filter(sound).ok_or(PlanError::BadAddress { name, url })
    };
    mesh.sources.iter().map(origin).collect()
}

/// Steps of each feed from the sources, by the longest way. The graph has no circle, so there is one.
fn levels(mesh: &Mesh, links: &[Link]) -> Vec<u32> {
    let mut levels = vec![1; mesh.feeds.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for link in links {
            let Vertex::Feed(above) = link.from else { continue };
            let level = levels[above as usize] + 1;
            if level > levels[link.to as usize] && level as usize <= mesh.feeds.len() {
                levels[link.to as usize] = level;
                changed = true;
            }
        }
    }
    levels
}

/// Where a node is.
#[derive(Clone, Debug)]
struct Address {
    host: String,
    port: Option<u16>,
    url: String,
}

impl Address {
    fn new(options: &Options, labels: &[String], hosts: &Hosts, node: usize) -> Self {
        let host = labels[node].clone();
        let own = options.port + 1 + node as u16;
        let published = match &options.publish {
            Published::All => true,
            Published::These(names) => names.contains(&hosts.names[node]),
        };
        match options.place {
            Place::Local => Self { host, port: Some(own), url: format!("http://127.0.0.1:{own}") },
            Place::Compose | Place::Kubernetes => {
                let url = format!("http://{host}:{INNER_PORT}");
                Self { host, port: published.then_some(own), url }
            }
        }
    }
}

/// Everything that a node's part follows from.
struct Whole<'a> {
    mesh: &'a Mesh,
    links: &'a [Link],
    hosts: &'a Hosts,
    origins: &'a [Url],
    addresses: &'a [Address],
}

impl Whole<'_> {
    /// What the feeds of a node read.
    fn reads(&self, node: usize) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| self.hosts.of[link.to as usize] as usize == node)
    }

    /// The other nodes that it reads from.
    fn peers(&self, node: usize) -> BTreeSet<usize> {
        let host = |link: &Link| self.hosts.host(link.from).map(|host| host as usize);
        self.reads(node).filter_map(host).filter(|&peer| peer != node).collect()
    }

    fn node(&self, node: usize, levels: &[u32], options: &Options) -> Result<Node, PlanError> {
        let Address { host, port, url } = self.addresses[node].clone();
        let mut own: Vec<u32> = (0..self.mesh.feeds.len() as u32)
            .filter(|&feed| self.hosts.of[feed as usize] as usize == node)
            .collect();
        // Statements run in order, so a feed that is read comes first.
        own.sort_by_key(|&feed| (levels[feed as usize], feed));
        let feeds = own.iter().map(|&feed| self.feed(feed)).collect::<Result<_, _>>()?;
        let sources: BTreeSet<u32> = self
            .reads(node)
            .filter_map(|link| match link.from {
                Vertex::Source(source) => Some(source),
                Vertex::Feed(_) => None,
            })
            .collect();
        let mut private: BTreeSet<(String, bool)> = BTreeSet::new();
        for &source in &sources {
            let host = self.origins[source as usize].host();
            if options.newsroom || host.as_ref().is_some_and(is_private) {
                private.extend(host.map(|host| (host.to_string(), false)));
            }
        }
        for peer in self.peers(node) {
            let host = match options.place {
                Place::Local => "127.0.0.1".to_owned(),
                Place::Compose | Place::Kubernetes => self.addresses[peer].host.clone(),
            };
            // One host may be both.
            private.remove(&(host.clone(), false));
            private.insert((host, true));
        }
        let looks: BTreeSet<Vertex> = self
            .reads(node)
            .map(|link| link.from)
            .filter(|&from| self.hosts.host(from) != Some(node as u32))
            .collect();
        Ok(Node {
            name: self.hosts.names[node].clone(),
            host,
            port,
            url,
            feeds,
            sources: sources
                .into_iter()
                .map(|source| {
                    let name = self.mesh.sources[source as usize].name.clone();
                    (name, self.origins[source as usize].to_string())
                })
                .collect(),
            private: private.into_iter().collect(),
            after: Vec::new(),
            subscriptions: looks.len(),
            level: 0,
        })
    }

    /// The name and the statement of a feed.
    fn feed(&self, feed: u32) -> Result<(String, String), PlanError> {
        let node = self.hosts.of[feed as usize];
        let read = self.links.iter().filter(|link| link.to == feed).map(|link| match link.from {
            Vertex::Source(source) => {
                query::Read::Source(self.origins[source as usize].to_string())
            }
            Vertex::Feed(other) => {
                let name = self.mesh.feeds[other as usize].name.clone();
                match self.hosts.of[other as usize] {
                    host if host == node => query::Read::Own(name),
                    host => query::Read::Peer(self.addresses[host as usize].url.clone(), name),
                }
            }
        });
        let wanted = &self.mesh.feeds[feed as usize];
        let statement = query::statement(self.mesh, wanted, read.collect());
        Ok((wanted.name.clone(), statement.map_err(PlanError::Query)?))
    }
}

/// Whether only this network has the host.
fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || !name.contains('.'),
        Host::Ipv4(at) => at.is_private() || at.is_loopback() || at.is_link_local(),
        Host::Ipv6(at) => at.is_loopback() || at.is_unique_local() || at.is_unicast_link_local(),
    }
}

fn world_source(mesh: &Mesh, source: &crate::mesh::Source) -> WorldSource {
    let word = |&number: &u32| mesh.dictionary.word(number).to_owned();
    WorldSource {
        name: source.name.clone(),
        keywords: source.profile.keywords().iter().map(word).collect(),
        items_per_day: source.items_per_day,
    }
}
