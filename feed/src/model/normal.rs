//! The normal form of an item: the part that survives writing and reading in any format.
//!
//! Writers print only normal forms, so that no document has a forbidden character, a relative link or
//! an empty name. Writing and reading a normal form gives the same item.

use url::Url;

use super::{
    Category, Credit, Details, Document, Enclosure, Hop, Item, ItemId, Link, Media, NodeId, Person,
    Picture, Series, Text,
};
use crate::markup::chars::{push_allowed, trim};

impl Document {
    /// The document with its own fields and all items in normal form.
    pub fn normalised(&self) -> Self {
        let mut normal = self.clone();
        normal.id = text(normal.id);
        normal.title = text(normal.title);
        normal.description = normal.description.and_then(body);
        normal.language = text(normal.language);
        let mut single = Vec::new();
        normal.links = normal.links.into_iter().filter_map(link).collect();
        normal.links.retain(|link| {
            let again =
                matches!(link.rel.as_str(), "alternate" | "self") && single.contains(&link.rel);
            single.push(link.rel.clone());
            !again
        });
        normal.authors = people(normal.authors);
        normal.series = series(normal.series);
        normal.items = normal.items.iter().map(Item::normalised).collect();
        normal
    }
}

impl Item {
    /// The item without anything that no format can express: forbidden characters, links that are not
    /// web addresses, empty texts, duplicates in lists.
    pub fn normalised(&self) -> Self {
        let mut item = self.clone();
        item.title = text(item.title);
        item.summary = item.summary.and_then(body);
        item.content = item.content.and_then(body);
        item.link = item.link.and_then(web);
        item.enclosures = item.enclosures.into_iter().filter_map(enclosure).collect();
        let mut links: Vec<Link> = Vec::new();
        for link in std::mem::take(&mut item.links).into_iter().filter_map(link) {
            match link.rel.as_str() {
                "enclosure" => item.enclosures.push(Enclosure {
                    url: link.href,
                    media_type: link.media_type.and_then(media_type),
                    ..Enclosure::default()
                }),
                "alternate" if item.link.is_none() => item.link = Some(link.href),
                "alternate" if item.link.as_ref() == Some(&link.href) => {}
                // Atom allows one alternate; a second one becomes a related page.
                "alternate" => links.push(Link { rel: "related".into(), ..link }),
                _ => links.push(link),
            }
        }
        item.links = links;
        let mut urls = Vec::new();
        item.enclosures.retain(|enclosure| {
            let new = !urls.contains(&enclosure.url);
            urls.push(enclosure.url.clone());
            new
        });
        item.authors = people(item.authors);
        item.categories = categories(item.categories);
        item.media = item.media.map(|given| Box::new(media(*given)));
        item.settle_media();
        item.origin = item.origin.map(|mut origin| {
            origin.id = text(origin.id);
            origin.title = text(origin.title);
            origin.feed = origin.feed.and_then(web);
            origin.home = origin.home.and_then(web);
            origin.series = series(origin.series);
            origin
        });
        item.origin = item.origin.filter(|origin| !origin.is_empty());
        let named = |hop: Hop| Some(Hop { node: NodeId(text(Some(hop.node.0))?), ..hop });
        item.hops = item.hops.into_iter().filter_map(named).collect();
        item.id = match text(Some(item.id.0.clone())) {
            Some(id) => ItemId(id),
            None => item.digest_id(),
        };
        item.guid = Some(item.id.0.clone());
        item
    }
}

impl Item {
    /// Removes from the media of the item what the item itself says. What only the media say of title, author
    /// and summary, the item says from now on, because that is where most readers look.
    pub(crate) fn settle_media(&mut self) {
        let first = self.enclosures.first_mut();
        let lasts = first.as_ref().and_then(|first| first.details.as_ref()?.duration);
        if self.media.is_none() && lasts.is_none() {
            return;
        }
        let media = self.media.get_or_insert_default();
        media.duration = media.duration.or(lasts);
        if let Some(first) = first
            && let Some(details) = first.details.as_deref_mut()
        {
            details.duration.take_if(|duration| media.duration == Some(*duration));
            first.details.take_if(|details| details.is_empty());
        }
        if self.title.is_none() {
            self.title.clone_from(&media.title);
        }
        media.title.take_if(|title| self.title.as_ref() == Some(&*title));
        if self.authors.is_empty() {
            let author = media.author.take().as_deref().and_then(Person::parse);
            self.authors = people(author.into_iter().collect());
        }
        media.author.take_if(|name| {
            let person = Person::parse(name);
            self.authors.iter().any(|author| {
                author.label() == Some(name.as_str()) || Some(author) == person.as_ref()
            })
        });
        if self.summary.is_none() {
            let words = media.summary.as_ref().or(media.subtitle.as_ref());
            self.summary = words.map(|words| Text::html(words.clone()));
        }
        let texts = [&self.summary, &self.content];
        let is_said =
            |words: &mut String| texts.into_iter().flatten().any(|text| text.body == *words);
        media.summary.take_if(is_said);
        media.subtitle.take_if(is_said);
        self.media.take_if(|media| media.is_empty());
    }
}

