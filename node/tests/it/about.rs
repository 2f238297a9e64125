//! `/about`: the page that site owners find in the user agent.

use std::num::NonZeroUsize;
use std::time::Duration;

use pergola_config::{Budget, BudgetRule, Config};
use pergola_outside::clock::Clock;
use pergola_store::archive::{Archive, Commit, HostTally};
use reqwest::StatusCode;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::house::{House, quick_config};

async fn about(house: &House, query: &str) -> String {
    let url = house.url(&format!("/about{query}"));
    let answer =
        house.client.get(url).header("accept", "text/html,*/*;q=0.8").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{query}");
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    let text = answer.text().await.unwrap();
    assert!(!text.contains("<script") && !text.contains(" style="), "{text}");
    text
}

async fn house_with(change: impl FnOnce(&mut Config)) -> House {
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    let mut config = quick_config(&folder);
    config.node.contact = format!("{base}about").parse().unwrap();
    config.node.public_url = base.parse().unwrap();
    change(&mut config);
    House::open_with(folder, config, Clock::real(), listener).await
}

#[track_caller]
fn assert_says(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_what_the_node_is_set_up_to_do() {
    let house = house_with(|config| {
        config.crawl.floor = Duration::from_secs(5_400);
        config.crawl.floor_known = Duration::from_secs(600);
        config.crawl.spacing = Duration::from_secs(5);
        config.crawl.per_domain = NonZeroUsize::new(3).unwrap();
        config.budget.rule = BudgetRule::Refreshes { per_minute: 2.5 };
    })
    .await;
    let page = about(&house, "").await;
    let agent = format!("Pergola/{} (+{})", env!("CARGO_PKG_VERSION"), house.url("/about"));
    assert_says(
        &page,
        &[
            "at most once in 90 minutes, or once in 10 minutes",
            "sends 2.5 requests a minute at most",
            "sends 3 requests at a time, with a pause of 5 seconds",
            &agent,
            "up to 31 days",
        ],
    );
    assert!(!page.contains("fifteen") && !page.contains("15 minutes"), "{page}");
    let rule = BudgetRule::Refreshes { per_minute: 40.0 };
    house.node().set_budget(Budget { rule, burst: None }).unwrap();
    assert_says(&about(&house, "").await, &["sends 40 requests a minute at most"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_how_a_host_is_treated_for_which_the_operator_has_chosen_otherwise() {
    let house = house_with(|config| {
        let rule = config.hosts.named["127.0.0.1"].clone();
        let hour = Duration::from_secs(3_600);
        let slow = pergola_config::HostRule { floor: 24 * hour, floor_known: 24 * hour, ..rule };
        config.hosts.named.insert("slow.example".into(), slow);
    })
    .await;
    let usual = "at most once in 1 hour, or once in 15 minutes";
    for query in ["", "?host=other.example"] {
        let page = about(&house, query).await;
        assert_says(&page, &[usual]);
        assert!(!page.contains("chosen otherwise"), "{page}");
    }
    for (host, floor) in [
        ("slow.example", "at most once in 1 day, mostly"),
        ("www.slow.example", "at most once in 1 day, mostly"),
        ("127.0.0.1", "no shortest interval is set"),
    ] {
        let chosen = format!("chosen otherwise for <strong>{host}</strong>");
        assert_says(&about(&house, &format!("?host={host}")).await, &[usual, &chosen, floor]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_how_the_operator_is_reached() {
    let without = about(&house_with(|_| ()).await, "").await;
    assert_says(&without, &["no address of their own", "127.0.0.1"]);
    let contact = "https://operator.example/our-crawler";
    let with = house_with(|config| config.node.contact = contact.parse().unwrap()).await;
    assert_says(&about(&with, "").await, &["href=\"https://operator.example/our-crawler\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_shows_what_was_done_to_a_host() {
    const START: f64 = 1_700_000_000.0;
    let house = house_with(|config| {
        let mut commit = Commit::new();
        for number in 0..250 {
            let last = START + f64::from(number);
            let tally = HostTally { requests: 1, last, ..HostTally::default() };
            commit.node().put_host(&format!("host{number}.example"), &tally);
        }
        let tally = HostTally {
            requests: 40,
            not_modified: 30,
            bytes: 12_345,
            pauses: 6,
            hints: 17,
            last: START,
        };
        commit.node().put_host("feeds.example.org", &tally);
        let (data, store) = (&config.node.data, &config.store);
        let opened = pergola_store::open(data, store.backend, store.cache).unwrap();
        Archive::new(opened.store).commit(commit).unwrap();
    })
    .await;
    let all = about(&house, "").await;
    assert_eq!(all.matches("<tr>").count(), 201, "a head and 200 rows");
    assert_says(&all, &["251 hosts"]);
    for query in ["?host=example.org", "?host=https://Feeds.Example.org/news.xml"] {
        let page = about(&house, query).await;
        assert_eq!(page.matches("<tr>").count(), 2, "{query}");
        assert_says(&page, &["feeds.example.org", ">40<", ">75 %<", ">12345<", ">6<", ">17<"]);
    }
    assert_says(&about(&house, "?host=%3Cscript%3E.example").await, &["never asked"]);
}
