use pergola_feed::{Enclosure, Hop, Millis, Person, Text};

use super::*;

const EVIL: &str = "\"><script>alert(1)</script><img src=x onerror=alert(2)>";

fn nodes() -> Nodes {
    let names = HashMap::from([("abcdef".to_owned(), EVIL.to_owned())]);
    Nodes { here: NodeId("home".into()), names }
}

/// Without pictures.
fn inside(nodes: &Nodes) -> Inside<'_> {
    Inside { nodes, pictures: None }
}

fn shown(number: u64, item: Item) -> Shown {
    let from = Chosen::Source(12);
    let dated = Timestamp::from_unix(1_700_000_000);
    Shown {
        number,
        item,
        from,
        from_title: "News".into(),
        source: 12,
        dated,
        read: false,
        starred: false,
        snippet: Vec::new(),
    }
}

fn stream(items: Vec<Shown>) -> Stream {
    let entry = Entry { what: Chosen::Source(12), title: "News".into(), unread: 3 };
    let group =
        Group { folder: Some(("Tech & more".into(), 3)), entries: vec![entry], left_out: 0 };
    Stream {
        title: "All items".into(),
        view: View { chosen: Chosen::All, unread_only: true, search: None, after: None },
        side: Side { unread: 3, groups: vec![group] },
        items,
        open: None,
        next: Some("a-b".into()),
        until: Some(1_700_000_000.25),
        note: None,
        wrong: None,
    }
}

fn reader() -> Viewer<'static> {
    Viewer::Inside { name: Some("ada"), manages: false }
}

#[test]
fn a_stream_shows_what_is_unread_and_leads_on() {
    let text =
        page(reader(), &stream(vec![shown(7, Item::new("x"))]), inside(&nodes())).into_string();
    for part in [
        "href=\"./read?all=&amp;after=a-b\"",
        "href=\"./read?all=&amp;open=7#item-7\"",
        "href=\"./read?folder=Tech+%26+more\"",
        "data-stream=\"source=12\"",
        "name=\"until\" value=\"1700000000.25\"",
        "action=\"./read/item/7/mark\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn whoever_wrote_an_item_can_do_no_harm() {
    let hop =
        |node: &str| Hop { fetched: Some(Millis::from_unix(5)), ..Hop::at(NodeId(node.into())) };
    let item = Item {
        title: Some(EVIL.into()),
        link: Some("javascript:alert(3)".into()),
        summary: Some(Text::html(EVIL)),
        content: Some(Text::html(format!("<p onclick=alert(4)>{EVIL}</p><form></form>"))),
        authors: vec![Person::named(EVIL)],
        enclosures: vec![
            Enclosure { url: "javascript:alert(5)".into(), ..Enclosure::default() },
            Enclosure { url: "https://e.example/\"><script>".into(), ..Enclosure::default() },
        ],
        hops: vec![hop("abcdef"), hop(EVIL), hop("home")],
        ..Item::new(EVIL)
    };
    let mut all = stream(vec![Shown { from_title: EVIL.into(), ..shown(7, item.clone()) }]);
    all.title = EVIL.into();
    all.view.chosen = Chosen::Folder(EVIL.into());
    all.side.groups[0].folder = Some((EVIL.into(), 1));
    all.side.groups[0].entries[0].title = EVIL.into();
    for open in [None, Some(7)] {
        all.open = open;
        let text = page(reader(), &all, inside(&nodes())).into_string();
        for harm in ["<script>alert", "onerror=alert(2)>", "javascript:", "onclick", "<img"] {
            assert!(!text.contains(harm), "{harm}: {text}");
        }
        assert!(text.contains("&lt;script&gt;alert(1)"), "{text}");
    }
    let text = item_page(reader(), &shown(7, item), &all.view, inside(&nodes())).into_string();
    assert!(!text.contains("<script>alert") && !text.contains("javascript:"), "{text}");
}

#[test]
fn a_closed_item_shows_its_beginning_and_an_open_one_all_of_it() {
    let long = "word ".repeat(3_000);
    let item = Item { content: Some(Text::html(format!("<p>{long}END</p>"))), ..Item::new("x") };
    let mut all = stream(vec![shown(7, item)]);
    let closed = page(reader(), &all, inside(&nodes())).into_string();
    assert!(closed.contains("word word…") && !closed.contains("END"), "{closed}");
    all.open = Some(7);
    assert!(page(reader(), &all, inside(&nodes())).into_string().contains("END"));
}

#[test]
fn fifty_items_fit_into_a_hundred_kilobytes() {
    let body = Text::html("<p>Some words of an item that goes on for a while.</p>".repeat(50));
    let item = |n: u64| Item {
        title: Some(format!("An item with a title of the usual length, number {n}")),
        link: Some(format!("https://example.org/articles/2026/{n}")),
        content: Some(body.clone()),
        authors: vec![Person::named("Somebody Somewhere")],
        ..Item::new(n.to_string())
    };
    let mut all = stream((0..50).map(|n| shown(n, item(n))).collect());
    let entry =
        |n| Entry { what: Chosen::Source(n), title: format!("Source number {n}"), unread: n };
    all.side.groups[0].entries = (0..80).map(entry).collect();
    let text = page(reader(), &all, inside(&nodes())).into_string();
    let text = crate::forms::with_token(&text, &"0".repeat(64));
    assert!(text.len() < 100_000, "{}", text.len());
}
