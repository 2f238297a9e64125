//! An item as an answer shows it: with HTML that a program may show, and pictures, which the app loads itself.

use pergola_feed::{Item, Person, sanitize};
use url::Url;

use crate::answer::{Article, Content, DIRECTION, Enclosure, Href, Link, Origin};
use crate::instant::{microseconds, milliseconds};
use crate::item_id::ItemId;
use crate::stream::{State, label_id};

/// What is known of an item beside its contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts<'a> {
    pub id: ItemId,
    /// When it came.
    pub arrived: f64,
    /// By which date people find it.
    pub dated: f64,
    pub read: bool,
    pub starred: bool,
    /// The feed that it is in.
    pub origin: Origin,
    /// The folders of the feed.
    pub folders: &'a [String],
}

/// An item as an answer shows it.
pub fn article(item: &Item, facts: Facts<'_>) -> Article {
    let page = item.link.clone().or_else(|| item.enclosures.first().map(|file| file.url.clone()));
    let page = page.unwrap_or_else(|| facts.origin.html_url.clone());
    let updated = item.updated.map_or(facts.dated as i64, |at| at.unix());
    Article {
        id: facts.id.long(),
        crawl_time_msec: milliseconds(facts.arrived),
        timestamp_usec: microseconds(facts.arrived),
        published: facts.dated as i64,
        updated,
        title: item.title.clone().unwrap_or_default(),
        canonical: vec![Href { href: page.clone() }],
        alternate: vec![Link { href: page, media_type: "text/html" }],
        categories: categories(item, &facts),
        summary: Content { direction: DIRECTION, content: content(item) },
        author: author(&item.authors),
        enclosure: item.enclosures.iter().map(enclosure).collect(),
        origin: facts.origin,
    }
}

fn content(item: &Item) -> String {
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    let text = item.content.as_ref().or(item.summary.as_ref());
    text.map(|text| sanitize(text, base.as_ref())).unwrap_or_default()
}

/// Its states, the folders that its feed is in, and what its publisher calls it.
fn categories(item: &Item, facts: &Facts<'_>) -> Vec<String> {
    let states =
        [(State::ReadingList, true), (State::Read, facts.read), (State::Starred, facts.starred)];
    let states = states.into_iter().filter(|(_, is_in)| *is_in).map(|(state, _)| state.id());
    let folders = facts.folders.iter().map(|folder| label_id(folder));
    // A publisher must not pretend that an item is in a state.
    let own = item.categories.iter().map(|category| category.term.clone());
    let own = own.filter(|term| !term.is_empty() && !term.starts_with("user/"));
    states.chain(folders).chain(own).collect()
}

fn author(all: &[Person]) -> String {
    let names = all.iter().filter_map(|person| person.name.as_deref().or(person.email.as_deref()));
    names.collect::<Vec<_>>().join(", ")
}

fn enclosure(file: &pergola_feed::Enclosure) -> Enclosure {
    let media_type = file.media_type.clone().unwrap_or_else(|| "application/octet-stream".into());
    Enclosure { href: file.url.clone(), media_type, length: file.length }
}

#[cfg(test)]
mod tests {
    use pergola_feed::{Category, Text, Timestamp};
    use serde_json::{json, to_value};

    use super::*;

    fn facts(folders: &[String]) -> Facts<'_> {
        let origin = Origin {
            stream_id: "feed/7".into(),
            title: "News".into(),
            html_url: "https://news.example/".into(),
        };
        let id = ItemId(255);
        Facts { id, arrived: 1000.5, dated: 900.25, read: true, starred: false, origin, folders }
    }

    #[test]
    fn an_item_has_everything_that_some_app_needs() {
        let mut item = Item::new("urn:1");
        item.title = Some("A & B".into());
        item.link = Some("https://news.example/1".into());
        item.content =
            Some(Text::html("<p onclick=x>Hi<img src=\"/a.png\"></p><script>1</script>"));
        item.authors = vec![Person::named("Ada"), Person::named("Grace")];
        item.categories =
            vec![Category::new("rust"), Category::new("user/-/state/com.google/starred")];
        item.updated = Some(Timestamp::from_unix(950));
        item.enclosures = vec![pergola_feed::Enclosure {
            url: "https://news.example/1.mp3".into(),
            media_type: Some("audio/mpeg".into()),
            length: Some(5),
            details: None,
        }];
        let folders = ["Tech/Rust".to_owned()];
        let mut shown = to_value(article(&item, facts(&folders))).unwrap();
        let content = shown["summary"].take();
        assert_eq!(content["direction"], "ltr");
        let content = content["content"].as_str().unwrap();
        assert!(content.contains("<img src=\"https://news.example/a.png\""), "{content}");
        assert!(!content.contains("script") && !content.contains("onclick"), "{content}");
        assert_eq!(
            shown,
            json!({
                "id": "tag:google.com,2005:reader/item/00000000000000ff",
                "crawlTimeMsec": "1000500",
                "timestampUsec": "1000500000",
                "published": 900,
                "updated": 950,
                "title": "A & B",
                "canonical": [{"href": "https://news.example/1"}],
                "alternate": [{"href": "https://news.example/1", "type": "text/html"}],
                "categories": [
                    "user/-/state/com.google/reading-list",
                    "user/-/state/com.google/read",
                    "user/-/label/Tech/Rust",
                    "rust",
                ],
                "origin": {"streamId": "feed/7", "title": "News", "htmlUrl": "https://news.example/"},
                "summary": null,
                "author": "Ada, Grace",
                "enclosure": [
                    {"href": "https://news.example/1.mp3", "type": "audio/mpeg", "length": 5}
                ],
            })
        );
    }

    #[test]
    fn an_item_that_has_nothing_still_has_every_member() {
        let shown = to_value(article(&Item::new("urn:1"), facts(&[]))).unwrap();
        assert_eq!((&shown["title"], &shown["author"]), (&json!(""), &json!("")));
        assert_eq!(shown["summary"], json!({"direction": "ltr", "content": ""}));
        assert_eq!(shown["canonical"][0]["href"], "https://news.example/");
        assert_eq!(shown["updated"], 900);
        assert!(shown.get("enclosure").is_none());
    }
}
