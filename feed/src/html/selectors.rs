//! Reads pages with CSS selectors.

use scraper::{ElementRef, Html, Selector};
use url::Url;

use crate::identity;
use crate::limits::Limits;
use crate::markup::flattened;
use crate::markup::links::{resolve, resolve_html};
use crate::model::{Document, Format, Item, Link, Text};
use crate::time::parse_date;

/// The tree takes many times the size of the page, so only this much of it is read.
const PAGE_BYTES: usize = 2 << 20;

/// Selects the parts of an item. All selectors but `item` apply inside the item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selectors {
    /// One match for each item.
    pub item: String,
    /// Default: the text of the link.
    pub title: Option<String>,
    /// Default: the first link in the item, or the item itself if it is a link.
    pub link: Option<String>,
    /// The date is in a `datetime` attribute or in the text.
    pub date: Option<String>,
    pub content: Option<String>,
}

/// Why a page gave no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    #[error("`{selector}` is not a CSS selector: {reason}")]
    Selector { selector: String, reason: String },
    /// The page has no such items; its layout has probably changed.
    #[error("nothing on the page matches `{selector}`")]
    NoItems { selector: String },
}

/// Reads a page with selectors; `url` is the address of the page.
///
/// # Errors
/// If a selector is invalid, or no item matches.
pub fn select(
    html: &str,
    selectors: &Selectors,
    url: Option<&Url>,
    limits: &Limits,
) -> Result<Document, PageError> {
    let wanted = compiled(&selectors.item)?;
    let optional = |given: &Option<String>| given.as_deref().map(compiled).transpose();
    let parts = Parts {
        title: optional(&selectors.title)?,
        link: optional(&selectors.link)?,
        date: optional(&selectors.date)?,
        content: optional(&selectors.content)?,
        anchor: compiled("a[href]")?,
        url,
    };
    let page = Html::parse_document(&flattened(html, PAGE_BYTES.min(limits.bytes)));
    let mut document = Document::new(Format::Html);
    document.title = page.select(&compiled("title")?).next().map(text).filter(|t| !t.is_empty());
    document.links.extend(url.map(|url| Link::new("alternate", url.as_str())));
    let found = page.select(&wanted).take(limits.items);
    document.items = found.map(|element| parts.item(element)).filter(|i| !i.is_blank()).collect();
    if document.items.is_empty() {
        return Err(PageError::NoItems { selector: selectors.item.clone() });
    }
    identity::assign(&mut document);
    Ok(document)
}

fn compiled(selector: &str) -> Result<Selector, PageError> {
    Selector::parse(selector).map_err(|error| PageError::Selector {
        selector: selector.to_owned(),
        reason: error.to_string(),
    })
}

struct Parts<'u> {
    title: Option<Selector>,
    link: Option<Selector>,
    date: Option<Selector>,
    content: Option<Selector>,
    anchor: Selector,
    url: Option<&'u Url>,
}

impl Parts<'_> {
    fn item(&self, element: ElementRef<'_>) -> Item {
        let mut item = Item::new("");
        let find = |selector: &Option<Selector>| {
            selector.as_ref().and_then(|selector| element.select(selector).next())
        };
        let link = match &self.link {
            Some(_) => find(&self.link),
            None if element.value().attr("href").is_some() => Some(element),
            None => element.select(&self.anchor).next(),
        };
        let href = link.and_then(|link| {
            let inner = link.select(&self.anchor).next();
            link.value().attr("href").or_else(|| inner.and_then(|a| a.value().attr("href")))
        });
        item.link = href.map(|href| resolve(href, self.url));
        let title = if self.title.is_some() { find(&self.title) } else { link };
        item.title = title.map(text).filter(|title| !title.is_empty());
        item.published = find(&self.date).and_then(|date| {
            let machine = date.value().attr("datetime").or(date.value().attr("content"));
            machine.and_then(parse_date).or_else(|| parse_date(&text(date)))
        });
        item.content = find(&self.content).map(|content| {
            let html = content.inner_html();
            let resolved = self.url.and_then(|url| resolve_html(&html, url));
            Text::html(resolved.unwrap_or(html).trim())
        });
        item.content = item.content.filter(|content| !content.body.is_empty());
        item
    }
}

fn text(element: ElementRef<'_>) -> String {
    let all: String = element.text().collect();
    let words: Vec<&str> = all.split_whitespace().collect();
    words.join(" ")
}
