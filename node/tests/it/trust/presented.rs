//! What a node shows to others, and whom it trusts there.

use std::path::Path;
use std::time::Duration;

use pergola_config::{Clients, Config, HostCredentials, Secret};
use pergola_manners::courtesy::Validators;
use pergola_node::node::Node;
use pergola_outside::clock::Clock;
use pergola_outside::fetch::{Ask, FetchSettings, Fetcher};
use pergola_outside::guard::Guard;
use tempfile::TempDir;
use tokio::net::TcpListener;
use url::Url;

use super::{Authority, house_with_readers, secure_url, secured_config};
use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

/// A configuration that shows this machine something.
fn config_showing(folder: &TempDir, shown: HostCredentials) -> Config {
    let mut config = quick_config(folder);
    config.hosts.named.get_mut("127.0.0.1").unwrap().credentials = shown;
    config
}

fn token(token: &str) -> HostCredentials {
    HostCredentials { token: Some(Secret::new(token)), ..HostCredentials::default() }
}

fn trusting(ca: &Path) -> HostCredentials {
    HostCredentials { ca: Some(ca.to_owned()), ..HostCredentials::default() }
}

/// What a fetch of a node's health says that goes wrong, with these credentials.
async fn trouble(house: &House, shown: HostCredentials) -> String {
    let folder = TempDir::new().unwrap();
    let settings = FetchSettings {
        guard: Guard::allowing(["127.0.0.1".parse().unwrap()]),
        hosts: config_showing(&folder, shown).hosts,
        ..FetchSettings::default()
    };
    let url = Url::parse(&secure_url(house, "/healthz")).unwrap();
    let ask = Ask::new(url, Validators::default(), 1);
    match Fetcher::new(settings).unwrap().fetch(&ask).await {
        Ok(answer) => answer.status.to_string(),
        Err(error) => error.to_string(),
    }
}

