//! The mesh: a node that reads another.

use crate::place::Place;

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_reads_another_draws_it_with_its_name() {
    let there = Place::with(|config| config.node.name = "There <b>".to_owned()).await;
    let here = Place::start().await;
    let made = [("query", "CREATE FEED All AS RETURN OPML \"all\";"), ("do", "save")];
    let (status, _, page) = there.send("/feeds/new", &made).await;
    assert_eq!(status, 303, "{page}");
    let base = there.url("");
    let query = format!("CREATE FEED Copy AS RETURN PEER \"{base}\" FEED All;");
    let (status, _, page) = here.send("/feeds/new", &[("query", &query), ("do", "save")]).await;
    assert_eq!(status, 303, "{page}");
    let mut page = String::new();
    for _ in 0..500 {
        page = here.page("/mesh").await.1;
        if page.contains("There &lt;b&gt;") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(page.contains("There &lt;b&gt;") && !page.contains("There <b>"), "{page}");
    assert!(page.contains("<svg") && page.contains("class=\"here\""), "{page}");
    assert!(page.contains("Nobody that the node knows of"), "{page}");
    assert!(!page.contains("style="));
}
