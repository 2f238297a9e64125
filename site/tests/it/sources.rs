//! Sources, managed by somebody without scripts.

mod adding;
mod listing;
mod one;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::origin::{Origin, Reply};
use crate::place::{Place, rss};

/// A feed with two items at an address that ends in `path`.
async fn origin_with_feed(path: &str, title: &str) -> Origin {
    let feed = rss(title, &[("1", "First"), ("2", "Second")]);
    Origin::builder().page(path, Reply::ok(feed)).start().await
}

/// Adds a source by the form, and says which number it got.
async fn added(place: &Place, fields: &[(&str, &str)]) -> String {
    let (status, leads, text) = place.send("/sources/new", fields).await;
    let leads = leads.unwrap_or_else(|| panic!("{status}: {text}"));
    assert!(leads.starts_with("../sources/") && leads.ends_with("?note=added"), "{leads}");
    leads.trim_start_matches("../sources/").trim_end_matches("?note=added").to_owned()
}

/// Sends a file as a browser does.
async fn upload(place: &Place, path: &str, file: &str) -> (u16, String) {
    static SENT: AtomicU64 = AtomicU64::new(0);
    let boundary = format!("boundary-{}", SENT.fetch_add(1, Ordering::Relaxed));
    let body = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\
         content-type: text/xml\r\n\r\n{file}\r\n--{boundary}--\r\n"
    );
    let kind = format!("multipart/form-data; boundary={boundary}");
    let sent = place.client.post(place.url(path)).header("accept", "text/html");
    let sent = sent.header("content-type", kind).header("origin", place.url("")).body(body);
    let answer = sent.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}
