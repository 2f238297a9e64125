//! Sources that the test serves itself, and a record of their requests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use pergola_newsroom::Process;
use pergola_newsroom::serve::{Headline, Newsroom, Source};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::now;

type Ledger = Arc<Mutex<HashMap<String, Vec<f64>>>>;

/// A newsroom on a port of its own; it ends on drop.
pub(crate) struct Press {
    pub(crate) newsroom: Newsroom,
    address: SocketAddr,
    asked: Ledger,
    serving: JoinHandle<()>,
}

/// A source that publishes only when told to.
pub(crate) fn silent(name: &str) -> Source {
    Source::new(name, Process::Constant { rate: 0.0 })
}

impl Press {
    pub(crate) async fn start(sources: impl IntoIterator<Item = Source>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let newsroom = Newsroom::builder(Arc::new(now))
            .seed(1)
            .base_url(format!("http://{address}"))
            .sources(sources)
            .build()
            .unwrap();
        let asked = Ledger::default();
        let router = newsroom.router().layer(from_fn_with_state(Arc::clone(&asked), remember));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { newsroom, address, asked, serving }
    }

    /// The address of a source.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{}/sources/{name}", self.address)
    }

    /// Publishes an item with this title.
    pub(crate) fn publish(&self, source: &str, title: &str) {
        self.newsroom.publish_headline(source, Headline::new(title, &["news"])).unwrap();
    }

    /// When a source was requested, in seconds since the Unix epoch.
    pub(crate) fn asked(&self, name: &str) -> Vec<f64> {
        let ledger = self.asked.lock().unwrap();
        ledger.get(&format!("/sources/{name}")).cloned().unwrap_or_default()
    }
}

impl Drop for Press {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn remember(State(ledger): State<Ledger>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    ledger.lock().unwrap().entry(path).or_default().push(now());
    next.run(request).await
}
