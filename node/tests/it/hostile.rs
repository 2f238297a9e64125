//! Sources whose markup was made to be slow: the node goes on, shows the rest, and stops when it is told to.

use std::fmt::Write;
use std::time::Duration;

use crate::house::{House, eventually};
use crate::origin::{Origin, Reply};

/// Text of about this size from pieces that are all different.
fn flood(start: &str, size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = start.to_owned();
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&piece(number));
    }
    text
}

/// Items that once took a parser seconds to minutes each, and a good one after them.
fn feed() -> String {
    const SIZE: usize = 400_000;
    let texts = [
        flood("<p ", SIZE, |n| format!("a{n}=1 ")) + ">attributes</p>",
        flood("<!-->", SIZE, |_| "<div>".to_owned()) + "depth",
        flood("<svg>", SIZE, |_| "<tr>".to_owned()) + "vocabulary",
        flood("", SIZE, |_| "<div><table><td></div></table>".to_owned()) + "ends",
        flood("", SIZE, |n| format!("<p><b a={n}>x")) + "formatting",
        flood("<table>", SIZE, |_| "<i>x</i>".to_owned()) + "rows",
    ];
    let mut feed = String::from("<rss version=\"2.0\"><channel><title>Hostile</title>");
    for (number, text) in texts.iter().enumerate() {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        write!(
            feed,
            "<item><guid>urn:{number}</guid><title>Slow {number}</title>\
             <description>{escaped}</description></item>"
        )
        .unwrap();
    }
    feed.push_str(
        "<item><guid>urn:good</guid><title>Good</title>\
         <description>&lt;p&gt;Fine &lt;b onclick='x'&gt;words&lt;/b&gt;&lt;/p&gt;</description></item>\
         </channel></rss>",
    );
    feed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn slow_markup_holds_up_neither_the_node_nor_its_end() {
    let origin = Origin::builder().page("/feed", Reply::ok(feed())).start().await;
    let house = House::start().await;
    let url = origin.url("/feed");
    house
        .node()
        .run_script(&format!("CREATE FEED News AS RETURN \"{url}\";"), "test")
        .await
        .unwrap();
    eventually("the items", async || {
        let titles = house.titles("News").await;
        if titles.len() == 7 { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    // The page and the feeds are rendered at once, while somebody asks how the node is.
    let get = async |path: &str| {
        let asked = house.client.get(house.url(path)).header("accept", "text/html, */*;q=0.1");
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    };
    let (page, atom, health) =
        tokio::join!(get("/feeds/News"), get("/feeds/News.atom"), get("/healthz"));
    assert!(!health.is_empty());
    for word in ["attributes", "depth", "vocabulary", "ends", "formatting", "rows"] {
        assert!(page.contains(word), "`{word}` is lost on the page");
        assert!(atom.contains(word), "`{word}` is lost in the feed");
    }
    let good = page.find("Fine").map(|at| &page[at - 3..at + 20]);
    assert_eq!(good, Some("<p>Fine <b>words</b></p"), "the good item suffers");
    let House { running, .. } = house;
    let stopping = running.stop(Duration::from_secs(10));
    tokio::time::timeout(Duration::from_secs(25), stopping).await.expect("it stops when told to");
}
