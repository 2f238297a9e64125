//! A site with twelve awkward sources.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// `reader` and `secret`, as a browser sends them.
const CREDENTIALS: &str = "Basic cmVhZGVyOnNlY3JldA==";

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Geology</title><id>urn:example:geology</id>
<updated>2026-11-03T08:00:00Z</updated>
<entry><id>urn:example:geology:1</id><title>Volcanology for everybody</title><updated>2026-11-03T08:00:00Z</updated>
<link href="https://geology.example/1"/><summary>How volcanoes are watched.</summary></entry></feed>"#;

const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "Weather", "items": [
{"id": "w1", "title": "Ash cloud drifts south", "url": "https://weather.example/1",
 "content_text": "After the eruption, no flights.", "date_published": "2026-11-04T08:00:00Z"}]}"#;

/// Nothing closes what is open.
const BROKEN: &str = "<rss version=\"2.0\"><channel><title>Broken</title><item><title>Half a vol";

const PAGE: &str = r#"<html><head><title>A blog</title>
<link rel="alternate" type="application/rss+xml" href="/blog.xml"></head><body>Welcome</body></html>"#;

const NEWS: &str = r#"<html><head><title>Village news</title></head><body>
<article><h2><a href="/news/1">The volcano from our café</a></h2><p>Coffee with a view.</p></article>
<article><h2><a href="/news/2">New bakery</a></h2><p>Bread at six.</p></article></body></html>"#;

/// The site; it ends on drop.
pub(super) struct Site {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Site {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router()).await.unwrap() });
        Self { address, serving }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn router() -> Router {
    let island = rss("Island news", &[("n1", "Volcano wakes", 1), ("n2", "Ferry late again", 2)]);
    let blog = rss("A blog", &[("b1", "Hiking on old volcanoes", 5)]);
    let twin = |name: &str| rss(name, &[("1", &format!("{name}: first"), 6)]);
    let moved = rss("Moved", &[("m1", "We have moved", 7)]);
    let private = rss("For subscribers", &[("p1", "The eruption in numbers", 8)]);
    Router::new()
        .route("/rss.xml", document("application/rss+xml", island))
        .route("/atom.xml", document("application/atom+xml", ATOM.to_owned()))
        .route("/feed.json", document("application/feed+json", JSON.to_owned()))
        .route("/", document("text/html", PAGE.to_owned()))
        .route("/blog.xml", document("application/rss+xml", blog))
        .route("/news.html", document("text/html", NEWS.to_owned()))
        .route("/slow.xml", get(slow))
        .route("/broken.xml", document("application/rss+xml", BROKEN.to_owned()))
        .route("/east.xml", document("application/rss+xml", twin("East")))
        .route("/west.xml", document("application/rss+xml", twin("West")))
        .route("/private.xml", get(async move |headers: HeaderMap| guarded(&headers, private)))
        .route("/old.xml", get(async || (StatusCode::MOVED_PERMANENTLY, [(LOCATION, "/new.xml")])))
        .route("/new.xml", document("application/rss+xml", moved))
        .route("/empty.xml", document("application/rss+xml", rss("Empty", &[])))
}

fn document(kind: &'static str, text: String) -> axum::routing::MethodRouter {
    get(async move || ([(CONTENT_TYPE, kind)], text))
}

/// A document with items: a guid, a title and a day of November 2026.
fn rss(title: &str, items: &[(&str, &str, u32)]) -> String {
    let item = |(guid, title, day): &(&str, &str, u32)| {
        format!(
            "<item><guid isPermaLink=\"false\">{guid}</guid><title>{title}</title>\
             <link>https://news.example/{guid}</link>\
             <pubDate>{day:02} Nov 2026 08:00:00 GMT</pubDate></item>"
        )
    };
    let items: String = items.iter().map(item).collect();
    format!("<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>")
}

/// Answers when everybody has given up.
async fn slow() -> StatusCode {
    tokio::time::sleep(Duration::from_secs(60)).await;
    StatusCode::NO_CONTENT
}

/// Only for those who know the password.
fn guarded(headers: &HeaderMap, text: String) -> Response {
    if headers.get(AUTHORIZATION).is_some_and(|sent| sent == CREDENTIALS) {
        return ([(CONTENT_TYPE, "application/rss+xml")], text).into_response();
    }
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Basic realm=\"subscribers\"")]).into_response()
}
