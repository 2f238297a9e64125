//! A user's subscriptions: subscribe, rename, put into folders, unsubscribe.

use maud::{Markup, html};
use pergola_feed::Timestamp;

use super::read::{Chosen, View};
use crate::frame::{Frame, Place, Viewer};
use crate::words::{counted, time};

/// A page of subscriptions, and what else there is.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions {
    /// Leads from the page to the node's own address.
    pub root: &'static str,
    /// Those of this page.
    pub own: Vec<Subscription>,
    /// All of them, or all that were looked for.
    pub total: usize,
    /// What was looked for among them.
    pub search: String,
    /// The number of this page, from 1 on.
    pub page: usize,
    /// There is another page.
    pub more: bool,
    /// What can be subscribed to; nothing if everything is followed anyway.
    pub others: Option<Others>,
    pub note: Option<&'static str>,
    pub wrong: Option<String>,
}

/// Something that is followed.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub what: Chosen,
    pub title: String,
    /// In one line, as they are typed.
    pub folders: String,
    pub address: Option<String>,
    pub unread: u32,
    pub newest: Option<Timestamp>,
}

/// What can be subscribed to.
#[derive(Debug, Clone, Default)]
pub struct Others {
    /// What was looked for.
    pub find: String,
    /// What, what it is called, and its address.
    pub found: Vec<(Chosen, String, Option<String>)>,
}

/// The page.
pub fn page(viewer: Viewer<'_>, all: &Subscriptions) -> Markup {
    let root = all.root;
    let manages = matches!(viewer, Viewer::Inside { manages: true, .. });
    let content = html! {
        p.soft { a href={ (root) "read" } { "Read" } " › Subscriptions" }
        h1 { "Subscriptions" }
        @if let Some(note) = all.note { p.card.note role="status" { (note) } }
        @if let Some(wrong) = &all.wrong { p.card.wrong role="alert" { (wrong) } }
        @match &all.others {
            Some(others) => (subscribe(root, others)),
            None => p.card { "Whoever runs the node follows every source and every feed." },
        }
        @if manages {
            p.soft { "A source that this node does not crawl yet is added "
                a href={ (root) "sources" } { "with the sources" } "." }
        }
        (own(all))
    };
    let frame = Frame { title: "Subscriptions", root, place: Some(Place::Read), viewer };
    frame.page(html! {}, content)
}

fn subscribe(root: &str, others: &Others) -> Markup {
    html! {
        section.card {
            h2 { "Subscribe" }
            form.search method="get" action={ (root) "read/subscriptions" } role="search" {
                label for="find" { "Look for feeds and sources of this node by title or address" }
                input #find type="search" name="find" value=(others.find);
                button { "Look" }
            }
            @if others.found.is_empty() {
                p.soft {
                    @if others.find.is_empty() { "There is no feed that you do not follow." }
                    @else { "Nothing was found that you may read and do not follow yet." }
                }
            }
            @for (what, title, address) in &others.found {
                div.row {
                    span {
                        (title) " "
                        span.soft { (kind(what)) @if let Some(address) = address { " · " (address) } }
                    }
                    form method="post" action={ (root) "read/subscriptions/follow" } {
                        (hidden(what))
                        button aria-label={ "Subscribe to " (title) } { "Subscribe" }
                    }
                }
            }
        }
    }
}

fn own(all: &Subscriptions) -> Markup {
    let root = all.root;
    let place = |page: usize| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("q", &all.search).append_pair("page", &page.to_string());
        format!("{root}read/subscriptions?{}", query.finish())
    };
    html! {
        h2 { "What you follow" }
        form.search method="get" action={ (root) "read/subscriptions" } {
            label for="q" { (counted(all.total as u64, "subscription"))
                @if !all.search.is_empty() { " found" } "; filter by title, address or folder" }
            input #q type="search" name="q" value=(all.search);
            button { "Filter" }
        }
        @for one in &all.own { (subscription(root, one, all.others.is_some())) }
        div.row {
            @if all.page > 1 { a.button rel="prev" href=(place(all.page - 1)) { "Back" } }
            @if all.more { a.button rel="next" href=(place(all.page + 1)) { "More" } }
        }
    }
}

fn subscription(root: &str, one: &Subscription, may_leave: bool) -> Markup {
    let view = View { chosen: one.what.clone(), unread_only: true, search: None, after: None };
    html! {
        div.card {
            h3 { a href={ (root) (view.address()) } { (one.title) } }
            p.soft {
                (kind(&one.what)) " · " (one.unread) " unread"
                @if !one.folders.is_empty() { " · in " (one.folders) }
                @if let Some(newest) = one.newest { " · newest " (time(newest)) }
                @if let Some(address) = &one.address { br; (address) }
            }
            details {
                summary { "Change" }
                form.stacked method="post" action={ (root) "read/subscriptions/change" } {
                    (hidden(&one.what))
                    label { "Title" input name="title" value=(one.title) maxlength="200"; }
                    label { "Folders, with commas between them; one inside another as Tech/Rust"
                        input name="folders" value=(one.folders) maxlength="1000"; }
                    p { button.main { "Save" } }
                }
                @if may_leave {
                    form method="post" action={ (root) "read/subscriptions/leave" } {
                        (hidden(&one.what))
                        button.danger aria-label={ "Unsubscribe from " (one.title) } { "Unsubscribe" }
                    }
                }
            }
        }
    }
}

fn hidden(what: &Chosen) -> Markup {
    let (name, value) = what.field();
    html! { input type="hidden" name=(name) value=(value); }
}

fn kind(what: &Chosen) -> &'static str {
    if matches!(what, Chosen::Feed(_)) { "feed of this node" } else { "source" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_folders_and_addresses_do_no_harm() {
        let evil = "\"><script>alert(1)</script>";
        let one = Subscription {
            what: Chosen::Source(1),
            title: evil.into(),
            folders: evil.into(),
            address: Some(evil.into()),
            unread: 1,
            newest: Some(Timestamp::from_unix(0)),
        };
        let found = vec![(Chosen::Feed(2), evil.into(), Some(evil.into()))];
        let all = Subscriptions {
            root: "../",
            own: vec![one],
            total: 1,
            search: evil.into(),
            page: 2,
            more: true,
            others: Some(Others { find: evil.into(), found }),
            note: None,
            wrong: Some(evil.into()),
        };
        let viewer = Viewer::Inside { name: None, manages: true };
        let text = page(viewer, &all).into_string();
        assert!(!text.contains("<script>alert") && text.contains("&lt;script&gt;"), "{text}");
    }
}
