//! The ready-made worlds and the lists of sources.

use pergola_feed::opml::Opml;
use pergola_newsroom::serve::World;

use crate::{OPENING, Stage};

const DAY: f64 = 86_400.0;

#[tokio::test]
async fn every_source_of_the_demonstration_can_be_read_and_is_listed() {
    let stage = Stage::open(|builder| builder.sources(World::demo(7).sources)).await;
    stage.hand.forward(DAY);
    let list = Opml::parse(stage.text("/opml").await.1.as_bytes()).unwrap();
    let subscriptions = list.subscriptions();
    assert_eq!(subscriptions.len(), 40);
    let mut published = 0;
    for (_, outline) in subscriptions {
        let path = outline.feed.as_deref().unwrap().strip_prefix(&stage.url).unwrap();
        let document = stage.document(path).await;
        assert_eq!(document.title.as_deref(), Some(outline.text.as_str()));
        assert!(document.items.len() >= 4, "{path} has a past");
        let truth = stage.newsroom.truth(path.strip_prefix("/sources/").unwrap()).unwrap();
        published += truth.published - truth.before_opening;
        assert!(truth.items.iter().all(|item| item.at <= OPENING + DAY));
    }
    assert!((1_000..2_500).contains(&published), "{published} items in a day");
    let (status, page) = stage.text("/").await;
    assert_eq!(status, 200);
    assert!(page.contains("40 sources") && page.contains("Volcano Watch"), "{page}");
}

#[tokio::test]
async fn a_large_world_is_listed_in_parts_and_costs_nothing_until_it_is_requested() {
    let world = World::uniform(3, 2_000, 24.0).each(|source| source.window(5));
    let stage = Stage::open(|builder| builder.seed(world.seed).sources(world.sources)).await;
    let list = Opml::parse(stage.text("/opml?first=1990&count=50").await.1.as_bytes()).unwrap();
    assert_eq!(list.outlines.len(), 10);
    let feed = list.outlines[9].feed.as_deref().unwrap();
    assert_eq!(feed, format!("{}/sources/source-001999", stage.url));
    let (_, page) = stage.text("/").await;
    assert_eq!(page.matches("<li>").count(), 100);
    stage.hand.forward(365.0 * DAY);
    assert_eq!(stage.document("/sources/source-001999").await.items.len(), 5);
    let truth = stage.newsroom.truth("source-001999").unwrap();
    assert!((8_000..9_600).contains(&truth.published), "{}", truth.published);
}
