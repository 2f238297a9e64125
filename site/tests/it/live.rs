//! News for open pages, and what browsers ask for by themselves.

use crate::origin::{Origin, Reply};
use crate::place::{Place, rss};

/// The next event of a stream, as JSON.
async fn event(stream: &mut reqwest::Response) -> serde_json::Value {
    let mut text = String::new();
    while let Some(chunk) = stream.chunk().await.unwrap() {
        text.push_str(&String::from_utf8_lossy(&chunk));
        let whole = text.split("\n\n").find_map(|event| event.strip_prefix("data: "));
        if let Some(data) = whole.filter(|_| text.contains("\n\n")) {
            return serde_json::from_str(data).unwrap();
        }
    }
    panic!("the stream ended: {text}");
}

#[tokio::test]
async fn an_open_page_hears_of_what_changes_and_of_nothing_else() {
    let feed = rss("Live <b>", &[("1", "First")]);
    let origin = Origin::builder().page("/feed", Reply::ok(feed)).start().await;
    let place = Place::start().await;
    let (_, leads, _) = place.send("/sources/new", &[("url", origin.url("/feed").as_str())]).await;
    let id = leads.unwrap().trim_start_matches("../sources/").split('?').next().unwrap().to_owned();
    let asked = place.client.get(place.url(&format!("/live?sources={id},nonsense,77")));
    let mut stream = asked.send().await.unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = event(&mut stream).await;
    assert_eq!(first["sources"], "1");
    assert!(first[format!("source-{id}-standing")].as_str().unwrap().contains("well"), "{first}");
    assert!(first[format!("source-{id}-last")].as_str().unwrap().contains("data-relative"));
    place.send(&format!("/sources/{id}/pause"), &[]).await;
    let mut news = event(&mut stream).await;
    while news.get(format!("source-{id}-standing")).is_none() {
        news = event(&mut stream).await;
    }
    let standing = news[format!("source-{id}-standing")].as_str().unwrap();
    assert!(standing.contains("paused by hand"), "{news}");
    assert_eq!(news.get("sources"), None, "their number has not changed");
}

#[tokio::test]
async fn an_open_page_of_the_mesh_is_drawn_anew_when_it_changes() {
    let place = Place::start().await;
    let (_, page) = place.page("/mesh").await;
    assert!(page.contains("data-live=\"./live?mesh=\""), "{page}");
    let (_, there) = page.split_once("data-live=\"mesh\">").unwrap();
    let mut stream = place.client.get(place.url("/live?mesh=")).send().await.unwrap();
    let first = event(&mut stream).await;
    assert!(there.starts_with(first["mesh"].as_str().unwrap()), "{first} {page}");
    assert_eq!(first.as_object().unwrap().len(), 1, "{first}");
    let feed = Reply::ok(rss("News", &[("1", "First")]));
    let origin = Origin::builder().page("/feed", feed).start().await;
    place.send("/sources/new", &[("url", origin.url("/feed").as_str())]).await;
    let news = event(&mut stream).await;
    assert!(news["mesh"].as_str().unwrap().contains("1 other source"), "{news}");
}

#[tokio::test]
async fn a_stranger_hears_nothing() {
    let place = Place::start().await;
    let asked = place.client.get(place.url("/live")).header("x-forwarded-for", "192.0.2.7");
    assert_eq!(asked.send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_a_page_for_people_and_a_problem_for_programs() {
    let place = Place::start().await;
    let (status, text) = place.page("/source/12").await;
    assert_eq!(status, 404);
    assert!(
        text.contains("There is nothing here") && text.contains("href=\"../sources/12\""),
        "{text}"
    );
    let (status, text) = place.page("/feeds/Nonsense").await;
    assert_eq!(status, 404);
    assert!(text.contains("no feed is called"), "the node knows better: {text}");
    let (status, text) = place.page("/api/v1/nonsense").await;
    assert_eq!(status, 404);
    assert!(text.starts_with('{') && text.contains("no-such-route"), "{text}");
    let plain = place.client.get(place.url("/nowhere")).send().await.unwrap();
    assert_eq!(plain.status(), 404);
    assert!(!plain.text().await.unwrap().contains("<html"), "a program gets no page");
}

#[tokio::test]
async fn metrics_are_a_page_for_people_and_text_for_programs() {
    let place = Place::start().await;
    let (status, page) = place.page("/metrics").await;
    assert_eq!(status, 200);
    assert!(page.contains("<h1>Metrics</h1>") && page.contains("pergola_"), "{page}");
    assert!(page.len() < 100_000, "{} bytes", page.len());
    let text = place.client.get(place.url("/metrics")).send().await.unwrap();
    assert!(
        text.headers()["content-type"].to_str().unwrap().starts_with("application/openmetrics")
    );
    assert!(text.text().await.unwrap().ends_with("# EOF\n"));
}

#[tokio::test]
async fn the_icon_is_found_where_browsers_look_for_it() {
    let place = Place::start().await;
    let answer = place.client.get(place.url("/favicon.ico")).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["location"]),
        (308, &"assets/icon.svg".parse().unwrap())
    );
    assert_eq!(place.page("/assets/icon.svg").await.0, 200);
}
