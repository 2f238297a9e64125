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

/// `html` with its relative addresses made absolute; `None` if it has none.
pub(crate) fn resolve_html(html: &str, base: &Url) -> Option<String> {
    let mut out: Option<String> = None;
    let mut copied = 0;
    let bytes = html.as_bytes();
    for equals in memchr::memchr_iter(b'=', bytes) {
        if equals < copied || !ATTRIBUTES.iter().any(|name| ends_with_fold(&bytes[..=equals], name))
        {
            continue;
        }
        let Some(quote) = bytes.get(equals + 1).filter(|b| matches!(b, b'"' | b'\'')) else {
            continue;
        };
        let start = equals + 2;
        let Some(length) = memchr::memchr(*quote, &bytes[start..bytes.len().min(start + 4096)])
        else {
            continue;
        };
        let value = &html[start..start + length];
        if !is_relative(value) {
            continue;
        }
        let decoded = super::chars::decoded(value);
        let Ok(absolute) = base.join(decoded.trim()) else {
            continue;
        };
        let out = out.get_or_insert_with(|| String::with_capacity(html.len() + 256));
        out.push_str(&html[copied..start]);
        super::chars::push_escaped(out, absolute.as_str());
        copied = start + length;
    }
    out.map(|mut out| {
        out.push_str(&html[copied..]);
        out
    })
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
