//! A running node: its tasks, which are started and stopped together.
//!
//! Stopping drains: no refresh is started, refreshes under way are finished and committed, what was learnt is
//! saved, and then the writer ends. Tasks that take longer than the grace period are aborted; only their
//! refreshes are lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Node, StartError, settings};
use pergola_outside::open_files;
use pergola_outside::surroundings::{FolderSocket, Listener, listen};
use pergola_outside::tls::Shown;
use pergola_port::access::{ByFolder, ListensOn};
use pergola_port::serve::Port;

/// A running node.
pub struct Running {
    pub node: Arc<Node>,
    address: SocketAddr,
    stop: CancellationToken,
    tasks: Tasks,
}

impl Node {
    /// Listens where the configuration says.
    pub async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
        listen(address).await.map_err(|source| {
            let hint = match source.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "; is another pergola running? choose another with node.listen"
                }
                _ => "; see node.listen in the configuration",
            };
            StartError::System { what: format!("cannot listen on {address}{hint}"), source }
        })
    }

    /// Crawls, and serves its feeds and what `router` answers besides, until `stop` is cancelled. `front` stands
    /// before all of it.
    pub(crate) fn run(
        self: Arc<Self>,
        listener: Box<dyn Listener>,
        router: Router,
        front: impl FnOnce(Router) -> Router,
        stop: CancellationToken,
    ) -> Result<Running, StartError> {
        let system = |source| StartError::System { what: "the socket is unusable".into(), source };
        let address = listener.local_address().map_err(system)?;
        let config = self.config();
        let shown = config.tls.as_ref().map(Shown::read).transpose()?.map(Arc::new);
        let mut tasks = JoinSet::new();
        self.start_crawling(&stop, &mut tasks);
        let pushing = self.start_pushing(&stop, &mut tasks);
        let router = router.merge(crate::publish::router(Arc::clone(&self.shelf))).merge(pushing);
        let router = front(router);
        if let Some(socket) = self.folder_socket() {
            let port = Port::plain(router.clone().layer(Extension(ByFolder)));
            spawn(&mut tasks, "socket", port.serve(socket, stop.clone()));
        }
        let port = Port {
            router,
            listens_on: Some(ListensOn(address)),
            tls: shown.clone(),
            places: settings::places(&config, open_files::raise()),
            patience: settings::patience(&config),
            favour: self.favour(),
            metrics: self.metrics.port.clone(),
        };
        *self.shown.lock() = shown;
        spawn(&mut tasks, "server", port.serve(listener, stop.clone()));
        self.set_running(true);
        Ok(Running { node: self, address, stop, tasks })
    }

    /// The socket for commands on this machine. A node without a data folder, or in one that it cannot close to
    /// others, has none.
    fn folder_socket(&self) -> Option<FolderSocket> {
        if !self.data.is_dir() {
            return None;
        }
        let warn = |error: &std::io::Error| {
            tracing::warn!(%error, "there is no socket in the data folder: commands on this machine use the port");
        };
        FolderSocket::listen(&self.data).inspect_err(warn).ok()
    }

    fn start_crawling(self: &Arc<Self>, stop: &CancellationToken, tasks: &mut Tasks) {
        let crawler = &self.crawler;
        spawn(tasks, "crawler", Arc::clone(crawler).run(stop.clone()));
        spawn(tasks, "watching", crate::crawl::watch::run(Arc::clone(crawler), stop.clone()));
        spawn(tasks, "housekeeping", Arc::clone(self).keep_house(stop.clone()));
        spawn(tasks, "scrubbing", Arc::clone(self).scrub_daily(stop.clone()));
        spawn(tasks, "indexing", Arc::clone(self).keep_index(stop.clone()));
        spawn(tasks, "lists", Arc::clone(self).follow_lists(stop.clone()));
        spawn(tasks, "moves", Arc::clone(self).follow_moves(stop.clone()));
    }

    /// Starts the notifier, the hub and the subscriber, as far as the node has them; where they are asked.
    fn start_pushing(&self, stop: &CancellationToken, tasks: &mut Tasks) -> Router {
        spawn(tasks, "notifier", Arc::clone(&self.notifier).run(stop.clone()));
        let mut router = Router::new();
        if let Some(hub) = &self.hub {
            router = router.merge(hub.router());
            spawn(tasks, "hub", Arc::clone(hub).run(stop.clone()));
        }
        if let Some(subscriber) = &self.subscriber {
            router = router.merge(subscriber.router());
            spawn(tasks, "subscriber", Arc::clone(subscriber).run(stop.clone()));
        }
        router
    }
}

/// What runs, each task by its name.
type Tasks = JoinSet<&'static str>;

fn spawn(tasks: &mut Tasks, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
    tasks.spawn(async move {
        task.await;
        name
    });
}

impl Running {
    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until a task ends although nobody stopped it; says which one.
    pub async fn failed(&mut self) -> String {
        match self.tasks.join_next().await {
            Some(Ok(task)) => format!("the {task} task ended by itself"),
            Some(Err(panicked)) => panicked.to_string(),
            None => "nothing runs".to_owned(),
        }
    }

    /// Stops refreshing, finishes what is under way, saves and closes.
    pub async fn stop(mut self, grace: Duration) {
        self.node.set_running(false);
        self.stop.cancel();
        let drain = async {
            while let Some(ended) = self.tasks.join_next().await {
                if let Err(error) = ended {
                    tracing::error!(%error, "a task panicked while stopping");
                }
            }
        };
        if tokio::time::timeout(grace, drain).await.is_err() {
            tracing::warn!("some tasks did not finish in time and are aborted");
            self.tasks.shutdown().await;
        }
        if let Err(error) = self.node.save_learnt().await {
            tracing::error!(%error, "what was learnt lately could not be saved");
        }
        close(self.node).await;
    }
}

/// Waits for the threads that select and write to finish their last job, and releases the data folder.
pub async fn close(node: Arc<Node>) {
    let threads = std::mem::take(&mut *node.threads.lock());
    drop(node);
    // They end when the last handle is dropped; a request that is being answered may still hold one.
    let ended = async {
        for thread in threads {
            thread.ended().await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(10), ended).await;
}
