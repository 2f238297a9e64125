//! What happens to a node that reads sources.

use std::num::NonZeroUsize;

use pergola_config::{Budget, BudgetRule, Config};
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Hop, Item, Link, Millis, NodeId, Text, Timestamp};
use pergola_outside::clock::Clock;
use tempfile::TempDir;

use crate::house::{House, Scene, eventually, quick_config};
use crate::origin::{Origin, Reply};

/// An item that was just published.
fn item(name: &str) -> Item {
    Item {
        title: Some(name.to_owned()),
        published: Some(Timestamp::from_unix(Clock::real().now() as i64)),
        ..Item::new(format!("urn:item:{name}"))
    }
}

pub(super) fn document(items: Vec<Item>) -> Reply {
    leading_to(items, None)
}

fn leading_to(items: Vec<Item>, older: Option<&str>) -> Reply {
    let links = older.map(|url| Link::new("prev-archive", url)).into_iter().collect();
    let document = Document { items, links, ..Document::new(Format::Atom) };
    Reply::ok(write_atom(&document)).header("content-type", "application/atom+xml")
}

/// A node with the feed `All` of these documents.
pub(super) async fn reading<const N: usize>(pages: [(&str, Reply); N]) -> (House, Origin) {
    reading_with(pages, |_| ()).await
}

async fn reading_with<const N: usize>(
    pages: [(&str, Reply); N],
    change: impl FnOnce(&mut Config),
) -> (House, Origin) {
    let origin = Origin::builder().start().await;
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    change(&mut config);
    let house = House::open(folder, config).await;
    let mut urls = Vec::new();
    for (path, reply) in pages {
        origin.set(path, reply);
        urls.push(format!("\"{}\"", origin.url(path)));
    }
    let query = format!("CREATE FEED All AS RETURN {};", urls.join(" | "));
    house.node().run_script(&query, "test").await.unwrap();
    (house, origin)
}

/// The same, once it has read the items.
async fn having_read(items: Vec<Item>) -> (House, Origin) {
    let (house, origin) = reading([("/feed", document(items))]).await;
    eventually("the items", async || {
        let titles = house.titles("All").await;
        if titles.is_empty() { Err("none".to_owned()) } else { Ok(()) }
    })
    .await;
    (house, origin)
}

fn scene((house, origin): (House, Origin)) -> Scene {
    (house, Box::new(origin))
}

pub(super) async fn a_source_is_read() -> Scene {
    scene(reading([("/feed", document(vec![item("a")]))]).await)
}

pub(super) async fn an_item_is_edited() -> Scene {
    let (house, origin) = having_read(vec![item("a")]).await;
    origin.set("/feed", document(vec![Item { title: Some("b".into()), ..item("a") }]));
    scene((house, origin))
}

pub(super) async fn an_item_appears() -> Scene {
    let (house, origin) = having_read(vec![item("a")]).await;
    origin.set("/feed", document(vec![item("b"), item("a")]));
    scene((house, origin))
}

pub(super) async fn archives_have_them() -> Scene {
    let (house, origin) = having_read(vec![item("a")]).await;
    origin.set("/older", document(vec![item("b"), item("a")]));
    let older = origin.url("/older");
    origin.set("/feed", leading_to(vec![item("c")], Some(older.as_str())));
    scene((house, origin))
}

pub(super) async fn an_item_comes_back() -> Scene {
    let (house, origin) = having_read(vec![item("a")]).await;
    let hops = vec![Hop::at(house.node().id()), Hop::at(NodeId("elsewhere".into()))];
    origin.set("/feed", document(vec![Item { hops, ..item("b") }, item("a")]));
    scene((house, origin))
}

pub(super) async fn a_clock_is_ahead() -> Scene {
    let (house, origin) = having_read(vec![item("a")]).await;
    let later = Some(Millis::from_seconds(Clock::real().now() + 3_600.0));
    let hops = vec![Hop { published: later, ..Hop::at(NodeId("ahead".into())) }];
    origin.set("/feed", document(vec![Item { hops, ..item("b") }, item("a")]));
    scene((house, origin))
}

pub(super) async fn a_source_fails() -> Scene {
    scene(reading([("/feed", Reply::status(500))]).await)
}

pub(super) async fn a_source_is_slow() -> Scene {
    let pages = [("/slow", Reply::silence()), ("/other", document(vec![item("a")]))];
    let one_by_one = |config: &mut Config| {
        for rule in config.hosts.named.values_mut() {
            rule.per_domain = NonZeroUsize::MIN;
        }
    };
    scene(reading_with(pages, one_by_one).await)
}

pub(super) async fn the_budget_is_changed() -> Scene {
    let house = House::start().await;
    let rule = BudgetRule::Refreshes { per_minute: 7.0 };
    house.node().set_budget(Budget { rule, burst: None }).unwrap();
    (house, Box::new(()))
}

pub(super) async fn much_is_stored() -> Scene {
    // Words that cannot be packed.
    let words = |item: u128| -> String {
        (0..8_000u128)
            .map(|n| format!("{:x} ", pergola_feed::digest(&[&(item * 8_000 + n).to_string()])))
            .collect()
    };
    let items = (0..20).map(|number| Item {
        content: Some(Text::plain(words(number))),
        ..item(&number.to_string())
    });
    scene(reading([("/feed", document(items.collect()))]).await)
}
