//! `[[source]]`: sources that the node reads whether a feed asks for them or not.

use std::collections::BTreeMap;

use pergola_feed::address::masked;
use pergola_feed::html::{PageError, Selectors, select};
use pergola_manners::Cooperation;
use pergola_manners::source::Proof;
use url::Url;

use crate::codec::{Codec, above_zero, flag, http_url, quoted, text};
use crate::peers::cooperation;
use crate::secret::{Secret, secret, sendable_secret};
use crate::table::Table;

/// One `[[source]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub url: Url,
    /// Without it: what the source calls itself.
    pub title: Option<String>,
    pub importance: f64,
    /// Whether it is an OPML list.
    pub list: bool,
    /// What the node asks of it if another node publishes it. Without it: as in `[peers]`.
    pub cooperate: Option<Cooperation>,
    /// Its address is published nowhere.
    pub private: bool,
    /// What it is shown to let the node in.
    pub proof: Option<Proof>,
    /// How to read it, if it is a page.
    pub page: Option<Selectors>,
}

/// The sources that were declared so far.
#[derive(Default)]
pub(crate) struct DeclaredSources {
    /// Where each URL was declared.
    seen: BTreeMap<Url, String>,
}

impl DeclaredSources {
    /// The next source. The same URL twice is a mistake.
    pub(crate) fn declare(&mut self, table: &mut Table<'_, Source>) -> Option<Source> {
        let source = Source::declare(table)?;
        let mut url = source.url.clone();
        url.set_fragment(None);
        if let Some(before) = self.seen.get(&url) {
            table.refuse("url", &format!("must not be declared twice: {before} already has it"));
            return None;
        }
        self.seen.insert(url, format!("[{}] ({})", table.title(), table.origin()));
        Some(source)
    }
}

impl Source {
    fn declare(table: &mut Table<'_, Self>) -> Option<Self> {
        table.about("Sources that the node reads whether a feed asks for them or not.");
        let url = table
            .key("url", "The URL of a feed, a page or an OPML list. Required.")
            .optional(source_url(), "https://example.org/news", |source| Some(source.url.clone()));
        let title = table.key("title", "A title, if not the one that the source has.").optional(
            text(),
            "News",
            |source| source.title.clone(),
        );
        let importance = table
            .key("importance", "How much more the source matters than others.")
            .required(above_zero(1000.0), 1.0, |source| source.importance);
        let list = table
            .key(
                "list",
                "Whether it is an OPML list. The node then reads the sources on it for as long as they \
                 are on it.",
            )
            .required(flag(), false, |source| source.list);
        let cooperate = table
            .key(
                "cooperate",
                "What the node asks of the source if another node publishes it, if not as in \
                 `peers.cooperate`.",
            )
            .optional(cooperation(), vec!["watch", "archive"], |source| source.cooperate);
        let private = table.key("private", "Whether to publish its address nowhere.").required(
            flag(),
            false,
            |source| source.private,
        );
        let proof = declare_proof(table);
        let page = declare_page(table);
        if !table.is_set("url") {
            table.refuse_table("must have a `url`");
        }
        if list && page.is_some() {
            table.refuse("list", "must not be set together with `page`");
        }
        Some(Self { url: url?, title, importance, list, cooperate, private, proof, page })
    }
}

fn declare_proof(table: &mut Table<'_, Source>) -> Option<Proof> {
    let password = |source: &Source| match &source.proof {
        Some(Proof::Password { user, password }) => Some((user.clone(), password.clone())),
        _ => None,
    };
    let user = table
        .key(
            "user",
            "A user that the source knows. User and password are sent to the origin of `url` only, over TLS \
             or within a private network.",
        )
        .optional(text(), "bob", |source| password(source).map(|(user, _)| user));
    let password = table.key("password", "The password of that user.").secret(
        secret(),
        "what bob was given",
        |source| password(source).map(|(_, it)| it),
    );
    let header = table
        .key("header", "Or: a header that the source knows, as `Name: value`. It is sent likewise.")
        .secret(sendable_secret(), "X-Token: what the source gave us", |source| {
            let Some(Proof::Header { name, value }) = &source.proof else { return None };
            Some(Secret::new(format!("{name}: {}", value.reveal())))
        });
    if password.is_some() && user.is_none() {
        table.refuse_table("must have a `user` when it has a `password`");
    }
    if user.is_some() && header.is_some() {
        table.refuse("user", "must not be set together with `header`");
    }
    let proof = match (user, header) {
        (Some(user), _) => Proof::Password { user, password: password.unwrap_or(Secret::new("")) },
        (None, Some(header)) => {
            let (name, value) = header.reveal().split_once(':').unwrap_or_default();
            Proof::Header { name: name.trim().to_owned(), value: Secret::new(value.trim()) }
        }
        (None, None) => return None,
    };
    let key = if matches!(proof, Proof::Header { .. }) { "header" } else { "user" };
    let checked = proof.checked();
    checked.map_err(|error| table.refuse_table(&format!("has a wrong `{key}`: {error}"))).ok()
}

/// The URL of a source. It is shown without its secrets.
fn source_url() -> Codec<Url> {
    let shown = http_url();
    Codec::new(
        shown.allowed.clone(),
        move |setting| shown.read(setting),
        |url: &Url| quoted(masked(url.as_str())),
    )
}

fn declare_page(table: &mut Table<'_, Source>) -> Option<Selectors> {
    table.group("page", "How to read a page that is not a feed, with CSS selectors.");
    let item = table
        .key("item", "Matches each item. The other selectors apply within the match.")
        .optional(selector(), "article", |source| Some(source.page.as_ref()?.item.clone()));
    let title = table.key("title", "The title. Left out, it is the text of the link.").optional(
        selector(),
        "h2",
        |source| source.page.as_ref()?.title.clone(),
    );
    let link = table.key("link", "The link. Left out, it is the first one.").optional(
        selector(),
        "h2 a",
        |source| source.page.as_ref()?.link.clone(),
    );
    let date = table
        .key("date", "The date, from the `datetime` attribute or from the text.")
        .optional(selector(), "time", |source| source.page.as_ref()?.date.clone());
    let content = table
        .key("content", "The content.")
        .optional(selector(), ".summary", |source| source.page.as_ref()?.content.clone());
    let some = [&title, &link, &date, &content].into_iter().any(Option::is_some);
    if some && !table.is_set("page.item") {
        table.refuse_table("must have a `page.item` when it has another selector");
    }
    Some(Selectors { item: item?, title, link, date, content })
}

fn selector() -> Codec<String> {
    let read = |item: String| {
        let selectors = Selectors { item, ..Selectors::default() };
        match select("", &selectors, None, &pergola_feed::Limits::default()) {
            Err(PageError::Selector { reason, .. }) => {
                Err(format!("must be a CSS selector such as \"article h2 a\": {reason}"))
            }
            _ => Ok(selectors.item),
        }
    };
    text().map(read, String::clone).described("a CSS selector")
}
