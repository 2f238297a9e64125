//! What is at an address that somebody may want to add: a feed, or a page that leads to some or is read by selectors.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use pergola_feed::html::{FeedLink, Selectors, annotated, page_text, select};
use pergola_feed::{Document, Limits, ParseError, ParseOptions, parse};
use url::Url;

use crate::courtesy::FailureKind;
use crate::heard::{Hearing, Refused, Said, charset, hear};
use crate::reply::{Failure, Reply};
use crate::source::SourceKind;

/// A document that was fetched only to be looked at.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The address that answered, after all redirects.
    pub url: Url,
    pub content_type: Option<HeaderValue>,
    pub body: Bytes,
}

/// What is at an address.
#[derive(Debug, Clone, PartialEq)]
pub enum Sight {
    /// A feed, or a page that is marked up as one.
    Feed(Box<Document>),
    /// A page, the feeds that it links to, and its title.
    Page { title: Option<String>, feeds: Vec<FeedLink> },
    /// What selectors find on a page, or why they find nothing.
    Selected(Result<Box<Document>, String>),
    /// Something else, in words.
    Other(String),
}

impl Fetched {
    /// The document of a reply, or what went wrong and until when its site wants quiet.
    pub fn of(reply: Reply, limits: &Limits, now: f64) -> Result<Self, (Failure, Option<f64>)> {
        if let Reply::Http(answer) = &reply
            && let (200, Ok(body)) = (answer.status, &answer.body)
        {
            let content_type = answer.head.content_type.clone();
            return Ok(Self { url: answer.url.clone(), content_type, body: body.clone() });
        }
        let (kind, last, formerly) = (&SourceKind::Feed, 0, &[][..]);
        let heard = hear(reply, Hearing { kind, last, formerly, limits, now });
        let quiet = heard.terms.retry_after.map(|seconds| now + seconds);
        let failure = match heard.said {
            Said::Unusable(failure) | Said::Silent(failure) => failure,
            Said::Refused(Refused { words, .. }) => {
                Failure { kind: FailureKind::UnexpectedStatus, words }
            }
            _ => {
                let words = "it answered without a document".to_owned();
                Failure { kind: FailureKind::Protocol, words }
            }
        };
        Err((failure, quiet))
    }

    /// Looks at it; with selectors as at a page that is read by them.
    pub fn look(&self, selectors: Option<&Selectors>, limits: &Limits) -> Sight {
        let charset = self.content_type.as_ref().and_then(charset);
        if let Some(selectors) = selectors {
            let text = page_text(&self.body, charset.as_deref(), limits);
            let found = select(&text, selectors, Some(&self.url), limits);
            return Sight::Selected(found.map(Box::new).map_err(|error| error.to_string()));
        }
        let options = ParseOptions { url: Some(self.url.clone()), charset, limits: limits.clone() };
        match parse(&self.body, &options) {
            Ok(document) => Sight::Feed(Box::new(document)),
            Err(ParseError::HtmlPage { feeds }) => {
                let text = page_text(&self.body, options.charset.as_deref(), limits);
                match annotated(&text, Some(&self.url), limits) {
                    Some(document) => Sight::Feed(Box::new(document)),
                    None => Sight::Page { title: self.title_of(&text, limits), feeds: web(feeds) },
                }
            }
            Err(error) => Sight::Other(error.to_string()),
        }
    }

    fn title_of(&self, text: &str, limits: &Limits) -> Option<String> {
        // An item must have something in it, so the title itself is it.
        let title = Some("title".to_owned());
        let head = Selectors { item: "head".to_owned(), title, ..Selectors::default() };
        select(text, &head, Some(&self.url), limits).ok()?.title
    }
}

/// Documents that are kept, and for how many seconds.
const KEPT: usize = 8;
const KEPT_FOR: f64 = 600.0;
/// Bytes of a document that is kept.
const KEPT_BYTES: usize = 4 << 20;

/// What was looked at lately, the oldest first.
#[derive(Debug, Default)]
pub struct Looks(VecDeque<Look>);

