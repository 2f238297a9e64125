//! Pages whose items are marked in HTML comments.
//!
//! Dynamo turns plain pages into feeds: authors put marks into comments, which browsers do not show.
//! A mark ends at the same word with a slash:
//!
//! ```html
//! <!-- dynamo:channel title="News of the town" -->
//! <!-- dynamo:item -->
//!   <h2><!-- dynamo:title -->The bridge is open<!-- /dynamo:title --></h2>
//!   <!-- dynamo:link --><a href="/bridge">more</a><!-- /dynamo:link -->
//!   <!-- dynamo:date -->2026-11-16<!-- /dynamo:date -->
//!   <!-- dynamo:text --><p>After two years …</p><!-- /dynamo:text -->
//! <!-- /dynamo:item -->
//! ```
//!
//! `pergola:` works as well as `dynamo:`. A mark may contain its value, as in
//! `<!-- dynamo:link href="/bridge" -->` or `<!-- dynamo:date value="2026-11-16" -->`. Other fields
//! are `author`, `category` and `id`. A field ends where its item ends, or earlier.

use url::Url;

use crate::identity;
use crate::limits::Limits;
use crate::markup::chars::Declared;
use crate::markup::lexer::{Lexer, Token, attributes};
use crate::markup::links::{resolve, resolve_html};
use crate::markup::xhtml::to_text;
use crate::model::{Category, Document, Format, Item, Link, Person, Text};
use crate::time::parse_date;

/// Reads the marked items of a page; `None` if it has no marks.
pub fn annotated(html: &str, url: Option<&Url>, limits: &Limits) -> Option<Document> {
    let html = crate::limits::prefix(html, limits.bytes);
    let mut document = Document::new(Format::Html);
    let mut item: Option<Item> = None;
    let mut field: Option<(&str, usize)> = None;
    let mut marked = false;
    for mark in Marks::new(html) {
        marked = true;
        if let Some((name, start)) = field.take() {
            let ends = mark.closes && mark.name == name || mark.name == "item";
            if ends && let Some(item) = &mut item {
                set(item, name, &html[start..mark.start], url, limits);
            } else if !ends {
                field = Some((name, start)); // a mark inside another field
                continue;
            }
        }
        match (mark.name, mark.closes) {
            ("item", _) => {
                document.items.extend(item.take());
                if document.items.len() >= limits.items {
                    document
                        .warnings
                        .push(format!("more than {} items; the rest was not read", limits.items));
                    break;
                }
                item = (!mark.closes).then(|| Item::new(""));
            }
            ("channel", false) => channel(&mut document, &mark, url),
            (name, false) => match (mark.value(), &mut item) {
                (Some(value), Some(item)) => set(item, name, &value, url, limits),
                (None, Some(_)) => field = Some((name, mark.end)),
                _ => {}
            },
            _ => {}
        }
    }
    if let (Some((name, start)), Some(item)) = (field, &mut item) {
        set(item, name, &html[start..], url, limits);
    }
    document.items.extend(item);
    document.items.retain(|item| !item.is_blank());
    identity::assign(&mut document);
    marked.then_some(document)
}

fn channel(document: &mut Document, mark: &Mark<'_>, url: Option<&Url>) {
    for (name, value) in attributes(mark.rest, &Declared::new()) {
        match name {
            "title" => document.title = Some(value).filter(|title| !title.trim().is_empty()),
            "link" => document.links = vec![Link::new("alternate", resolve(&value, url))],
            "description" => document.description = Some(Text::plain(value)),
            _ => {}
        }
    }
}

fn set(item: &mut Item, name: &str, html: &str, url: Option<&Url>, limits: &Limits) {
    let html = html.trim();
    let text = to_text(html);
    if text.is_empty() && name != "link" {
        return;
    }
    match name {
        "title" => item.title = Some(text),
        "link" => {
            let href = first_href(html).unwrap_or(text);
            item.link = Some(resolve(&href, url)).filter(|href| !href.is_empty());
        }
        "date" => item.published = parse_date(&text),
        "text" | "content" | "description" => {
            let resolved = url.and_then(|url| resolve_html(html, url));
            item.content = Some(Text::html(resolved.unwrap_or_else(|| html.to_owned())));
        }
        "author" if item.authors.len() < limits.list => item.authors.push(Person::named(text)),
        "category" if item.categories.len() < limits.list => {
            item.categories.push(Category::new(text));
        }
        "id" => item.guid = Some(text),
        _ => {}
    }
}

fn first_href(html: &str) -> Option<String> {
    let mut lexer = Lexer::new(html);
    while let Some(token) = lexer.next() {
        if let Token::Start(tag) = token
            && let Some(href) = tag.attribute("href")
        {
            return Some(href);
        }
    }
    None
}

/// A comment with our prefix.
struct Mark<'a> {
    name: &'a str,
    closes: bool,
    rest: &'a str,
    start: usize,
    end: usize,
}

impl Mark<'_> {
    /// The value inside the mark.
    fn value(&self) -> Option<String> {
        let list = attributes(self.rest, &Declared::new());
        let found =
            list.into_iter().find(|(name, _)| matches!(*name, "value" | "href" | "content"));
        found.map(|(_, value)| value)
    }
}

struct Marks<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Marks<'a> {
    fn new(html: &'a str) -> Self {
        Self { html, at: 0 }
    }
}

impl<'a> Iterator for Marks<'a> {
    type Item = Mark<'a>;

    fn next(&mut self) -> Option<Mark<'a>> {
        loop {
            let start = self.at + memchr::memmem::find(&self.html.as_bytes()[self.at..], b"<!--")?;
            let body = start + 4;
            let end = memchr::memmem::find(&self.html.as_bytes()[body..], b"-->")?;
            self.at = body + end + 3;
            let inside = self.html[body..body + end].trim();
            let (inside, closes) = match inside.strip_prefix('/') {
                Some(rest) => (rest.trim_start(), true),
                None => (inside, false),
            };
            let marked = inside.strip_prefix("dynamo:").or(inside.strip_prefix("pergola:"));
            if let Some(marked) = marked {
                let length =
                    marked.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(marked.len());
                let (name, rest) = marked.split_at(length);
                return Some(Mark { name, closes, rest, start, end: self.at });
            }
        }
    }
}