/// A node secured by papers of these years.
async fn secured(authority: &Authority, years: (i32, i32), clients: Option<Clients>) -> House {
    let folder = TempDir::new().unwrap();
    let config = secured_config(&folder, authority, clients);
    authority.papers_for("node", &["127.0.0.1"], years);
    House::open(folder, config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_cannot_be_trusted_is_named_with_the_reason() {
    let authority = Authority::new("ours");
    let good = secured(&authority, (2020, 2090), None).await;
    assert_eq!(trouble(&good, trusting(&authority.file)).await, "200");
    let unknown = trouble(&good, HostCredentials::default()).await;
    assert!(unknown.contains("nobody we trust has signed its certificate"), "{unknown}");
    assert!(unknown.contains("`ca` of this host"), "{unknown}");
    let expired = secured(&authority, (2020, 2021), None).await;
    let said = trouble(&expired, trusting(&authority.file)).await;
    assert!(said.contains("its certificate has expired"), "{said}");
    let early = secured(&authority, (2080, 2090), None).await;
    let said = trouble(&early, trusting(&authority.file)).await;
    assert!(said.contains("not valid yet; check the clocks"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_shown_to_a_host_that_wants_one() {
    let authority = Authority::new("ours");
    let house = secured(&authority, (2020, 2090), Some(Clients::Required)).await;
    let shown = |papers: &super::Papers| HostCredentials {
        identity: Some((papers.chain.clone(), papers.key.clone())),
        ..trusting(&authority.file)
    };
    let papers = authority.papers("downstream", &["downstream.example"]);
    assert_eq!(trouble(&house, shown(&papers)).await, "200");
    let said = trouble(&house, trusting(&authority.file)).await;
    assert!(said.contains("`certificate` and `key` of this host"), "{said}");
    let expired = authority.papers_for("late", &["downstream.example"], (2020, 2021));
    let said = trouble(&house, shown(&expired)).await;
    assert!(said.contains("certificate"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_the_trouble_of_the_source_and_nothing_is_lost() {
    let authority = Authority::new("ours");
    let folder = TempDir::new().unwrap();
    let upstream_config = secured_config(&folder, &authority, None);
    let good = upstream_config.tls.clone().unwrap();
    let expired = authority.papers_for("expired", &["127.0.0.1"], (2020, 2021));
    let mut config = upstream_config.clone();
    config.tls.as_mut().unwrap().certificate = expired.chain;
    config.tls.as_mut().unwrap().key = expired.key;
    let upstream = House::open(folder, config).await;
    let origin = Origin::builder().page("/news", news()).start().await;
    let query = format!(r#"CREATE FEED News AS RETURN "{}";"#, origin.url("/news"));
    upstream.node().run_script(&query, "test").await.unwrap();

    let folder = TempDir::new().unwrap();
    let mut config = config_showing(&folder, trusting(&authority.file));
    config.schedule.cycle = Duration::from_secs(60);
    // An hour in a second: a source that fails is left alone for a while.
    let node = Node::open_here(config, Clock::accelerated(3_600.0)).await.unwrap();
    let running = node.start(TcpListener::bind("127.0.0.1:0").await.unwrap()).unwrap();
    let downstream = House { running, folder, client: super::client(None, None) };
    let source = secure_url(&upstream, "/feeds/News.atom");
    let query = format!(r#"CREATE FEED Copy AS RETURN "{source}";"#);
    downstream.node().run_script(&query, "test").await.unwrap();
    eventually("the trouble", async || {
        let troubles = troubles(&downstream).await;
        if troubles.contains("its certificate has expired") { Ok(()) } else { Err(troubles) }
    })
    .await;

    // Renewed: the next refresh finds everything.
    let mut renewed = (*upstream.node().config()).clone();
    renewed.tls = Some(good);
    upstream.node().reload(renewed).await.unwrap();
    eventually("the item", async || {
        let titles = downstream.titles("Copy").await;
        if titles == ["Volcano"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_feed_is_read_with_the_right_token_and_not_with_a_wrong_one() {
    let upstream = house_with_readers(|_| ()).await;
    let origin = Origin::builder().page("/news", news()).start().await;
    let query = format!(r#"ALTER FEED Hidden AS RETURN "{}";"#, origin.url("/news"));
    upstream.node().run_script(&query, "test").await.unwrap();
    eventually("the item at its first node", async || {
        let listing = upstream.node().listing("Hidden").unwrap();
        if listing.tally.next == 1 { Ok(()) } else { Err(format!("{listing:?}")) }
    })
    .await;
    let query = format!(r#"CREATE FEED Copy AS RETURN "{}";"#, upstream.url("/feeds/Hidden.atom"));
    let copy = async |sent: &str| {
        let folder = TempDir::new().unwrap();
        let config = config_showing(&folder, token(sent));
        let house = House::open(folder, config).await;
        house.node().run_script(&query, "test").await.unwrap();
        house
    };
    let known = copy("the token of alice").await;
    eventually("the item", async || {
        let titles = known.titles("Copy").await;
        if titles == ["Volcano"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    let wrong = copy("the token of mallory").await;
    eventually("the trouble", async || {
        let troubles = troubles(&wrong).await;
        if troubles.contains("wants a token that it knows") { Ok(()) } else { Err(troubles) }
    })
    .await;
    assert_eq!(wrong.titles("Copy").await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_is_read_with_token_and_certificate_over_its_secured_port() {
    let authority = Authority::new("ours");
    let folder = TempDir::new().unwrap();
    let mut config = secured_config(&folder, &authority, Some(Clients::Required));
    config.api.token = Some(Secret::new("the operator's token"));
    config.readers = vec![super::reader("alice")];
    let upstream = House::open(folder, config).await;
    let origin = Origin::builder().page("/news", news()).start().await;
    let query = format!(r#"CREATE FEED Hidden AS RETURN "{}";"#, origin.url("/news"));
    upstream.node().run_script(&query, "test").await.unwrap();
    upstream.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();

    let papers = authority.papers("downstream", &["downstream.example"]);
    let shown = HostCredentials {
        token: Some(Secret::new("the token of alice")),
        ca: Some(authority.file.clone()),
        identity: Some((papers.chain, papers.key)),
    };
    let folder = TempDir::new().unwrap();
    let config = config_showing(&folder, shown);
    let downstream = House::open(folder, config).await;
    let source = secure_url(&upstream, "/feeds/Hidden.atom");
    let query = format!(r#"CREATE FEED Copy AS RETURN "{source}";"#);
    downstream.node().run_script(&query, "test").await.unwrap();
    let shows = async |expected: &[&str]| {
        eventually("the items", async || {
            let titles = downstream.titles("Copy").await;
            match titles == expected {
                true => Ok(()),
                false => Err(format!("{titles:?} {}", troubles(&downstream).await)),
            }
        })
        .await;
    };
    shows(&["Volcano"]).await;
    eventually("the upgrade", async || {
        let sources = troubles(&downstream).await;
        if upstream.metric("peer_entries_total") > 0.0 { Ok(()) } else { Err(sources) }
    })
    .await;
    origin.set("/news", show(&["Eruption", "Volcano"]));
    shows(&["Eruption", "Volcano"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_takes_no_token_along_and_leads_to_no_other_private_host() {
    let other = Origin::builder().page("/feed", news()).start().await;
    let elsewhere = other.url("/feed").as_str().replace("127.0.0.1", "localhost");
    let redirect = Reply::status(302).header("location", &elsewhere);
    let first = Origin::builder().page("/feed", redirect).start().await;
    let folder = TempDir::new().unwrap();
    let settings = FetchSettings {
        guard: Guard::allowing(["127.0.0.1", "localhost"].map(|text| text.parse().unwrap())),
        hosts: config_showing(&folder, token("for one host only")).hosts,
        ..FetchSettings::default()
    };
    let ask = Ask::new(first.url("/feed"), Validators::default(), 1);
    let fetcher = Fetcher::new(settings).unwrap();
    let refused = fetcher.fetch(&ask).await.unwrap_err().to_string();
    assert!(refused.contains("localhost is a private host"), "{refused}");
    assert_eq!(first.requests("/feed")[0].text("authorization"), "Bearer for one host only");
    assert_eq!(other.hits("/feed"), 0);
    // On the same host, but another port, it is another origin.
    first.set("/feed", Reply::redirect(302, other.url("/feed").as_str()));
    assert_eq!(fetcher.fetch(&ask).await.unwrap().status, 200);
    assert_eq!(other.requests("/feed")[0].header("authorization"), None);
}

fn news() -> Reply {
    show(&["Volcano"])
}

/// A document with items of these titles.
fn show(titles: &[&str]) -> Reply {
    let item = |title: &&str| {
        format!("<item><title>{title}</title><guid>https://example.org/{title}</guid></item>")
    };
    let items: String = titles.iter().map(item).collect();
    Reply::ok(format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>"))
        .header("content-type", "application/rss+xml")
}

/// What the node says of its sources.
async fn troubles(house: &House) -> String {
    let url = house.url("/api/v1/sources");
    house.client.get(url).send().await.unwrap().text().await.unwrap()
}
