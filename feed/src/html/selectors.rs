//! Reads pages with CSS selectors.
//!
//! What a page may cost is counted, not timed: elements compared with a selector, nodes whose text is taken. A selector
//! may look from an element at its siblings (`~`, `:nth-child`) or at everything inside it (`:has`): how many there are is
//! counted first, and if they are too many, only the beginning of the page has its markup. What was not read is in the
//! warnings.

use std::cell::Cell;

use scraper::element_ref::Select;
use scraper::{ElementRef, Html, Node, Selector};
use url::Url;

use crate::identity;
use crate::limits::{Limits, prefix};
use crate::markup::links::{resolve, resolve_html};
use crate::markup::regular::{Keeps, WORK, regular};
use crate::model::{Document, Format, Item, Link, Text};
use crate::time::parse_date;

/// The tree takes many times the size of the page, so only this much of it is read.
const PAGE_BYTES: usize = 2 << 20;
/// Steps that reading one page may take: an element compared with a part of a selector or looked at from another one, a
/// node whose text is taken.
const STEPS: usize = 8_000_000;
/// Characters of one selector.
const SELECTOR_BYTES: usize = 1024;
/// Tags and attributes of a page that is too large for its selectors.
const FEW: usize = 1_500;

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
    let wanted = Wanted::compile(&selectors.item)?;
    let optional = |given: &Option<String>| given.as_deref().map(Wanted::compile).transpose();
    let mut parts = Parts {
        title: optional(&selectors.title)?,
        link: optional(&selectors.link)?,
        date: optional(&selectors.date)?,
        content: optional(&selectors.content)?,
        anchor: Wanted::compile("a[href]")?,
        url,
        limits,
        reach: Reach::default(),
        steps: Cell::new(STEPS),
        bytes: Cell::new(limits.bytes),
    };
    let size = PAGE_BYTES.min(limits.bytes);
    let mut page = regular(html, size, WORK, &Page);
    let mut tree = Html::parse_document(&page.html);
    parts.reach = Reach::of(&tree);
    if parts.cost(&wanted) > STEPS / 4 {
        page = regular(html, size, FEW, &Page);
        tree = Html::parse_document(&page.html);
        parts.reach = Reach::of(&tree);
    }
    let mut document = Document::new(Format::Html);
    document.warnings.extend(page.cut.warning());
    let root = tree.root_element();
    let title = parts.first(root, &Wanted::compile("title")?);
    document.title = title.map(|title| parts.text(title)).filter(|title| !title.is_empty());
    document.links.extend(url.map(|url| Link::new("alternate", url.as_str())));
    for element in parts.all(root, &wanted).into_iter().flatten() {
        if document.items.len() >= limits.items {
            let words = format!("more than {} items; the rest was not read", limits.items);
            document.warnings.push(words);
            break;
        }
        let item = parts.item(element);
        if parts.exhausted() {
            break;
        }
        document.items.extend(Some(item).filter(|item| !item.is_blank()));
    }
    if parts.exhausted() {
        let items = document.items.len();
        let words = format!("the page takes too much work to read; only {items} items were read");
        document.warnings.push(words);
    }
    if document.items.is_empty() {
        return Err(PageError::NoItems { selector: selectors.item.clone() });
    }
    identity::assign(&mut document);
    Ok(document)
}

/// What of a page selectors may ask for: all but what names things oddly.
struct Page;

impl Keeps for Page {
    fn tag(&self, name: &str) -> bool {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.');
        name.len() <= 64 && name.bytes().all(plain)
    }

    fn attribute(&self, _: &str, name: &str) -> bool {
        name.len() <= 64
    }
}

/// A selector, and what it costs to compare one element with it.
struct Wanted {
    selector: Selector,
    weight: usize,
    /// It looks at siblings, or at everything inside an element.
    beside: bool,
    inside: bool,
}

impl Wanted {
    fn compile(given: &str) -> Result<Self, PageError> {
        let refused = |reason: String| PageError::Selector { selector: given.to_owned(), reason };
        if given.len() > SELECTOR_BYTES {
            return Err(refused(format!("it is longer than {SELECTOR_BYTES} bytes")));
        }
        let selector = Selector::parse(given).map_err(|error| refused(error.to_string()))?;
        let lower = given.to_ascii_lowercase();
        // Written with escapes, a name could hide.
        let hidden = lower.contains('\\');
        let beside =
            hidden || [":nth", ":only", ":last", "~"].iter().any(|look| lower.contains(look));
        let inside = hidden || lower.contains(":has");
        Ok(Self { selector, weight: 1 + given.len() / 16, beside, inside })
    }
}

