//! What the documents show.

use std::io::Read;

use flate2::read::GzDecoder;
use pergola_feed::{Format as Dialect, Timestamp};
use pergola_newsroom::serve::{Format, Headline, Quirks, Source};
use pergola_newsroom::{Process, TraceItem, TraceStream};
use reqwest::Method;

use crate::{OPENING, Stage, header};

const HOURS: [f64; 6] = [-7_200.0, -3_600.0, 0.0, 3_600.0, 7_200.0, 10_800.0];

#[tokio::test]
async fn every_format_shows_the_same_items_with_its_own_media_type() {
    let formats = [
        ("a.rss", Format::Rss, Dialect::Rss2, "application/rss+xml"),
        ("a.atom", Format::Atom, Dialect::Atom, "application/atom+xml"),
        ("a.json", Format::Json, Dialect::Json, "application/feed+json"),
    ];
    let stage = Stage::open(|builder| {
        builder.sources(formats.map(|(name, format, _, _)| {
            Source::new(name, Process::Recorded(HOURS.to_vec()))
                .format(format)
                .headlines(vec![Headline::new("One & two", &["jazz"])])
        }))
    })
    .await;
    for (name, _, expected, media_type) in formats {
        let path = format!("/sources/{name}");
        let answer = stage.get(&path).await;
        let sent = header(answer.headers(), "content-type").unwrap();
        assert!(sent.starts_with(media_type), "{sent}");
        let document = stage.document(&path).await;
        assert_eq!((document.format, document.items.len()), (expected, 3));
        assert_eq!(document.self_link(), Some(format!("{}{path}", stage.url).as_str()));
        let newest = &document.items[0];
        assert_eq!(newest.title.as_deref(), Some("One & two"));
        assert_eq!(newest.published, Some(Timestamp::from_unix(OPENING as i64)));
        assert_eq!(newest.categories[0].term, "jazz");
        let guid = newest.guid.as_deref().unwrap();
        assert_eq!(guid, format!("tag:newsroom.example,2026:{name}/2/1790000000"));
    }
}

#[tokio::test]
async fn the_window_slides_as_the_clock_goes_on() {
    let stage = Stage::with_times(&HOURS, |source| source.window(3)).await;
    let first = stage.document("/sources/news").await;
    stage.hand.forward(3_599.0);
    assert_eq!(stage.document("/sources/news").await, first);
    stage.hand.forward(1.0);
    let second = stage.document("/sources/news").await;
    assert_eq!(second.items.len(), 3);
    assert_eq!(second.items[1..], first.items[..2]);
    assert_eq!(second.items[0].published, Some(Timestamp::from_unix(OPENING as i64 + 3_600)));
}

#[tokio::test]
async fn an_item_mentions_the_keywords_it_is_filed_under_and_no_others() {
    let stage = Stage::with_times(&HOURS, |source| source.text_bytes(600)).await;
    stage.newsroom.publish_now("news", 30).unwrap();
    let document = stage.document("/sources/news").await;
    let mut mentioned = 0;
    for item in &document.items {
        let text = item.content.as_ref().unwrap().body.to_lowercase();
        let title = item.title.as_deref().unwrap().to_lowercase();
        for topic in ["volcano", "chess"] {
            let filed = item.categories.iter().any(|category| category.term == topic);
            assert_eq!(text.contains(topic), filed, "{text}");
            assert_eq!(title.contains(topic), filed, "{title}");
            mentioned += u32::from(filed);
        }
    }
    assert!(mentioned > 0);
}

#[tokio::test]
async fn documents_can_be_made_as_large_as_a_benchmark_wants_them() {
    let stage = Stage::open(|builder| {
        let source = |name: &str, bytes| {
            Source::new(name, Process::Constant { rate: 1e-3 }).window(20).text_bytes(bytes)
        };
        builder.source(source("small", 620)).source(source("large", 2_120))
    })
    .await;
    for (path, expected) in [("/sources/small", 20_000), ("/sources/large", 50_000)] {
        let length = stage.get(path).await.bytes().await.unwrap().len();
        assert!(length.abs_diff(expected) < expected / 20, "{path} has {length} bytes");
    }
}

