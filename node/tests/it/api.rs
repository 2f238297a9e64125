//! The API as its clients see it: a node at work, asked over HTTP.

mod access;
mod addresses;
mod description;
mod feeds;
mod folders;
mod keys;
mod next;
mod operation;
mod removed;
mod sources;
mod users;

use std::time::Duration;

use pergola_config::{Config, Secret};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

use crate::house::{House, quick_config};
use crate::origin::{Origin, Reply};

/// A node that refreshes only when it is asked to.
pub(crate) async fn quiet_house() -> House {
    quiet_house_with(|_| ()).await
}

pub(crate) async fn quiet_house_with(change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.schedule.cycle = Duration::from_secs(3_600);
    change(&mut config);
    House::open(folder, config).await
}

async fn guarded_house() -> House {
    quiet_house_with(|config| config.api.token = Some(Secret::new("open sesame"))).await
}

pub(crate) fn ask(house: &House, method: Method, path: &str) -> RequestBuilder {
    house.client.request(method, house.url(path))
}

pub(crate) async fn get(house: &House, path: &str) -> (StatusCode, Value) {
    told(ask(house, Method::GET, path).send().await.unwrap()).await
}

async fn delete(house: &House, path: &str) -> (StatusCode, Value) {
    told(ask(house, Method::DELETE, path).send().await.unwrap()).await
}

pub(crate) async fn post(house: &House, path: &str, body: Value) -> (StatusCode, Value) {
    told(posting(house, path, &body).send().await.unwrap()).await
}

fn posting(house: &House, path: &str, body: &Value) -> RequestBuilder {
    let request = ask(house, Method::POST, path).header("content-type", "application/json");
    request.body(body.to_string())
}

/// Status and body; every error must be a problem that says its own status.
pub(crate) async fn told(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    if status.is_client_error() || status == StatusCode::INTERNAL_SERVER_ERROR {
        assert_eq!(kind.as_deref(), Some("application/problem+json"), "{body}");
        assert_eq!(body["status"], status.as_u16(), "{body}");
        assert_eq!(body["type"], "about:blank", "{body}");
    }
    (status, body)
}

/// A feed document with items of these titles.
pub(crate) fn feed(titles: &[&str]) -> Reply {
    let item = |title: &&str| {
        format!("<item><title>{title}</title><guid>https://example.org/{title}</guid></item>")
    };
    let items: String = titles.iter().map(item).collect();
    let channel = format!("<channel><title>Example</title>{items}</channel>");
    Reply::ok(format!("<rss version=\"2.0\">{channel}</rss>"))
        .header("content-type", "application/rss+xml")
}

async fn origin(path: &str, reply: Reply) -> Origin {
    Origin::builder().page(path, reply).start().await
}

/// The address as one segment of a path.
fn encoded(url: impl AsRef<str>) -> String {
    pergola_feed::percent::encode(url.as_ref()).to_string()
}
