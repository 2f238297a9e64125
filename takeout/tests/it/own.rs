//! What Pergola itself writes.

use pergola_feed::address::origin_of;
use pergola_feed::opml::{Opml, Outline};
use pergola_feed::{Item, Origin, Text, Timestamp};
use pergola_takeout::{Account, Packing, Unreadable, read};

fn starred(number: usize) -> Item {
    let mut item = Item::new(format!("https://blog.example/{number}"));
    item.link = Some(format!("https://blog.example/{number}"));
    item.title = Some(format!("Number {number}"));
    item.content = Some(Text::html("<p>a &amp; b</p>"));
    item.published = Some(Timestamp::from_unix(1_767_222_000));
    let feed = "https://blog.example/feed".to_owned();
    let identity = Some(origin_of(&feed));
    item.origin = Some(Origin {
        feed: Some(feed),
        identity,
        title: Some("A blog".into()),
        ..Origin::default()
    });
    item
}

fn list() -> Opml {
    let feed = Outline {
        text: "A blog".into(),
        feed: Some("https://blog.example/feed".into()),
        ..Outline::default()
    };
    let folder = Outline { text: "Gardens".into(), children: vec![feed], ..Outline::default() };
    Opml { title: None, outlines: vec![folder] }
}

#[test]
fn what_is_written_is_read_again() {
    let mut packing = Packing::new(&list()).unwrap();
    for number in 0..2_500 {
        packing.star(starred(number)).unwrap();
    }
    let mut account = Account::new("ada", [7, u64::MAX >> 1]);
    account.zone = Some("Europe/Rome".into());
    account.settings.insert("order".into(), "oldest".into());
    let takeout = read(&packing.finish(&account).unwrap()).unwrap();
    assert_eq!(takeout.subscriptions[0].folders, ["Gardens"]);
    assert_eq!(takeout.account.as_ref(), Some(&account));
    assert_eq!(account.read(), [7, u64::MAX >> 1]);
    assert_eq!(takeout.items.len(), 2_500);
    for (number, marked) in takeout.items.iter().enumerate() {
        let (item, written) = (&marked.item, starred(number));
        assert_eq!(
            (&item.id, &item.title, &item.content),
            (&written.id, &written.title, &written.content)
        );
        assert_eq!(
            (&item.link, item.published, &item.origin),
            (&written.link, written.published, &written.origin)
        );
        assert!(marked.starred && !marked.read);
    }
    assert_eq!(takeout.flawed, 0, "{:?}", takeout.flaws);
}

#[test]
fn a_file_of_a_later_version_is_refused_and_a_bad_number_is_told() {
    let later = br#"{"pergola_account":2,"user":"ada"}"#;
    assert!(matches!(read(later), Err(Unreadable::TooNew { .. })));
    let takeout = read(br#"{"pergola_account":1,"user":"ada","read":["7","x","-1"]}"#).unwrap();
    assert_eq!(takeout.account.unwrap().read(), [7]);
    let told: Vec<_> = takeout.flaws.iter().map(|flaw| flaw.place.as_str()).collect();
    assert_eq!(told, ["the file, read[1]", "the file, read[2]"]);
}
