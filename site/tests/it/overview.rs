use crate::place::Place;

#[tokio::test]
async fn whoever_runs_the_node_sees_the_overview_and_a_stranger_the_open_feeds() {
    let place = Place::start().await;
    let (status, text) = place.page("/").await;
    assert_eq!(status, 200);
    assert!(text.contains("href=\"./sources\""), "{text}");
    let passed_on = place.client.get(place.url("/")).header("x-forwarded-for", "192.0.2.7");
    let text = passed_on.send().await.unwrap().text().await.unwrap();
    assert!(text.contains("Feeds of ") && !text.contains("sources\""), "{text}");
}

#[tokio::test]
async fn what_the_site_does_not_answer_is_answered_by_the_node() {
    let place = Place::start().await;
    for path in ["/healthz", "/opml", "/about", "/assets/style.css", "/api/v1/status"] {
        assert_eq!(place.page(path).await.0, 200, "{path}");
    }
    assert_eq!(place.page("/assets/none.css").await.0, 404);
}

#[tokio::test]
async fn a_new_node_says_how_to_begin() {
    let place = Place::start().await;
    let (_, text) = place.page("/").await;
    for told in ["Begin here", "action=\"./sources/new\"", "href=\"./sources/import\""] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[tokio::test]
async fn what_fails_is_told_with_its_reason_and_figures_have_charts_and_a_table() {
    let place = Place::start().await;
    let fields = [("url", "http://127.0.0.1:9/gone"), ("title", "Dead"), ("do", "anyway")];
    assert_eq!(place.send("/sources/new", &fields).await.0, 303);
    let failing =
        || async { place.page("/sources?standing=failing").await.1.contains(">Dead</a>") };
    while !failing().await {
        tokio::task::yield_now().await;
    }
    let (_, text) = place.page("/").await;
    assert!(text.contains("Needs attention") && text.contains(">Dead</a> fails: "), "{text}");
    for chart in ["freshness", "completeness", "budget", "threshold"] {
        let empty =
            format!("data-live=\"chart-{chart}\"><p class=\"chart soft\">Nothing is known yet.");
        assert!(text.contains(&empty), "{chart}: {text}");
    }
    assert!(text.contains("<desc id=\"strip-desc\">"), "{text}");
    assert!(text.contains("The same as a table") && text.contains("Show 7 days"), "{text}");
    let (_, week) = place.page("/?period=week").await;
    assert!(week.contains("Over the last 7 days") && week.contains("Show 24 hours"), "{week}");
    assert!(text.len() < 100_000);
}
