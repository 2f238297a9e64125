//! Entries of Miniflux.

use pergola_feed::Item;
use pergola_takeout::{Shown, read};
use serde_json::{Value, json};

/// An entry as the API answers it; its digest is that of an id.
fn entry(name: &str, hash: &str, status: &str, starred: bool) -> Value {
    json!({
        "id": 888, "user_id": 1, "feed_id": 42, "status": status, "hash": hash,
        "title": format!("On {name}"),
        "url": format!("https://blog.example/{name}"),
        "comments_url": "", "published_at": "2026-01-01T09:00:00Z", "created_at": "2026-01-01T10:00:00.5Z",
        "changed_at": "2026-01-01T10:00:00.5Z",
        "content": format!("<p>All about {name}.</p>"),
        "author": "Ada", "share_code": "", "starred": starred, "reading_time": 1,
        "enclosures": [{ "id": 1, "url": "https://blog.example/a.mp3", "mime_type": "audio/mpeg", "size": 0 }],
        "tags": ["gardens"],
        "feed": {
            "id": 42, "user_id": 1, "feed_url": "https://blog.example/feed", "site_url": "https://blog.example/",
            "title": "A blog", "category": { "id": 3, "title": "Gardens" }
        }
    })
}

/// The digest of `https://blog.example/roses`, as `sha256sum` has it.
const OF_LINK: &str = "a498b9c635663cb52b501722c796a2cb24401c4e48764fbe5e14eaf88794c43b";
/// The digest of `urn:oaks`.
const OF_ID: &str = "49683daf5b9b85e1dba6db4702f779b022c24135d18e27bb57ed85156f64bf78";

fn answer(entries: &[Value]) -> Vec<u8> {
    serde_json::to_vec(&json!({ "total": entries.len(), "entries": entries })).unwrap()
}

#[test]
fn entries_come_with_their_feed_their_star_and_whether_they_were_read() {
    let file = answer(&[
        entry("roses", OF_LINK, "read", true),
        entry("oaks", OF_ID, "unread", true),
        entry("moss", OF_ID, "unread", false),
        entry("ferns", "", "read", false),
    ]);
    let takeout = read(&file).unwrap();
    let marks: Vec<_> = takeout
        .items
        .iter()
        .map(|marked| (marked.item.title.as_deref().unwrap(), marked.read, marked.starred))
        .collect();
    assert_eq!(
        marks,
        [("On roses", true, true), ("On oaks", false, true), ("On ferns", true, false)]
    );
    assert_eq!(takeout.unmarked, 1);
    let roses = &takeout.items[0];
    assert_eq!(roses.feed(), Some("https://blog.example/feed"));
    assert_eq!(roses.item.published.map(|at| at.unix()), Some(1_767_258_000));
    assert_eq!(
        roses.item.guid.as_deref(),
        Some("https://blog.example/roses"),
        "the link is the id"
    );
    assert_eq!(takeout.items[1].item.guid, None, "only its digest is known");
}

#[test]
fn an_item_is_found_by_the_digest_of_its_id_and_else_by_its_link() {
    let takeout =
        read(&answer(&[entry("oaks", OF_ID, "read", true), entry("ferns", "", "read", true)]));
    let items = takeout.unwrap().items;
    let mut shown = Shown::default();
    let mut oaks = Item::new("urn:oaks");
    oaks.guid = Some("urn:oaks".into());
    oaks.link = Some("https://elsewhere.example/".into());
    shown.add(1, &oaks);
    let mut ferns = Item::new("urn:ferns");
    ferns.guid = Some("urn:ferns".into());
    ferns.link = Some("https://blog.example/ferns".into());
    shown.add(2, &ferns);
    assert_eq!((shown.find(&items[0], 9), shown.find(&items[1], 9)), (Some(1), Some(2)));
    // Two ids that differ are two items, even if they link to one page.
    let mut other = items[1].clone();
    other.item.guid = Some("urn:other".into());
    assert_eq!((shown.find(&other, 9), shown.find(&other, 2)), (None, Some(2)));
}

#[test]
fn a_bare_list_of_entries_is_read_as_well() {
    let list = serde_json::to_vec(&[entry("roses", OF_LINK, "read", true)]).unwrap();
    assert_eq!(read(&list).unwrap().items.len(), 1);
}
