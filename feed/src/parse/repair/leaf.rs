//! Reads the text of one element, up to where it really ends.

use super::lookahead::ends_item;
use super::{Name, Repairer};
use crate::markup::chars::{escaped, push_allowed, push_decoded};
use crate::markup::lexer::{Tag, Token};
use crate::markup::names::split;

/// The text of an element.
#[derive(Debug, Default)]
pub(super) struct Leaf {
    pub text: String,
    /// The text contains unescaped markup, so it is HTML.
    pub markup: bool,
    /// The document ended before the element did.
    pub cut: bool,
}

impl<'a> Repairer<'a> {
    /// Reads the text of the element that `tag` has just opened.
    pub(super) fn leaf(&mut self, tag: Tag<'a>, name: Name) -> Leaf {
        let mut leaf = Leaf::default();
        if tag.empty {
            return leaf;
        }
        let own = split(tag.name).1;
        let mut closed: Option<bool> = None;
        let mut inline = 0usize;
        loop {
            let before = self.lexer.position();
            match self.lexer.next() {
                Some(Token::Text(text)) => self.append_text(&mut leaf, text),
                Some(Token::CData(text)) => self.append(&mut leaf, text),
                Some(Token::End { name: end, raw }) => {
                    let local = split(end).1;
                    if local.eq_ignore_ascii_case(own) {
                        return leaf;
                    }
                    let closes = *closed.get_or_insert_with(|| self.closes(tag, before));
                    if !closes && inline == 0 {
                        if ends_item(local) || self.is_block(local) {
                            self.lexer.jump(before);
                        }
                        return leaf;
                    }
                    inline = inline.saturating_sub(1);
                    self.append_markup(&mut leaf, raw);
                }
                Some(Token::Start(inner)) => {
                    let local = split(inner.name).1;
                    let closes = *closed.get_or_insert_with(|| self.closes(tag, before));
                    if !closes && (ends_item(local) || self.begins_field(inner, name)) {
                        self.lexer.jump(before);
                        return leaf;
                    }
                    inline += usize::from(!inner.empty && !is_void(local));
                    self.append_markup(&mut leaf, inner.raw);
                }
                Some(Token::Cut) | None => {
                    leaf.cut = true;
                    return leaf;
                }
                Some(Token::Doctype(_) | Token::Ignored) => {}
            }
        }
    }

    /// Whether the element that `tag` opened is closed after `from`, before its item ends.
    fn closes(&mut self, tag: Tag<'a>, from: usize) -> bool {
        let mut lexer = self.lexer.clone();
        lexer.jump(from);
        self.ahead.closes(&lexer, tag.name)
    }

    fn append_text(&self, leaf: &mut Leaf, text: &str) {
        if leaf.markup {
            let mut decoded = String::new();
            push_decoded(&mut decoded, text, self.declared);
            self.append(leaf, &escaped(&decoded));
        } else if leaf.text.len() < self.limits.text {
            push_decoded(&mut leaf.text, text, self.declared);
        }
    }

    fn append(&self, leaf: &mut Leaf, text: &str) {
        if leaf.text.len() < self.limits.text {
            push_allowed(&mut leaf.text, text);
        }
    }

    /// Unescaped markup makes the whole text HTML. So this escapes the plain text before it, unless
    /// that text already was escaped markup.
    fn append_markup(&self, leaf: &mut Leaf, raw: &str) {
        if !leaf.markup {
            leaf.markup = true;
            if !looks_like_html(&leaf.text) {
                leaf.text = escaped(&leaf.text);
            }
        }
        self.append(leaf, raw);
    }

    /// Whether a tag inside an unclosed element is the next field and not markup.
    fn begins_field(&mut self, tag: Tag<'a>, open: Name) -> bool {
        let html =
            matches!(split(tag.name).1, "link" | "title" | "summary" | "source" | "category");
        if html
            && !tag.attributes.trim().is_empty()
            && matches!(open.local, "description" | "content")
        {
            return false; // <link rel=stylesheet>, <source src=…>
        }
        if matches!(tag.name, "body" | "div" | "image" | "name" | "url" | "day" | "hour") {
            return false;
        }
        self.resolve(tag).is_some()
    }

    fn is_block(&self, local: &str) -> bool {
        matches!(
            local.to_ascii_lowercase().as_str(),
            "author" | "contributor" | "source" | "image" | "skiphours" | "skipdays"
        )
    }
}

fn is_void(local: &str) -> bool {
    const VOID: [&str; 10] =
        ["br", "img", "hr", "input", "meta", "link", "wbr", "col", "area", "embed"];
    VOID.iter().any(|name| name.eq_ignore_ascii_case(local))
}

/// Whether decoded text holds something that looks like a tag.
fn looks_like_html(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        text.as_bytes().get(at + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/')
    })
}
