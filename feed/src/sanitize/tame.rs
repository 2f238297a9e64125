//! Recognises markup that is certainly harmless, so that most texts are not parsed and stay as they were published.
//!
//! It accepts much less than HTML: known elements, properly nested, with few attributes, all values in double quotes
//! and all addresses absolute. Every browser reads such markup in the same way. Whatever else there is may be
//! harmless, too; that is for the sanitiser to find out.

/// Elements that need not be closed.
const VOID: [&str; 4] = ["br", "hr", "img", "wbr"];
/// Elements that only mark text up.
const PLAIN: [&str; 46] = [
    "a", "abbr", "b", "caption", "cite", "code", "dd", "del", "div", "dl", "dt", "em", "figure",
    "h1", "h2", "h3", "h4", "h5", "h6", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q",
    "s", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "time", "tr", "u", "ul", "var",
];
/// Attributes whose values are addresses.
const ADDRESSES: [&str; 2] = ["href", "src"];
/// Attributes whose values are text.
const TEXTS: [&str; 8] =
    ["alt", "colspan", "datetime", "height", "lang", "rowspan", "title", "width"];
/// More nesting is flattened by the sanitiser.
const DEPTH: usize = 64;

/// Whether markup is certainly harmless.
pub(super) fn is_tame(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let Some((name, after)) = end.split_once('>') else { return false };
            if open.pop() != Some(name) {
                return false;
            }
            rest = after;
            continue;
        }
        let (name, after) = rest.split_at(name_length(rest));
        let Some(after) = attributes(after) else { return false };
        rest = after;
        if PLAIN.contains(&name) && open.len() < DEPTH {
            open.push(name);
        } else if !VOID.contains(&name) {
            return false;
        }
    }
    open.is_empty()
}

/// The length of the name at the beginning, in lower case.
fn name_length(text: &str) -> usize {
    let ends = |b: u8| !b.is_ascii_lowercase() && !b.is_ascii_digit();
    text.bytes().position(ends).unwrap_or(text.len())
}

/// What follows the attributes and the end of a start tag; `None` if there is anything doubtful.
fn attributes(mut text: &str) -> Option<&str> {
    loop {
        let trimmed = text.trim_start_matches([' ', '\n']);
        if let Some(after) = trimmed.strip_prefix("/>").or_else(|| trimmed.strip_prefix('>')) {
            return Some(after);
        }
        let (name, value) = trimmed.split_at(name_length(trimmed));
        let (value, after) = value.strip_prefix("=\"")?.split_once('"')?;
        // Attributes need white space between them.
        let known = trimmed.len() < text.len() && is_harmless(name, value);
        text = known.then_some(after)?;
    }
}

fn is_harmless(name: &str, value: &str) -> bool {
    let is_web = || ["https://", "http://"].iter().any(|scheme| value.starts_with(scheme));
    let quiet = value.bytes().all(|b| !b.is_ascii_control() && b != b'<' && b != b'>');
    quiet && (TEXTS.contains(&name) || ADDRESSES.contains(&name) && is_web())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_markup_is_tame() {
        for html in [
            "",
            "no markup, 1 &lt; 2 &amp; caf&eacute; > 0",
            "<p>One</p>\n<p>two <b>three</b><br>four<br/></p>",
            "<a href=\"https://example.org/?a=1&amp;b=2\" title=\"x\">link</a>",
            "<figure><img src=\"http://example.org/x.png\" alt=\"\" width=\"7\" /></figure>",
            "<table><tr><td colspan=\"2\">x</td></tr></table><pre><code>let x;</code></pre>",
        ] {
            assert!(is_tame(html), "{html}");
        }
    }

    #[test]
    fn whatever_is_doubtful_is_not() {
        for html in [
            "<script>alert(1)</script>",
            "<p onclick=\"x()\">x</p>",
            "<p style=\"color:red\">x</p>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<a href=\"data:text/html,x\">x</a>",
            "<a href=\"&#106;avascript:alert(1)\">x</a>",
            "<a href=\" https://example.org/\">x</a>",
            "<a href='https://example.org/'>x</a>",
            "<a href=https://example.org/>x</a>",
            "<a href=\"/relative\">x</a>",
            "<img src=\"x\" onerror=\"y\">",
            "<img src=\"https://example.org/\"onerror=\"y\">",
            "<img/src=\"https://example.org/\"/onerror=\"y\">",
            "<iframe src=\"https://example.org/\"></iframe>",
            "<svg><p></svg>",
            "<p>never closed",
            "closed too often</p>",
            "<b><i>crossed</b></i>",
            "<P>upper case</P>",
            "<!-- comment -->",
            "<!doctype html>",
            "<?php ?>",
            "a < b",
            "<",
            "</",
            "<p",
            "<p title=\"",
            "<p title=\"<script>\">x</p>",
            "<p\ttitle=\"x\">x</p>",
            "</p >",
        ] {
            assert!(!is_tame(html), "{html}");
        }
        assert!(!is_tame(&("<div>".repeat(100) + &"</div>".repeat(100))), "nested too deeply");
    }
}
