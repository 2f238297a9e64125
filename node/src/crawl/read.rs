//! What the body of an answer is: a feed, a page, a list, the same as last time, or nothing usable.

use std::hash::{DefaultHasher, Hasher};

use pergola_feed::html::{annotated, page_text, select};
use pergola_feed::opml::Opml;
use pergola_feed::{Document, ParseError, ParseOptions, parse};
use pergola_manners::courtesy::FailureKind;
use pergola_store::archive::SourceKind;
use url::Url;

use super::conclude::Manners;
use crate::fetch::Answer;

/// A source on a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Where it is.
    pub url: String,
    /// What the list calls it.
    pub title: Option<String>,
}

/// What a body turned out to be; with a digest, by which the same bytes are known next time.
pub(super) enum Body {
    Unread,
    Same,
    Document(Box<Document>, u64),
    List(Vec<Member>, u64),
    /// A page that leads to this feed.
    LeadsTo(Url),
    Unusable(FailureKind, String),
}

/// Reads the body of an answer; `last` is the digest of the one before.
pub(super) fn read(answer: &Answer, kind: &SourceKind, last: u64, manners: &Manners) -> Body {
    if !matches!(answer.status, 200 | 226) {
        return Body::Unread;
    }
    let bytes = match answer.decoded(&manners.decode) {
        Ok(bytes) => bytes,
        Err(error) => return Body::Unusable(error.kind(), error.to_string()),
    };
    let digest = digest(&bytes);
    if digest == last {
        return Body::Same;
    }
    let charset = answer.head.content_type().and_then(charset);
    match kind {
        SourceKind::Feed => {
            let url = Some(answer.url.clone());
            let options = ParseOptions { url, charset, limits: manners.limits.clone() };
            match parse(&bytes, &options) {
                Ok(document) => Body::Document(Box::new(document), digest),
                Err(ParseError::HtmlPage { feeds }) => {
                    let text = page_text(&bytes, options.charset.as_deref(), &manners.limits);
                    if let Some(page) = annotated(&text, Some(&answer.url), &manners.limits) {
                        return Body::Document(Box::new(page), digest);
                    }
                    let mut targets = feeds.iter().filter_map(|feed| Url::parse(&feed.href).ok());
                    match targets.find(|target| *target != answer.url) {
                        Some(target) => Body::LeadsTo(target),
                        None => Body::Unusable(FailureKind::NotAFeed, PAGE.to_owned()),
                    }
                }
                Err(error @ ParseError::Unrepairable { .. }) => {
                    Body::Unusable(FailureKind::Unreadable, error.to_string())
                }
                Err(error) => Body::Unusable(FailureKind::NotAFeed, error.to_string()),
            }
        }
        SourceKind::Page(selectors) => {
            let text = page_text(&bytes, charset.as_deref(), &manners.limits);
            match select(&text, selectors, Some(&answer.url), &manners.limits) {
                Ok(page) => Body::Document(Box::new(page), digest),
                Err(error) => Body::Unusable(FailureKind::NotAFeed, error.to_string()),
            }
        }
        SourceKind::List => match Opml::parse(&bytes) {
            Ok(list) => Body::List(members(&list), digest),
            Err(error) => Body::Unusable(FailureKind::NotAFeed, error.to_string()),
        },
    }
}

const PAGE: &str = "this is an HTML page, not a feed, and it links to none; if it should be read as \
                    it is, add it with selectors (`pergola source add URL --item CSS`)";

fn members(list: &Opml) -> Vec<Member> {
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    list.subscriptions()
        .into_iter()
        .filter_map(|(_, outline)| {
            let url = outline.feed.clone()?;
            Some(Member { url, title: named(&outline.text) })
        })
        .collect()
}

/// Not for keeps: another version of the standard library may give another digest, and then the
/// document is read once more.
fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let mut named = parameters.filter_map(|parameter| parameter.trim().split_once('='));
    let (_, value) = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"').to_owned())
}
