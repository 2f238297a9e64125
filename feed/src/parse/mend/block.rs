//! Elements with fields of their own: people, sources, images, hours and days to skip.

use super::{Mender, Name};
use crate::limits::prefix;
use crate::parse::chars::{push_decoded, push_escaped};
use crate::parse::lexer::{Tag, Token};
use crate::parse::names::{Ns, split};
use crate::parse::sniff::Family;

impl<'a> Mender<'a> {
    /// An element with fields of its own; text directly in it counts as `direct`.
    pub(super) fn block(
        &mut self,
        tag: Tag<'a>,
        name: Name,
        fields: &[&str],
        direct: Option<&'static str>,
    ) {
        let own = split(tag.name).1;
        let mut found: Vec<(&'static str, String)> = Vec::new();
        let mut links = String::new();
        let mut open = !tag.empty;
        while open {
            let before = self.lexer.position();
            match self.lexer.next() {
                Some(Token::Start(inner)) => match self.resolve(inner) {
                    Some(field) if fields.contains(&field.local) && found.len() < 64 => {
                        let leaf = self.leaf(inner, field);
                        if field.local == "link" && name.ns == Ns::Atom {
                            let kept = self.kept_attributes(inner, &["href", "rel", "type"]);
                            if links.len() < 1 << 16 {
                                links.push_str(&format!("<link{kept}/>"));
                            }
                        } else if !leaf.text.trim().is_empty() && !leaf.cut {
                            let local = if field.local == "url" { "uri" } else { field.local };
                            let local = if name.local == "image" { field.local } else { local };
                            found.push((local, leaf.text));
                        }
                    }
                    Some(_) if name.local != "source" => {
                        self.lexer.jump(before);
                        open = false;
                    }
                    _ => self.skip_unknown(inner),
                },
                Some(Token::End { name: end, .. }) => {
                    let end = split(end).1;
                    if end.eq_ignore_ascii_case(own) {
                        open = false;
                    }
                    if matches!(
                        end.to_ascii_lowercase().as_str(),
                        "item" | "entry" | "channel" | "feed"
                    ) {
                        self.lexer.jump(before);
                        open = false;
                    }
                }
                Some(Token::Text(text) | Token::CData(text)) if !text.trim().is_empty() => {
                    if let Some(direct) = direct.filter(|_| found.len() < 64) {
                        let mut value = String::new();
                        push_decoded(&mut value, text, self.declared);
                        found.push((direct, value));
                    }
                }
                Some(Token::Cut) | None => open = false,
                Some(_) => {}
            }
        }
        if found.is_empty() && links.is_empty() {
            return;
        }
        self.write_block(name, &found, &links);
    }

    fn write_block(&mut self, name: Name, found: &[(&'static str, String)], links: &str) {
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
        // Children of an Atom element stay in Atom's namespace.
        let atom = name.ns == Ns::Atom && self.family == Family::Rss;
        let inner = if atom { "atom:" } else { "" };
        for (field, value) in found {
            self.out.push_str(&format!("<{inner}{field}>"));
            push_escaped(&mut self.out, prefix(value, self.limits.text));
            self.out.push_str(&format!("</{inner}{field}>"));
        }
        if atom {
            self.out.push_str(&links.replace("<link", "<atom:link"));
        } else {
            self.out.push_str(links);
        }
        self.out.push_str(&format!("</{written}>"));
    }
}
