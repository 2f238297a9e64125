//! Converts XHTML to HTML, and HTML to plain text, without building a tree.
//!
//! Atom wraps XHTML in a `div` that is not part of the content. It has prefixes, and empty elements
//! that HTML would leave open. feed-rs serialises it again and loses the escaping of attribute values,
//! so we convert the original text.

use super::chars::decoded;
use super::lexer::{Lexer, Token};
use super::names::split;

const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Inner XML of an XHTML construct as an HTML fragment, without the wrapping `div`.
pub(crate) fn to_html(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut lexer = Lexer::new(inner);
    while let Some(token) = lexer.next() {
        match token {
            Token::Text(text) => out.push_str(text),
            Token::CData(text) => out.push_str(&super::chars::escaped(text)),
            Token::Start(tag) => {
                let name = split(tag.name).1;
                out.push('<');
                out.push_str(name);
                push_attributes(&mut out, tag.attributes);
                out.push('>');
                if tag.empty && !VOID.iter().any(|void| void.eq_ignore_ascii_case(name)) {
                    out.push_str(&format!("</{name}>"));
                }
            }
            Token::End { name, .. } => {
                let name = split(name).1;
                if !VOID.iter().any(|void| void.eq_ignore_ascii_case(name)) {
                    out.push_str(&format!("</{name}>"));
                }
            }
            _ => {}
        }
    }
    unwrapped(out.trim()).to_owned()
}

/// Appends attributes unchanged, except for namespace declarations.
fn push_attributes(out: &mut String, attributes: &str) {
    let attributes = attributes.trim();
    if attributes.is_empty() {
        return;
    }
    if !attributes.contains("xmlns") {
        out.push(' ');
        out.push_str(attributes);
        return;
    }
    for (name, value) in super::lexer::attributes(attributes, &super::chars::Declared::new()) {
        if !name.starts_with("xmlns") {
            out.push_str(&format!(" {name}=\"{}\"", super::chars::escaped(&value)));
        }
    }
}

/// Removes a single `div` without attributes around everything.
fn unwrapped(html: &str) -> &str {
    let Some(rest) = html.strip_prefix("<div>") else {
        return html;
    };
    let Some(inner) = rest.strip_suffix("</div>") else {
        return html;
    };
    // The last tag must be the one that closes the first div.
    let mut depth = 0i64;
    let mut lexer = Lexer::new(inner);
    while let Some(token) = lexer.next() {
        match token {
            Token::Start(tag) if tag.name == "div" => depth += 1,
            Token::End { name: "div", .. } => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return html;
        }
    }
    inner.trim()
}

/// The words of an HTML fragment, with collapsed white space and resolved references.
pub(crate) fn to_text(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut lexer = Lexer::new(html);
    let mut hidden: Option<&str> = None;
    while let Some(token) = lexer.next() {
        match token {
            Token::Text(text) | Token::CData(text) if hidden.is_none() => out.push_str(text),
            Token::Start(tag) if !tag.empty && matches!(tag.name, "script" | "style") => {
                hidden = Some(tag.name);
            }
            Token::Start(tag) if is_block(tag.name) => out.push(' '),
            Token::End { name, .. } if hidden == Some(name) => hidden = None,
            Token::End { name, .. } if is_block(name) => out.push(' '),
            _ => {}
        }
    }
    let decoded = decoded(&out);
    let words: Vec<&str> = decoded.split_whitespace().collect();
    words.join(" ")
}

/// Whether an element parts the words before and after it.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "p" | "br"
            | "div"
            | "li"
            | "ul"
            | "ol"
            | "tr"
            | "td"
            | "th"
            | "table"
            | "blockquote"
            | "pre"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "hr"
            | "section"
            | "article"
    )
}
