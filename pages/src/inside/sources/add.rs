//! Adding a source: an address, a choice among the feeds of a page, or selectors with a preview.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::source::{Looked, SeenFeed, SeenItem};

use super::{field, outward, tick, trouble};
use crate::assets;
use crate::frame::{Frame, Place, Viewer};
use crate::words::counted;

/// What was typed so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    pub url: String,
    pub title: String,
    pub folders: String,
    pub only_new: bool,
    pub private: bool,
    pub user: String,
    pub selectors: Selectors,
}

/// The selectors for a page that has no feed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selectors {
    pub item: String,
    pub title: String,
    pub link: String,
    pub date: String,
}

/// What the page asks for next.
#[derive(Debug, Clone, Copy, Default)]
pub enum Step<'a> {
    /// An address.
    #[default]
    Address,
    /// One of the feeds that the page leads to.
    Choice(&'a Looked),
    /// Selectors for a page that leads to no feed; with what they find if something was tried.
    Selectors(Option<&'a Looked>),
}

/// The form.
pub fn page(
    viewer: Viewer<'_>,
    draft: &Draft,
    step: Step<'_>,
    problem: Option<&Problem>,
    may_add_anyway: bool,
) -> Markup {
    let content = html! {
        p.soft { a href="../sources" { "Sources" } }
        h1 { "Add a source" }
        @if let Some(problem) = problem { (trouble(problem)) }
        form.stack method="post" action="../sources/new" {
            section.card {
                p.field {
                    label for="url" { "Address of a feed or a page" }
                    input #url name="url" value=(draft.url) required placeholder="example.org"
                        autocapitalize="off" spellcheck="false" inputmode="url";
                }
                (more(draft))
                p.actions {
                    button.main name="do" value="look" { "Add" }
                    @if may_add_anyway { button name="do" value="anyway" { "Add it anyway, and try later" } }
                }
            }
            @match step {
                Step::Address => {},
                Step::Choice(looked) => (choice(looked)),
                Step::Selectors(looked) => (selectors(&draft.selectors, looked)),
            }
        }
        @if matches!(step, Step::Address) {
            p.soft { "Do you come from another reader? " a href="../sources/import" { "Import its subscriptions" } "." }
        }
    };
    let head = html! { @if matches!(step, Step::Selectors(_)) {
        script src=(assets::address("../", "sources.js")) defer {}
    } };
    let frame = Frame { title: "Add a source", root: "../", place: Some(Place::Sources), viewer };
    frame.page(head, content)
}

fn more(draft: &Draft) -> Markup {
    let said = !draft.title.is_empty() || !draft.folders.is_empty() || !draft.user.is_empty();
    html! {
        details open[said || draft.only_new || draft.private] {
            summary { "Title, folders, password" }
            (field("title", "Title (empty: the one that it gives itself)", &draft.title, ""))
            (field("folders", "Folders, separated by commas; one inside another as Tech/Rust", &draft.folders, "Tech, Tech/Rust"))
            (tick("only_new", "Only what it publishes from now on", draft.only_new))
            (tick("private", "Private: publish its address nowhere", draft.private))
            (field("user", "User, if the site asks for one", &draft.user, ""))
            p.field {
                label for="password" { "Password" }
                input #password name="password" type="password" autocomplete="new-password";
            }
        }
    }
}

fn choice(looked: &Looked) -> Markup {
    html! {
        section.card aria-labelledby="choice" {
            h2 #choice { "This page has " (counted(looked.feeds.len() as u64, "feed")) }
            p.soft { "Which one do you want?" }
            ul.choice { @for feed in &looked.feeds { (offered(feed)) } }
            p {
                "None of them? "
                button name="do" value="selectors" { "Read the page itself" }
            }
        }
    }
}

fn offered(feed: &SeenFeed) -> Markup {
    let title = feed.title.as_deref().unwrap_or(&feed.url);
    html! {
        li {
            div {
                strong { (title) }
                span.soft.line { (feed.url) @if !feed.media_type.is_empty() { " · " (kind(&feed.media_type)) } }
            }
            button name="feed" value=(feed.url) aria-label={ "Add " (title) } { "Add" }
        }
    }
}

/// A media type as people call it.
fn kind(media_type: &str) -> &str {
    match media_type {
        "application/rss+xml" => "RSS",
        "application/atom+xml" => "Atom",
        "application/feed+json" => "JSON Feed",
        "application/rdf+xml" => "RSS 1.0",
        other => other,
    }
}

fn selectors(draft: &Selectors, looked: Option<&Looked>) -> Markup {
    html! {
        section.card aria-labelledby="selectors" {
            h2 #selectors { "This page has no feed" }
            p {
                "This node can read the page itself. CSS selectors say where the items are: the first one must match "
                "once for each item; the others look inside it and may stay empty."
            }
            (field("item", "Items", &draft.item, "article"))
            (field("item_title", "Title (empty: the text of the link)", &draft.title, "h2"))
            (field("item_link", "Link (empty: the first one)", &draft.link, "a"))
            (field("item_date", "Date", &draft.date, "time"))
            p.actions {
                button name="do" value="preview" { "Preview" }
                button.main name="do" value="page" { "Add this page" }
            }
            div #preview aria-live="polite" { (preview(looked)) }
        }
    }
}

/// The first items that selectors find, or why they find none. Also sent alone, for the script.
pub fn preview(looked: Option<&Looked>) -> Markup {
    let Some(looked) = looked else {
        return html! { p.soft { "The preview shows what the selectors find." } };
    };
    html! {
        @if let Some(trouble) = &looked.trouble { p.problem role="alert" { (trouble) } }
        @if looked.found > 0 {
            p.soft { (counted(looked.found as u64, "item")) " found" @if looked.found > looked.items.len() { ", the first " (looked.items.len()) } ":" }
            ol.found { @for item in &looked.items { (found(item)) } }
        }
    }
}

/// What went wrong with a preview, for the script.
pub fn preview_problem(problem: &Problem) -> Markup {
    trouble(problem)
}

fn found(item: &SeenItem) -> Markup {
    html! {
        li {
            strong { (item.title.as_deref().filter(|title| !title.is_empty()).unwrap_or("(no title)")) }
            span.soft.line {
                @match &item.link { Some(link) => (outward(link)), None => "(no link)" }
                @if let Some(date) = &item.date { " · " (date) }
            }
        }
    }
}
