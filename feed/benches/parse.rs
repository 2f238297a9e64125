//! How fast we parse, compared with feed-rs alone and with bare tokenising of the same bytes.
//!
//! Criterion measures each one. The table at the end compares the medians of runs that alternate
//! between the three, so that other load on the machine affects all of them equally.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput};
use pergola_feed::{Document, Format, ParseOptions, parse, write};
use quick_xml::events::Event;

const ITEMS: usize = 400;
const ROUNDS: usize = 41;

fn main() {
    let documents = documents();
    let mut criterion = Criterion::default().configure_from_args().without_plots();
    for (name, text) in &documents {
        let mut group = criterion.benchmark_group(*name);
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
        for (reader, read) in READERS {
            group.bench_function(BenchmarkId::from_parameter(reader), |b| b.iter(|| read(text)));
        }
        group.finish();
    }
    criterion.final_summary();
    println!(
        "\n{:<22}{:>12}{:>12}{:>12}{:>12}",
        "MB/s (medians)", "pergola", "feed-rs", "quick-xml", "cost"
    );
    for (name, text) in &documents {
        let [ours, theirs, bare] = medians(text);
        let speed = |seconds: f64| text.len() as f64 / 1e6 / seconds;
        println!(
            "{name:<22}{:>12.1}{:>12.1}{:>12.1}{:>+11.1}%",
            speed(ours),
            speed(theirs),
            speed(bare),
            (ours / theirs - 1.0) * 100.0
        );
    }
    println!(
        "cost: extra time compared with feed-rs alone; target: at most +25 % on clean documents"
    );
}

type Reader = (&'static str, fn(&str));
const READERS: [Reader; 3] =
    [("pergola", pergola), ("feed-rs", feed_rs_alone), ("quick-xml", bare)];

fn pergola(text: &str) {
    let document = parse(text.as_bytes(), &ParseOptions::default()).expect("a clean document");
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    black_box(document);
}

fn feed_rs_alone(text: &str) {
    let parser = feed_rs::parser::Builder::new().sanitize_content(false).build();
    black_box(parser.parse(text.as_bytes()).expect("a clean document"));
}

fn bare(text: &str) {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().expect("a clean document") {
            Event::Eof => break,
            event => {
                black_box(event);
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn medians(text: &str) -> [f64; 3] {
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (at, (_, read)) in READERS.iter().enumerate() {
            let start = Instant::now();
            read(text);
            times[at].push(start.elapsed().as_secs_f64());
        }
    }
    times.map(|mut list| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    })
}

/// Clean documents of the most common kinds.
fn documents() -> Vec<(&'static str, String)> {
    let blog = rss(4, 12);
    let headlines = rss(1, 0);
    let mut parsed = parse(blog.as_bytes(), &ParseOptions::default()).expect("a clean document");
    let own = write::write_atom(&parsed);
    parsed = Document { format: Format::Atom, ..parsed };
    let own_rss = write::write_rss(&parsed);
    vec![
        ("RSS, full content", blog),
        ("RSS, headlines", headlines),
        ("Atom, XHTML", atom()),
        ("RDF", rdf()),
        ("our own Atom", own),
        ("our own RSS", own_rss),
    ]
}

fn rss(summary: usize, content: usize) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:atom=\"http://www.w3.org/2005/Atom\" \
         xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\">\n<channel>\n\
         <title>A feed</title>\n<link>https://example.org/</link>\n\
         <atom:link href=\"https://example.org/feed\" rel=\"self\" type=\"application/rss+xml\"/>\n\
         <description>What happens</description>\n<language>en</language>\n\
         <sy:updatePeriod>hourly</sy:updatePeriod>\n<sy:updateFrequency>1</sy:updateFrequency>\n",
    );
    for n in 0..ITEMS {
        let day = 1 + n % 28;
        text.push_str(&format!(
            "<item>\n<title>Item {n}: something happened &#8211; again</title>\n\
             <link>https://example.org/{n}</link>\n<dc:creator><![CDATA[News desk]]></dc:creator>\n\
             <pubDate>Mon, {day:02} Nov 2026 20:15:04 +0000</pubDate>\n\
             <category><![CDATA[news]]></category>\n<category><![CDATA[town]]></category>\n\
             <guid isPermaLink=\"false\">https://example.org/?p={n}</guid>\n<description><![CDATA[{}]]>\
             </description>\n",
            "A few words about what happened. ".repeat(summary)
        ));
        if content > 0 {
            let paragraph = "<p>A paragraph with <a href=\"https://example.org/x\">a link</a> and \
                             more words than anybody reads.</p>\n";
            text.push_str("<content:encoded><![CDATA[");
            text.push_str(&paragraph.repeat(content));
            text.push_str("]]></content:encoded>\n");
        }
        text.push_str("</item>\n");
    }
    text.push_str("</channel>\n</rss>\n");
    text
}

fn atom() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>A feed</title><id>urn:example:feed</id><updated>2026-11-16T00:00:00Z</updated>\n\
         <link href=\"https://example.org/\"/>\n",
    );
    let paragraph = "<p>A paragraph with <a href=\"https://example.org/x\">a link</a>,<br/> and more \
                     &amp; more words than anybody reads.</p>\n";
    for n in 0..ITEMS {
        text.push_str(&format!(
            "<entry><title>Item {n}</title><id>urn:example:{n}</id>\n\
             <link href=\"https://example.org/{n}\"/><updated>2026-11-16T00:00:00Z</updated>\n\
             <author><name>News desk</name></author><category term=\"news\"/>\n\
             <content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">{}</div></content>\
             </entry>\n",
            paragraph.repeat(8)
        ));
    }
    text.push_str("</feed>\n");
    text
}

fn rdf() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF \
         xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
         xmlns=\"http://purl.org/rss/1.0/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
         <channel rdf:about=\"https://example.org/\"><title>A feed</title>\
         <link>https://example.org/</link><description>What happens</description></channel>\n",
    );
    for n in 0..ITEMS {
        text.push_str(&format!(
            "<item rdf:about=\"https://example.org/{n}\"><title>Item {n}</title>\
             <link>https://example.org/{n}</link><description>{}</description>\
             <dc:creator>News desk</dc:creator><dc:date>2026-11-16T00:00:00Z</dc:date>\
             <dc:subject>news</dc:subject></item>\n",
            "A few words about what happened. ".repeat(6)
        ));
    }
    text.push_str("</rdf:RDF>\n");
    text
}
