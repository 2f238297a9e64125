//! Exports of FreshRSS.

use pergola_feed::Text;
use pergola_takeout::read;
use serde_json::json;

use crate::fixtures::{LIST, entries, entry, zipped};

#[test]
fn a_zip_file_has_subscriptions_in_folders_stars_and_what_was_read() {
    let starred =
        entries(&[entry("roses", &["read", "starred"]), entry("oaks", &["starred", "unread"])]);
    let of_feed = entries(&[entry("ferns", &["read"]), entry("moss", &["unread"])]);
    let file = zipped(&[
        ("feeds_2026-01-02.opml.xml", LIST.as_bytes()),
        ("starred_2026-01-02.json", &starred),
        ("feed_2026-01-02_7_A blog.json", &of_feed),
    ]);
    let takeout = read(&file).unwrap();
    let followed: Vec<_> = takeout
        .subscriptions
        .iter()
        .map(|own| (own.address.as_str(), own.folders.join(","), own.title.as_deref()))
        .collect();
    assert_eq!(
        followed,
        [
            ("https://blog.example/feed", "Gardens".to_owned(), Some("A blog")),
            ("https://alone.example/feed", String::new(), Some("Alone")),
        ]
    );
    let marks: Vec<_> = takeout
        .items
        .iter()
        .map(|marked| (marked.item.id.0.as_str(), marked.read, marked.starred))
        .collect();
    assert_eq!(marks, [("roses", true, true), ("oaks", false, true), ("ferns", true, false)]);
    assert_eq!((takeout.unmarked, takeout.flawed), (1, 1));
    assert_eq!(takeout.flaws[0].place, "feeds_2026-01-02.opml.xml, line 7");
}

#[test]
fn an_item_comes_with_everything_that_is_told_of_it() {
    let takeout = read(&entries(&[entry("roses", &["starred"])])).unwrap();
    let marked = &takeout.items[0];
    assert_eq!(marked.feed(), Some("https://blog.example/feed"));
    assert_eq!(marked.seen.map(|seen| seen.unix()), Some(1_767_225_600));
    let item = &marked.item;
    assert_eq!(item.guid.as_deref(), Some("roses"));
    assert_eq!(item.title.as_deref(), Some("On roses"));
    assert_eq!(item.link.as_deref(), Some("https://blog.example/roses"));
    assert_eq!(item.content, Some(Text::html("<p>All about roses.</p>")));
    assert_eq!(item.published.map(|at| at.unix()), Some(1_767_222_000));
    assert_eq!(item.authors[0].name.as_deref(), Some("Ada"));
    let words: Vec<_> = item.categories.iter().map(|category| category.term.as_str()).collect();
    assert_eq!(words, ["gardens"], "states are no words of the publisher");
    assert_eq!(item.enclosures[0].length, Some(12));
}

#[test]
fn words_that_freshrss_writes_as_html_become_plain_text() {
    let mut escaped = entry("roses", &["starred"]);
    escaped["title"] = json!("Q&amp;A: 1 &lt; 2 &quot;x&quot; &#39;y&#39; &amp;lt;");
    escaped["author"] = json!("Ada &amp; Bob");
    escaped["origin"]["title"] = json!("R&amp;D > 2");
    let takeout = read(&entries(&[escaped])).unwrap();
    let item = &takeout.items[0].item;
    assert_eq!(item.title.as_deref(), Some("Q&A: 1 < 2 \"x\" 'y' &lt;"));
    assert_eq!(item.authors[0].name.as_deref(), Some("Ada & Bob"));
    assert_eq!(item.origin.as_ref().unwrap().title.as_deref(), Some("R&D > 2"));
}

#[test]
fn files_that_an_archiver_leaves_behind_are_passed_over() {
    let file = zipped(&[
        ("feeds.opml.xml", LIST.as_bytes()),
        ("__MACOSX/._feeds.opml.xml", b"\0\x05\x16\x07"),
        (".DS_Store", b"\0\0\0\x01Bud1"),
        ("notes.txt", b"Mine"),
    ]);
    let takeout = read(&file).unwrap();
    let told: Vec<_> = takeout.flaws.iter().map(|flaw| flaw.place.as_str()).collect();
    assert_eq!(told, ["feeds.opml.xml, line 7", "notes.txt"]);
}

#[test]
fn an_entry_that_makes_no_sense_is_told_by_its_place_and_the_others_are_read() {
    let mut without_feed = entry("oaks", &["starred"]);
    without_feed["origin"] = json!({ "streamId": "feed/7" });
    let evil = {
        let mut evil = entry("ferns", &["starred"]);
        evil["origin"]["feedUrl"] = json!("javascript:alert(1)");
        evil
    };
    let file = entries(&[entry("roses", &["starred"]), without_feed, json!(17), evil]);
    let takeout = read(&file).unwrap();
    assert_eq!(takeout.items.len(), 1);
    let told: Vec<_> =
        takeout.flaws.iter().map(|flaw| (flaw.place.as_str(), flaw.reason.as_str())).collect();
    assert_eq!(
        told,
        [
            ("the file, items[1]", "it does not say from which feed it is"),
            ("the file, items[2]", "it is no entry"),
            (
                "the file, items[3]",
                "the address of its feed begins with neither http:// nor https://"
            ),
        ]
    );
    assert_eq!(takeout.flaws[0].title.as_deref(), Some("On oaks"));
}
