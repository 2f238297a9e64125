//! Bytes to text: detects the real encoding of a document.
//!
//! All later stages see UTF-8 and ignore encoding declarations; feed-rs panics when text and
//! declaration disagree. Evidence in the bytes (a byte-order mark, a pattern of NULs, valid UTF-8)
//! beats the declaration in the document, which beats the charset of the transport. A byte that fits
//! none of them is read as Windows-1252, as browsers do.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::limits::prefix;

/// Decodes at most `max` bytes of text and adds a warning for every guess.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    transport: Option<&str>,
    max: usize,
    warnings: &mut Vec<String>,
) -> Cow<'a, str> {
    let bytes = bound(bytes, max, warnings);
    let text = match by_shape(bytes) {
        Some(Shape::Utf8(rest)) => utf8_or_declared(rest, None, warnings),
        Some(Shape::Utf16(encoding, rest)) => {
            Cow::Owned(encoding.decode_without_bom_handling(rest).0.into_owned())
        }
        Some(Shape::Utf32 { big_endian, rest }) => Cow::Owned(utf32(rest, big_endian)),
        None => utf8_or_declared(bytes, transport, warnings),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(cut(unmarked(text), max, warnings)),
        Cow::Owned(mut text) => {
            let marks = text.len() - unmarked(&text).len();
            text.drain(..marks);
            let kept = cut(&text, max, warnings).len();
            text.truncate(kept);
            Cow::Owned(text)
        }
    }
}

/// No encoding takes more than four bytes for one byte of UTF-8.
fn bound<'a>(bytes: &'a [u8], max: usize, warnings: &mut Vec<String>) -> &'a [u8] {
    match bytes.get(..max.saturating_mul(4)) {
        Some(head) if head.len() < bytes.len() => {
            warnings
                .push(format!("the document is longer than {max} bytes; the rest was not read"));
            head
        }
        _ => bytes,
    }
}

fn cut<'a>(text: &'a str, max: usize, warnings: &mut Vec<String>) -> &'a str {
    let kept = prefix(text, max);
    if kept.len() < text.len() {
        warnings.push(format!("the document is longer than {max} bytes; the rest was not read"));
    }
    kept
}

/// Removes byte-order marks; concatenated files have several.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

enum Shape<'a> {
    Utf8(&'a [u8]),
    Utf16(&'static Encoding, &'a [u8]),
    Utf32 { big_endian: bool, rest: &'a [u8] },
}

/// Detects the encoding by a byte-order mark or the pattern of NULs.
fn by_shape(bytes: &[u8]) -> Option<Shape<'_>> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Some(Shape::Utf8(rest)),
        [0xFF, 0xFE, 0, 0, rest @ ..] => {
            return Some(Shape::Utf32 { big_endian: false, rest });
        }
        [0, 0, 0xFE, 0xFF, rest @ ..] => {
            return Some(Shape::Utf32 { big_endian: true, rest });
        }
        [0xFF, 0xFE, rest @ ..] => return Some(Shape::Utf16(UTF_16LE, rest)),
        [0xFE, 0xFF, rest @ ..] => return Some(Shape::Utf16(UTF_16BE, rest)),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(64) & !3];
    if head.len() < 8 {
        return None;
    }
    // ASCII markup in a wide encoding has its NULs in fixed positions.
    let nul = |lane: usize, width: usize| head.chunks_exact(width).all(|unit| unit[lane] == 0);
    let some = |lane: usize, width: usize| head.chunks_exact(width).all(|unit| unit[lane] != 0);
    if some(0, 4) && nul(1, 4) && nul(2, 4) && nul(3, 4) {
        return Some(Shape::Utf32 { big_endian: false, rest: bytes });
    }
    if nul(0, 4) && nul(1, 4) && nul(2, 4) && some(3, 4) {
        return Some(Shape::Utf32 { big_endian: true, rest: bytes });
    }
    let head = &head[..head.len().min(16)];
    let nul = |lane: usize| head.chunks_exact(2).all(|unit| unit[lane] == 0);
    let some = |lane: usize| head.chunks_exact(2).all(|unit| unit[lane] != 0);
    if some(0) && nul(1) {
        return Some(Shape::Utf16(UTF_16LE, bytes));
    }
    (nul(0) && some(1)).then_some(Shape::Utf16(UTF_16BE, bytes))
}

fn utf32(bytes: &[u8], big_endian: bool) -> String {
    let unit = |b: &[u8]| {
        let b = [b[0], b[1], b[2], b[3]];
        if big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
    };
    bytes
        .chunks_exact(4)
        .map(|b| char::from_u32(unit(b)).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn utf8_or_declared<'a>(
    bytes: &'a [u8],
    transport: Option<&str>,
    warnings: &mut Vec<String>,
) -> Cow<'a, str> {
    let declared = declared_label(bytes);
    let named = declared.as_deref().or(transport);
    let encoding = named.and_then(|label| Encoding::for_label(label.as_bytes()));
    if let (Some(label), None) = (named, encoding) {
        warnings.push(format!("the declared encoding `{label}` is unknown"));
    }
    // We could read the declaration byte by byte, so the text cannot be in UTF-16.
    let encoding = encoding.filter(|e| e.is_ascii_compatible() || escapes_to(e, bytes));
    if encoding.is_some_and(|e| !e.is_ascii_compatible()) {
        return Cow::Owned(encoding.unwrap_or(UTF_8).decode(bytes).0.into_owned());
    }
    match (std::str::from_utf8(bytes), encoding.filter(|e| *e != UTF_8)) {
        (Ok(text), declared) => {
            if let Some(declared) = declared.filter(|_| !text.is_ascii()) {
                let name = declared.name();
                warnings.push(format!("declared as {name}, but read as UTF-8, which it is"));
            }
            Cow::Borrowed(text)
        }
        (Err(_), Some(declared)) => {
            let (text, had_errors) = declared.decode_without_bom_handling(bytes);
            if had_errors {
                warnings.push(format!("some bytes are not valid {}", declared.name()));
            }
            Cow::Owned(text.into_owned())
        }
        (Err(_), None) => {
            warnings.push("bytes that are not UTF-8 were read as Windows-1252".into());
            Cow::Owned(patched(bytes))
        }
    }
}

/// ISO-2022-JP consists of ASCII bytes; its escapes must be there to prove it.
fn escapes_to(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    encoding == encoding_rs::ISO_2022_JP && memchr::memchr(0x1B, bytes).is_some()
}

/// Decodes valid parts as UTF-8 and all other bytes as Windows-1252, so that two encodings mixed in
/// one document both survive. Drops a character that is cut off at the end of the document.
fn patched(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    loop {
        match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                return text;
            }
            Err(error) => {
                let (good, bad) = bytes.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(good));
                let Some(length) = error.error_len() else {
                    return text;
                };
                let (bad, rest) = bad.split_at(length);
                text.push_str(&WINDOWS_1252.decode_without_bom_handling(bad).0);
                bytes = rest;
            }
        }
    }
}

/// The encoding in an XML declaration near the beginning.
fn declared_label(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(2048)];
    let start = memchr::memmem::find(head, b"<?xml")?;
    let declaration = &head[start..];
    let end = memchr::memchr(b'>', declaration).unwrap_or(declaration.len());
    let declaration = &declaration[..end];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = std::str::from_utf8(&declaration[at + 8..]).ok()?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let label = value[1..].split(quote).next()?.trim();
    (!label.is_empty()).then(|| label.to_owned())
}
