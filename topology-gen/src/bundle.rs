//! A mesh that can be started: one configuration per node, and what starts them.
//!
//! [`Plan`] says what runs where and who is told about whom; the rest writes it down, for containers
//! ([`Place::Compose`]), for processes on this machine ([`Place::Local`]) or for a cluster
//! ([`Place::Kubernetes`]). The same mesh and the same options give the same files, but for the secrets, which
//! nobody could guess from a seed. Every node names its neighbours, and only them, as hosts in private
//! networks that it may reach.

mod compose;
mod config;
mod files;
mod kubernetes;
mod local;
mod newsroom;
mod plan;
mod query;
mod readme;
mod secrets;
mod yaml;

use std::fmt;
use std::str::FromStr;

pub use files::write;
pub use plan::{Plan, PlanError};

/// The port that every node has in a network of its own.
const INNER_PORT: u16 = 8080;
/// What the world is called among hosts.
const NEWSROOM: &str = "newsroom";
/// Who the nodes are in containers: nobody that exists on the machine.
const USER: u32 = 65_532;

/// Where a mesh runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In containers on one machine.
    Compose,
    /// As processes on this machine.
    Local,
    /// In a cluster.
    Kubernetes,
}

/// What neighbours do for each other besides plain pulling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// They say when they plan to look.
    Hints,
    /// They tell of news at once.
    Watch,
    /// They give what has left their windows.
    Archive,
}

impl Way {
    const ALL: [Self; 3] = [Self::Hints, Self::Watch, Self::Archive];

    /// As the configuration has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hints => "hints",
            Self::Watch => "watch",
            Self::Archive => "archive",
        }
    }
}

/// Several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways(pub Vec<Way>);

impl FromStr for Ways {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "none" {
            return Ok(Self(Vec::new()));
        }
        let way = |word: &str| {
            let found = Way::ALL.into_iter().find(|way| way.name() == word.trim());
            found.ok_or_else(|| {
                format!(
                    "`{}` is no way to cooperate: hints, watch and archive are, or none",
                    word.trim()
                )
            })
        };
        let mut ways = text.split(',').map(way).collect::<Result<Vec<_>, _>>()?;
        ways.sort_unstable();
        ways.dedup();
        Ok(Self(ways))
    }
}

impl fmt::Display for Ways {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("none"),
            ways => f.write_str(&ways.iter().map(|way| way.name()).collect::<Vec<_>>().join(",")),
        }
    }
}

/// Which nodes have a port on the machine's loopback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// All of them.
    All,
    /// Those of these names.
    These(Vec<String>),
}

impl FromStr for Published {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "all" => Self::All,
            "none" => Self::These(Vec::new()),
            names => Self::These(names.split(',').map(|name| name.trim().to_owned()).collect()),
        })
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::These(names) if names.is_empty() => f.write_str("none"),
            Self::These(names) => f.write_str(&names.join(",")),
        }
    }
}

/// How a mesh is to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Where.
    pub place: Place,
    /// Whether a newsroom is its world.
    pub newsroom: bool,
    /// The seed of what the newsroom publishes.
    pub seed: u64,
    /// How many times as fast as in life; only for processes with a newsroom.
    pub speed: f64,
    /// What neighbours do for each other.
    pub cooperate: Ways,
    /// Looks an hour at everything that a node reads, on average.
    pub looks_per_hour: f64,
    /// The newsroom's port on this machine; those of the nodes follow.
    pub port: u16,
    /// Which nodes have one.
    pub publish: Published,
    /// What containers are made from.
    pub image: String,
    /// The namespace in the cluster.
    pub namespace: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            place: Place::Compose,
            newsroom: false,
            seed: 1,
            speed: 1.0,
            cooperate: Ways(vec![Way::Hints, Way::Archive]),
            looks_per_hour: 60.0,
            port: 8100,
            publish: Published::All,
            image: "pergola".to_owned(),
            namespace: "pergola-mesh".to_owned(),
        }
    }
}
