//! What is followed, with how much of it is unread.

use maud::{Markup, html};

use super::{Chosen, View};

/// What is followed.
#[derive(Debug, Clone, Default)]
pub struct Side {
    /// Unread items in all.
    pub unread: u32,
    /// Folders, and what is in none.
    pub groups: Vec<Group>,
}

/// A folder, or what is in none.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// Its name and its unread items.
    pub folder: Option<(String, u32)>,
    /// What is in it, as far as it is shown.
    pub entries: Vec<Entry>,
    /// What is in it and not shown.
    pub left_out: usize,
}

/// Something that is followed.
#[derive(Debug, Clone)]
pub struct Entry {
    pub what: Chosen,
    pub title: String,
    pub unread: u32,
}

impl Side {
    /// Nothing is followed.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

pub(super) fn side(side: &Side, current: &Chosen) -> Markup {
    html! {
        aside.side {
            // Open without scripts, and closed by a script on a narrow screen.
            details open {
                summary { "What you follow" }
                nav.plain aria-label="What you follow" {
                    ul {
                        li { (link(&Chosen::All, "All items", Some(side.unread), current)) }
                        li { (link(&Chosen::Starred, "Starred", None, current)) }
                    }
                    @for group in &side.groups { (shown(group, current)) }
                    p { a href="./read/subscriptions" { "Subscriptions" } }
                }
            }
        }
    }
}

fn shown(group: &Group, current: &Chosen) -> Markup {
    html! {
        div.group {
            @if let Some((name, unread)) = &group.folder {
                p.folder { (link(&Chosen::Folder(name.clone()), name, Some(*unread), current)) }
            }
            ul {
                @for entry in &group.entries {
                    li { (link(&entry.what, &entry.title, Some(entry.unread), current)) }
                }
                @if group.left_out > 0 && !group.entries.is_empty() {
                    li { a.soft href="./read/subscriptions" { "and " (group.left_out) " more" } }
                }
            }
        }
    }
}

fn link(what: &Chosen, title: &str, unread: Option<u32>, current: &Chosen) -> Markup {
    let unread_only = *what != Chosen::Starred;
    let view = View { chosen: what.clone(), unread_only, search: None, after: None };
    html! {
        a href={ "./" (view.address()) } aria-current=[(what == current).then_some("page")] {
            span.title { (title) }
            @if let Some(unread) = unread {
                " " span.count data-stream=(what.key()) hidden[unread == 0] {
                    span.number { (unread) } span.hidden { " unread" }
                }
            }
        }
    }
}