/// How far looks around go on a page.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    nodes: usize,
    /// Siblings of an element, on average.
    beside: usize,
    /// Nodes inside an element, on average.
    inside: usize,
}

impl Reach {
    fn of(page: &Html) -> Self {
        let (mut nodes, mut beside, mut inside) = (0usize, 0usize, 0usize);
        // The nodes around the current one.
        let mut around = Vec::new();
        for node in page.root_element().descendants() {
            let parent = node.parent().map(|parent| parent.id());
            while !around.is_empty() && around.last().copied() != parent {
                around.pop();
            }
            around.push(node.id());
            nodes += 1;
            inside += around.len();
            let children = node.children().count();
            beside = beside.saturating_add(children.saturating_mul(children));
        }
        let average = |sum: usize| sum / nodes.max(1);
        Self { nodes, beside: average(beside), inside: average(inside) }
    }
}

struct Parts<'u> {
    title: Option<Wanted>,
    link: Option<Wanted>,
    date: Option<Wanted>,
    content: Option<Wanted>,
    anchor: Wanted,
    url: Option<&'u Url>,
    limits: &'u Limits,
    reach: Reach,
    /// What is left to spend.
    steps: Cell<usize>,
    bytes: Cell<usize>,
}

impl Parts<'_> {
    fn item(&self, element: ElementRef<'_>) -> Item {
        let mut item = Item::new("");
        let find = |selector: &Option<Wanted>| {
            selector.as_ref().and_then(|selector| self.first(element, selector))
        };
        let link = match &self.link {
            Some(_) => find(&self.link),
            None if element.value().attr("href").is_some() => Some(element),
            None => self.first(element, &self.anchor),
        };
        let href = link.and_then(|link| {
            link.value().attr("href").or_else(|| {
                self.first(link, &self.anchor).and_then(|anchor| anchor.value().attr("href"))
            })
        });
        item.link = href.map(|href| resolve(href, self.url));
        let title = if self.title.is_some() { find(&self.title) } else { link };
        item.title = title.map(|title| self.text(title)).filter(|title| !title.is_empty());
        item.published = find(&self.date).and_then(|date| {
            let machine = date.value().attr("datetime").or(date.value().attr("content"));
            machine.and_then(parse_date).or_else(|| parse_date(&self.text(date)))
        });
        item.content = find(&self.content).map(|content| {
            let html = content.inner_html();
            let resolved = self.url.and_then(|url| resolve_html(&html, url));
            let html = resolved.unwrap_or(html);
            self.spend_bytes(html.len());
            Text::html(prefix(html.trim(), self.limits.text))
        });
        item.content = item.content.filter(|content| !content.body.is_empty());
        item
    }

    /// Steps to compare one element with a selector.
    fn weight(&self, wanted: &Wanted) -> usize {
        let beside = if wanted.beside { 1 + self.reach.beside } else { 1 };
        let inside = if wanted.inside { 1 + self.reach.inside } else { 1 };
        wanted.weight.saturating_mul(beside).saturating_mul(inside)
    }

    /// Steps to compare a whole page with the selectors.
    fn cost(&self, items: &Wanted) -> usize {
        let parts = [&self.title, &self.link, &self.date, &self.content];
        let weights = parts.into_iter().flatten().chain([items]).map(|part| self.weight(part));
        weights.fold(0, usize::saturating_add).saturating_mul(self.reach.nodes)
    }

    /// The elements inside `element` that match; none if comparing all of them takes more steps than are left.
    fn all<'p, 's>(&self, element: ElementRef<'p>, wanted: &'s Wanted) -> Option<Select<'p, 's>> {
        let steps = element.descendants().count().saturating_mul(self.weight(wanted));
        self.spend(steps).then(|| element.select(&wanted.selector))
    }

    fn first<'p>(&self, element: ElementRef<'p>, wanted: &Wanted) -> Option<ElementRef<'p>> {
        self.all(element, wanted)?.next()
    }

    /// The words inside an element.
    fn text(&self, element: ElementRef<'_>) -> String {
        let mut all = String::new();
        for node in element.descendants().take_while(|_| self.spend(1)) {
            if let Node::Text(text) = node.value() {
                all.push_str(text);
            }
            if all.len() > self.limits.text {
                break;
            }
        }
        self.spend_bytes(all.len());
        let words: Vec<&str> = prefix(&all, self.limits.text).split_whitespace().collect();
        words.join(" ")
    }

    /// Whether there are steps left; takes some.
    fn spend(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps));
        self.steps.get() > 0
    }

    fn spend_bytes(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }

    fn exhausted(&self) -> bool {
        self.steps.get() == 0 || self.bytes.get() == 0
    }
}
