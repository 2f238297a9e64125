//! What runs where, and who is told about whom.

mod address;
mod part;

use super::{NEWSROOM, Options, Place, Published};
use crate::graph::{Link, Vertex};
use crate::hosts::Hosts;
use crate::mesh::Mesh;
use address::{Address, LONGEST_LABEL, label, labels, newsroom_url, origins};
use part::Whole;

/// The most nodes that one machine or one file is asked to hold.
const MOST_NODES: usize = 1_000;

/// Keywords of one source of a newsroom.
const MOST_KEYWORDS: usize = 128;
/// Items that one source of a newsroom publishes in a day.
const MOST_ITEMS: f64 = 86_400_000.0;

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
    #[error(
        "source `{name}` has {given} keywords, but a newsroom writes about {MOST_KEYWORDS} at most for each"
    )]
    Keywords { name: String, given: usize },
    #[error(
        "source `{name}` publishes {given} items a day; give it a number from 0 to {MOST_ITEMS}"
    )]
    Rate { name: String, given: f64 },
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
        let mut own = vec![Vec::new(); hosts.names.len()];
        (0..mesh.feeds.len()).for_each(|feed| own[hosts.of[feed] as usize].push(feed as u32));
        // Statements run in order, so a feed that is read comes first.
        own.iter_mut().for_each(|feeds| feeds.sort_by_key(|&feed| (levels[feed as usize], feed)));
        let level = |(node, feeds): (usize, &Vec<u32>)| {
            let last = feeds.last().map(|&feed| levels[feed as usize]);
            last.ok_or_else(|| PlanError::Idle { name: hosts.names[node].clone() })
        };
        let node_levels: Vec<u32> = own.iter().enumerate().map(level).collect::<Result<_, _>>()?;
        let mut order: Vec<usize> = (0..hosts.names.len()).collect();
        order.sort_by_key(|&node| node_levels[node]);
        let mut place_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &node)| place_of[node] = place);
        // Ports follow the names' own order, so that they are easy to find.
        let addresses: Vec<Address> = (0..hosts.names.len())
            .map(|node| Address::new(&options, &labels, hosts, node))
            .collect();
        let mut nodes = Vec::with_capacity(order.len());
        let whole = Whole { mesh, links, hosts, own, origins, addresses, options: &options };
        for (place, &node) in order.iter().enumerate() {
            let before = whole.peers(node).into_iter().map(|peer| place_of[peer]);
            let mut after: Vec<usize> = before.filter(|&other| other < place).collect();
            after.sort_unstable();
            nodes.push(Node { level: node_levels[node], after, ..whole.node(node)? });
        }
        let sources = if options.newsroom { &mesh.sources[..] } else { &[] };
        let world =
            sources.iter().map(|source| world_source(mesh, source)).collect::<Result<_, _>>()?;
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

fn world_source(mesh: &Mesh, source: &crate::mesh::Source) -> Result<WorldSource, PlanError> {
    let word = |&number: &u32| mesh.dictionary.word(number).to_owned();
    let name = source.name.clone();
    let given = source.profile.len();
    if given > MOST_KEYWORDS {
        return Err(PlanError::Keywords { name, given });
    }
    if let Some(given) = source.items_per_day
        && !(0.0..=MOST_ITEMS).contains(&given)
    {
        return Err(PlanError::Rate { name, given });
    }
    let keywords = source.profile.keywords().iter().map(word).collect();
    Ok(WorldSource { name, keywords, items_per_day: source.items_per_day })
}
