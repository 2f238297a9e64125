//! The client of a command: over the network if a node runs, else on the opened data folder.
//!
//! Both ways end in the same routes, so a command is written once and means the same. A command never touches
//! the data of another node than the one that was meant: `node.json` counts only while a process holds the
//! folder's lock.

mod network;
mod target;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pergola_node::api::InProcess;
use pergola_node::node::{self, Node};
use pergola_outside::clock::Clock;

use super::failure;
use super::settings::Settings;
pub(super) use target::{Target, in_use};

/// What a command needs if no node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    /// Data that is there already. The command makes no folder.
    MustExist,
    /// Nothing: the command begins a data folder if there is none.
    MayBegin,
}

/// The client of one node.
pub(super) struct Client {
    api: pergola_api::Client,
    opened: Option<Opened>,
}

/// A node that was opened in this process because none runs.
struct Opened {
    node: Arc<Node>,
    data: PathBuf,
}

impl Deref for Client {
    type Target = pergola_api::Client;

    fn deref(&self) -> &pergola_api::Client {
        &self.api
    }
}

impl Client {
    /// Finds the node, runs `work` with a client, and closes what was opened.
    pub(super) async fn with<T>(
        settings: &Settings,
        data: Data,
        work: impl AsyncFnOnce(&Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let client = Self::connect(settings, data).await?;
        let done = work(&client).await;
        let Self { api, opened } = client;
        drop(api);
        if let Some(Opened { node, .. }) = opened {
            node::close(node).await;
        }
        done
    }

    async fn connect(settings: &Settings, needed: Data) -> anyhow::Result<Self> {
        let config = match Target::find(settings).await? {
            Target::Running(api) => return Ok(Self { api, opened: None }),
            Target::Folder(config) => config,
        };
        let data = config.node.data.clone();
        if !pergola_store::holds_data(&data)? {
            match needed {
                Data::MustExist => return Err(target::nothing_there(&data).into()),
                Data::MayBegin => {
                    let (begun, run) = (data.display(), "`pergola run` starts a node there");
                    let hint = format!("no node is running; this is kept in {begun}, and {run}");
                    failure::advise(hint, settings);
                }
            }
        }
        let clock = Clock::configured(&config.clock);
        let opened = Node::open_here(*config, clock).await;
        let node = opened.map_err(|error| target::not_opened(error, &data))?;
        let settings = settings.clone();
        node.reread_by(move |stored| settings.load_with(stored));
        let api = InProcess::client(pergola_site::api(Arc::clone(&node)));
        Ok(Self { api, opened: Some(Opened { node, data }) })
    }

    /// Whether a node runs, so that new items may come.
    pub(super) fn is_running(&self) -> bool {
        self.opened.is_none()
    }

    /// The data folder that was opened because no node runs.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.opened.as_ref().map(|opened| opened.data.as_path())
    }
}
