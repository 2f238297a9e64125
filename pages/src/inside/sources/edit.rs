//! Changing a source, and removing it.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::source::{SourceDetail, SourceStatus};

use super::{field, name, tick, trouble};
use crate::frame::{Frame, Place, Viewer};

/// What was typed into the form, or what is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    pub title: String,
    pub folders: String,
    pub importance: String,
    pub private: bool,
    /// `keep`, `none`, `password` or `header`.
    pub credentials: String,
    pub user: String,
    pub header: String,
    /// What was stored when somebody began to change it.
    pub was: String,
}

impl Draft {
    /// What is stored.
    pub fn of(source: &SourceStatus) -> Self {
        Self {
            title: source.title.clone().unwrap_or_default(),
            folders: source.folders.join(", "),
            importance: source.importance.to_string(),
            private: source.private,
            credentials: "keep".to_owned(),
            was: Self::stored(source),
            ..Self::default()
        }
    }

    /// What the form can change of a source, in words that are others when it has changed.
    pub fn stored(source: &SourceStatus) -> String {
        let SourceStatus { title, folders, importance, private, credentials, .. } = source;
        let shown = credentials.as_ref().map_or("nothing", |held| held.kind.name());
        let (title, folders) = (title.as_deref().unwrap_or_default(), folders.join(", "));
        let private = if *private { "private" } else { "public" };
        format!(
            "title \"{title}\", folders \"{folders}\", importance {importance}, {private}, the site is shown {shown}"
        )
    }
}

/// The form that changes a source.
pub fn page(
    viewer: Viewer<'_>,
    source: &SourceStatus,
    draft: &Draft,
    problem: Option<&Problem>,
) -> Markup {
    let content = html! {
        p.soft { a href={ "../../sources/" (source.id) } { "Back to the source" } }
        h1 { "Edit " (name(source)) }
        p.address { (source.url) }
        @if let Some(problem) = problem { (trouble(problem)) }
        form.card.stack method="post" action={ "../../sources/" (source.id) "/edit" } {
            input type="hidden" name="was" value=(draft.was);
            (field("title", "Title (empty: the one that it gives itself)", &draft.title, ""))
            (field("folders", "Folders, separated by commas; one inside another as Tech/Rust", &draft.folders, "Tech, Tech/Rust"))
            (field("importance", "Importance: how much one of its items counts (1 is usual, up to 1000)", &draft.importance, "1"))
            (tick("private", "Private: publish its address nowhere", draft.private))
            (credentials(source, draft))
            p { button.main { "Save" } }
        }
    };
    let title = format!("Edit {}", name(source));
    let frame = Frame { title: &title, root: "../../", place: Some(Place::Sources), viewer };
    frame.page(html! {}, content)
}

fn credentials(source: &SourceStatus, draft: &Draft) -> Markup {
    let kept = match &source.credentials {
        Some(held) => format!("Keep the {} that is stored", held.kind.name()),
        None => "Nothing is shown".to_owned(),
    };
    let choice = |value: &str, label: &str| {
        let id = format!("credentials-{value}");
        html! {
            p.field.tick {
                input type="radio" name="credentials" id=(id) value=(value)
                    aria-labelledby={ "shown " (id) "-label" } checked[draft.credentials == value];
                label for=(id) id={ (id) "-label" } { (label) }
            }
        }
    };
    html! {
        fieldset {
            legend #shown { "What the site is shown to let this node in" }
            (choice("keep", &kept))
            @if source.credentials.is_some() { (choice("none", "Forget it")) }
            (choice("password", "A user and a password"))
            div.inner {
                (field("user", "User", &draft.user, ""))
                p.field {
                    label for="password" { "Password" }
                    input #password name="password" type="password" autocomplete="new-password";
                }
            }
            (choice("header", "A header"))
            div.inner {
                (field("header", "Name of the header", &draft.header, "X-Token"))
                p.field {
                    label for="value" { "Value" }
                    input #value name="value" type="password" autocomplete="new-password";
                }
            }
        }
    }
}

/// Asks whether a source is to be removed.
pub fn removal(viewer: Viewer<'_>, detail: &SourceDetail, problem: Option<&Problem>) -> Markup {
    let source = &detail.source;
    let content = html! {
        h1 { "Remove " (name(source)) "?" }
        p.address { (source.url) }
        @if let Some(problem) = problem { (trouble(problem)) }
        section.card {
            p { "It is refreshed no more. Items that feeds have published stay. For a week it can be restored." }
            @if !detail.read_by.is_empty() {
                p {
                    "These feeds read it: "
                    @for (index, reading) in detail.read_by.iter().enumerate() {
                        @if index > 0 { ", " }
                        a href={ "../../feeds/" (reading.feed) } { (reading.feed) }
                    }
                    ". If one of them names its address, change or drop that feed first."
                }
            }
            div.actions {
                form method="post" action={ "../../sources/" (source.id) "/remove" } {
                    button.danger { "Remove it" }
                }
                a.button href={ "../../sources/" (source.id) } { "Keep it" }
            }
        }
    };
    let title = format!("Remove {}", name(source));
    let frame = Frame { title: &title, root: "../../", place: Some(Place::Sources), viewer };
    frame.page(html! {}, content)
}
