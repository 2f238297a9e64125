//! Elements with their own fields: people, sources, images, hours and days to skip.

use super::{Name, Repairer};
use crate::limits::prefix;
use crate::markup::chars::{push_decoded, push_escaped};
use crate::markup::lexer::{Tag, Token};
use crate::markup::names::{Ns, split};
use crate::parse::sniff::Family;

/// The fields found in a block: names with texts, and links as XML.
#[derive(Default)]
struct Found {
    fields: Vec<(&'static str, String)>,
    links: String,
}

impl Found {
    const MOST_FIELDS: usize = 64;
    const MOST_LINK_BYTES: usize = 1 << 16;

    fn has_room(&self) -> bool {
        self.fields.len() < Self::MOST_FIELDS
    }
}

impl<'a> Repairer<'a> {
    /// Reads an element with its own fields. Text directly inside it counts as the field `direct`.
    pub(super) fn block(
        &mut self,
        tag: Tag<'a>,
        name: Name,
        fields: &[&str],
        direct: Option<&'static str>,
    ) {
        let own = split(tag.name).1;
        let mut found = Found::default();
        let mut open = !tag.empty;
        while open {
            let before = self.lexer.position();
            match self.lexer.next() {
                Some(Token::Start(inner)) => match self.resolve(inner) {
                    Some(field) if fields.contains(&field.local) && found.has_room() => {
                        self.block_field(inner, name, field, &mut found);
                    }
                    Some(_) if name.local != "source" => {
                        self.lexer.jump(before);
                        open = false;
                    }
                    _ => self.skip_unknown(inner),
                },
                Some(Token::End { name: end, .. }) => {
                    let end = split(end).1;
                    open = !end.eq_ignore_ascii_case(own);
                    if is_container(end) {
                        self.lexer.jump(before);
                        open = false;
                    }
                }
                Some(Token::Text(text) | Token::CData(text)) if !text.trim().is_empty() => {
                    if let Some(direct) = direct.filter(|_| found.has_room()) {
                        let mut value = String::new();
                        push_decoded(&mut value, text, self.declared);
                        found.fields.push((direct, value));
                    }
                }
                Some(Token::Cut) | None => open = false,
                Some(_) => {}
            }
        }
        if !found.fields.is_empty() || !found.links.is_empty() {
            self.write_block(name, &found);
        }
    }

    /// Reads one field of the block `name`.
    fn block_field(&mut self, tag: Tag<'a>, name: Name, field: Name, found: &mut Found) {
        let leaf = self.leaf(tag, field);
        if field.local == "link" && name.ns == Ns::Atom {
            let kept = self.kept_attributes(tag, &["href", "rel", "type"]);
            if found.links.len() < Found::MOST_LINK_BYTES {
                found.links.push_str(&format!("<link{kept}/>"));
            }
        } else if !leaf.text.trim().is_empty() && !leaf.cut {
            let is_page = field.local == "url" && name.local != "image";
            found.fields.push((if is_page { "uri" } else { field.local }, leaf.text));
        }
    }

    fn write_block(&mut self, name: Name, found: &Found) {
        let written = self.written(name);
        let seen = if self.in_item { &mut self.item_seen } else { &mut self.channel_seen };
        let same = seen.iter().filter(|known| **known == written).count();
        let most =
            if matches!(name.local, "author" | "contributor") { self.limits.list } else { 1 };
        if same >= most || seen.len() >= self.limits.list * 3 {
            return;
        }
        seen.push(written.clone());
        self.out.push_str(&format!("<{written}>"));
        // The children of an Atom element stay in the Atom namespace.
        let atom = name.ns == Ns::Atom && self.family == Family::Rss;
        let inner = if atom { "atom:" } else { "" };
        for (field, value) in &found.fields {
            self.out.push_str(&format!("<{inner}{field}>"));
            push_escaped(&mut self.out, prefix(value, self.limits.text));
            self.out.push_str(&format!("</{inner}{field}>"));
        }
        if atom {
            self.out.push_str(&found.links.replace("<link", "<atom:link"));
        } else {
            self.out.push_str(&found.links);
        }
        self.out.push_str(&format!("</{written}>"));
    }
}

/// Whether an element contains items, or is one.
fn is_container(local: &str) -> bool {
    matches!(local.to_ascii_lowercase().as_str(), "item" | "entry" | "channel" | "feed")
}
