use proptest::option::of;
use proptest::prelude::*;

use pergola_feed::{Credit, Details, Enclosure, Media, Picture, Series};
use pergola_manners::hints::Hints;

use super::*;

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{1,30}", "[ -~\n\0]{1,10}"]
}

fn text() -> impl Strategy<Value = Text> {
    (word(), any::<bool>())
        .prop_map(|(body, html)| if html { Text::html(body) } else { Text::plain(body) })
}

fn person() -> impl Strategy<Value = Person> {
    (word(), of(word()), of(word())).prop_map(|(name, uri, email)| Person {
        name: Some(name),
        uri,
        email,
    })
}

fn when() -> impl Strategy<Value = Option<Timestamp>> {
    of(any::<i64>().prop_map(Timestamp::from_unix))
}

fn media() -> impl Strategy<Value = Media> {
    let thumbnails = prop::collection::vec((word(), of(any::<u32>()), of(any::<u32>())), 1..3);
    let credits = prop::collection::vec((word(), of(word())), 0..3);
    let numbers = [of(any::<u32>()), of(any::<u32>()), of(any::<u32>())];
    let words = [of(word()), of(word()), of(word()), of(word()), of(word()), of(word())];
    (thumbnails, credits, numbers, words, of(any::<bool>())).prop_map(
        |(thumbnails, credits, numbers, words, explicit)| {
            let [duration, season, episode] = numbers;
            let [image, kind, title, author, subtitle, summary] = words;
            let picture = |(url, width, height)| Picture { url, width, height };
            Media {
                thumbnails: thumbnails.into_iter().map(picture).collect(),
                image,
                duration,
                season,
                episode,
                kind,
                explicit,
                title,
                author,
                subtitle,
                summary,
                credits: credits.into_iter().map(|(name, role)| Credit { name, role }).collect(),
            }
        },
    )
}

fn series() -> impl Strategy<Value = Series> {
    let categories = prop::collection::vec(word(), 1..3);
    (of(word()), of(word()), of(word()), of(any::<bool>()), categories).prop_map(
        |(image, author, kind, explicit, categories)| Series {
            image,
            author,
            kind,
            explicit,
            categories,
        },
    )
}

fn item() -> impl Strategy<Value = Item> {
    let words = (word(), of(word()), of(word()), of(text()), of(text()), of(word()));
    let lists = (
        prop::collection::vec((word(), ".*", of(word())), 0..3),
        prop::collection::vec(person(), 0..3),
        prop::collection::vec((word(), of(word())), 0..3),
        prop::collection::vec((word(), of(word()), any::<Option<u64>>(), of(any::<u32>())), 0..3),
        prop::collection::vec((word(), of(0..1_i64 << 42), of(0..1_i64 << 42)), 0..4),
    );
    let origin = of((word(), of(word()), of(word()), of(word()), of(any::<u128>()), of(series())));
    let more = (origin, of(media()));
    (words, lists, more, when(), when()).prop_map(|(words, lists, more, published, updated)| {
        let (origin, media) = more;
        let (id, guid, title, summary, content, link) = words;
        let (links, authors, categories, enclosures, hops) = lists;
        let link_of = |(href, rel, media_type)| Link { href, rel, media_type };
        let hop = |(node, fetched, published): (String, Option<i64>, Option<i64>)| Hop {
            node: NodeId(node),
            fetched: fetched.map(Millis::from_unix),
            published: published.map(Millis::from_unix),
        };
        let enclosure = |(url, media_type, length, width): (_, _, _, Option<u32>)| Enclosure {
            url,
            media_type,
            length,
            details: width.map(|_| Box::new(Details { width, ..Details::default() })),
        };
        Item {
            id: ItemId(id),
            guid,
            title,
            link,
            links: links.into_iter().map(link_of).collect(),
            summary,
            content,
            authors,
            categories: categories
                .into_iter()
                .map(|(term, scheme)| Category { term, scheme })
                .collect(),
            published,
            updated,
            first_seen: None,
            enclosures: enclosures.into_iter().map(enclosure).collect(),
            media: media.map(Box::new),
            origin: origin.map(|(id, title, feed, home, identity, series)| Origin {
                id: Some(id),
                title,
                feed,
                home,
                identity: identity.map(OriginId),
                series: series.map(Box::new),
            }),
            hops: hops.into_iter().map(hop).collect(),
        }
    })
}

proptest! {
    #[test]
    fn there_and_back_is_the_same_entry(
        item in item(),
        sequence: u64,
        edited: bool,
        cut: bool,
        second in 0u32..,
    ) {
        let published_at = f64::from(second);
        let entry = Delivered { sequence, published_at, edited, cut, item };
        prop_assert_eq!(entry_from_wire(entry_to_wire(entry.clone())), Ok(entry));
    }

    #[test]
    fn what_was_sent_as_bytes_is_the_same_item(item in item()) {
        use prost::Message;
        let bytes = item_to_wire(item.clone()).encode_to_vec();
        prop_assert_eq!(item_from_wire(v1::Item::decode(&bytes[..]).unwrap()), Ok(item));
    }
}

#[test]
fn an_error_names_the_field_with_the_way_to_it() {
    let missing = entry_from_wire(v1::Entry::default()).unwrap_err();
    assert_eq!(missing.to_string(), "`item` is missing");
    let nameless = v1::Entry { item: Some(v1::Item::default()), ..v1::Entry::default() };
    assert_eq!(entry_from_wire(nameless).unwrap_err().to_string(), "`item.id` is empty");
}

#[test]
fn what_is_blank_is_passed_over() {
    let blank = v1::Item {
        id: "x".into(),
        title: Some(String::new()),
        links: vec![v1::Link::default()],
        content: Some(v1::Text::default()),
        authors: vec![v1::Person { name: Some(String::new()), ..v1::Person::default() }],
        categories: vec![v1::Category::default()],
        enclosures: vec![v1::Enclosure::default()],
        origin: Some(v1::Origin::default()),
        hops: vec![v1::Hop::default()],
        ..v1::Item::default()
    };
    assert_eq!(item_from_wire(blank), Ok(Item::new("x")));
}

#[test]
fn hints_come_back_in_order_and_nonsense_is_refused() {
    let hints = Hints {
        items_per_day: Some(2.5),
        completeness: Some(1.0),
        freshness: Some(0.25),
        planned: vec![(10.0, 0.5), (20.0, 1.5)],
        now: 5.0,
    };
    let mut wire = hints_to_wire(hints.clone());
    wire.planned.reverse();
    assert_eq!(hints_from_wire(wire.clone()), Ok(hints));
    let wrong = |change: fn(&mut v1::Hints)| {
        let mut wire = wire.clone();
        change(&mut wire);
        hints_from_wire(wire).unwrap_err().field
    };
    assert_eq!(wrong(|hints| hints.completeness = Some(1.5)), "completeness");
    assert_eq!(wrong(|hints| hints.freshness = Some(f64::NAN)), "freshness");
    assert_eq!(wrong(|hints| hints.items_per_day = Some(-1.0)), "items_per_day");
    assert_eq!(wrong(|hints| hints.planned[0].items = f64::INFINITY), "planned.items");
}
