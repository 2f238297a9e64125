//! The feeds by which sources are followed are nobody else's business.

use pergola_accounts::Role;
use pergola_accounts::Wanted;
use pergola_newsroom::serve::Headline;
use pergola_node::node::{Follow, Followed, NewSource, Stream};
use pergola_store::people::NewUser;

use crate::house::{House, Press, eventually};

#[tokio::test(flavor = "multi_thread")]
async fn strangers_and_the_operator_find_no_feed_that_a_source_is_followed_by() {
    let (press, house) = (Press::start(&["news"]).await, House::start().await);
    let node = house.node();
    let new = NewSource::feed(&press.url("news")).unwrap();
    let news = node.add_sources(vec![new]).await.unwrap().new[0];
    let password = Some("correct horse".to_owned());
    let new = NewUser { name: "ada".into(), role: Role::Admin, password, subject: None };
    let ada = node.add_user(new).await.unwrap();
    node.subscribe(ada, Followed::Source(news), Follow::default()).await.unwrap();
    press.newsroom.publish_headline("news", Headline::new("Lava", &["volcano"])).unwrap();
    eventually("the item", async || {
        let page = node.stream_items(ada, &Stream::All, &Wanted::newest(9)).unwrap();
        if page.items.len() == 1 { Ok(()) } else { Err(format!("{page:?}")) }
    })
    .await;
    let own = node.stream_items(ada, &Stream::All, &Wanted::newest(9)).unwrap().items[0].feed;
    let name = format!("~{}", news.0);
    let paths = [
        "/",
        "/opml",
        "/feeds",
        "/api/v1/feeds",
        "/api/v1/opml",
        "/api/v1/removed",
        "/metrics",
        "/api/v1/search?q=volcano",
        "/about",
    ];
    for path in paths {
        let answer = house.client.get(house.url(path)).send().await.unwrap();
        let text = answer.text().await.unwrap();
        assert!(!text.contains(&name) && !text.contains("%7E"), "{path}: {text}");
    }
    let forms = ["", ".atom", ".rss", ".json"];
    for path in forms.map(|form| format!("/feeds/{name}{form}")) {
        let status = house.client.get(house.url(&path)).send().await.unwrap().status();
        assert_eq!(status, 404, "{path}");
    }
    for path in ["/api/v1/feeds/", "/api/v1/items/"].map(|path| format!("{path}{name}")) {
        let status = house.client.get(house.url(&path)).send().await.unwrap().status();
        assert_eq!(status, 404, "{path}");
    }
    assert!(node.feeds().is_empty() && node.listings().is_empty());
    assert!(node.tally(own).is_none() && node.follow(own).is_none());
    let create = format!("CREATE FEED Spy AS RETURN FEED {name};");
    assert!(node.run_script(&create, "test").await.is_err());
    let quoted = format!("CREATE FEED Spy AS RETURN FEED \"{name}\";");
    assert!(node.run_script(&quoted, "test").await.is_err());
    assert!(node.drop_feed(&name).await.is_err());
}
