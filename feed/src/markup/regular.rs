//! Rewrites HTML into a regular form, which costs a parser no more than its length.
//!
//! html5ever reads any HTML as browsers do, and some of it takes time or memory quadratic in its length: many attributes
//! of one tag, deep nesting, formatting that goes on through many paragraphs, text between the rows of a table. So it
//! never sees the text of a stranger, only this form of it:
//!
//! - every element is closed where it ends, in order, and few are open at once;
//! - a tag has few attributes, a text few tags, both counted;
//! - text is the only thing that contains no tags: no scripts, styles, comments, other vocabularies;
//! - text inside a table is inside a cell.
//!
//! Whatever else a text contains, its words stay, in order: a tag that is too much is left out, and what it marks up is
//! kept. The rules of the HTML standard for elements that end without an end tag are followed, so that a well-formed page
//! keeps its tree. What differs from browsers: markup that crosses (`<b><p></b></p>`) closes what is inside, and text
//! between the rows of a table gets a row of its own instead of being moved before the table.

mod elements;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::ops::Range;

use super::chars::push_escaped;
use crate::limits::prefix;
use elements::Kind;
use tokens::{Attribute, Tag, Token, Tokens};

/// Open elements, at most: the depth to which browsers nest them. Every tag may cost a parser a look at each.
const DEPTH: usize = 256;
/// Open formatting elements, at most: every formatting tag is compared with each.
const FORMATTING: usize = 8;
/// Attributes of one tag, at most: each is compared with all others.
const ATTRIBUTES: usize = 32;
/// Tags and attributes of one text, at most: each is at least one object of a parser.
pub(crate) const WORK: usize = 200_000;
/// Formatting with more bytes of attributes does not go on in the next paragraph.
const CARRIED: usize = 1024;

/// Which tags and attributes are of use; names are in lower case.
pub(crate) trait Keeps {
    fn tag(&self, name: &str) -> bool;
    fn attribute(&self, tag: &str, name: &str) -> bool;
}

/// Regular HTML.
pub(crate) struct Regular {
    pub html: String,
    /// What was left out because there was too much of it.
    pub cut: Cut,
}

/// How much was left out because there was too much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Bytes at the end.
    pub bytes: usize,
    /// Tags whose content was kept.
    pub tags: usize,
    pub attributes: usize,
}

impl Cut {
    /// What was left out, in words; `None` if nothing was.
    pub(crate) fn warning(self) -> Option<String> {
        let parts = [(self.bytes, "bytes"), (self.tags, "tags"), (self.attributes, "attributes")];
        let told: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!told.is_empty()).then(|| format!("too much markup; left out: {}", told.join(", ")))
    }
}

/// At most `max` bytes of `html`, in regular form, with at most `most` tags and attributes.
pub(crate) fn regular(html: &str, max: usize, most: usize, keeps: &dyn Keeps) -> Regular {
    let kept = prefix(html, max);
    let mut writer = Writer {
        tokens: Tokens::new(kept, keeps, ATTRIBUTES),
        keeps,
        out: String::with_capacity(kept.len() + kept.len() / 8),
        open: Vec::new(),
        carried: Vec::new(),
        dropped: Vec::new(),
        framed: [false; 2],
        most,
        work: 0,
        cut: Cut { bytes: html.len() - kept.len(), ..Cut::default() },
    };
    writer.run();
    let cut = Cut { attributes: writer.tokens.surplus, ..writer.cut };
    Regular { html: writer.out, cut }
}

/// An element that is open.
struct Open<'a> {
    name: Cow<'a, str>,
    kind: Kind,
    /// Its start tag in the output.
    tag: Range<usize>,
}