fn text(given: Option<String>) -> Option<String> {
    let mut clean = String::new();
    push_allowed(&mut clean, &given?);
    let trimmed = trim(&clean);
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

fn body(given: Text) -> Option<Text> {
    Some(Text { kind: given.kind, body: text(Some(given.body))? })
}

/// An absolute web address in its normal spelling.
fn web(href: String) -> Option<String> {
    let url = Url::parse(href.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then(|| url.to_string())
}

fn link(link: Link) -> Option<Link> {
    let rel = text(Some(link.rel))?.to_ascii_lowercase();
    Some(Link { href: web(link.href)?, rel, media_type: link.media_type.and_then(media_type) })
}

/// `type/subtype`; `None` for the type that says nothing.
pub(crate) fn media_type(given: String) -> Option<String> {
    let given = given.trim();
    let (kind, rest) = given.split_once('/')?;
    let sub = rest.split(';').next().unwrap_or("").trim_end();
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
            && part.as_bytes()[0].is_ascii_alphanumeric()
    };
    let known = token(kind) && token(sub) && given.len() < 100;
    (known && given != "application/octet-stream").then(|| format!("{kind}/{sub}"))
}

fn enclosure(enclosure: Enclosure) -> Option<Enclosure> {
    Some(Enclosure {
        url: web(enclosure.url)?,
        media_type: enclosure.media_type.and_then(media_type),
        length: enclosure.length.filter(|length| *length > 0),
        details: enclosure.details.and_then(|given| details(*given)),
    })
}

fn details(given: Details) -> Option<Box<Details>> {
    let details = Details { medium: text(given.medium), ..given };
    (!details.is_empty()).then(|| Box::new(details))
}

fn media(given: Media) -> Media {
    let mut thumbnails: Vec<Picture> = Vec::new();
    for picture in given.thumbnails {
        let Some(url) = web(picture.url) else { continue };
        if !thumbnails.iter().any(|known| known.url == url) {
            thumbnails.push(Picture { url, ..picture });
        }
    }
    let mut credits: Vec<Credit> = Vec::new();
    for credit in given.credits {
        let Some(name) = text(Some(credit.name)) else { continue };
        let credit = Credit { name, role: text(credit.role) };
        if !credits.contains(&credit) {
            credits.push(credit);
        }
    }
    Media {
        thumbnails,
        credits,
        image: given.image.and_then(web),
        kind: text(given.kind),
        title: text(given.title),
        author: text(given.author),
        subtitle: text(given.subtitle),
        summary: text(given.summary),
        ..given
    }
}

fn series(given: Option<Box<Series>>) -> Option<Box<Series>> {
    let given = *given?;
    let mut categories: Vec<String> = Vec::new();
    // They are written in one attribute, with commas between them.
    for category in given.categories.iter().flat_map(|category| category.split(',')) {
        if let Some(category) = text(Some(category.to_owned()))
            && !categories.contains(&category)
        {
            categories.push(category);
        }
    }
    let series = Series {
        image: given.image.and_then(web),
        author: text(given.author),
        kind: text(given.kind),
        explicit: given.explicit,
        categories,
    };
    (!series.is_empty()).then(|| Box::new(series))
}

fn people(given: Vec<Person>) -> Vec<Person> {
    let mut list: Vec<Person> = Vec::new();
    for person in given {
        let person = Person {
            name: text(person.name),
            uri: person.uri.and_then(web),
            email: text(person.email).filter(|email| is_address(email)),
        }
        .without_repeated_name();
        // Two entries with the same name, one of them without an address, are one person.
        let bare = is_bare(&person);
        let same = list.iter().position(|known| known.name.is_some() && known.name == person.name);
        match same {
            Some(_) if bare => {}
            Some(at) if is_bare(&list[at]) => list[at] = person,
            _ if person.label().is_none() || list.contains(&person) => {}
            _ => list.push(person),
        }
    }
    list
}

fn is_bare(person: &Person) -> bool {
    person.uri.is_none() && person.email.is_none()
}

/// Whether a text has the form `name@host`, without spaces or brackets.
fn is_address(email: &str) -> bool {
    let parts: Vec<&str> = email.split('@').collect();
    let plain = email.bytes().all(|b| b.is_ascii_graphic() && !b"()<>[],;:\\\"".contains(&b));
    plain && parts.len() == 2 && parts.iter().all(|part| !part.is_empty())
}

fn categories(given: Vec<Category>) -> Vec<Category> {
    let mut list: Vec<Category> = Vec::new();
    for category in given {
        let Some(term) = text(Some(category.term)) else {
            continue;
        };
        let scheme = text(category.scheme).filter(|scheme| Url::parse(scheme).is_ok());
        let category = Category { term, scheme };
        if !list.contains(&category) {
            list.push(category);
        }
    }
    list
}
