//! `[[source]]`: what the node reads whether a feed asks for it or not.

use std::collections::BTreeMap;

use pergola_feed::html::{PageError, Selectors, select};
use pergola_manners::Cooperation;
use url::Url;

use super::peers::cooperation;
use super::problem::Problem;
use super::raw::{Fields, Setting};
use super::reader::Reader;
use super::show::{Entry, quoted, quoted_list, quoted_url};
use super::values::{above_zero, flag, http_url, text};

/// One `[[source]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Where it is.
    pub url: Url,
    /// What to call it; without it, what it calls itself.
    pub title: Option<String>,
    /// How much more it matters than another, above 0.
    pub importance: f64,
    /// Whether it is an OPML list whose sources are read as long as they are on it.
    pub list: bool,
    /// What is asked of it if another node publishes it; without this, what `[peers]` says.
    pub cooperate: Option<Cooperation>,
    /// How to read it, if it is a page.
    pub page: Option<Selectors>,
}

impl Source {
    /// All sources; the same address twice is refused.
    pub(super) fn read_all(tables: &[Fields], problems: &mut Vec<Problem>) -> Vec<Self> {
        let mut sources = Vec::with_capacity(tables.len());
        let mut seen: BTreeMap<Url, String> = BTreeMap::new();
        for fields in tables {
            let mut reader = Reader::new(fields, problems);
            let Some(source) = Self::read(&mut reader) else { continue };
            let mut address = source.url.clone();
            address.set_fragment(None);
            match seen.get(&address) {
                Some(before) => {
                    reader.refuse("url", &format!("must be there once, but {before} already is"));
                }
                None => {
                    seen.insert(address, format!("[{}] ({})", fields.title, fields.place));
                    sources.push(source);
                }
            }
        }
        sources
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let url = reader.optional("url", http_url);
        if !reader.is_set("url") {
            reader.refuse_table("must have a `url`");
        }
        let page = read_page(reader);
        let list = reader.required("list", flag);
        if list && page.is_some() {
            reader.refuse("list", "must not be set together with `page`");
        }
        let title = reader.optional("title", text);
        let importance = reader.required("importance", above_zero(1000.0));
        let cooperate = reader.optional("cooperate", cooperation);
        Some(Self { url: url?, title, importance, list, cooperate, page })
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries = vec![
            ("url", Some(quoted_url(&self.url))),
            ("title", self.title.as_ref().map(quoted)),
            ("importance", Some(self.importance.to_string())),
            ("list", Some(self.list.to_string())),
            ("cooperate", self.cooperate.map(|ways| quoted_list(ways.names()))),
        ];
        if let Some(page) = &self.page {
            entries.extend([
                ("page.item", Some(quoted(&page.item))),
                ("page.title", page.title.as_ref().map(quoted)),
                ("page.link", page.link.as_ref().map(quoted)),
                ("page.date", page.date.as_ref().map(quoted)),
                ("page.content", page.content.as_ref().map(quoted)),
            ]);
        }
        entries
    }
}

fn read_page(reader: &mut Reader<'_>) -> Option<Selectors> {
    let item = reader.optional("page.item", selector);
    let title = reader.optional("page.title", selector);
    let link = reader.optional("page.link", selector);
    let date = reader.optional("page.date", selector);
    let content = reader.optional("page.content", selector);
    let some = [&title, &link, &date, &content].into_iter().any(Option::is_some);
    if some && !reader.is_set("page.item") {
        reader.refuse_table("must have a `page.item` when it has another selector");
    }
    Some(Selectors { item: item?, title, link, date, content })
}

fn selector(setting: &Setting) -> Result<String, String> {
    let item = text(setting)?;
    let selectors = Selectors { item, ..Selectors::default() };
    match select("", &selectors, None, &pergola_feed::Limits::default()) {
        Err(PageError::Selector { reason, .. }) => {
            Err(format!("must be a CSS selector such as \"article h2 a\": {reason}"))
        }
        _ => Ok(selectors.item),
    }
}
