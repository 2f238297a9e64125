//! How a mesh is to run.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// The port that every node listens on in a container.
pub(super) const INNER_PORT: u16 = 8080;
/// The host name of the newsroom.
pub(super) const NEWSROOM: &str = "newsroom";
/// The user id in containers. No account on the machine has it.
pub(super) const USER: u32 = 65_532;

/// Where a mesh runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// In containers on one machine.
    Compose,
    /// As processes on this machine.
    Local,
    /// In a cluster.
    Kubernetes,
}

/// What neighbours do for each other, besides serving their feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cooperation {
    /// They tell when they plan to refresh.
    Hints,
    /// They announce new items at once.
    Watch,
    /// They serve items that have left their window.
    Archive,
}

impl Cooperation {
    const ALL: [Self; 3] = [Self::Hints, Self::Watch, Self::Archive];

    /// The word in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hints => "hints",
            Self::Watch => "watch",
            Self::Archive => "archive",
        }
    }
}

/// A list of [`Cooperation`], written with commas, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cooperations(pub Vec<Cooperation>);

impl FromStr for Cooperations {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "none" {
            return Ok(Self(Vec::new()));
        }
        let one = |word: &str| {
            let word = word.trim();
            let found = Cooperation::ALL.into_iter().find(|one| one.name() == word);
            found.ok_or_else(|| {
                format!("`{word}` is no way to cooperate; use hints, watch, archive, or none")
            })
        };
        let mut all = text.split(',').map(one).collect::<Result<Vec<_>, _>>()?;
        all.sort_unstable();
        all.dedup();
        Ok(Self(all))
    }
}

impl fmt::Display for Cooperations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("none"),
            all => f.write_str(&all.iter().map(|one| one.name()).collect::<Vec<_>>().join(",")),
        }
    }
}

/// Which nodes have a port on the machine's loopback address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    All,
    /// The nodes with these names.
    These(Vec<String>),
}

impl FromStr for Published {
    type Err = Infallible;

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
    pub platform: Platform,
    /// Whether a newsroom publishes for all sources, instead of the sources themselves.
    pub newsroom: bool,
    /// The seed of what the newsroom publishes.
    pub seed: u64,
    /// How many times as fast as real time the clocks run. Only for processes with a newsroom.
    pub speed: f64,
    pub cooperate: Cooperations,
    /// How often a node refreshes each of its subscriptions, on average.
    pub refreshes_per_hour: f64,
    /// The newsroom's port on this machine. The ports of the nodes follow it.
    pub port: u16,
    pub publish: Published,
    /// The container image.
    pub image: String,
    /// The namespace in the cluster.
    pub namespace: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            platform: Platform::Compose,
            newsroom: false,
            seed: 1,
            speed: 1.0,
            cooperate: Cooperations(vec![Cooperation::Hints, Cooperation::Archive]),
            refreshes_per_hour: 60.0,
            port: 8100,
            publish: Published::All,
            image: "pergola".to_owned(),
            namespace: "pergola-mesh".to_owned(),
        }
    }
}
