//! Reads a feed of any format into a [`Document`].
//!
//! The stages: decode the bytes, find the start of the feed ([`sniff`]), run the strict pass
//! ([`survey`]), if it fails repair the text ([`repair`]) and run the strict pass again, then hand the
//! text to feed-rs and build the document ([`assemble`]). A clean document is never rewritten: it only
//! costs one extra run of a tokeniser, and our faster date parser makes up for that. [`json`] reads
//! JSON Feed.
//!
//! Invariants: no input causes a panic; [`Limits`] bound what is read; the same bytes always give the
//! same document, including the ids.

mod assemble;
mod hints;
mod json;
mod repair;
mod sniff;
mod survey;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, Utc};
use url::Url;

use crate::error::ParseError;
use crate::html;
use crate::limits::Limits;
use crate::markup::{chars, decode};
use crate::model::Document;
use crate::time::parse_date;
use sniff::{Kind, Root};
use survey::{Extras, Skeleton, Verdict};

/// What the caller knows about a document besides its bytes.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Where it was fetched from, to resolve relative addresses.
    pub url: Option<Url>,
    /// The charset that the transport gave. The declaration in the document takes precedence.
    pub charset: Option<String>,
    pub limits: Limits,
}

/// Reads a feed of any format. Repairs what it can, and says so in the warnings of the document.
///
/// # Errors
/// If the bytes contain no feed: see [`ParseError`].
pub fn parse(bytes: &[u8], options: &ParseOptions) -> Result<Document, ParseError> {
    if let Some(what) = binary(bytes) {
        return Err(ParseError::Binary { what });
    }
    let mut warnings = Vec::new();
    let limits = &options.limits;
    let text = decode(bytes, options.charset.as_deref(), limits.bytes, &mut warnings);
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
                warnings.push("ignored text before the feed".into());
            }
            xml(&text[root.at..], &root, base, limits, warnings)?
        }
    };
    drop(text);
    let before = document.items.len();
    document.items.retain(|item| !item.is_blank());
    if document.items.len() < before {
        document.warnings.push(format!("ignored {} empty items", before - document.items.len()));
    }
    crate::identity::assign(&mut document);
    Ok(document)
}

/// Unescapes a feed that was escaped as a whole, as if it were a text inside another one.
fn unescaped_whole<'t>(text: Cow<'t, str>, warnings: &mut Vec<String>) -> Cow<'t, str> {
    if !text.trim_start().starts_with("&lt;") {
        return text;
    }
    warnings.push("the whole document was escaped".into());
    Cow::Owned(chars::decoded(&text))
}

/// Reads the XML feed at the start of `text`.
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
                "items after the end of the feed"
            } else {
                match feed_rs_document(text, root, *extras, base, limits) {
                    Ok(mut document) => {
                        if !is_epilogue(rest) {
                            warnings.push("ignored text after the end of the feed".into());
                        }
                        document.warnings = warnings;
                        return Ok(document);
                    }
                    Err(_) => "something that feed-rs rejected",
                }
            }
        }
        Verdict::Dirty(why) => why,
    };
    warnings.push(format!("repaired: {why}"));
    let repaired = repair::repair(text, root, limits);
    warnings.extend(repaired.warnings);
    let extras = match survey::survey(&repaired.xml, root, base, limits) {
        Verdict::Clean(extras) => extras,
        Verdict::Dirty(why) => return Err(ParseError::Unrepairable { reason: why.into() }),
    };
    let mut document = feed_rs_document(&repaired.xml, root, *extras, base, limits)
        .map_err(|reason| ParseError::Unrepairable { reason })?;
    (document.cut_off, document.warnings) = (repaired.cut_off, warnings);
    Ok(document)
}

/// Whether there are more items after the end of the feed.
fn holds_more(rest: &str) -> bool {
    let rest = rest.as_bytes();
    [&b"<item"[..], b"<entry"].iter().any(|tag| memchr::memmem::find(rest, tag).is_some())
}

/// White space and comments may follow a root element.
fn is_epilogue(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || (rest.starts_with("<!--") && rest.ends_with("-->"))
}

/// Hands a clean document to feed-rs, and combines its result with that of the strict pass.
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
        .sanitize_content(false) // sanitised when shown
        .timestamp_parser(date_for_feed_rs)
        .id_generator(|_, _, _| String::new()) // we assign the ids
        .build();
    // A last resort: the strict pass rejects everything that is known to make feed-rs panic. The
    // parser lives only here, so that its state after a panic does not matter.
    let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse(skeleton)));
    match parsed {
        Ok(Ok(feed)) if feed.entries.len() == extras.items.len() => {
            Ok(assemble::document(feed, extras, root.format, base, limits))
        }
        Ok(Ok(feed)) => {
            let (read, seen) = (feed.entries.len(), extras.items.len());
            Err(format!("feed-rs read {read} of {seen} items"))
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("feed-rs panicked".into()),
    }
}

fn date_for_feed_rs(text: &str) -> Option<DateTime<Utc>> {
    parse_date(text).map(|at| at.civil())
}

/// Recognises binary formats by their first bytes.
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
