//! Pages that are hard to read must not keep a node from answering, or from stopping when it is told to.

use crate::harness::{Home, eventually, run};
use crate::origin::{Origin, Reply};

/// Bytes of a page: nearly as many as a document may have.
const PAGE: usize = 9_000_000;

/// A page with an article, and then one tag with as many attributes as there is room for.
fn page() -> String {
    let mut page = "<html><body><article><a href='/1'>One</a></article><p".to_owned();
    let mut number = 0;
    while page.len() < PAGE {
        page += &format!(" a{number}=1");
        number += 1;
    }
    page + "></p></body></html>"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_answers_and_stops_while_it_reads_pages_with_a_million_attributes() {
    let origin = Origin::builder().start().await;
    let html = || Reply::ok("<html><article><a href='/0'>Zero</a></article></html>");
    let home = Home::new("");
    let node = home.start().await;
    for number in 0..4 {
        let path = format!("/{number}.html");
        origin.set(&path, html().header("content-type", "text/html"));
        let url = origin.url(&path);
        let add =
            home.command(&["source", "add", url.as_str(), "--item", "article", "--link", "a"]);
        let added = run(add).await;
        assert_eq!(added.code, Some(0), "{}{}", added.stdout, added.stderr);
    }
    node.create_feed(r#"CREATE FEED Pages AS RETURN OPML "all";"#).await;
    let hostile = page();
    let before: Vec<usize> = (0..4).map(|number| origin.hits(&format!("/{number}.html"))).collect();
    for number in 0..4 {
        let reply = Reply::ok(hostile.clone()).header("content-type", "text/html");
        origin.set(&format!("/{number}.html"), reply);
    }
    eventually("every page to be fetched again", async || {
        assert_eq!(node.get("/healthz").await.0, 200);
        let hits: Vec<usize> =
            (0..4).map(|number| origin.hits(&format!("/{number}.html"))).collect();
        let all = hits.iter().zip(&before).all(|(now, before)| now > before);
        if all { Ok(()) } else { Err(format!("{hits:?} after {before:?}")) }
    })
    .await;
    node.stop().await;
}
