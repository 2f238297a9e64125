//! Reading: any feed in, one [`Document`] out.
//!
//! The way of a document: bytes → [`decode`] → text → [`sniff`] → where the feed begins → the strict
//! pass ([`survey`]) → if need be the repairs ([`mend`]) and the strict pass again → feed-rs →
//! [`assemble`]. A clean document is never rewritten: it costs one extra run of the tokeniser, and
//! our reader of dates gives that time back. JSON Feed is read by [`json`].
//!
//! Invariants: no input makes this panic; what is read is bounded by [`Limits`]; the same bytes give
//! the same document, ids included, every time.

mod assemble;
pub(crate) mod chars;
pub(crate) mod dates;
mod decode;
mod hints;
mod json;
pub(crate) mod lexer;
pub(crate) mod links;
mod mend;
pub(crate) mod names;
mod sniff;
mod survey;
pub(crate) mod xhtml;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, Utc};
use url::Url;

use crate::error::ParseError;
use crate::html;
use crate::limits::Limits;
use crate::model::Document;
pub(crate) use assemble::person;
pub use dates::parse_date;
pub(crate) use decode::decode;
use sniff::{Kind, Root};
use survey::{Extras, Skeleton, Verdict};

/// What is known about a document besides its bytes.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Where it was fetched from; relative addresses are resolved by it.
    pub url: Option<Url>,
    /// The charset that the transport named, which counts less than what the document says.
    pub charset: Option<String>,
    /// Bounds on what is read.
    pub limits: Limits,
}

/// Reads a feed of any format, repairing what it can and saying so in the document's warnings.
///
/// # Errors
/// When there is no feed in the bytes: see [`ParseError`].
pub fn parse(bytes: &[u8], options: &ParseOptions) -> Result<Document, ParseError> {
    if let Some(what) = binary(bytes) {
        return Err(ParseError::Binary { what });
    }
    let mut warnings = Vec::new();
    let limits = &options.limits;
    let text = decode::decode(bytes, options.charset.as_deref(), limits.bytes, &mut warnings);
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let base = options.url.as_ref();
    let text = unescaped_whole(text, &mut warnings);
    let mut document = match sniff::sniff(&text) {
        Kind::Json => json::parse(&text, base, limits, warnings)?,
        Kind::Html => {
            return Err(ParseError::HtmlPage { feeds: html::discover(&text, base) });
        }
        Kind::Unknown(found) => return Err(ParseError::NotAFeed { found }),
        Kind::Xml(root) => {
            if root.junk {
                warnings.push("there was something before the feed".into());
            }
            xml(&text[root.at..], &root, base, limits, warnings)?
        }
    };
    drop(text);
    let before = document.items.len();
    document.items.retain(|item| !item.is_blank());
    if document.items.len() < before {
        document
            .warnings
            .push(format!("{} empty items were left out", before - document.items.len()));
    }
    crate::identity::assign(&mut document);
    Ok(document)
}

/// A feed that was escaped as a whole, as if it were a text inside another one.
fn unescaped_whole<'t>(text: Cow<'t, str>, warnings: &mut Vec<String>) -> Cow<'t, str> {
    if !text.trim_start().starts_with("&lt;") {
        return text;
    }
    warnings.push("the whole document was escaped".into());
    Cow::Owned(chars::decoded(&text))
}

/// Reads an XML feed that begins at the start of `text`.
fn xml(
    text: &str,
    root: &Root,
    base: Option<&Url>,
    limits: &Limits,
    mut warnings: Vec<String>,
) -> Result<Document, ParseError> {
    let why = match survey::survey(text, root, base, limits) {
        Verdict::Clean(extras) => {
            let rest = text.get(extras.end..).unwrap_or("");
            if holds_more(rest) {
                "something after the end of the feed"
            } else {
                match feed_rs_document(text, root, *extras, base, limits) {
                    Ok(mut document) => {
                        if !is_epilogue(rest) {
                            warnings.push("there was something after the end of the feed".into());
                        }
                        document.warnings = warnings;
                        return Ok(document);
                    }
                    Err(_) => "something that the parser refused",
                }
            }
        }
        Verdict::Dirty(why) => why,
    };
    warnings.push(format!("repaired: {why}"));
    let mended = mend::mend(text, root, limits);
    warnings.extend(mended.warnings);
    let extras = match survey::survey(&mended.xml, root, base, limits) {
        Verdict::Clean(extras) => extras,
        Verdict::Dirty(why) => return Err(ParseError::Unrepairable { reason: why.into() }),
    };
    let mut document = feed_rs_document(&mended.xml, root, *extras, base, limits)
        .map_err(|reason| ParseError::Unrepairable { reason })?;
    document.warnings = warnings;
    Ok(document)
}

/// Whether there are further items behind the end of the feed.
fn holds_more(rest: &str) -> bool {
    let rest = rest.as_bytes();
    [&b"<item"[..], b"<entry"].iter().any(|tag| memchr::memmem::find(rest, tag).is_some())
}

/// White space and comments may follow a root element.
fn is_epilogue(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || (rest.starts_with("<!--") && rest.ends_with("-->"))
}

/// Hands a clean document to feed-rs and puts together what it and the strict pass have found.
fn feed_rs_document(
    text: &str,
    root: &Root,
    extras: Extras,
    base: Option<&Url>,
    limits: &Limits,
) -> Result<Document, String> {
    let text = text.get(..extras.end).unwrap_or(text);
    let skeleton = Skeleton::new(text, &extras.cuts);
    let parser = feed_rs::parser::Builder::new()
        .base_uri(base.map(Url::as_str))
        .sanitize_content(false) // whoever shows it sanitises it: see `sanitize`
        .timestamp_parser(date_for_feed_rs)
        .id_generator(|_, _, _| String::new()) // ids are our own matter: see `identity`
        .build();
    // The last wall, not a means: whatever is known to make feed-rs panic has been rewritten before.
    // The parser is built here and dropped here, so that no state is seen after a panic.
    let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse(skeleton)));
    match parsed {
        Ok(Ok(feed)) if feed.entries.len() == extras.items.len() => {
            Ok(assemble::document(feed, extras, root.format, base, limits))
        }
        Ok(Ok(feed)) => {
            let (read, seen) = (feed.entries.len(), extras.items.len());
            Err(format!("{read} of {seen} items were read"))
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the parser panicked".into()),
    }
}

fn date_for_feed_rs(text: &str) -> Option<DateTime<Utc>> {
    parse_date(text).map(|at| at.civil())
}

/// Formats that are no text at all, told by their first bytes.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1F, 0x8B, ..] => Some("gzip-compressed"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("zstd-compressed"),
        [b'P', b'K', 3, 4, ..] => Some("a ZIP archive"),
        [b'%', b'P', b'D', b'F', ..] => Some("a PDF file"),
        [0x89, b'P', b'N', b'G', ..] => Some("a PNG image"),
        [0xFF, 0xD8, 0xFF, ..] => Some("a JPEG image"),
        _ => None,
    }
}
