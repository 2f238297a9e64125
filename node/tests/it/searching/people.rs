//! The page for people.

use std::time::Duration;

use reqwest::StatusCode;

use super::*;
use crate::trust::{as_reader, reader};

/// A page as a browser gets it.
async fn page(house: &House, path: &str) -> String {
    let (status, text) = browse(house, path, None).await;
    assert_eq!(status, StatusCode::OK, "{path}: {text}");
    text
}

async fn browse(house: &House, path: &str, who: Option<&str>) -> (StatusCode, String) {
    let request = house.client.get(house.url(path)).header("accept", "text/html,*/*;q=0.8");
    let request = match who {
        Some("operator") => request.header("authorization", "Bearer the operator's token"),
        Some(name) => as_reader(request, name),
        None => request,
    };
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8", "{path}");
    let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    let lower = text.to_lowercase();
    assert!(!lower.contains("<script") && !lower.contains(" style="), "{text}");
    (status, text)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_finds_feeds_and_sources_from_the_first_page_on() {
    let Two { press, alpha, .. } = Two::open().await;
    let home = page(&alpha, "/").await;
    for part in ["action=\"search\"", "name=\"q\"", "href=\"./search\""] {
        assert!(home.contains(part), "{part} in {home}");
    }
    let empty = page(&alpha, "/search").await;
    assert!(empty.contains("name=\"q\"") && !empty.contains("<article"), "{empty}");
    assert_eq!(page(&alpha, "/search?q=+").await, empty);
    let found = page(&alpha, "/search?q=volcano").await;
    for part in
        ["href=\"feeds/Lava\"", "Feed of this node", &press.url("lava"), "value=\"volcano\""]
    {
        assert!(found.contains(part), "{part} in {found}");
    }
    let about = found.split("About ").nth(1).unwrap().split('<').next().unwrap();
    let words: Vec<&str> = about.split(", ").collect();
    assert!(words.contains(&"lava") && !words.iter().any(|word| word.contains(' ')), "{words:?}");
    assert!(!found.contains("Chess"), "{found}");
    let none = page(&alpha, "/search?q=philately").await;
    assert!(none.contains("Nothing here is about that") && !none.contains("<article"), "{none}");
    let typed = page(&alpha, "/search?q=%22%3E%3Cscript%3Ealert(1)").await;
    assert!(typed.contains("&lt;script&gt;alert(1)"), "{typed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_peers_have_is_shown_and_what_is_missing_is_said() {
    let Two { alpha, beta, .. } = Two::open().await;
    let alone = page(&beta, "/search?q=chess").await;
    assert!(alone.contains("Nothing here is about that"), "{alone}");
    assert!(alone.contains("name=\"peers\"") && !alone.contains(" checked"), "{alone}");
    let together = page(&beta, "/search?q=chess&peers=true").await;
    let address = format!("href=\"{}\"", alpha.url("/feeds/Chess"));
    for part in [&address, "Feed of the node alpha, not read by this node", " checked"] {
        assert!(together.contains(part), "{part} in {together}");
    }
    let away = alpha.url("");
    alpha.running.stop(Duration::from_secs(10)).await;
    let partial = page(&beta, "/search?q=roses&peers=true").await;
    for part in ["href=\"feeds/Garden\"", "<strong>alpha</strong>", "has not answered", &away] {
        assert!(partial.contains(part), "{part} in {partial}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feeds_page_leads_to_what_is_like_it() {
    let press = Press::start(&["lava", "more", "games"]).await;
    publish(&press, "lava", &LAVA);
    publish(&press, "more", &LAVA);
    publish(&press, "games", &CHESS);
    let house = named("alpha", |_| ()).await;
    make(&house, "Lava", &press.url("lava")).await;
    make(&house, "More", &press.url("more")).await;
    make(&house, "Games", &press.url("games")).await;
    until_found(&house, "volcano", 4).await;
    assert!(page(&house, "/feeds/Lava").await.contains("href=\"../search?like=Lava\""));
    let like = page(&house, "/search?like=Lava").await;
    let read = |source: &str| like.contains(&format!("href=\"{}\"", press.url(source)));
    assert!(read("more") && !read("lava"), "{like}");
    assert!(like.contains("href=\"feeds/More\""), "{like}");
    let (status, absent) = browse(&house, "/search?like=Absent", None).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{absent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_finds_what_they_may_read() {
    let press = Press::start(&["lava", "ash"]).await;
    publish(&press, "lava", &LAVA);
    publish(&press, "ash", &LAVA);
    let house = named("alpha", |config| {
        config.api.token = Some(pergola_config::Secret::new("the operator's token"));
        config.readers = vec![reader("alice"), reader("bob")];
    })
    .await;
    make(&house, "Open", &press.url("lava")).await;
    make(&house, "Hidden", &press.url("ash")).await;
    house.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    let sees = async |who: Option<&str>, path: &str| {
        let (_, text) = browse(&house, path, who).await;
        ["feeds/Open\"", "feeds/Hidden\"", "/sources/", "name=\"peers\""]
            .map(|part| text.contains(part))
    };
    let search = "/search?q=volcano&peers=true";
    eventually("everything to be found by the operator", async || {
        let seen = sees(Some("operator"), search).await;
        if seen == [true; 4] { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
    assert_eq!(sees(Some("alice"), search).await, [true, true, false, false]);
    for who in [None, Some("bob"), Some("mallory")] {
        assert_eq!(sees(who, search).await, [true, false, false, false], "{who:?}");
        assert_eq!(sees(who, "/search?like=Open").await[1..], [false; 3], "{who:?}");
    }
    let (closed, _) = browse(&house, "/search?like=Hidden", Some("bob")).await;
    assert_eq!(closed, StatusCode::NOT_FOUND);
    let (wrong, _) = browse(&house, "/search?like=Hidden", Some("mallory")).await;
    assert_eq!(wrong, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_told_as_a_page() {
    let house = named("alpha", |_| ()).await;
    let long = format!("/search?q={}", "volcano+".repeat(130));
    let (status, text) = browse(&house, &long, None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("1000 bytes at most"), "{text}");
    let (status, text) = browse(&house, "/search?q=volcano&peers=perhaps", None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("peers"), "{text}");
}
