//! One function for each format, which returns the rules that a text breaks.

use std::collections::HashSet;

use pergola_feed::Timestamp;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
use url::Url;

/// A small tree for the rules.
#[derive(Debug, Default)]
struct Node {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Node>,
}

impl Node {
    fn all<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n Node> {
        self.children.iter().filter(move |child| child.name == name)
    }

    fn one(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Parses strictly: malformed XML and forbidden characters are errors.
fn tree(text: &str) -> Result<Node, String> {
    if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\u{7f}'..))
    {
        return Err(format!("forbidden character {c:?}"));
    }
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open = vec![Node::default()];
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => open.push(node(&tag)?),
            Event::Empty(tag) => {
                open.push(node(&tag)?);
                close(&mut open)?;
            }
            Event::End(_) => close(&mut open)?,
            Event::Text(text) => open.last_mut().ok_or("text")?.text.push_str(&text),
            Event::GeneralRef(name) => {
                let value = match name.resolve_char_ref().map_err(|error| error.to_string())? {
                    Some(c) => c.to_string(),
                    None => match name.as_ref() {
                        "amp" => "&".into(),
                        "lt" => "<".into(),
                        "gt" => ">".into(),
                        "quot" => "\"".into(),
                        other => return Err(format!("undeclared entity {other}")),
                    },
                };
                open.last_mut().ok_or("text")?.text.push_str(&value);
            }
            Event::Eof => return open.pop().ok_or("nothing".into()),
            _ => {}
        }
    }
}

fn node(tag: &BytesStart<'_>) -> Result<Node, String> {
    let mut node = Node { name: tag.name().as_ref().to_owned(), ..Default::default() };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let value =
            quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
        node.attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(node)
}

fn close(open: &mut Vec<Node>) -> Result<(), String> {
    let node = open.pop().ok_or("an end tag too many")?;
    open.last_mut().ok_or("an end tag too many")?.children.push(node);
    Ok(())
}

/// Collects broken rules.
#[derive(Default)]
struct Report(Vec<String>);

impl Report {
    fn rule(&mut self, holds: bool, broken: impl Into<String>) {
        if !holds {
            self.0.push(broken.into());
        }
    }

    fn exactly_one(&mut self, node: &Node, names: &[&str]) {
        for name in names {
            let count = node.all(name).count();
            self.rule(count == 1, format!("{count} `{name}` in `{}`", node.name));
        }
    }

    fn at_most_one(&mut self, node: &Node, names: &[&str]) {
        for name in names {
            self.rule(node.all(name).count() <= 1, format!("several `{name}` in `{}`", node.name));
        }
    }
}

