//! The summary and content of an item.

use url::Url;

use super::Context;
use crate::limits::prefix;
use crate::markup::chars;
use crate::markup::links::resolve_html;
use crate::model::{Item, Text, TextKind};
use crate::parse::survey::{Field, ItemExtras};

impl Context<'_> {
    pub(super) fn texts(&self, item: &mut Item, extras: &mut ItemExtras, base: Option<&Url>) {
        let summary = self
            .own(extras, "own/summary")
            .or_else(|| typed(extras, "atom:summary"))
            .or_else(|| {
                ["summary", "dc:description", "itunes:summary", "itunes:subtitle"]
                    .iter()
                    .find_map(|name| Some(Text::html(extras.first(name)?.text.trim())))
            })
            .or_else(|| typed(extras, "media:description"));
        item.summary = self.settled(summary, extras, "own/summary", base);
        let content = self
            .own(extras, "own/content")
            .or_else(|| Some(Text::html(extras.first("xhtml:body")?.text.trim())))
            .or_else(|| typed(extras, "atom:content"))
            .or_else(|| Some(Text::html(extras.first("body")?.text.trim())));
        item.content = self.settled(content, extras, "own/content", base);
    }

    /// The text of the proper element. Moves it out of the field, because it may be long.
    fn own(&self, extras: &mut ItemExtras, name: &str) -> Option<Text> {
        let filled =
            |field: &&mut Field| field.name == name && !chars::trim(&field.text).is_empty();
        let field = extras.fields.iter_mut().find(filled)?;
        let mut body = std::mem::take(&mut field.text);
        let kept = chars::trim(&body).len();
        let lead = body.len()
            - body.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        body.drain(..lead);
        body.truncate(kept);
        // The only plain texts in RSS are our own, which are escaped as HTML.
        Some(match (field.html, self.atom) {
            (true, _) => Text::html(body),
            (false, true) => Text::plain(body),
            (false, false) => Text::plain(chars::decoded(&body)),
        })
    }

    /// Limits the length of a text and makes its addresses absolute.
    fn settled(
        &self,
        text: Option<Text>,
        extras: &ItemExtras,
        own: &str,
        base: Option<&Url>,
    ) -> Option<Text> {
        let mut text = text?;
        let kept = prefix(&text.body, self.limits.text).len();
        text.body.truncate(kept);
        let own = extras.fields.iter().find(|field| field.name == own);
        let base = own.and_then(Field::base).or(base);
        if let (TextKind::Html, Some(base)) = (text.kind, base)
            && let Some(resolved) = resolve_html(&text.body, base)
        {
            text.body = resolved;
        }
        (!text.body.is_empty()).then_some(text)
    }
}

/// The text of an Atom or Media RSS element in another format, where its type is often wrong.
fn typed(extras: &ItemExtras, name: &str) -> Option<Text> {
    let field = extras.first(name)?;
    let html = field.html || field.text.contains("</") || field.text.contains("/>");
    let body = field.text.trim();
    Some(if html { Text::html(body) } else { Text::plain(body) })
}
