//! What went wrong, as a page.

use maud::{Markup, html};
use pergola_api::Problem;

use crate::frame::{Frame, Viewer};

/// The problem in words, and where to go instead.
pub fn page(problem: &Problem) -> Markup {
    let title = format!("{}: {}", problem.status, problem.title);
    let content = html! {
        section.card {
            h1 { (title) }
            p { (problem.detail) "." }
            @if !problem.links.is_empty() {
                ul { @for link in &problem.links { li { a href=(link) { (link) } } } }
            }
            p { a href="/" { "To the first page of this node" } }
        }
    };
    let frame = Frame { title: &title, root: "/", place: None, viewer: Viewer::Anybody };
    frame.page(html! {}, content)
}
