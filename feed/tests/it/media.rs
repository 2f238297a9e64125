//! Pictures, films and podcasts: what their publishers say survives a hop in every format.

use pergola_feed::write::{write_atom, write_json, write_rss};
use pergola_feed::{Credit, Details, Document, Item, Media, Origin, Picture, Series};

use crate::read;

const PODCAST: &str = r#"<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
  xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Lava Talk</title>
  <link>https://example.org/</link><description>d</description>
  <itunes:author>Ada &amp; Grace</itunes:author><itunes:type>serial</itunes:type>
  <itunes:image href="https://example.org/cover.jpg"/><itunes:explicit>no</itunes:explicit>
  <itunes:category text="Science"><itunes:category text="Earth Sciences"/></itunes:category>
  <item><title>S2 E7: Ash</title><guid isPermaLink="false">7</guid><description>Shownotes.</description>
    <enclosure url="https://example.org/7.mp3" length="12345" type="audio/mpeg"/>
    <itunes:title>Ash</itunes:title><itunes:duration>1:02:03</itunes:duration>
    <itunes:image href="https://example.org/7.jpg"/><itunes:season>2</itunes:season>
    <itunes:episode>7</itunes:episode><itunes:episodeType>bonus</itunes:episodeType>
    <itunes:explicit>yes</itunes:explicit><itunes:author>Ada</itunes:author>
    <itunes:subtitle>On ash</itunes:subtitle><itunes:summary>All about ash.</itunes:summary>
    <media:thumbnail url="https://example.org/small.jpg" width="75" height="50"/>
    <media:content url="https://example.org/ash.mp4" type="video/mp4" medium="video" width="640"
      height="360" duration="61" fileSize="99"/>
    <media:credit role="photographer">Grace</media:credit></item></channel></rss>"#;

fn episode() -> Media {
    let some = |text: &str| Some(text.to_owned());
    let thumbnail = "https://example.org/small.jpg".to_owned();
    Media {
        thumbnails: vec![Picture { url: thumbnail, width: Some(75), height: Some(50) }],
        image: some("https://example.org/7.jpg"),
        duration: Some(3723),
        season: Some(2),
        episode: Some(7),
        kind: some("bonus"),
        explicit: Some(true),
        title: some("Ash"),
        author: None,
        subtitle: some("On ash"),
        summary: some("All about ash."),
        credits: vec![Credit { name: "Grace".into(), role: some("photographer") }],
    }
}

fn show() -> Series {
    Series {
        image: Some("https://example.org/cover.jpg".into()),
        author: Some("Ada & Grace".into()),
        kind: Some("serial".into()),
        explicit: Some(false),
        categories: vec!["Science".into(), "Earth Sciences".into()],
    }
}

#[test]
fn a_podcast_keeps_its_series_its_episodes_and_its_pictures_in_every_format() {
    let mut document = read(PODCAST);
    assert_eq!(document.warnings, [""; 0]);
    for (format, write) in [("read", None), ("rss", Some(write_rss as fn(&Document) -> String))]
        .into_iter()
        .chain([("atom", Some(write_atom as fn(&Document) -> String)), ("json", Some(write_json))])
    {
        if let Some(write) = write {
            document = read(&write(&document));
        }
        let item = &document.items[0];
        assert_eq!(document.series.as_deref(), Some(&show()), "{format}");
        assert_eq!(item.media.as_deref(), Some(&episode()), "{format}");
        assert_eq!(item.authors[0].name.as_deref(), Some("Ada"), "{format}");
        assert_eq!(item.title.as_deref(), Some("S2 E7: Ash"), "{format}");
        let [audio, video] = item.enclosures.as_slice() else { panic!("{:?}", item.enclosures) };
        assert_eq!((audio.url.as_str(), audio.length), ("https://example.org/7.mp3", Some(12345)));
        let details = Details {
            medium: Some("video".into()),
            width: Some(640),
            height: Some(360),
            duration: Some(61),
        };
        assert_eq!(
            (video.length, video.details.as_deref()),
            (Some(99), Some(&details)),
            "{format}"
        );
    }
}

#[test]
fn an_item_carries_the_series_of_its_origin_into_a_merged_feed() {
    let mut merged = read(PODCAST);
    merged.series = None;
    let origin = Origin { series: Some(Box::new(show())), ..Origin::default() };
    merged.items[0].origin = Some(origin.clone());
    for write in [write_rss, write_atom, write_json] {
        let there = read(&write(&merged));
        assert_eq!(there.series, None);
        assert_eq!(there.items[0].origin.as_ref(), Some(&origin));
    }
}

#[test]
fn a_damaged_podcast_is_still_one() {
    let damaged = PODCAST.replacen("Lava Talk", "Lava & Talk", 1);
    let document = read(&damaged);
    assert!(!document.warnings.is_empty());
    assert_eq!(document.items[0].media.as_deref(), Some(&episode()));
    assert_eq!(document.items[0].enclosures.len(), 2);
    assert_eq!(document.series.map(|series| series.image), Some(show().image));
}

#[test]
fn the_group_of_a_film_gives_its_picture() {
    let film = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
        <id>yt:channel:1</id><title>f</title><updated>2026-11-16T00:00:00Z</updated><entry>
        <id>yt:video:1</id><title>a</title><updated>2026-11-16T00:00:00Z</updated><media:group>
        <media:title>a</media:title><media:content url="https://example.org/v/1" type="video/mp4"
        width="640" height="390"/><media:thumbnail url="https://example.org/1.jpg" width="480" height="360"/>
        <media:description>Words</media:description></media:group></entry></feed>"#;
    let document = read(film);
    assert_eq!(document.warnings, [""; 0]);
    let media = document.items[0].media.as_ref().unwrap();
    assert_eq!(media.picture(), Some("https://example.org/1.jpg"));
    assert_eq!(document.items[0].enclosures[0].details.as_ref().unwrap().width, Some(640));
    assert_eq!(document.items[0].id.0, "yt:video:1");
}

#[test]
fn json_feed_says_durations_and_pictures_in_its_own_words() {
    let text = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "f", "items": [{"id": "urn:x:1",
        "content_text": "a", "image": "https://example.org/1.jpg", "attachments": [{"duration_in_seconds": 61.5,
        "url": "https://example.org/1.mp3", "mime_type": "audio/mpeg"}]}]}"#;
    let item = read(text).items.remove(0);
    let media = item.media.as_ref().unwrap();
    assert_eq!((media.picture(), media.duration), (Some("https://example.org/1.jpg"), Some(61)));
    let mut document = read(text);
    let json: serde_json::Value = serde_json::from_str(&write_json(&document)).unwrap();
    assert_eq!(json["items"][0]["image"], "https://example.org/1.jpg");
    assert_eq!(json["items"][0]["attachments"][0]["duration_in_seconds"], 61);
    document = read(&write_rss(&document));
    assert_eq!(document.items[0].media, item.media);
}

#[test]
fn what_an_item_says_itself_is_not_said_twice() {
    let rss = PODCAST
        .replace("<itunes:title>Ash<", "<itunes:title>S2 E7: Ash<")
        .replace("All about ash.", "Shownotes.");
    let media = read(&rss).items.remove(0).media.unwrap();
    assert_eq!((media.title, media.summary), (None, None));
}

#[test]
fn an_item_without_media_takes_no_room_for_them() {
    let plain = read(&crate::rss("<item><title>a</title></item>"));
    assert_eq!(plain.items[0].media, None);
    assert!(size_of::<Item>() <= 512, "{} bytes", size_of::<Item>());
}
