//! What went wrong, as a page.

use maud::{Markup, html};
use pergola_api::Problem;

use super::layout;

/// The problem in words, and where to go instead.
pub(crate) fn page(problem: &Problem) -> Markup {
    let title = format!("{}: {}", problem.status, problem.title);
    let content = html! {
        section.card {
            h1 { (title) }
            p { (problem.detail) "." }
            @if !problem.links.is_empty() {
                ul { @for link in &problem.links { li { a href=(link) { (link) } } } }
            }
            p { a href="/" { "To the feeds of this node" } }
        }
    };
    layout(&title, "/", html! {}, content)
}
