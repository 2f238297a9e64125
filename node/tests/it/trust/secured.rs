//! The node's port with TLS.

use std::time::Duration;

use http::Version;
use pergola_config::Clients;
use pergola_outside::tls::{self, certificates};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Authority, client, reader, secure_url, secured_config, text};
use crate::house::{House, Scene, eventually, quick_config};

async fn secured(authority: &Authority, clients: Option<Clients>) -> House {
    let folder = TempDir::new().unwrap();
    let config = secured_config(&folder, authority, clients);
    House::open(folder, config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn both_versions_of_http_are_spoken() {
    let authority = Authority::new("ours");
    let house = secured(&authority, None).await;
    let mut tls = tls::client(&[&authority.file], None).unwrap();
    tls.alpn_protocols.clear();
    let older = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy();
    let older = older.build().unwrap();
    for (client, version) in
        [(client(Some(&authority.file), None), Version::HTTP_2), (older, Version::HTTP_11)]
    {
        let response = client.get(secure_url(&house, "/healthz")).send().await.unwrap();
        assert_eq!(response.version(), version);
        assert_eq!(response.text().await.unwrap(), "ok\n");
    }
}

/// A node that somebody turned to who does not trust it, and the papers of both.
pub(crate) async fn a_handshake_fails() -> Scene {
    let (ours, other) = (Authority::new("ours"), Authority::new("another"));
    let house = secured(&ours, None).await;
    let sent = client(Some(&other.file), None).get(secure_url(&house, "/healthz")).send().await;
    assert!(sent.unwrap_err().is_connect());
    (house, Box::new((ours, other)))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_trust_the_issuer_goes_away_and_is_counted() {
    let (house, _papers) = a_handshake_fails().await;
    eventually("the failed handshake", async || {
        if house.metric("handshakes_failed_total") > 0.0 { Ok(()) } else { Err("none".to_owned()) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_on_a_secured_port_is_told_to_use_tls() {
    let house = secured(&Authority::new("ours"), None).await;
    let mut stream = TcpStream::connect(house.running.address()).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("https://"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_certificates_are_required_only_good_ones_are_served() {
    let (authority, other) = (Authority::new("ours"), Authority::new("another"));
    let house = secured(&authority, Some(Clients::Required)).await;
    let ask = async |papers| {
        let client = client(Some(&authority.file), papers);
        client.get(secure_url(&house, "/healthz")).send().await.map(|answer| answer.status())
    };
    let good = authority.papers("good", &["reader.example"]);
    assert_eq!(ask(Some(&good)).await.unwrap(), 200);
    assert!(ask(None).await.is_err(), "without a certificate");
    let theirs = other.papers("theirs", &["reader.example"]);
    assert!(ask(Some(&theirs)).await.is_err(), "signed by another");
    let expired = authority.papers_for("expired", &["reader.example"], (2020, 2021));
    assert!(ask(Some(&expired)).await.is_err(), "expired");
    let early = authority.papers_for("early", &["reader.example"], (2080, 2090));
    assert!(ask(Some(&early)).await.is_err(), "not valid yet");
    assert_eq!(ask(Some(&good)).await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_certificates_are_optional_readers_are_known_by_them() {
    let authority = Authority::new("ours");
    let alices = authority.papers("alice", &["alice.example"]);
    let folder = TempDir::new().unwrap();
    let mut config = secured_config(&folder, &authority, Some(Clients::Optional));
    config.api.token = Some(pergola_config::Secret::new("the operator's token"));
    let mut alice = reader("alice");
    (alice.token, alice.certificates) = (None, vec![alices.fingerprint]);
    config.readers = vec![alice];
    let house = House::open(folder, config).await;
    let query = r#"CREATE FEED Hidden AS RETURN "http://127.0.0.1:9/a";"#;
    house.node().run_script(query, "test").await.unwrap();
    house.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    let ask = async |papers| {
        let client = client(Some(&authority.file), papers);
        client.get(secure_url(&house, "/feeds/Hidden.atom")).send().await.unwrap().status()
    };
    assert_eq!(ask(Some(&alices)).await, 200);
    assert_eq!(ask(None).await, 404);
    let bobs = authority.papers("bob", &["bob.example"]);
    assert_eq!(ask(Some(&bobs)).await, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn renewed_certificates_are_shown_and_broken_ones_are_not() {
    let authority = Authority::new("ours");
    let folder = TempDir::new().unwrap();
    let config = secured_config(&folder, &authority, None);
    let files = config.tls.clone().unwrap();
    let house = House::open(folder, config.clone()).await;
    // Whoever trusts exactly one certificate knows whether it is the one that is shown.
    let shows = async |file: &std::path::Path| {
        let pinned = pergola_config::Tls { certificate: file.into(), ..files.clone() };
        let tls = tls::client_of_own_node(Some(&pinned), &[]).unwrap();
        let client = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build();
        client.unwrap().get(secure_url(&house, "/healthz")).send().await.is_ok()
    };
    let first = files.certificate.with_extension("first");
    std::fs::copy(&files.certificate, &first).unwrap();
    assert!(shows(&first).await);
    // The same files, another certificate.
    authority.papers("node", &["127.0.0.1"]);
    assert!(!shows(&files.certificate).await, "not before it is told");
    house.node().reload(config.clone()).await.unwrap();
    assert!(shows(&files.certificate).await && !shows(&first).await);
    // Broken in the two ways that happen: half a file, and a key that belongs to another.
    let good = std::fs::read(&files.certificate).unwrap();
    let second = files.certificate.with_extension("second");
    std::fs::write(&second, &good).unwrap();
    for broken in [&good[..good.len() / 2], &std::fs::read(&first).unwrap()] {
        std::fs::write(&files.certificate, broken).unwrap();
        let mut other = config.clone();
        other.feeds.window = 7;
        let refused = house.node().reload(other).await.unwrap_err().to_string();
        assert!(refused.contains("node."), "{refused}");
        assert!(shows(&second).await, "the one in use stays");
        assert_ne!(house.node().config().feeds.window, 7, "nothing else is taken over");
    }
    assert_eq!(certificates(&second).unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_nothing_holds_up_neither_others_nor_the_end() {
    let authority = Authority::new("ours");
    let house = secured(&authority, None).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(house.running.address()).await.unwrap());
    }
    let answer = client(Some(&authority.file), None).get(secure_url(&house, "/healthz")).send();
    assert_eq!(text(answer.await.unwrap()).await.1, "ok\n");
    // Far less than the grace, in which the silent ones would have to be cut off.
    let ended =
        tokio::time::timeout(Duration::from_secs(60), house.running.stop(Duration::from_secs(600)));
    ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_that_are_never_finished_do_not_silence_the_node() {
    let authority = Authority::new("ours");
    let folder = TempDir::new().unwrap();
    let mut config = secured_config(&folder, &authority, None);
    config.node.connections = 16;
    let house = House::open(folder, config).await;
    let mut begun = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(house.running.address()).await.unwrap();
        // The first byte of a handshake. Whoever has to make room may not get it sent.
        let _ = stream.write_all(&[22]).await;
        begun.push(stream);
    }
    for path in ["/healthz", "/readyz"] {
        // A client of its own each time, so that each makes a connection.
        let client = client(Some(&authority.file), None);
        let asking = client.get(secure_url(&house, path)).timeout(Duration::from_secs(10)).send();
        assert_eq!(asking.await.unwrap().status(), 200, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_scheme_means_https_and_its_answer_counts() {
    let authority = Authority::new("ours");
    let upstream = secured(&authority, None).await;
    let query = r#"CREATE FEED News AS RETURN "http://127.0.0.1:9/a";"#;
    upstream.node().run_script(query, "test").await.unwrap();
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.crawl.extra_ca = vec![authority.file.clone()];
    let house = House::open(folder, config).await;
    let add = async |path: &str| {
        let bare = upstream.url(path).replacen("http://", "", 1);
        let body = serde_json::json!({ "url": bare }).to_string();
        let request = house.client.post(house.url("/api/v1/sources")).body(body);
        let sent = request.header("content-type", "application/json").send().await.unwrap();
        let (status, text) = text(sent).await;
        (status, serde_json::from_str::<serde_json::Value>(&text).unwrap())
    };
    let (status, added) = add("/feeds/News.atom").await;
    assert_eq!(status, 201, "{added}");
    let taken = secure_url(&upstream, "/feeds/News.atom");
    assert_eq!(added["note"], format!("{taken} was taken"), "{added}");
    let (status, problem) = add("/feeds/Missing.atom").await;
    assert_eq!(status, 422, "{problem}");
    let missing = format!("{} cannot be read", secure_url(&upstream, "/feeds/Missing.atom"));
    assert!(problem["detail"].as_str().unwrap().starts_with(&missing), "{problem}");
}