struct Writer<'a> {
    tokens: Tokens<'a>,
    keeps: &'a dyn Keeps,
    out: String,
    open: Vec<Open<'a>>,
    /// Formatting that was cut off by the end of its paragraph and goes on with the next text.
    carried: Vec<Open<'a>>,
    /// Names of start tags that were left out, and how many elements were open then: their end tags are left out,
    /// too.
    dropped: Vec<(Cow<'a, str>, usize)>,
    /// `html` and `body` were written.
    framed: [bool; 2],
    most: usize,
    work: usize,
    cut: Cut,
}

impl<'a> Writer<'a> {
    fn run(&mut self) {
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Text(text) => {
                    self.make_way_for_text(text);
                    self.out.push_str(text);
                }
                Token::LessThan => {
                    self.make_way_for_text("<");
                    self.out.push_str("&lt;");
                }
                Token::Start(tag) => self.start(tag),
                Token::End(name) => self.end(name),
                Token::Doctype if self.at_start() => self.out.push_str("<!DOCTYPE html>"),
                Token::Doctype | Token::Comment => {}
            }
        }
        self.close_from(0);
    }

    /// Whether a document type may still be written.
    fn at_start(&self) -> bool {
        self.keeps.tag("html") && self.out.len() < 256 && self.out.trim().is_empty()
    }

    fn start(&mut self, tag: Tag<'a>) {
        let name = lower(tag.name);
        let kind = Kind::of(&name);
        match kind {
            Kind::Transparent => {}
            Kind::Hidden => drop(self.tokens.raw_text(&name)),
            Kind::Text => self.text_element(name),
            Kind::Verbatim => {
                let all = name == "plaintext";
                let text = if all { self.tokens.remainder() } else { self.tokens.raw_text(&name) };
                self.make_way_for_text(text);
                push_escaped(&mut self.out, text);
            }
            Kind::Frame => self.frame(&name),
            _ if !self.keeps.tag(&name) => {
                if kind.ends_paragraph() {
                    self.end_paragraph();
                }
            }
            _ => self.element(name, kind, tag.empty),
        }
    }

    /// An element whose content is nothing but text with references.
    fn text_element(&mut self, name: Cow<'a, str>) {
        let kept = self.keeps.tag(&name) && self.has_room(Kind::Text);
        let attributes = if kept { self.tokens.attributes().to_vec() } else { Vec::new() };
        let text = self.tokens.raw_text(&name);
        self.make_way_for_text(if kept { "<" } else { text });
        if kept {
            self.write_start(&name, &attributes);
        }
        self.out.push_str(&text.replace('<', "&lt;"));
        if kept {
            self.write_end(&name);
        }
    }

    /// The attributes of the first `html` and the first `body`.
    fn frame(&mut self, name: &str) {
        let written = &mut self.framed[usize::from(name == "body")];
        if !*written && self.keeps.tag(name) && self.open.is_empty() {
            *written = true;
            let attributes = self.tokens.attributes().to_vec();
            self.write_start(name, &attributes);
        }
    }

    fn element(&mut self, name: Cow<'a, str>, kind: Kind, empty: bool) {
        if kind.is_table_part() {
            if !self.enter_table_part(kind) {
                return;
            }
        } else {
            self.enter_cell();
            self.end_what_it_ends(&name, kind);
            if !kind.ends_paragraph() {
                self.carry_on();
            }
        }
        if !self.has_room(kind) {
            self.cut.tags += 1;
            if !matches!(kind, Kind::Void | Kind::Rule | Kind::Column) && !empty {
                self.dropped.push((name, self.open.len()));
            }
            return;
        }
        let attributes = self.tokens.attributes().to_vec();
        let tag = self.write_start(&name, &attributes);
        match kind {
            Kind::Void | Kind::Rule | Kind::Column => {}
            // Most of these are not HTML, and meant to be empty; elsewhere the `/` means nothing.
            Kind::Other if empty && name != "span" => self.write_end(&name),
            _ => self.push(Open { name, kind, tag }),
        }
    }

    /// Goes to where a part of a table may be; `false` if there is no table.
    fn enter_table_part(&mut self, kind: Kind) -> bool {
        let Some(table) = self.open.iter().rposition(|open| open.kind == Kind::Table) else {
            return false;
        };
        if self.open[table..].iter().any(|open| open.kind == Kind::Island) {
            return false;
        }
        let stays = |open: &Open<'_>| match kind {
            Kind::Cell => matches!(open.kind, Kind::Section | Kind::Row),
            Kind::Row => open.kind == Kind::Section,
            Kind::Column => open.kind == Kind::Columns,
            _ => false,
        };
        let inside = &self.open[table + 1..];
        let kept = inside.iter().position(|open| !stays(open)).unwrap_or(inside.len());
        self.close_from(table + 1 + kept);
        if kind == Kind::Cell && self.top() != Some(Kind::Row) {
            self.open_implied("tr", Kind::Row);
        }
        true
    }

    /// Opens a cell if something other than a part of a table follows directly inside a table.
    fn enter_cell(&mut self) {
        if self.top() == Some(Kind::Columns) {
            self.close_from(self.open.len() - 1);
        }
        if !self.top().is_some_and(Kind::takes_only_table_parts) {
            return;
        }
        if self.top() != Some(Kind::Row) {
            self.open_implied("tr", Kind::Row);
        }
        self.open_implied("td", Kind::Cell);
    }

    /// Opens an element that the text left out. It counts, but there is always room for it.
    fn open_implied(&mut self, name: &'static str, kind: Kind) {
        self.work += 1;
        let tag = self.write_start(name, &[]);
        self.push(Open { name: Cow::Borrowed(name), kind, tag });
    }

    /// Closes the elements that end where this one starts.
    fn end_what_it_ends(&mut self, name: &str, kind: Kind) {
        if kind.ends_paragraph() {
            self.end_paragraph();
        }
        match kind {
            Kind::ListItem | Kind::Definition => {
                let mut around = self.open.iter().enumerate().rev();
                let found = around
                    .find(|(_, open)| {
                        let through = open.kind.is_inline()
                            || matches!(open.kind, Kind::Division | Kind::Paragraph);
                        open.kind == kind || !through
                    })
                    .filter(|(_, open)| open.kind == kind)
                    .map(|(at, _)| at);
                if let Some(at) = found {
                    self.close_from(at);
                }
            }
            Kind::Heading | Kind::Choice | Kind::Ruby if self.top() == Some(kind) => {
                let group = self.open.last().is_some_and(|open| open.name == "optgroup");
                if !group || name == "optgroup" {
                    self.close_from(self.open.len() - 1);
                }
            }
            // There are no links inside links.
            Kind::Formatting if matches!(name, "a" | "nobr") => self.end(name),
            Kind::Island if name == "button" => self.end(name),
            Kind::Block if name == "form" => self.end(name),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let found =
            self.open.iter().rposition(|open| open.kind == Kind::Paragraph || open.kind.is_wall());
        if let Some(at) = found.filter(|at| self.open[*at].kind == Kind::Paragraph) {
            self.close_from(at);
        }
    }

    fn end(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        let kind = Kind::of(&name);
        if name == "br" && self.keeps.tag("br") {
            return self.element(Cow::Borrowed("br"), Kind::Void, true);
        }
        if self.dropped.last().is_some_and(|(dropped, _)| *dropped == name) {
            self.dropped.pop();
            return;
        }
        let mut around = self.open.iter().enumerate().rev();
        let wall = |open: &Open<'_>| match kind {
            _ if kind.is_table_part() => matches!(open.kind, Kind::Table | Kind::Island),
            Kind::Table => open.kind == Kind::Island,
            Kind::Formatting => open.kind.is_wall(),
            _ if kind.is_inline() => !open.kind.is_inline(),
            _ => open.kind.is_wall(),
        };
        let same = |open: &Open<'_>| {
            open.name == name || kind == Kind::Heading && open.kind == Kind::Heading
        };
        let found = around.find(|(_, open)| same(open) || wall(open));
        match found.filter(|(_, open)| same(open)).map(|(at, _)| at) {
            Some(at) => {
                self.close_from(at + 1);
                if let Some(open) = self.open.pop() {
                    self.write_end(&open.name);
                }
                self.forget_dropped();
                if kind == Kind::Cell || kind == Kind::Caption {
                    self.carried.clear();
                }
            }
            None => {
                if let Some(at) = self.carried.iter().rposition(|open| open.name == name) {
                    self.carried.remove(at);
                }
            }
        }
    }

    /// Closes the elements from `at` on. Formatting among them goes on with the next text, unless a cell ends.
    fn close_from(&mut self, at: usize) {
        let mut cut_off = Vec::new();
        while self.open.len() > at {
            let Some(open) = self.open.pop() else { break };
            self.write_end(&open.name);
            if matches!(open.kind, Kind::Cell | Kind::Caption | Kind::Island) {
                cut_off.clear();
                self.carried.clear();
            } else if open.kind == Kind::Formatting && open.tag.len() <= CARRIED {
                cut_off.push(open);
            }
        }
        cut_off.reverse();
        cut_off.append(&mut self.carried);
        self.carried = cut_off;
        self.carried.truncate(FORMATTING);
        self.forget_dropped();
    }

    fn forget_dropped(&mut self) {
        while self.dropped.last().is_some_and(|(_, depth)| *depth > self.open.len()) {
            self.dropped.pop();
        }
    }

    /// Opens formatting again that was cut off.
    fn carry_on(&mut self) {
        for Open { name, kind, tag } in std::mem::take(&mut self.carried) {
            if !self.has_room(kind) {
                continue;
            }
            self.work += tag.len() / 16;
            let start = self.out.len();
            self.out.extend_from_within(tag);
            let tag = start..self.out.len();
            self.push(Open { name, kind, tag });
        }
    }

    fn make_way_for_text(&mut self, text: &str) {
        if text.bytes().all(|b| b.is_ascii_whitespace()) {
            return;
        }
        self.enter_cell();
        self.carry_on();
    }

    fn push(&mut self, open: Open<'a>) {
        // Formatting outside a cell stays outside.
        if open.kind.is_wall() {
            self.carried.clear();
        }
        self.open.push(open);
    }

    fn top(&self) -> Option<Kind> {
        self.open.last().map(|open| open.kind)
    }

    /// Whether one more element may be written; counts it.
    fn has_room(&mut self, kind: Kind) -> bool {
        let formatting = || self.open.iter().filter(|open| open.kind == Kind::Formatting).count();
        let room = self.work < self.most
            && self.open.len() < DEPTH
            && (kind != Kind::Formatting || formatting() < FORMATTING);
        self.work += 1 + self.tokens.attributes().len();
        room
    }

    fn write_start(&mut self, name: &str, attributes: &[Attribute<'_>]) -> Range<usize> {
        let start = self.out.len();
        self.out.push('<');
        self.out.push_str(name);
        for attribute in attributes.iter().filter(|attribute| is_plain(attribute.name)) {
            self.out.push(' ');
            self.out.push_str(attribute.name);
            self.out.push('=');
            self.out.push(attribute.quote);
            if attribute.quoted {
                self.out.push_str(attribute.value);
            } else {
                self.out.push_str(&attribute.value.replace('"', "&quot;"));
            }
            self.out.push(attribute.quote);
        }
        self.out.push('>');
        let tag = start..self.out.len();
        // A parser ignores a line break here, but not the next one: like this, it ignores none of the text.
        if matches!(name, "pre" | "listing") {
            self.out.push('\n');
        }
        tag
    }

    fn write_end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether the name of an attribute is written as it is read.
fn is_plain(name: &str) -> bool {
    !name.bytes().any(|b| b < b' ' || matches!(b, b'"' | b'\'' | b'<' | b'=' | b'`' | b'&'))
}
