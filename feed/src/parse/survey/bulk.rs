//! Takes long texts in one piece.
//!
//! Most bytes of a feed are texts of items, and most of these are one CDATA section or one run of
//! escaped text. Taking them out here saves quick-xml and feed-rs from scanning every reference.

use std::io::Read;
use std::ops::Range;

use super::extras::Dirt;
use crate::markup::chars;
use crate::markup::lexer::runs_over;

/// The text at the start of `rest`, and its length up to the end tag; `None` unless it is one CDATA
/// section or plain escaped text.
pub(super) fn take(rest: &str) -> Result<Option<(usize, String)>, Dirt> {
    const OPEN: &str = "<![CDATA[";
    let bytes = rest.as_bytes();
    let lead = bytes.len() - bytes.trim_ascii_start().len();
    if let Some(inner) = rest[lead..].strip_prefix(OPEN) {
        let Some(end) = memchr::memmem::find(inner.as_bytes(), b"]]>") else {
            return Ok(None);
        };
        let (body, after) = (&inner[..end], &inner[end + 3..]);
        let trail = after.len() - after.as_bytes().trim_ascii_start().len();
        if !after[trail..].starts_with("</") {
            return Ok(None);
        }
        if runs_over(body) {
            return Err("a CDATA section that is never closed");
        }
        return Ok(Some((lead + OPEN.len() + end + 3 + trail, body.to_owned())));
    }
    let Some(end) = memchr::memchr(b'<', bytes) else {
        return Ok(None);
    };
    if !rest[end..].starts_with("</") {
        return Ok(None);
    }
    Ok(Some((end, decoded(&rest[..end])?)))
}

/// Decodes escaped text. An unknown reference makes the document dirty.
fn decoded(text: &str) -> Result<String, Dirt> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (value, length) = match rest.as_bytes() {
            [b'&', b'l', b't', b';', ..] => ('<', 4),
            [b'&', b'g', b't', b';', ..] => ('>', 4),
            [b'&', b'a', b'm', b'p', b';', ..] => ('&', 5),
            [b'&', b'q', b'u', b'o', b't', b';', ..] => ('"', 6),
            _ => {
                let (name, length) = chars::reference(rest).ok_or("a bare ampersand")?;
                if !chars::push_reference(&mut out, name) {
                    return Err("an unknown character reference");
                }
                rest = &rest[length..];
                continue;
            }
        };
        out.push(value);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// A document without the texts that were taken out; feed-rs reads it.
pub(crate) struct Skeleton<'t> {
    text: &'t [u8],
    cuts: std::slice::Iter<'t, Range<usize>>,
    /// The current position; reading continues up to the next cut.
    at: usize,
    next: Option<&'t Range<usize>>,
}

impl<'t> Skeleton<'t> {
    pub(crate) fn new(text: &'t str, cuts: &'t [Range<usize>]) -> Self {
        let mut cuts = cuts.iter();
        let next = cuts.next();
        Self { text: text.as_bytes(), cuts, at: 0, next }
    }
}

impl Read for Skeleton<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let end = self.next.map_or(self.text.len(), |cut| cut.start);
            let piece = self.text.get(self.at..end).unwrap_or(&[]);
            let length = piece.len().min(buffer.len() - filled);
            buffer[filled..filled + length].copy_from_slice(&piece[..length]);
            filled += length;
            self.at += length;
            if length == piece.len() {
                let Some(cut) = self.next else { break };
                self.at = cut.end;
                self.next = self.cuts.next();
            }
        }
        Ok(filled)
    }
}
