//! Characters and character references.
//!
//! Feeds mix three layers of escaping: XML, HTML, and mistakes. Only this module knows which
//! characters XML allows and what a reference such as `&eacute;`, `&#150;` or `&#x0;` means. It looks
//! up the entities that a document declares but never expands them recursively, so a document cannot
//! grow while it is read.

use std::collections::HashMap;

use quick_xml::escape::resolve_html5_entity;

/// Entities that a document declares in its DTD: name and replacement, both short.
pub(crate) type Declared = HashMap<String, String>;

/// Removes white space and byte-order marks at both ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Whether XML 1.0 allows the character.
pub(crate) fn allowed(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether XML 1.0 allows every character. Works on bytes, because it scans whole documents.
pub(crate) fn all_allowed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let control = bytes.chunks(64).any(|chunk| {
        chunk.iter().fold(false, |bad, &b| bad | (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')))
    });
    !control && !noncharacters(bytes)
}

/// U+FFFE and U+FFFF are EF BF BE and EF BF BF.
fn noncharacters(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\xEF\xBF")
        .any(|at| matches!(bytes.get(at + 2), Some(0xBE | 0xBF)))
}

/// Appends `text` without the characters that XML forbids.
pub(crate) fn push_allowed(out: &mut String, text: &str) {
    if all_allowed(text) {
        out.push_str(text);
    } else {
        out.extend(text.chars().filter(|c| allowed(*c)));
    }
}

/// Appends `text` with its character references resolved; anything else stays as it is.
pub(crate) fn push_decoded(out: &mut String, text: &str, declared: &Declared) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        push_allowed(out, &rest[..at]);
        rest = &rest[at..];
        match reference(rest) {
            Some((name, length)) if resolve(out, name, declared) => rest = &rest[length..],
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    push_allowed(out, rest);
}

/// `text` with its HTML character references resolved once.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    push_decoded(&mut out, text, &Declared::new());
    out
}

/// The name of the reference at the start of `text`, and its length including `&` and `;`.
pub(crate) fn reference(text: &str) -> Option<(&str, usize)> {
    let body = text.strip_prefix('&')?;
    let end = body.bytes().take(40).position(|b| b == b';')?;
    let name = &body[..end];
    let shape = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#');
    shape.then_some((name, end + 2))
}

/// Appends the value of a reference; `false` if it has none, or none that XML allows.
pub(crate) fn push_reference(out: &mut String, name: &str) -> bool {
    let before = out.len();
    resolve(out, name, &Declared::new()) && out.len() > before
}

/// Whether HTML or XML defines a reference by this name.
pub(crate) fn is_known(name: &str) -> bool {
    match name.strip_prefix('#') {
        Some(number) => code_point(number).is_some(),
        None => resolve_html5_entity(name).is_some(),
    }
}

fn resolve(out: &mut String, name: &str, declared: &Declared) -> bool {
    if let Some(number) = name.strip_prefix('#') {
        let Some(code) = code_point(number) else {
            return false;
        };
        // Drops a reference to a character that XML forbids.
        out.extend(char::from_u32(code).filter(|c| allowed(*c)));
        return true;
    }
    let value = declared.get(name).map(String::as_str).or_else(|| resolve_html5_entity(name));
    if let Some(value) = value {
        out.push_str(value);
    }
    value.is_some()
}

/// The code point of `#150` or `#x96`. C1 controls are Windows-1252, as in HTML.
fn code_point(number: &str) -> Option<u32> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(match code {
        0x80..=0x9F => {
            let byte = [u8::try_from(code).ok()?];
            let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte);
            text.chars().next().map_or(code, u32::from)
        }
        _ => code,
    })
}

/// Appends `text` escaped for XML content and attribute values.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'&' | b'<' | b'>' | b'"' | b'\r')) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#13;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// `text` escaped as HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    push_escaped(&mut out, text);
    out
}
