//! Everything outside that a node depends on, handed to it when it is opened.
//!
//! Each seam is a small type or trait: the clock, randomness, name resolution, HTTP, connections, threads for
//! work that blocks, and the store. [`Surroundings::real`] is what production uses; a test gives a node a
//! clock that it moves by hand, a network in memory or a store that fails.
//!
//! Never: the system's clock, randomness, sockets, resolver or blocking threads used by any other module. A
//! test searches the sources for it.

mod blocking;
mod http;
mod names;
mod neighbour;
mod network;
mod randomness;
mod socket;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use pergola_config::Config;
use pergola_store::{Opened, StoreError};

use crate::clock::Clock;
pub use blocking::{Blocking, Executor, Job, Panicked, Thread};
pub use http::{ClientSetup, ExchangeError, Http, HttpClient, SetupError};
pub use names::{NameError, Names, ResolverFiles, SystemNames};
pub use neighbour::Neighbour;
pub use network::{Connection, Listener, Network, Stream, listen};
pub use randomness::{Fill, Randomness};
pub use socket::{FolderSocket, SOCKET, WayToSocket};

/// An answer that somebody waits for.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Everything outside that a node depends on.
pub struct Surroundings {
    pub clock: Clock,
    pub randomness: Randomness,
    pub outside: Outside,
    pub blocking: Blocking,
    pub store: Opened,
}

impl Surroundings {
    /// The machine itself, and the store in the data folder that the configuration names.
    pub fn real(config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let store = &config.store;
        Ok(Self {
            clock,
            randomness: Randomness::of_system(),
            outside: Outside::real(),
            blocking: Blocking::of_runtime(),
            store: pergola_store::open(&config.node.data, store.backend, store.cache)?,
        })
    }
}

/// How a node reaches others.
#[derive(Clone)]
pub struct Outside {
    pub names: Arc<dyn Names>,
    pub http: Arc<dyn Http>,
    pub network: Arc<dyn Network>,
}

impl Outside {
    /// The system's files and name servers, its HTTP client and its sockets.
    pub fn real() -> Self {
        Self::resolving_by(&ResolverFiles::default())
    }

    /// The same, with other files for name resolution.
    pub fn resolving_by(files: &ResolverFiles) -> Self {
        Self {
            names: Arc::new(SystemNames::read(files)),
            http: Arc::new(http::Reqwest),
            network: Arc::new(network::Sockets),
        }
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outside").finish_non_exhaustive()
    }
}