#[derive(Debug)]
struct Look {
    url: Url,
    /// Its site was asked whether pages may be read.
    allowed: bool,
    at: f64,
    fetched: Arc<Fetched>,
}

impl Looks {
    /// What is kept of an address; `as_page` if it is to be read by selectors, which its site may forbid.
    pub fn find(&mut self, url: &Url, as_page: bool, now: f64) -> Option<Arc<Fetched>> {
        self.0.retain(|look| now - look.at < KEPT_FOR);
        let fits = |look: &&Look| look.url == *url && (look.allowed || !as_page);
        self.0.iter().rev().find(fits).map(|look| Arc::clone(&look.fetched))
    }

    /// Keeps what was fetched for a while, if it is not too large.
    pub fn keep(&mut self, url: &Url, allowed: bool, at: f64, fetched: Arc<Fetched>) {
        if fetched.body.len() > KEPT_BYTES {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Look { url: url.clone(), allowed, at, fetched });
    }
}

/// Those that can be fetched.
fn web(feeds: Vec<FeedLink>) -> Vec<FeedLink> {
    let is_web = |feed: &FeedLink| {
        Url::parse(&feed.href).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
    };
    feeds.into_iter().filter(is_web).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(body: &str) -> Fetched {
        let url = Url::parse("https://example.org/news/").unwrap();
        let content_type = Some(HeaderValue::from_static("text/html; charset=utf-8"));
        Fetched { url, content_type, body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    #[test]
    fn a_page_names_its_title_and_the_feeds_that_can_be_fetched() {
        let page = fetched(
            "<html><head><title>News &amp; more</title>\
             <link rel=alternate type='application/rss+xml' title=All href='all.rss'>\
             <link rel=alternate type='application/atom+xml' href='https://example.org/atom'>\
             <link rel=alternate type='application/atom+xml' href='javascript:alert(1)'>\
             </head><body><p>Hello</p></body></html>",
        );
        let Sight::Page { title, feeds } = page.look(None, &Limits::default()) else { panic!() };
        assert_eq!(title.as_deref(), Some("News & more"));
        let found: Vec<_> = feeds.iter().map(|feed| (&*feed.href, feed.title.as_deref())).collect();
        assert_eq!(
            found,
            [("https://example.org/news/all.rss", Some("All")), ("https://example.org/atom", None)]
        );
    }

    #[test]
    fn what_was_looked_at_is_kept_for_a_while_and_for_selectors_only_if_its_site_allows() {
        let mut looks = Looks::default();
        let page = Arc::new(fetched("<p>Hello</p>"));
        looks.keep(&page.url, false, 0.0, Arc::clone(&page));
        assert!(looks.find(&page.url, false, 1.0).is_some());
        assert!(looks.find(&page.url, true, 1.0).is_none(), "nobody has asked its site");
        looks.keep(&page.url, true, 2.0, Arc::clone(&page));
        assert!(looks.find(&page.url, true, 601.0).is_some());
        assert!(looks.find(&page.url, true, 602.0).is_none());
        for number in 0..20 {
            let url = Url::parse(&format!("https://example.org/{number}")).unwrap();
            looks.keep(&url, false, 700.0, Arc::clone(&page));
        }
        assert_eq!(looks.0.len(), KEPT);
    }

    #[test]
    fn selectors_find_items_or_say_why_not() {
        let page = fetched("<ul><li><a href=1>One</a><li><a href=2>Two</a></ul>");
        let look = |item: &str| {
            let selectors = Selectors { item: item.to_owned(), ..Selectors::default() };
            page.look(Some(&selectors), &Limits::default())
        };
        let Sight::Selected(Ok(document)) = look("li") else { panic!() };
        let titles: Vec<_> =
            document.items.iter().filter_map(|item| item.title.as_deref()).collect();
        assert_eq!(titles, ["One", "Two"]);
        let Sight::Selected(Err(words)) = look("p") else { panic!() };
        assert!(words.contains("nothing on the page matches `p`"), "{words}");
        let Sight::Selected(Err(words)) = look("li[") else { panic!() };
        assert!(words.contains("not a CSS selector"), "{words}");
    }
}
