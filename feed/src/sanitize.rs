//! Makes HTML safe to show and to pass on.
//!
//! Content is stored as published and sanitised when it leaves the node, so that better rules apply to old
//! items too. ammonia does the work, on a regular form of the markup, so that it takes time linear in the
//! length of the text. Of a text that is too long the beginning is shown, and then `[…]`.

mod pictures;
mod tame;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::limits::prefix;
use crate::markup::chars::escaped;
use crate::markup::links;
use crate::markup::regular::{Keeps, WORK, regular};
use crate::model::{Item, Text, TextKind};
pub use pictures::Pictures;

/// Bytes of one text that are shown, at most.
const SHOWN: usize = 1 << 20;
/// Where a text was cut.
const MORE: &str = " […]";

/// For our own pages: links say nothing about where they are followed from.
static PAGES: LazyLock<Cleaner> =
    LazyLock::new(|| Cleaner::of(builder(Some("noopener noreferrer nofollow"))));
/// For our own pages that replace every picture: with the addresses of pictures that scripts or wide screens would load.
static PICTURED: LazyLock<Cleaner> = LazyLock::new(|| {
    let mut builder = builder(Some("noopener noreferrer nofollow"));
    builder
        .add_tags(["picture"])
        .add_tag_attributes("img", pictures::ELSEWHERE)
        .add_tag_attributes("source", pictures::ELSEWHERE);
    Cleaner::of(builder)
});
/// For feeds: links are as their publisher made them.
static FEEDS: LazyLock<Cleaner> = LazyLock::new(|| Cleaner::of(builder(None)));

/// A sanitiser, and what it lets through.
struct Cleaner {
    builder: Builder<'static>,
    tags: HashSet<&'static str>,
    attributes: HashMap<&'static str, HashSet<&'static str>>,
    everywhere: HashSet<&'static str>,
}

impl Cleaner {
    fn of(builder: Builder<'static>) -> Self {
        let (tags, attributes) = (builder.clone_tags(), builder.clone_tag_attributes());
        let everywhere = builder.clone_generic_attributes();
        Self { builder, tags, attributes, everywhere }
    }

    fn clean(&self, html: &str, base: Option<&Url>) -> String {
        let regular = regular(html, SHOWN, WORK, self);
        let resolved = base.and_then(|base| links::resolve_html(&regular.html, base));
        let mut clean =
            self.builder.clean(resolved.as_deref().unwrap_or(&regular.html)).to_string();
        // A reference to a carriage return is one no longer; whoever reads it next takes it for a line break.
        if clean.contains('\r') {
            clean = clean.replace("\r\n", "\n").replace('\r', "\n");
        }
        if regular.cut.bytes > 0 {
            clean.push_str(MORE);
        }
        clean
    }
}

impl Keeps for Cleaner {
    fn tag(&self, name: &str) -> bool {
        self.tags.contains(name)
    }

    fn attribute(&self, tag: &str, name: &str) -> bool {
        self.everywhere.contains(name)
            || self.attributes.get(tag).is_some_and(|list| list.contains(name))
    }
}

fn builder(link_rel: Option<&'static str>) -> Builder<'static> {
    const PLAYED: [&str; 5] = ["src", "controls", "loop", "muted", "preload"];
    let mut builder = Builder::default();
    builder
        .link_rel(link_rel)
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::Deny)
        .rm_tag_attributes("img", &["align", "hspace", "vspace"])
        .add_tags(["audio", "video", "source", "tfoot"])
        .add_tag_attributes("audio", PLAYED)
        .add_tag_attributes("video", PLAYED)
        .add_tag_attributes("video", ["poster", "width", "height"])
        .add_tag_attributes("source", ["src", "type"])
        .add_tag_attributes("time", ["datetime"])
        .strip_comments(true);
    // Addresses that ammonia does not check.
    for quoting in ["blockquote", "del", "ins", "q"] {
        builder.rm_tag_attributes(quoting, ["cite"]);
    }
    builder
}

/// A text as HTML that a browser may show: without scripts, styles, forms and frames, and with web
/// and mail addresses only. Resolves relative addresses against `base`, or removes them without one.
pub fn sanitize(text: &Text, base: Option<&Url>) -> String {
    match text.kind {
        TextKind::Plain => plain(&text.body),
        TextKind::Html => PAGES.clean(&text.body, base),
    }
}

/// A text as [`sanitize`] makes it, for a page that loads nothing from other hosts.
pub fn sanitize_for_page(text: &Text, base: Option<&Url>, pictures: Pictures<'_>) -> String {
    match text.kind {
        TextKind::Plain => plain(&text.body),
        TextKind::Html => pictures::replaced(&PICTURED.clean(&text.body, base), base, pictures),
    }
}

fn plain(text: &str) -> String {
    let mut shown = escaped(prefix(text, SHOWN));
    if text.len() > SHOWN {
        shown.push_str(MORE);
    }
    shown
}

/// Removes from the texts of an item what could harm whoever reads it in another program: the same as
/// [`sanitize`] does. Texts that are certainly harmless stay as they are.
pub fn disarm(item: &mut Item) {
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    for text in [&mut item.summary, &mut item.content] {
        let html = |text: &&mut Text| text.kind == TextKind::Html && !tame::is_tame(&text.body);
        if let Some(armed) = text.as_mut().filter(html) {
            armed.body = FEEDS.clean(&armed.body, base.as_ref());
        }
    }
}
