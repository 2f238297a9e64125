//! Which hub a source names, and by which address the hub knows the source: `rel=hub` and `rel=self`,
//! in the `Link` headers or else in the document.
//!
//! Both are needed, or nothing can be asked of the hub. Of several hubs one is enough; one that is
//! reached over TLS is preferred.

use http::HeaderValue;
use pergola_feed::Document;
use url::Url;

use pergola_store::archive::SourceId;

/// Longer addresses are not believed.
const LONGEST_URL: usize = 2_048;

/// What a source names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where to subscribe.
    pub hub: Url,
    /// To what.
    pub topic: Url,
}

/// A refresh of a source that names a hub, or did.
#[derive(Debug, Clone, PartialEq)]
pub struct RefreshNotice {
    /// Which source.
    pub id: SourceId,
    /// When.
    pub at: f64,
    /// The refresh before it.
    pub since: Option<f64>,
    /// Items never seen before.
    pub new_items: u32,
    /// What its document named; nothing if none was read.
    pub named: Option<Option<Named>>,
}

impl Named {
    /// What the answer with these headers and this document names; `base` is where it was found.
    pub fn in_answer(headers: &[HeaderValue], document: &Document, base: &Url) -> Option<Self> {
        let links: Vec<(String, String)> = headers
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|line| links(line, 32))
            .collect();
        let in_headers = links.iter().map(|(rel, href)| (rel.as_str(), href.as_str()));
        let in_document = || document.links.iter().map(|link| (&*link.rel, &*link.href));
        Self::among(in_headers, base).or_else(|| Self::among(in_document(), base))
    }

    fn among<'a>(links: impl Iterator<Item = (&'a str, &'a str)>, base: &Url) -> Option<Self> {
        let (mut hubs, mut topic) = (Vec::new(), None);
        for (rel, href) in links {
            let Some(url) = usable(href, base) else { continue };
            for rel in rel.split_ascii_whitespace() {
                if rel.eq_ignore_ascii_case("hub") {
                    hubs.push(url.clone());
                } else if rel.eq_ignore_ascii_case("self") {
                    topic.get_or_insert_with(|| url.clone());
                }
            }
        }
        let secure = hubs.iter().position(|hub| hub.scheme() == "https").unwrap_or(0);
        Some(Self { hub: hubs.into_iter().nth(secure)?, topic: topic? })
    }
}

fn usable(href: &str, base: &Url) -> Option<Url> {
    let url = base.join(href.trim()).ok()?;
    let fine = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.as_str().len() <= LONGEST_URL;
    fine.then_some(url)
}

/// The links of one `Link` header as (relations, target); what cannot be read is left out.
fn links(line: &str, most: usize) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while found.len() < most {
        let Some((_, after)) = rest.split_once('<') else { break };
        let Some((href, after)) = after.split_once('>') else { break };
        let (parameters, next) = cut(after, ',');
        if let Some(rel) = parameter(parameters, "rel") {
            found.push((rel, href.to_owned()));
        }
        rest = next;
    }
    found
}

/// What stands before the first `end` outside of quotes, and what comes after it.
fn cut(text: &str, end: char) -> (&str, &str) {
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if letter == end && !quoted => return (&text[..at], &text[at + end.len_utf8()..]),
            _ => {}
        }
    }
    (text, "")
}

fn parameter(mut parameters: &str, wanted: &str) -> Option<String> {
    while !parameters.is_empty() {
        let (one, rest) = cut(parameters, ';');
        if let Some((name, value)) = one.split_once('=')
            && name.trim().eq_ignore_ascii_case(wanted)
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
        parameters = rest;
    }
    None
}

#[cfg(test)]
mod tests {
    use pergola_feed::{Format, Link};

    use super::*;

    fn document(links: &[(&str, &str)]) -> Document {
        let mut document = Document::new(Format::Atom);
        document.links = links.iter().map(|(rel, href)| Link::new(*rel, *href)).collect();
        document
    }

    fn named(headers: &[&str], links: &[(&str, &str)]) -> Option<(String, String)> {
        let headers: Vec<HeaderValue> =
            headers.iter().map(|line| HeaderValue::from_str(line).unwrap()).collect();
        let base = Url::parse("https://example.org/blog/feed").unwrap();
        let found = Named::in_answer(&headers, &document(links), &base)?;
        Some((found.hub.into(), found.topic.into()))
    }

    const IN_DOCUMENT: [(&str, &str); 2] =
        [("hub", "https://hub.example/d"), ("self", "https://example.org/d")];

    #[test]
    fn headers_come_before_the_document() {
        let line = r#"</feed.json>; rel="self", <https://hub.example/>; rel=hub"#;
        let expected =
            ("https://hub.example/".to_owned(), "https://example.org/feed.json".to_owned());
        assert_eq!(named(&[line], &IN_DOCUMENT), Some(expected.clone()));
        let lines = [
            "<https://hub.example/>; title=\"a, b; rel=c\"; rel=\"HUB other\"",
            "</feed.json>;rel=self",
        ];
        assert_eq!(named(&lines, &[]), Some(expected));
    }

    #[test]
    fn without_both_in_the_headers_the_document_counts() {
        let of_document = Some(("https://hub.example/d".into(), "https://example.org/d".into()));
        for line in [
            "",
            "<https://other.example/>; rel=hub",
            "<x",
            "<x>",
            "<x>; rel",
            "<ftp://x/>; rel=self",
        ] {
            assert_eq!(named(&[line], &IN_DOCUMENT), of_document, "{line}");
        }
        assert_eq!(named(&[], &IN_DOCUMENT[..1]), None);
        assert_eq!(named(&[], &IN_DOCUMENT[1..]), None);
    }

    #[test]
    fn of_several_hubs_the_secure_one_is_chosen() {
        let links = [("hub", "http://a.example/"), ("hub", "https://b.example/"), ("self", "feed")];
        let (hub, topic) = named(&[], &links).unwrap();
        assert_eq!(
            (hub.as_str(), topic.as_str()),
            ("https://b.example/", "https://example.org/blog/feed")
        );
    }
}
