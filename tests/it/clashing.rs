//! A site whose sources number their items, so that their ids clash as soon as somebody merges them.

use crate::origin::{Origin, Reply};

/// Items of all sources together.
pub(crate) const ITEMS: usize = 11;

/// Two sources with the ids 1 to 5, one of them a podcast, and one whose only id is an address.
pub(crate) async fn site() -> Origin {
    let numbered = |name: &str, more: fn(u32) -> String| {
        let item = |n: u32| {
            format!(
                "<item><guid isPermaLink=\"false\">{n}</guid><title>{name} {n}</title>\
                 <link>https://example.org/{name}/{n}</link><description>Text {n}</description>\
                 <pubDate>Mon, 16 Nov 2026 10:0{n}:00 GMT</pubDate>{}</item>",
                more(n)
            )
        };
        rss(name, &(1..=5).map(item).collect::<String>())
    };
    let audio = |n: u32| {
        format!(
            "<enclosure url=\"https://example.org/{n}.mp3\" length=\"{n}00\" type=\"audio/mpeg\"/>\
             <itunes:duration>12:3{n}</itunes:duration>\
             <media:content url=\"https://example.org/{n}.jpg\" type=\"image/jpeg\" width=\"640\"/>"
        )
    };
    let address = "<item><guid>https://example.org/x</guid><title>Zwölf &amp; eins</title></item>";
    Origin::builder()
        .page("/blog.xml", numbered("Blog", |_| String::new()))
        .page("/podcast.xml", numbered("Podcast", audio))
        .page("/other.xml", rss("Other", address))
        .start()
        .await
}

/// Merges all sources in the feed `Merged`.
pub(crate) fn query(site: &Origin) -> String {
    let urls =
        ["/blog.xml", "/podcast.xml", "/other.xml"].map(|path| format!("\"{}\"", site.url(path)));
    format!("CREATE FEED Merged AS RETURN {} WINDOW 50;", urls.join(" | "))
}

fn rss(title: &str, items: &str) -> Reply {
    let text = format!(
        "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
         xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>{title}</title>\
         <link>https://example.org/</link><description>d</description>{items}</channel></rss>"
    );
    Reply::ok(text).header("content-type", "application/rss+xml")
}
