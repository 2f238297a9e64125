//! What the body of an answer is: a feed, a page, a list, the same as last time, or nothing usable.

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;
use http::HeaderValue;
use pergola_feed::address::take_user;
use pergola_feed::html::{annotated, page_text, select};
use pergola_feed::opml::Opml;
use pergola_feed::{Document, ParseError, ParseOptions, parse};
use url::Url;

use super::{Hearing, List, Member, Said, Span, Told};
use crate::courtesy::FailureKind;
use crate::reply::Failure;
use crate::source::SourceKind;

/// Reads a body that came from `url`.
pub(super) fn read(
    body: Result<Bytes, Failure>,
    content_type: Option<&HeaderValue>,
    url: &Url,
    span: Span,
    hearing: Hearing<'_>,
) -> Said {
    let bytes = match body {
        Ok(bytes) => bytes,
        Err(failure) => return Said::Unusable(failure),
    };
    let digest = digest(&bytes);
    if digest == hearing.last {
        return Said::SameDocument;
    }
    let told = |document| Said::Document(Box::new(Told { document, span, digest: Some(digest) }));
    let charset = content_type.and_then(charset);
    match hearing.kind {
        SourceKind::Feed => feed(&bytes, charset, url, hearing, told),
        SourceKind::Page(selectors) => {
            let text = page_text(&bytes, charset.as_deref(), hearing.limits);
            match select(&text, selectors, Some(url), hearing.limits) {
                Ok(page) => told(page),
                Err(error) => unusable(FailureKind::NotAFeed, error.to_string()),
            }
        }
        SourceKind::List => match Opml::parse(&bytes) {
            Ok(list) => Said::List(List { members: members(&list), digest }),
            Err(error) => unusable(FailureKind::NotAFeed, error.to_string()),
        },
    }
}

/// A feed, a page that is marked up as one, or a page that leads to one.
fn feed(
    bytes: &[u8],
    charset: Option<String>,
    url: &Url,
    hearing: Hearing<'_>,
    told: impl Fn(Document) -> Said,
) -> Said {
    let limits = hearing.limits.clone();
    let options = ParseOptions { url: Some(url.clone()), charset, limits };
    match parse(bytes, &options) {
        Ok(document) => told(document),
        Err(ParseError::HtmlPage { feeds }) => {
            let text = page_text(bytes, options.charset.as_deref(), hearing.limits);
            if let Some(page) = annotated(&text, Some(url), hearing.limits) {
                return told(page);
            }
            let mut targets = feeds.iter().filter_map(|feed| target(&feed.href));
            match targets.find(|target| target != url) {
                Some(target) if hearing.formerly.iter().any(|old| old == target.as_str()) => {
                    let words =
                        format!("pages link to each other as feeds, and none is one: {target}");
                    unusable(FailureKind::NotAFeed, words)
                }
                Some(target) => Said::LeadsTo(target),
                None => unusable(FailureKind::NotAFeed, PAGE.to_owned()),
            }
        }
        Err(error @ ParseError::Unrepairable { .. }) => {
            unusable(FailureKind::Unreadable, error.to_string())
        }
        Err(error) => unusable(FailureKind::NotAFeed, error.to_string()),
    }
}

/// The address that a page leads to. Nobody gives us a user and a password that way.
fn target(href: &str) -> Option<Url> {
    let mut url = Url::parse(href).ok()?;
    take_user(&mut url);
    Some(url)
}

const PAGE: &str = "this is an HTML page, not a feed, and it links to none; to read the page itself, \
                    add it with selectors (`pergola source add URL --item CSS`)";

fn unusable(kind: FailureKind, words: String) -> Said {
    Said::Unusable(Failure { kind, words })
}

fn members(list: &Opml) -> Vec<Member> {
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    list.subscriptions()
        .into_iter()
        .filter(|(_, outline)| outline.page.is_none())
        .filter_map(|(_, outline)| {
            let url = outline.feed.clone()?;
            Some(Member { url, title: named(&outline.text) })
        })
        .collect()
}

/// Another version of the standard library may compute another digest; then the same document is read
/// once more, and nothing else happens.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The charset that a media type names.
pub(crate) fn charset(content_type: &HeaderValue) -> Option<String> {
    let parameters = content_type.to_str().ok()?.split(';').skip(1);
    let mut named = parameters.filter_map(|parameter| parameter.trim().split_once('='));
    let (_, value) = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"').to_owned())
}
