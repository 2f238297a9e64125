//! What people see.

use http::StatusCode;
use pergola_feed::Text;

use super::kiosk::{Answer, FEED, Kiosk, item};

const BROWSER: (&str, &str) =
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

fn assert_is_a_safe_page(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    let text = answer.text().to_lowercase();
    assert!(!text.contains("<script") && !text.contains("onerror") && !text.contains(" style="));
}

#[tokio::test]
async fn the_first_page_lists_the_feeds_with_their_addresses() {
    let kiosk = Kiosk::with_news();
    let page = kiosk.get("/", &[BROWSER]).await;
    assert_is_a_safe_page(&page);
    for part in [
        "href=\"feeds/News\"",
        "href=\"feeds/News.atom\"",
        "href=\"feeds/News.rss\"",
        "href=\"feeds/News.json\"",
        "https://node.example/pergola/feeds/News.atom",
        "RETURN &quot;https://source.example/feed&quot;",
        "2 items so far",
        "2023-11-14 22:14 UTC",
    ] {
        assert!(page.text().contains(part), "{part} in {}", page.text());
    }
}

#[tokio::test]
async fn a_node_without_feeds_says_how_to_make_one() {
    let page = Kiosk::new().get("/", &[]).await;
    assert_is_a_safe_page(&page);
    assert!(page.text().contains("pergola feed create"));
}

#[tokio::test]
async fn a_browser_sees_the_items_and_nothing_of_them_runs() {
    let kiosk = Kiosk::with_news();
    let mut evil = item("evil");
    evil.title = Some("<script>alert(1)</script>".into());
    evil.link = Some("javascript:alert(2)".into());
    evil.content = Some(Text::html(
        "<p style='color:red'>Kept<img src=x onerror=alert(3)><script>alert(4)</script></p>",
    ));
    kiosk.publish(FEED, vec![evil]);
    let page = kiosk.get("/feeds/News", &[BROWSER]).await;
    assert_is_a_safe_page(&page);
    assert_eq!(page.header("vary"), "Accept, Accept-Encoding");
    assert!(page.text().contains("<p>Kept"), "{}", page.text());
    assert!(page.text().contains("href=\"https://source.example/one\""));
    assert!(!page.text().contains("javascript:"));
    let atom = kiosk.get("/feeds/News", &[]).await;
    assert_eq!(atom.header("content-type"), "application/atom+xml; charset=utf-8");
    assert_eq!(atom.header("vary"), "Accept, Accept-Encoding");
    let again = kiosk.get("/feeds/News", &[BROWSER, ("if-none-match", page.header("etag"))]).await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
}
