//! Whom a node trusts, and who trusts it: certificates, tokens, and feeds for named readers only.

mod deputy;
pub(crate) mod papers;
mod peers;
mod presented;
mod readers;
mod secured;
mod strangers;

use std::path::Path;

use pergola_config::{Clients, Config, Limits, Reader, Secret, Tls};
use pergola_outside::tls;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use tempfile::TempDir;

use crate::house::{House, quick_config};
use papers::{Authority, Papers};
pub(crate) use secured::a_handshake_fails;

/// A client that trusts one authority, and shows papers if it has any.
fn client(trusted: Option<&Path>, papers: Option<&Papers>) -> Client {
    let trusted: Vec<&Path> = trusted.into_iter().collect();
    let identity = papers.map(|papers| (papers.chain.as_path(), papers.key.as_path()));
    let tls = tls::client(&trusted, identity).unwrap();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}

/// A node whose port is secured by papers for this machine.
fn secured_config(folder: &TempDir, authority: &Authority, clients: Option<Clients>) -> Config {
    let papers = authority.papers("node", &["127.0.0.1", "localhost"]);
    let mut config = quick_config(folder);
    config.tls = Some(Tls {
        certificate: papers.chain,
        key: papers.key,
        client_ca: clients.map(|_| authority.file.clone()),
        clients: clients.unwrap_or(Clients::Optional),
    });
    config
}

fn secure_url(house: &House, path: &str) -> String {
    house.url(path).replacen("http:", "https:", 1)
}

/// A reader with a token of its name.
pub(crate) fn reader(name: &str) -> Reader {
    let limits = Limits { streams: 8, requests_per_minute: 1_000, max_message: 1 << 20 };
    let token = Some(Secret::new(format!("the token of {name}")));
    Reader { name: name.to_owned(), token, certificates: Vec::new(), limits }
}

/// A node with the readers alice and bob, a token for its operator, and two feeds without items.
async fn house_with_readers(change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.api.token = Some(Secret::new("the operator's token"));
    config.readers = vec![reader("alice"), reader("bob")];
    change(&mut config);
    let house = House::open(folder, config).await;
    let query = r#"CREATE FEED Open AS RETURN "http://127.0.0.1:9/a"; CREATE FEED Hidden AS RETURN "http://127.0.0.1:9/b";"#;
    house.node().run_script(query, "test").await.unwrap();
    house.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    house
}

pub(crate) fn as_reader(request: RequestBuilder, name: &str) -> RequestBuilder {
    request.header("authorization", format!("Bearer the token of {name}"))
}

async fn text(response: Response) -> (StatusCode, String) {
    (response.status(), response.text().await.unwrap())
}
