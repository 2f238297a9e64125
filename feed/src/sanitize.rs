//! Makes HTML safe to show and to pass on.
//!
//! Content is stored as published and sanitised when it leaves the node, so that better rules apply to old
//! items too. ammonia does the work. The markup is flattened first, because ammonia takes time
//! quadratic in the depth of nesting.

mod tame;

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::limits::prefix;
use crate::markup::chars::escaped;
use crate::markup::{flattened, links};
use crate::model::{Item, Text, TextKind};

/// Bytes of one text that are shown, at most.
const SHOWN: usize = 1 << 20;

/// For our own pages: links say nothing about where they are followed from.
static PAGES: LazyLock<Builder<'static>> =
    LazyLock::new(|| builder(Some("noopener noreferrer nofollow")));
/// For feeds: links are as their publisher made them.
static FEEDS: LazyLock<Builder<'static>> = LazyLock::new(|| builder(None));

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
        TextKind::Plain => escaped(prefix(&text.body, SHOWN)),
        TextKind::Html => cleaned(&PAGES, &text.body, base),
    }
}

/// Removes from the texts of an item what could harm whoever reads it in another program: the same as
/// [`sanitize`] does. Texts that are certainly harmless stay as they are.
pub fn disarm(item: &mut Item) {
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    for text in [&mut item.summary, &mut item.content] {
        let html = |text: &&mut Text| text.kind == TextKind::Html && !tame::is_tame(&text.body);
        if let Some(armed) = text.as_mut().filter(html) {
            armed.body = cleaned(&FEEDS, &armed.body, base.as_ref());
        }
    }
}

fn cleaned(builder: &Builder<'_>, html: &str, base: Option<&Url>) -> String {
    let html = flattened(html, SHOWN);
    let resolved = base.and_then(|base| links::resolve_html(&html, base));
    builder.clean(resolved.as_deref().unwrap_or(&html)).to_string()
}
