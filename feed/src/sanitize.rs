//! HTML that is safe to show.
//!
//! Content is stored as it was published and sanitised where it is shown, so that better rules apply
//! to old items too. ammonia does the work; the markup is flattened before it, because its time
//! grows with the square of the depth.

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::html::guarded;
use crate::model::{Text, TextKind};
use crate::parse::chars::escaped;

/// The most of one text that is shown.
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

/// A text as HTML that a browser may show: no scripts, styles, forms or frames, no addresses other
/// than web and mail. Relative addresses are resolved by `base`, or removed without one.
pub fn sanitize(text: &Text, base: Option<&Url>) -> String {
    if text.kind == TextKind::Plain {
        return escaped(crate::limits::prefix(&text.body, SHOWN));
    }
    let html = guarded(&text.body, SHOWN);
    let resolved = base.and_then(|base| crate::parse::links::resolve_html(&html, base));
    PLAIN.clean(resolved.as_deref().unwrap_or(&html)).to_string()
}
