//! What sources and feeds are about: search, suggestions, novelty, and all of it after a restart.

use pergola_newsroom::serve::Headline;
use serde_json::Value;

use crate::house::{House, Press, eventually};

async fn asked(house: &House, path: &str) -> Value {
    let answer = house.client.get(house.url(path)).send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

fn headline(press: &Press, source: &str, title: &str) {
    press.newsroom.publish_headline(source, Headline::new(title, &["news"])).unwrap();
}

async fn create(house: &House, query: &str) {
    house.node().run_script(query, "test").await.unwrap();
}

/// Name and kind of what is found.
async fn found(house: &House, path: &str) -> Vec<(String, String)> {
    let answer = asked(house, path).await;
    let of = |one: &Value, field: &str| one[field].as_str().unwrap().to_owned();
    let all = answer["found"].as_array().unwrap().iter();
    all.map(|one| (of(one, "kind"), of(one, "url"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_and_feeds_are_found_by_what_they_publish_also_after_a_restart() {
    let (press, house) = (Press::start(&["news", "games", "more"]).await, House::start().await);
    let (news, games, more) = (press.url("news"), press.url("games"), press.url("more"));
    for title in ["A volcano erupts", "The volcano calms down", "Lava reaches the village"] {
        headline(&press, "news", title);
        headline(&press, "more", title);
    }
    headline(&press, "games", "The chess final ends in a draw");
    create(
        &house,
        &format!(
            r#"CREATE FEED Fire AS RETURN "{news}"; CREATE FEED Games AS RETURN "{games}";
               CREATE FEED Rest AS RETURN "{more}";"#
        ),
    )
    .await;
    let search = "/api/v1/search?q=volcano%20lava";
    eventually("the sources to be found", async || {
        let found = found(&house, search).await;
        if found.len() == 4 { Ok(()) } else { Err(format!("{found:?}")) }
    })
    .await;
    let volcanic = found(&house, search).await;
    assert!(volcanic.contains(&("source".into(), news.clone())), "{volcanic:?}");
    assert!(!volcanic.iter().any(|(_, url)| *url == games), "{volcanic:?}");
    let first = &asked(&house, search).await["found"][0];
    assert!(first["terms"].as_array().unwrap().iter().any(|term| term == "lava"), "{first}");
    // The feed reads one of the two, so the other is suggested.
    let suggested = found(&house, "/api/v1/feeds/Fire/suggestions").await;
    assert_eq!(suggested.first(), Some(&("source".into(), more.clone())), "{suggested:?}");
    assert!(!suggested.iter().any(|(_, url)| *url == news), "{suggested:?}");
    let mesh = asked(&house, "/api/v1/profiles?words=5").await;
    assert_eq!(mesh["sources"].as_array().unwrap().len(), 3);
    assert_eq!(mesh["feeds"].as_array().unwrap().len(), 3);
    let house = house.restart().await;
    assert_eq!(found(&house, search).await.len(), 4);
    let refused = house.client.get(house.url("/api/v1/search?q=%20")).send().await.unwrap();
    assert_eq!(refused.status(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_novel_feed_leaves_out_what_it_has_heard() {
    let (press, house) = (Press::start(&["robot"]).await, House::start().await);
    let url = press.url("robot");
    create(
        &house,
        &format!(r#"CREATE FEED All AS RETURN "{url}"; CREATE FEED New AS RETURN "{url}" NOVEL;"#),
    )
    .await;
    let count = async |house: &House, feed: &str| house.titles(feed).await.len();
    for number in 0..25 {
        headline(&press, "robot", &format!("Data updated ({number})"));
        eventually("the item", async || {
            let seen = count(&house, "All").await;
            if seen == number + 1 { Ok(()) } else { Err(seen.to_string()) }
        })
        .await;
    }
    // Twenty to know it by, and not one more of the same.
    assert_eq!(count(&house, "New").await, 20);
    headline(&press, "robot", "An earthquake shakes the coast of Peru");
    eventually("something new", async || {
        let seen = house.titles("New").await;
        if seen.len() == 21 { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}
