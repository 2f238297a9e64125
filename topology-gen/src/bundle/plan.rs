//! Decides what runs where, and which addresses each node knows.

mod address;
mod error;
mod node;

use pergola_wiring::graph::{Link, depths};
use pergola_wiring::mesh::{Mesh, Source};

use super::options::{Options, Platform, Published};
use crate::hosts::Hosts;
use crate::names::did_you_mean;
use address::{Address, label, labels, newsroom_url, origins};
use error::{MOST_ITEMS, MOST_KEYWORDS, MOST_NODES};
use node::Whole;

pub use error::PlanError;
pub(super) use node::Node;

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Plan {
    pub options: Options,
    /// Nodes come after the nodes that they read from, as far as possible.
    pub nodes: Vec<Node>,
    /// The sources of the newsroom, if there is one.
    pub newsroom_sources: Vec<NewsroomSource>,
}

/// A source of the newsroom.
#[derive(Clone, Debug, PartialEq)]
pub struct NewsroomSource {
    pub name: String,
    /// What it publishes about.
    pub keywords: Vec<String>,
    pub items_per_day: Option<f64>,
}

impl Plan {
    /// Puts a wired mesh on nodes.
    ///
    /// # Errors
    /// When an option, a name or an address is not valid.
    pub fn new(
        mesh: &Mesh,
        links: &[Link],
        hosts: &Hosts,
        options: Options,
    ) -> Result<Self, PlanError> {
        check(&options, hosts)?;
        let labels = labels(hosts, &options)?;
        let origins = origins(mesh, &options)?;
        let levels = depths(mesh.feeds.len(), links);
        let mut own = vec![Vec::new(); hosts.names.len()];
        (0..mesh.feeds.len()).for_each(|feed| own[hosts.of[feed] as usize].push(feed as u32));
        // Statements are executed in order, so a feed comes after the feeds that it reads.
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
        // Ports are in the order of the names, so that they are easy to find.
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
        let newsroom_sources =
            sources.iter().map(|source| newsroom_source(mesh, source)).collect::<Result<_, _>>()?;
        Ok(Self { options, nodes, newsroom_sources })
    }

    /// The address at which nodes reach the newsroom.
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
    let in_range = |number: f64| number > 0.0 && number <= 100_000.0;
    if !in_range(options.refreshes_per_hour) {
        return Err(PlanError::Refreshes(options.refreshes_per_hour));
    }
    if !in_range(options.speed) {
        return Err(PlanError::Speed(options.speed));
    }
    if options.speed != 1.0 && !(options.newsroom && options.platform == Platform::Local) {
        return Err(PlanError::SpeedElsewhere(options.speed));
    }
    if options.platform == Platform::Kubernetes
        && label(&options.namespace).as_ref() != Some(&options.namespace)
    {
        return Err(PlanError::Namespace(options.namespace.clone()));
    }
    if options.image.is_empty() || options.image.contains(char::is_whitespace) {
        return Err(PlanError::Image);
    }
    if let Published::These(names) = &options.publish
        && let Some(name) = names.iter().find(|name| !hosts.names.contains(name))
    {
        let hint = did_you_mean(name, hosts.names.iter().map(String::as_str));
        return Err(PlanError::UnknownNode { name: name.clone(), hint });
    }
    Ok(())
}

fn newsroom_source(mesh: &Mesh, source: &Source) -> Result<NewsroomSource, PlanError> {
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
    Ok(NewsroomSource { name, keywords, items_per_day: source.items_per_day })
}
