//! Makes HTML safe to show.
//!
//! Content is stored as published and sanitised when it is shown, so that better rules apply to old
//! items too. ammonia does the work. The markup is flattened first, because ammonia takes time
//! quadratic in the depth of nesting.

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::markup::chars::escaped;
use crate::markup::{flattened, links};
use crate::model::{Text, TextKind};

/// Bytes of one text that are shown, at most.
const SHOWN: usize = 1 << 20;

static PLAIN: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .link_rel(Some("noopener noreferrer nofollow"))
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::Deny)
        .rm_tag_attributes("img", &["align", "hspace", "vspace"])
        .strip_comments(true);
    builder
});

/// A text as HTML that a browser may show: without scripts, styles, forms and frames, and with web
/// and mail addresses only. Resolves relative addresses against `base`, or removes them without one.
pub fn sanitize(text: &Text, base: Option<&Url>) -> String {
    if text.kind == TextKind::Plain {
        return escaped(crate::limits::prefix(&text.body, SHOWN));
    }
    let html = flattened(&text.body, SHOWN);
    let resolved = base.and_then(|base| links::resolve_html(&html, base));
    PLAIN.clean(resolved.as_deref().unwrap_or(&html)).to_string()
}