#[tokio::test]
async fn the_same_seed_and_instant_give_the_same_bytes() {
    let (one, two) = tokio::join!(open_for_comparison(7), open_for_comparison(7));
    let other = open_for_comparison(8).await;
    let bodies = async |stage: &Stage| {
        stage.newsroom.publish_now("b/c", 2).unwrap();
        stage.hand.forward(86_400.0);
        let mut all = String::new();
        for name in ["a", "b/c"] {
            all += &stage.text(&format!("/sources/{name}")).await.1;
            all += &format!("{:?}", stage.newsroom.truth(name).unwrap().items);
        }
        all
    };
    let first = bodies(&one).await;
    // The second is requested on the way, which must change nothing.
    two.hand.forward(100.0);
    two.text("/sources/a").await;
    two.hand.forward(-100.0);
    assert!(first == bodies(&two).await, "the bytes differ");
    assert!(first != bodies(&other).await, "another seed makes no difference");
}

async fn open_for_comparison(seed: u64) -> Stage {
    Stage::open(|builder| {
        builder
            .seed(seed)
            .base_url("http://news.example/")
            .source(Source::new("a", Process::Constant { rate: 1e-3 }).topics(&["rust"], 0.5))
            .source(Source::new("b/c", Process::Bursts { rate: 1e-4, size: 5.0, spread: 60.0 }))
    })
    .await
}

#[tokio::test]
async fn gzip_goes_to_those_who_accept_it_and_holds_the_same_document() {
    let stage = Stage::with_times(&HOURS, |source| source.text_bytes(2_000)).await;
    let plain = stage.get("/sources/news").await;
    assert_eq!(header(plain.headers(), "content-encoding"), None);
    assert_eq!(header(plain.headers(), "vary"), Some("accept-encoding"));
    let plain = plain.text().await.unwrap();
    let packed =
        stage.send(Method::GET, "/sources/news", &[("accept-encoding", "br, gzip;q=0.8")]).await;
    assert_eq!(header(packed.headers(), "content-encoding"), Some("gzip"));
    let packed = packed.bytes().await.unwrap();
    assert!(packed.len() * 2 < plain.len());
    let mut unpacked = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
}

#[tokio::test]
async fn the_link_of_an_item_leads_to_its_page() {
    let stage = Stage::with_times(&HOURS, |source| source.window(2)).await;
    let item = stage.document("/sources/news").await.items.remove(0);
    let link = item.link.unwrap();
    let (status, page) = stage.text(link.strip_prefix(&stage.url).unwrap()).await;
    assert_eq!(status, 200);
    assert!(page.contains(&item.title.unwrap()), "{page}");
}

#[tokio::test]
async fn a_recorded_stream_is_published_with_its_own_titles_and_keywords() {
    let item = |at, keywords: &str, title: &str| TraceItem {
        at,
        keywords: keywords.to_owned(),
        title: title.to_owned(),
    };
    let items = vec![item(5.0, "x,y", "First"), item(9.0, "", "<b>Second</b>")];
    let stream = TraceStream { id: "trace".to_owned(), items };
    let stage = Stage::open(|builder| builder.source(Source::recorded(&stream))).await;
    assert_eq!(stage.document("/sources/trace").await.items.len(), 0);
    stage.hand.forward(10.0);
    let document = stage.document("/sources/trace").await;
    let first = document.items.last().unwrap();
    let terms: Vec<&str> = first.categories.iter().map(|c| c.term.as_str()).collect();
    assert_eq!((first.title.as_deref(), terms), (Some("First"), vec!["x", "y"]));
    let (_, page) = stage.text("/items/trace/1").await;
    assert!(page.contains("&lt;b&gt;Second&lt;/b&gt;"), "{page}");
}

#[tokio::test]
async fn an_undated_source_publishes_without_dates() {
    let quirks = Quirks { undated: true, ..Quirks::default() };
    let stage = Stage::with_times(&HOURS, |source| source.quirks(quirks)).await;
    let document = stage.document("/sources/news").await;
    assert_eq!(document.items.len(), 3);
    assert!(document.items.iter().all(|item| item.published.is_none()));
}
