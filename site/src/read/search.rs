//! Full-text search in what a user may read.

use std::collections::BTreeSet;

use pergola_api::Code;
use pergola_feed::html::plain_text;
use pergola_node::node::StreamItem;
use pergola_pages::inside::read::{Chosen, View};
use pergola_store::archive::{Asked, Cursor, Find, Piece, SourceId};

use super::chosen;
use super::stream::Listed;
use crate::answer::Failure;
use crate::site::Site;
use crate::visitor::Reader;

/// Items of a page.
const AT_ONCE: usize = 30;
/// Characters of a text that are shown around what was found.
const SNIPPET: usize = 240;

/// The items of a stream that have these words, the newest first.
pub(super) async fn found(
    site: &Site,
    reader: &Reader,
    view: &View,
    text: &str,
) -> Result<Listed, Failure> {
    let asked = match Asked::parse(text) {
        Ok(asked) => asked,
        Err(error) => return Ok(Listed { wrong: Some(error.to_string()), ..Listed::default() }),
    };
    let bad = |error| Failure::new(Code::BadRequest, format!("{error}"));
    let after = view.after.as_deref().map(str::parse::<Cursor>).transpose().map_err(bad)?;
    let sources = match view.chosen {
        Chosen::Source(source) => Some(BTreeSet::from([SourceId(source)])),
        _ => None,
    };
    let find = Find { asked, sources, after, limit: AT_ONCE };
    let (user, stream) = (reader.user, chosen::stream(&view.chosen));
    let searched = site.ask(move |node| {
        let (items, finding) = node.search_stream(user, &stream, &find)?;
        let snippet = |item: &StreamItem| (item.number.0, snippet(&find.asked, item));
        let snippets = items.iter().map(snippet).collect();
        let next = finding.next.map(|next| next.to_string());
        let missing =
            "Some items cannot be searched yet: the index is being made. Search again later.";
        let note = (!finding.complete).then_some(missing);
        Ok(Listed { items, next, snippets, note, wrong: None })
    });
    Ok(searched.await?)
}

/// The part of an item that has what was asked for; nothing if only its title or what is said about it has.
fn snippet(asked: &Asked, item: &StreamItem) -> Vec<(String, bool)> {
    let item = &item.published.item;
    let texts = [&item.content, &item.summary].into_iter().flatten();
    let found = texts.map(plain_text).find_map(|text| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        asked.snippet(&line, SNIPPET)
    });
    let pieces = found.unwrap_or_default().into_iter();
    pieces.map(|Piece { text, marked }| (text, marked)).collect()
}