fn is_web(href: &str) -> bool {
    Url::parse(href).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// `Mon, 16 Nov 2026 02:00:00 GMT`, with the correct weekday.
fn is_rfc822(date: &str) -> bool {
    Timestamp::parse(date).is_some_and(|at| at.to_rfc822() == date)
}

fn is_rfc3339(date: &str) -> bool {
    Timestamp::parse(date).is_some_and(|at| at.to_rfc3339() == date)
}

fn is_iri(id: &str) -> bool {
    Url::parse(id).is_ok() && !id.contains(char::is_whitespace)
}

fn is_media_type(kind: &str) -> bool {
    kind.split_once('/').is_some_and(|(kind, sub)| !kind.is_empty() && !sub.is_empty())
}

pub(super) fn rss(text: &str) -> Vec<String> {
    let mut report = Report::default();
    let root = match tree(text) {
        Ok(root) => root,
        Err(error) => return vec![error],
    };
    let Some(rss) = root.one("rss") else {
        return vec!["no rss".into()];
    };
    report.rule(rss.attribute("version") == "2.0", "version");
    report.exactly_one(rss, &["channel"]);
    let Some(channel) = rss.one("channel") else {
        return report.0;
    };
    report.exactly_one(channel, &["title", "link", "description"]);
    report.at_most_one(channel, &["language", "pubDate", "ttl", "lastBuildDate"]);
    let link = channel.one("link").map_or("", |link| &link.text);
    report.rule(is_web(link) || link == "about:blank", format!("channel link {link:?}"));
    for date in channel.all("pubDate") {
        report.rule(is_rfc822(&date.text), format!("date {:?}", date.text));
    }
    let selves = channel.all("atom:link").filter(|link| link.attribute("rel") == "self");
    report.rule(selves.count() == 1, "no self link");
    history(&mut report, channel, "atom:link");
    let mut guids = HashSet::new();
    for item in channel.all("item") {
        rss_item(&mut report, item);
        let guid = item.one("guid").map_or("", |guid| &guid.text);
        report.rule(guids.insert(guid.to_owned()), format!("guid {guid:?} twice"));
    }
    report.0
}

fn rss_item(report: &mut Report, item: &Node) {
    const KNOWN: [&str; 9] = [
        "title",
        "link",
        "description",
        "guid",
        "pubDate",
        "category",
        "enclosure",
        "source",
        "comments",
    ];
    for child in &item.children {
        let known = KNOWN.contains(&child.name.as_str()) || child.name.contains(':');
        report.rule(known, format!("unknown element {}", child.name));
        for (name, _) in &child.attributes {
            let plain =
                ["isPermaLink", "url", "length", "type", "domain", "href", "rel", "fileSize"];
            // Elements of Media RSS and our own have attributes of their own.
            let own = ["pergola:", "media:"].iter().any(|prefix| child.name.starts_with(prefix));
            let known = own || name.contains(':') || plain.contains(&name.as_str());
            report.rule(known, format!("unknown attribute {name}"));
        }
    }
    report.at_most_one(
        item,
        &["title", "link", "description", "guid", "pubDate", "enclosure", "source"],
    );
    let described = item.one("title").is_some() || item.one("description").is_some();
    report.rule(described, "neither title nor description");
    for guid in item.all("guid") {
        let permanent = guid.attribute("isPermaLink") != "false";
        report.rule(!guid.text.is_empty(), "empty guid");
        report.rule(!permanent || is_web(&guid.text), format!("permalink {:?}", guid.text));
    }
    for link in item.all("link") {
        report.rule(is_web(&link.text), format!("link {:?}", link.text));
    }
    for date in item.all("pubDate") {
        report.rule(is_rfc822(&date.text), format!("date {:?}", date.text));
    }
    for enclosure in item.all("enclosure") {
        report.rule(is_web(enclosure.attribute("url")), "enclosure address");
        report.rule(enclosure.attribute("length").parse::<u64>().is_ok(), "enclosure length");
        report.rule(is_media_type(enclosure.attribute("type")), "enclosure type");
    }
    for source in item.all("source") {
        report.rule(is_web(source.attribute("url")), "source address");
        report.rule(!source.text.is_empty(), "empty source");
    }
    for creator in item.all("dc:creator") {
        report.rule(!creator.text.trim().is_empty(), "empty creator");
    }
}

pub(super) fn atom(text: &str) -> Vec<String> {
    let mut report = Report::default();
    let root = match tree(text) {
        Ok(root) => root,
        Err(error) => return vec![error],
    };
    let Some(feed) = root.one("feed") else {
        return vec!["no feed".into()];
    };
    report.rule(feed.attribute("xmlns") == "http://www.w3.org/2005/Atom", "namespace");
    report.exactly_one(feed, &["id", "title", "updated"]);
    report.at_most_one(feed, &["subtitle"]);
    let selves = feed.all("link").filter(|link| link.attribute("rel") == "self");
    report.rule(selves.count() == 1, "no self link");
    history(&mut report, feed, "link");
    common(&mut report, feed);
    let mut ids = HashSet::new();
    for entry in feed.all("entry") {
        report.exactly_one(entry, &["id", "title", "updated"]);
        report.at_most_one(entry, &["published", "summary", "content", "source"]);
        common(&mut report, entry);
        let authors = entry.one("author").or(feed.one("author"));
        report.rule(authors.is_some(), "an entry without an author");
        let alternate = entry.all("link").filter(|link| link.attribute("rel") == "alternate");
        let alternates = alternate.count();
        report.rule(alternates <= 1, "several alternates");
        report.rule(alternates == 1 || entry.one("content").is_some(), "neither link nor content");
        let id = entry.one("id").map_or("", |id| &id.text);
        report.rule(ids.insert(id.to_owned()), format!("id {id:?} twice"));
        for source in entry.all("source") {
            report.at_most_one(source, &["id", "title", "updated"]);
            source.all("link").for_each(|link| {
                report.rule(is_web(link.attribute("href")), "source address");
            });
        }
    }
    report.0
}

/// RFC 5005: at most one neighbour on each side, and an archive is not complete.
fn history(report: &mut Report, feed: &Node, link: &str) {
    for rel in ["prev-archive", "next-archive", "current"] {
        let links = feed.all(link).filter(|link| link.attribute("rel") == rel);
        let hrefs: Vec<&str> = links.map(|link| link.attribute("href")).collect();
        report.rule(hrefs.len() <= 1, format!("several {rel}"));
        report.rule(hrefs.iter().all(|href| is_web(href)), format!("address of {rel}"));
    }
    report.at_most_one(feed, &["fh:archive", "fh:complete"]);
    let both = feed.one("fh:archive").is_some() && feed.one("fh:complete").is_some();
    report.rule(!both, "an archive and complete");
}

/// Rules for feeds and entries.
fn common(report: &mut Report, node: &Node) {
    for id in node.all("id") {
        report.rule(is_iri(&id.text), format!("id {:?} is not an IRI", id.text));
    }
    for date in node.all("updated").chain(node.all("published")) {
        report.rule(is_rfc3339(&date.text), format!("date {:?}", date.text));
    }
    for link in node.all("link") {
        report.rule(is_web(link.attribute("href")), "link address");
        report.rule(!link.attribute("rel").is_empty(), "empty rel");
        let kind = link.attribute("type");
        report.rule(kind.is_empty() || is_media_type(kind), format!("media type {kind:?}"));
    }
    for author in node.all("author") {
        report.exactly_one(author, &["name"]);
        report.at_most_one(author, &["uri", "email"]);
        let name = author.one("name").map_or("", |name| &name.text);
        report.rule(!name.trim().is_empty(), "empty name");
        for email in author.all("email") {
            report.rule(email.text.split('@').count() == 2, "mail address");
        }
    }
    for category in node.all("category") {
        report.rule(!category.attribute("term").is_empty(), "empty term");
        let scheme = category.attribute("scheme");
        report.rule(scheme.is_empty() || is_iri(scheme), format!("scheme {scheme:?}"));
    }
    for name in ["title", "summary", "content", "subtitle"] {
        for text in node.all(name) {
            let kind = text.attribute("type");
            report.rule(["", "text", "html"].contains(&kind), format!("type {kind:?}"));
            report.rule(text.children.is_empty(), format!("markup in {name}"));
        }
    }
}

pub(super) fn json(text: &str) -> Vec<String> {
    let mut report = Report::default();
    let feed: Value = match serde_json::from_str(text) {
        Ok(feed) => feed,
        Err(error) => return vec![error.to_string()],
    };
    report.rule(feed["version"] == "https://jsonfeed.org/version/1.1", "version");
    report.rule(feed["title"].is_string(), "title");
    const FEED: [&str; 11] = [
        "version",
        "title",
        "home_page_url",
        "feed_url",
        "description",
        "next_url",
        "authors",
        "language",
        "expired",
        "hubs",
        "items",
    ];
    const ITEM: [&str; 13] = [
        "id",
        "url",
        "title",
        "content_html",
        "content_text",
        "summary",
        "date_published",
        "date_modified",
        "authors",
        "tags",
        "attachments",
        "external_url",
        "image",
    ];
    known_keys(&mut report, &feed, &FEED);
    urls(&mut report, &feed, &["home_page_url", "feed_url", "next_url"]);
    let mut ids = HashSet::new();
    for item in feed["items"].as_array().into_iter().flatten() {
        known_keys(&mut report, item, &ITEM);
        urls(&mut report, item, &["url", "image"]);
        let id = item["id"].as_str().unwrap_or("");
        report.rule(!id.is_empty() && ids.insert(id.to_owned()), format!("id {id:?}"));
        let content = item["content_html"].as_str().or(item["content_text"].as_str());
        report.rule(content.is_some(), "no content");
        let has_text = item["title"].is_string() || item["summary"].is_string();
        report.rule(content != Some("") || !has_text, "empty content beside a title or summary");
        for date in ["date_published", "date_modified"] {
            let date = item[date].as_str();
            report.rule(date.is_none_or(is_rfc3339), format!("date {date:?}"));
        }
        for author in item["authors"].as_array().into_iter().flatten() {
            report.rule(author["name"].is_string() || author["url"].is_string(), "author");
        }
        for attachment in item["attachments"].as_array().into_iter().flatten() {
            urls(&mut report, attachment, &["url"]);
            let kind = attachment["mime_type"].as_str().unwrap_or("");
            report.rule(is_media_type(kind), format!("media type {kind:?}"));
        }
    }
    report.0
}

fn known_keys(report: &mut Report, object: &Value, known: &[&str]) {
    for key in object.as_object().into_iter().flat_map(|map| map.keys()) {
        report.rule(key.starts_with('_') || known.contains(&key.as_str()), format!("key {key}"));
    }
}

fn urls(report: &mut Report, object: &Value, keys: &[&str]) {
    for key in keys {
        let url = object[*key].as_str();
        report.rule(url.is_none_or(is_web), format!("{key} {url:?}"));
    }
}
