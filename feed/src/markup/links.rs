//! Makes relative addresses absolute, in links and inside HTML.

use url::Url;

/// Whether an `xml:base` is usable; feed-rs rejects the whole document if it is not.
pub(crate) fn usable_base(base: &str) -> bool {
    matches!(Url::parse(base.trim()), Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase))
}

/// `href`, trimmed and resolved against `base`; unchanged if that fails.
pub(crate) fn resolve(href: &str, base: Option<&Url>) -> String {
    let href = href.trim();
    match Url::parse(href) {
        Ok(url) => url.into(),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            let joined = base.and_then(|base| base.join(href).ok());
            joined.map_or_else(|| href.to_owned(), String::from)
        }
        Err(_) => href.to_owned(),
    }
}

/// Whether a text is an HTTP address with a host.
pub(crate) fn is_web(href: &str) -> bool {
    let scheme = href.get(..8).unwrap_or(href).to_ascii_lowercase();
    (scheme.starts_with("http://") || scheme.starts_with("https://"))
        && Url::parse(href).is_ok_and(|url| url.has_host())
}

/// HTML attributes that hold one address.
const ATTRIBUTES: [&str; 4] = ["href=", "src=", "poster=", "cite="];
/// Bytes of the longest address that is resolved.
const LONGEST: usize = 4096;

/// `html` with its relative addresses made absolute; `None` if it has none. Only tags have addresses: a text that shows
/// how a link is written stays as it is.
pub(crate) fn resolve_html(html: &str, base: &Url) -> Option<String> {
    let mut out: Option<String> = None;
    let (mut copied, mut at, mut in_tag) = (0, 0, false);
    let bytes = html.as_bytes();
    while let Some(found) = memchr::memchr3(b'<', b'>', b'=', &bytes[at..]) {
        let place = at + found;
        at = place + 1;
        match bytes[place] {
            b'<' => in_tag |= bytes.get(at).is_some_and(u8::is_ascii_alphabetic),
            b'>' => in_tag = false,
            _ if in_tag => {
                let Some(length) = quoted(&bytes[at..]) else { continue };
                let start = at + 1;
                at = start + length + 1;
                let value = &html[start..start + length];
                if !ATTRIBUTES.iter().any(|name| ends_with_fold(&bytes[..=place], name)) {
                    continue;
                }
                let Some(absolute) = resolved(value, base) else { continue };
                let out = out.get_or_insert_with(|| String::with_capacity(html.len() + 256));
                out.push_str(&html[copied..start]);
                super::chars::push_escaped(out, absolute.as_str());
                copied = start + length;
            }
            _ => {}
        }
    }
    out.map(|mut out| {
        out.push_str(&html[copied..]);
        out
    })
}

/// The length of what stands in quotes at the beginning.
fn quoted(bytes: &[u8]) -> Option<usize> {
    let quote = bytes.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    memchr::memchr(*quote, &bytes[1..])
}

/// What a relative address leads to.
fn resolved(value: &str, base: &Url) -> Option<Url> {
    let short = value.len() <= LONGEST && is_relative(value);
    short.then(|| base.join(super::chars::decoded(value).trim()).ok()).flatten()
}

fn ends_with_fold(bytes: &[u8], name: &str) -> bool {
    let Some(start) = bytes.len().checked_sub(name.len() + 1) else {
        return false;
    };
    bytes[start].is_ascii_whitespace() && bytes[start + 1..].eq_ignore_ascii_case(name.as_bytes())
}

/// Whether an address is neither absolute, nor a fragment, nor empty.
fn is_relative(value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() || value.starts_with('#') {
        return false;
    }
    let scheme = value.split_once(':').map(|(scheme, _)| scheme);
    !scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}
