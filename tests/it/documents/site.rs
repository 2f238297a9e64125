//! The site that stands for every host of example.org: whatever is asked for is a feed about volcanoes.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The site; it ends on drop.
pub(super) struct Site {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Site {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router =
            Router::new().route("/{*path}", get(async |Path(path): Path<String>| show(&path)));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// `HOST` is a page that names its feed, a list is a list, everything else a feed.
fn show(path: &str) -> Response {
    let (host, rest) = path.split_once('/').unwrap_or((path, ""));
    if rest.is_empty() {
        let page = format!(
            "<html><head><title>{host}</title><link rel=\"alternate\" type=\"application/rss+xml\" \
             href=\"/{host}/feed.xml\"></head><body><article><h2><a href=\"/{host}/1\">Volcano</a></h2>\
             </article></body></html>"
        );
        return ([(CONTENT_TYPE, "text/html")], page).into_response();
    }
    if rest.ends_with(".opml") {
        let list = "<opml version=\"2.0\"><body><outline text=\"Geology\" xmlUrl=\"/geology/feed.xml\"/></body></opml>";
        return ([(CONTENT_TYPE, "text/x-opml")], list).into_response();
    }
    let titles = ["Volcano wakes in Iceland", "Ferry late again", "The eruption in numbers"];
    let item = |(number, title): (usize, &str)| {
        format!(
            "<item><guid isPermaLink=\"false\">urn:{path}:{number}</guid><title>{title}</title>\
             <link>https://news.example/{number}</link>\
             <pubDate>{:02} Nov 2026 08:00:00 GMT</pubDate></item>",
            number + 1
        )
    };
    let items: String = titles.into_iter().enumerate().map(item).collect();
    let feed =
        format!("<rss version=\"2.0\"><channel><title>{host}</title>{items}</channel></rss>");
    ([(CONTENT_TYPE, "application/rss+xml")], feed).into_response()
}
