//! Feeds that a page links to.

use url::Url;

use crate::markup::lexer::{Lexer, Tag, Token};
use crate::markup::links::resolve;

/// Links read from one page, at most.
const MOST: usize = 32;

/// A feed that a page advertises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedLink {
    pub href: String,
    pub title: Option<String>,
    pub media_type: String,
}

/// The feeds that a page links to, in the order of the page; `url` is the address of the page.
///
/// It builds no tree, so it is cheap enough for every page found where a feed was expected.
pub fn discover(html: &str, url: Option<&Url>) -> Vec<FeedLink> {
    let mut base = url.cloned();
    let mut found: Vec<FeedLink> = Vec::new();
    let mut lexer = Lexer::new(html);
    while let Some(token) = lexer.next() {
        let Token::Start(tag) = token else { continue };
        if tag.name.eq_ignore_ascii_case("base") {
            if let Some(href) = tag.attribute("href") {
                base = Url::parse(&resolve(&href, base.as_ref())).ok().or(base);
            }
        } else if tag.name.eq_ignore_ascii_case("link") {
            let link = feed_link(tag, base.as_ref());
            let new = link.filter(|link| !found.iter().any(|known| known.href == link.href));
            found.extend(new);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

fn feed_link(tag: Tag<'_>, base: Option<&Url>) -> Option<FeedLink> {
    let rel = tag.attribute("rel")?.to_ascii_lowercase();
    let media_type = tag.attribute("type").unwrap_or_default().to_ascii_lowercase();
    let media_type = media_type.split(';').next().unwrap_or("").trim().to_owned();
    let mut rels = rel.split_whitespace();
    let known = matches!(
        media_type.as_str(),
        "application/rss+xml"
            | "application/atom+xml"
            | "application/feed+json"
            | "application/rdf+xml"
            | "application/json"
            | "text/xml"
            | "application/xml"
    );
    let alternate = rels.clone().any(|rel| rel == "alternate");
    let named = rels.any(|rel| rel == "feed");
    if !(alternate && known || named) {
        return None;
    }
    let href = tag.attribute("href").filter(|href| !href.trim().is_empty())?;
    let title = tag.attribute("title").filter(|title| !title.trim().is_empty());
    Some(FeedLink { href: resolve(&href, base), title, media_type })
}
