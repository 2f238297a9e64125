//! What a feed says about when to refresh it, and where its other parts are.

use crate::read;

const HINTS: &str = "<rss version=\"2.0\" xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\" \
    xmlns:atom=\"http://www.w3.org/2005/Atom\" xmlns:fh=\"http://purl.org/syndication/history/1.0\">\
    <channel><title>Feed</title><link>https://example.org/</link><ttl>90</ttl>\
    <sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>\
    <skipHours><hour>0</hour><hour>23</hour><hour>24</hour></skipHours>\
    <skipDays><day>Sunday</day><day>saturday</day></skipDays><fh:archive/>\
    <atom:link rel=\"self\" href=\"https://example.org/feed\"/>\
    <atom:link rel=\"hub\" href=\"https://hub.example.org/\"/>\
    <atom:link rel=\"hub\" href=\"https://hub.example.com/\"/>\
    <atom:link rel=\"prev-archive\" href=\"https://example.org/feed/1\"/>\
    <item><title>a</title></item></channel></rss>";

fn check(text: &str) {
    let document = read(text);
    let hints = &document.hints;
    assert_eq!(hints.ttl_minutes, Some(90));
    assert_eq!(hints.update_period_seconds, Some(1800));
    assert_eq!(hints.skip_hours, [0, 23]);
    assert_eq!(hints.skip_days, [5, 6]);
    assert!(hints.archive && !hints.complete);
    assert_eq!(document.home(), Some("https://example.org/"));
    assert_eq!(document.self_link(), Some("https://example.org/feed"));
    let hubs: Vec<&str> = document.links_with("hub").collect();
    assert_eq!(hubs, ["https://hub.example.org/", "https://hub.example.com/"]);
    assert_eq!(document.older(), Some("https://example.org/feed/1"));
}

#[test]
fn hints_and_hubs_of_a_clean_feed_are_read() {
    check(HINTS);
    assert!(read(HINTS).warnings.is_empty());
}

#[test]
fn hints_and_hubs_survive_repairs() {
    let broken = HINTS.replace("<title>a</title>", "<title>a & b</title>");
    check(&broken);
    assert!(!read(&broken).warnings.is_empty());
}

#[test]
fn a_json_feed_names_its_hubs_and_its_next_page() {
    let document = read(
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"f\",\"feed_url\":\
         \"https://example.org/f\",\"next_url\":\"https://example.org/f?2\",\"expired\":true,\
         \"hubs\":[{\"type\":\"WebSub\",\"url\":\"https://hub.example.org/\"}],\"items\":[]}",
    );
    assert_eq!(document.hub(), Some("https://hub.example.org/"));
    assert_eq!(document.older(), Some("https://example.org/f?2"));
    assert!(document.hints.expired);
}
